"""A chart on a judge's page: what further askings change."""

import json
import re
from html import unescape
from math import sqrt

from registry_support import ROOT
from scipy.stats import t

from epc.registry.reading import of_folder
from epc.site.charts.prices import asking_chart


def test_every_number_of_askings_has_its_share_interval_and_price() -> None:
    file = json.loads((ROOT / "snapshots" / "choices.json").read_text("utf-8"))
    domain = file["domains"]["all"]
    wanted = []
    for number, way in enumerate(file["ways"]):
        if way["models"] == ["gpt-5.4-mini"]:
            share, spread = domain["right"][number], sqrt(domain["covariance"][number][number])
            reach = t.ppf(0.975, domain["questions"] - 1) * spread
            low, high = 100 * (share - reach), 100 * (share + reach)
            price = f"{way['askings']} for ${way['usd']:.2f}"
            wanted.append((way["askings"], f"{price}: {100 * share:.1f} [{low:.1f}, {high:.1f}]"))

    drawn = unescape(str(asking_chart(of_folder(ROOT).choices, "gpt-5.4-mini")))

    assert len(wanted) > 2
    assert "; ".join(text for _, text in sorted(wanted)) in drawn
    heights = [float(y) for y in re.findall(r'<circle cx="[\d.]+%" cy="([\d.]+)"', drawn)]
    assert heights == sorted(heights, reverse=True), "more askings are right more often"
    assert drawn.count('class="epc-band"') == len(heights) == len(wanted)


def test_a_judge_that_was_asked_in_one_way_has_no_chart_of_askings() -> None:
    choices = of_folder(ROOT).choices

    assert not asking_chart(choices, "URM-LLaMa-3.1-8B")
    assert not asking_chart(choices, "nobody")
    assert not asking_chart(None, "gpt-5.4-mini")
