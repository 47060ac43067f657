"""A chart on a judge's page: what further askings change."""

import json
import re
from html import unescape

from oracle.choices import interval
from registry_support import ROOT

from epc.records.choices import ALL, Choices, Domain, Way
from epc.registry.reading import of_folder
from epc.site.charts.forest import ticks_of
from epc.site.charts.prices import asking_chart, price_chart


def test_every_number_of_askings_has_its_share_interval_and_price() -> None:
    file = json.loads((ROOT / "snapshots" / "choices.json").read_text("utf-8"))
    domain = file["domains"]["all"]
    wanted = []
    for number, way in enumerate(file["ways"]):
        if way["models"] == ["gpt-5.4-mini"]:
            share, asked = domain["right"][number], domain["questions"] * way["times"]
            low, high = (100 * end for end in interval(domain, number, asked, 0.05))
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


def way(model: str, askings: int, usd: float | None, *other_arguments: str) -> Way:
    return Way(
        models=(model, *other_arguments), askings=askings, prompt="p", source="s",
        tags=("v1",), settings=("s",), usd=usd, priced="", times=100,
    )  # fmt: skip


def measured(ways: list[Way], right: tuple[float, ...], variance: float = 0.0) -> Choices:
    covariance = tuple(tuple(variance * (i == j) for j in range(i + 1)) for i in range(len(ways)))
    domain = Domain(questions=101, right=right, covariance=covariance)
    return Choices(benchmark="B", decides="d", chance=0.5, ways=tuple(ways), domains={ALL: domain})


def test_prices_lie_by_their_logarithm_and_shares_between_round_numbers() -> None:
    ways = [
        *(way("cheap", 5, 10.0), way("cheap", 1, 1.0), way("dear", 1, 100.0)),
        *(way("free", 1, None), way("pair", 1, 5.0, "other")),
    ]

    drawing = unescape(str(price_chart(measured(ways, (0.5, 0.6, 0.7, 0.9, 0.9)), ALL)))

    assert (
        'aria-label="Right of 100 by price. cheap: 60.0 for $1.00, 50.0 for $10.00; '
        'dear: 70.0 for $100.00"' in drawing
    )
    # 8% to 94% for $1 to $100; 50 to 70 of 100 from 232 to 20 pixels down.
    dots = re.findall(r'<circle cx="([\d.]+)%" cy="([\d.]+)" r="5">', drawing)
    assert dots == [("8.0", "126.0"), ("51.0", "232.0"), ("94.0", "20.0")]
    assert 'class="epc-reach" x1="8.0%" x2="51.0%" y1="126.0" y2="232.0"' in drawing
    assert drawing.count("epc-reach") == 1
    # A name stands below its first dot on the left and on the highest line, else above it.
    assert '<text class="epc-named" x="8.0%" y="146.0" text-anchor="start">cheap<' in drawing
    assert '<text class="epc-named" x="94.0%" y="40.0" text-anchor="start">dear<' in drawing
    written = re.findall(r'<text x="([\d.]+)%" y="(\d+)" text-anchor="middle">(\$[\d.]+)<', drawing)
    assert [text for _, _, text in written] == ["$1", "$2", "$5", "$10", "$20", "$50", "$100"]
    assert written[3][:2] == ("51.0", "258")
    # 240 for the picture, one line of 18 below it, and half a line.
    assert 'class="epc-prices" width="100%" height="267"' in drawing
    assert '<line x1="6%" x2="100%" y1="20.0" y2="20.0"></line><text x="0" y="24.0">70<' in drawing
    assert "epc-band" not in drawing


def test_a_name_in_the_middle_below_the_highest_line_stands_above_its_dot() -> None:
    ways = [way("low", 1, 10.0), way("high", 1, 1.0), way("high", 5, 100.0)]

    drawing = str(price_chart(measured(ways, (0.5, 0.6, 0.7)), ALL))

    assert '<text class="epc-named" x="51.0%" y="222.0" text-anchor="end">low<' in drawing


def test_an_asking_is_written_with_its_price_below_it() -> None:
    ways = [way("j", 4, 0.0), way("j", 1, 1.5), way("k", 9, 1.0)]

    drawing = unescape(str(asking_chart(measured(ways, (0.7, 0.6, 0.9), 0.0001), "j")))

    # As many as vary with a standard error of 0.01: 2,400 and 2,100, less (1.960 / 1.984)^2.
    alone = {"questions": 101, "covariance": [[0.0001], [0, 0.0001]], "right": [0.6, 0.7]}
    (low, high), (_, top) = (interval(alone, number, 10**6, 0.05) for number in (0, 1))
    assert (
        "by the number of askings. 1 for $1.50: 60.0 [58.0, 62.0]; 4: 70.0 [68.0, 71.9]" in drawing
    )
    # Between 50 and 75 of 100: 58.001 lies 8.001 / 25 of 212 pixels above 232.
    tall = [f"{232 - 212 * (at - ticks[0]) / (ticks[-1] - ticks[0]):.1f}"
            for ticks in [ticks_of(100 * low, 100 * top)]
            for at in (100 * low, 100 * high)]  # fmt: skip
    assert f'class="epc-band" x1="8.0%" x2="8.0%" y1="{tall[0]}" y2="{tall[1]}"' in drawing
    assert re.findall(r'y="(\d+)" text-anchor="middle">([^<]+)<', drawing) == [
        ("258", "4"), ("258", "1"), ("276", "$1.50"),
    ]  # fmt: skip
    assert 'height="285"' in drawing
    assert "epc-named" not in drawing
