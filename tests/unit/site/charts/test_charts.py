"""Pictures as data: valid, with the numbers that they claim, and words for what they show."""

import re
from pathlib import Path
from typing import Any

import pytest
from records_support import Run, made, make_run, ties, tiny, vega_lite

from epc.analysis.audit import audit_manifest
from epc.records.manifest import Manifest
from epc.records.typed import parse
from epc.registry.record import AuditSummary
from epc.report.charts.chart import Chart
from epc.report.picture import svg
from epc.site.building import win_rates
from epc.site.charts import charts_of_snapshot
from epc.site.pages import WinRate

__all__ = ["made", "ties", "tiny"]
NAMES = [
    *("gamma", "transfer", "excess", "jsd", "trajectories"),
]


def rates(manifest: dict[str, Any]) -> list[WinRate]:
    counts = manifest["results"]["verdict_table"]["counts"]
    return [
        WinRate(
            strategy=name,
            domain=domain,
            wins=sum(cell[0] for cell in counts[domain][name]),
            losses=sum(cell[1] for cell in counts[domain][name]),
            ties=sum(cell[2] for cell in counts[domain][name]),
        )
        for name in (strategy["name"] for strategy in manifest["strategies"])
        for domain in ("text", "visual")
    ]


def drawn(manifest: dict[str, Any], trials: Path) -> list[Chart]:
    parsed = Manifest.parse(manifest)
    audit = parse(audit_manifest(parsed).as_json(), AuditSummary)
    return charts_of_snapshot(parsed, audit, trials)


def charts_by_name(run: Run) -> dict[str, Chart]:
    charts = drawn(run.manifest(), run.folder / "trials.jsonl")
    return {chart.name: chart for chart in charts}


@pytest.mark.parametrize("run", ["flip", "exhaustive", "single"])
def test_a_measured_snapshot_has_all_its_pictures_each_valid(
    made: dict[str, Run], run: str
) -> None:
    charts = charts_by_name(made[run])

    # One seed of a few rounds decides too little for anything to be said of what crosses.
    assert list(charts) == [name for name in NAMES if (run, name) != ("single", "transfer")]
    for chart in charts.values():
        assert list(vega_lite().iter_errors(chart.specification)) == []
        assert chart.specification["description"] == chart.alternative
        assert chart.rows


def test_every_picture_fits_a_phone_without_being_scaled_down(made: dict[str, Run]) -> None:
    """A narrow phone has 360 pixels."""
    for chart in charts_by_name(made["flip"]).values():
        (width,) = re.findall(r'<svg [^>]*?\bwidth="([\d.]+)"', svg(chart.specification))
        assert 250 < float(width) <= 360, chart.name


def test_reading_r70_the_picture_of_what_crosses_has_both_figures_and_both_intervals(
    made: dict[str, Run],
) -> None:
    chart = charts_by_name(made["exhaustive"])["transfer"]
    stated_directions = made["exhaustive"].manifest()["results"]["summary"]["transfer"][
        "directions"
    ]

    rows = {(row["direction"], row["figure"], row["of"]): row for row in chart.rows}
    assert len(rows) == 2 * 2 * 2
    into = stated_directions["visual_to_text"]
    for figure in ("redirected", "regret"):
        for scope, part in (("for the domain", into), ("for these tasks", into["these_tasks"])):
            row = rows["visual to text", figure, scope]
            assert row["value"] == 100 * part[figure]
            assert [row["low"], row["high"]] == [100 * end for end in part[f"{figure}_ci95"]]
    redirected = rows["visual to text", "redirected", "for the domain"]
    assert redirected["chance"] == 100 * into["chance"]
    assert (
        f"redirects an estimated {100 * into['redirected']:.0f} of 100 choices in text"
        in chart.alternative
    )
    assert "by rule 4" in chart.alternative
    dashed = chart.specification["vconcat"][1]["layer"][1]
    assert (dashed["data"]["values"], dashed["mark"]["strokeDash"]) == ([{"at": 2}], [4, 3])


def test_a_run_that_measured_nothing_has_pictures_too(ties: Run, tmp_path: Path) -> None:
    none = make_run(tmp_path / "none", seeds=2, rounds=0)

    for run in (ties, none):
        charts = charts_by_name(run)
        assert set(charts) >= {"gamma", "jsd", "excess"}
        for chart in charts.values():
            assert list(vega_lite().iter_errors(chart.specification)) == []


def test_the_rows_of_gamma_are_the_seeds_of_the_manifest(made: dict[str, Run]) -> None:
    run = made["flip"]
    titles = {"text to visual": "text_to_visual", "visual to text": "visual_to_text"}

    chart = charts_by_name(run)["gamma"]

    assert {(r["seed"], titles[r["direction"]]): r["gamma"] for r in chart.rows} == {
        (record["seed"], d): record["gamma"][d]
        for record in run.manifest()["results"]["per_seed"]
        for d in titles.values()
    }
    summary = run.manifest()["results"]["summary"]
    mean = summary["gamma"]["text_to_visual"]["mean"]
    floor = summary["control"]["noise_floor"]["text_to_visual"]["mean"]
    assert f"text to visual: mean {mean:.3f}, noise floor {floor:.3f}" in chart.alternative


def test_trials_that_are_not_the_manifests_stop_the_pictures(tiny: Run) -> None:
    manifest = tiny.manifest()
    weights = manifest["results"]["per_seed"][0]["weights"]["text"]
    first = next(iter(weights))
    weights[first] += 1e-16 + weights[first] * 1e-15

    with pytest.raises(Exception, match="does not end text where the manifest says"):
        drawn(manifest, tiny.folder / "trials.jsonl")


def test_win_rates_are_counted_over_the_cells_of_the_verdict_table(made: dict[str, Run]) -> None:
    manifest = made["exhaustive"].manifest()

    assert list(win_rates(Manifest.parse(manifest))) == rates(manifest)


def test_a_win_rate_has_wilson_s_interval_and_none_where_nothing_was_decided() -> None:
    three = WinRate(strategy="a", domain="text", wins=3, losses=1, ties=0)
    none = WinRate(strategy="a", domain="visual", wins=0, losses=0, ties=4)

    # Of 3 in 4, from its formula by hand.
    assert three.ci95 == pytest.approx((0.3006, 0.9544), abs=1e-4)
    assert (three.rate, none.rate, none.ci95) == (0.75, None, None)
