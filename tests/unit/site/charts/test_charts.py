"""Pictures as data: valid, with the numbers that they claim, and words for what they show."""

import json
import re
from datetime import date
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from records_support import Run, made, make_run, ties, tiny, vega_lite
from registry_support import Checkout, generation_record, life_record, stated

from epc.analysis.audit import audit_manifest
from epc.protocol.weights import UpdateRule
from epc.records.manifest import Manifest
from epc.records.typed import parse
from epc.registry.record import AuditSummary
from epc.report.charts.chart import Chart
from epc.report.picture import svg
from epc.simulation.noise import blind_band
from epc.site.building import win_rates
from epc.site.charts import charts_of_evaluator, charts_of_snapshot, spark
from epc.site.charts.gallery import _columns
from epc.site.charts.preferences import win_rates_chart
from epc.site.charts.seeds import MOST_SEEDS, gamma_chart
from epc.site.collecting import collect
from epc.site.numbers import csv_text
from epc.site.pages import EvaluatorPage, Site, SnapshotPage, WinRate

__all__ = ["made", "ties", "tiny"]
READ = "substantial, within coin-flip range"
NAMES = [
    *("gamma", "noise-floor", "transfer", "excess", "jsd", "win-rates", "trajectories"),
    *("ties", "position-bias"),
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
    return charts_of_snapshot(parsed, audit, rates(manifest), trials)


def of(run: Run) -> dict[str, Chart]:
    charts = drawn(run.manifest(), run.folder / "trials.jsonl")
    return {chart.name: chart for chart in charts}


@pytest.mark.parametrize("run", ["flip", "exhaustive", "single"])
def test_a_measured_snapshot_has_all_its_pictures_each_valid(
    made: dict[str, Run], run: str
) -> None:
    charts = of(made[run])

    # One seed of a few rounds decides too little for anything to be said of what crosses.
    assert list(charts) == [name for name in NAMES if (run, name) != ("single", "transfer")]
    for chart in charts.values():
        assert list(vega_lite().iter_errors(chart.specification)) == []
        assert chart.specification["description"] == chart.alternative
        assert chart.rows


def test_every_picture_fits_a_phone_without_being_scaled_down(made: dict[str, Run]) -> None:
    """A narrow phone has 360 pixels."""
    for chart in of(made["flip"]).values():
        (width,) = re.findall(r'<svg [^>]*?\bwidth="([\d.]+)"', svg(chart.specification))
        assert 250 < float(width) <= 360, chart.name


def test_reading_r70_the_picture_of_what_crosses_has_both_figures_and_both_intervals(
    made: dict[str, Run],
) -> None:
    chart = of(made["exhaustive"])["transfer"]
    stated = made["exhaustive"].manifest()["results"]["summary"]["transfer"]["directions"]

    shown = {(row["direction"], row["figure"], row["of"]): row for row in chart.rows}
    assert len(shown) == 2 * 2 * 2
    into = stated["visual_to_text"]
    for figure in ("redirected", "regret"):
        for scope, part in (("for the domain", into), ("for these tasks", into["these_tasks"])):
            row = shown["visual to text", figure, scope]
            assert row["value"] == 100 * part[figure]
            assert [row["low"], row["high"]] == [100 * end for end in part[f"{figure}_ci95"]]
    redirected = shown["visual to text", "redirected", "for the domain"]
    assert redirected["chance"] == 100 * into["chance"]
    assert (
        f"redirects an estimated {100 * into['redirected']:.0f} of 100 choices in text"
        in chart.alternative
    )
    assert "by rule 3" in chart.alternative
    dashed = chart.specification["vconcat"][1]["layer"][1]
    assert (dashed["data"]["values"], dashed["mark"]["strokeDash"]) == ([{"at": 2}], [4, 3])


def test_a_run_that_measured_nothing_has_pictures_too(ties: Run, tmp_path: Path) -> None:
    none = make_run(tmp_path / "none", seeds=2, rounds=0)

    for run in (ties, none):
        charts = of(run)
        assert set(charts) >= {"gamma", "ties", "win-rates"}
        for chart in charts.values():
            assert list(vega_lite().iter_errors(chart.specification)) == []
    assert of(ties)["win-rates"].alternative == (
        "No strategy has decided comparisons in both domains."
    )
    assert "100.0% of the rounds were ties" in of(ties)["ties"].alternative


def test_the_rows_of_gamma_are_the_seeds_of_the_manifest(made: dict[str, Run]) -> None:
    run = made["flip"]
    titles = {"text to visual": "text_to_visual", "visual to text": "visual_to_text"}

    chart = of(run)["gamma"]

    assert {(r["seed"], titles[r["direction"]]): r["gamma"] for r in chart.rows} == {
        (record["seed"], d): record["gamma"][d]
        for record in run.manifest()["results"]["per_seed"]
        for d in titles.values()
    }
    summary = run.manifest()["results"]["summary"]
    mean = summary["gamma"]["text_to_visual"]["mean"]
    floor = summary["control"]["noise_floor"]["text_to_visual"]["mean"]
    assert f"text to visual: mean {mean:.3f}, noise floor {floor:.3f}" in chart.alternative


def test_the_words_count_the_seeds_inside_the_band(made: dict[str, Run]) -> None:
    manifest = made["flip"].manifest()
    floors = manifest["results"]["summary"]["control"]["noise_floor"]
    values = [record["gamma"]["text_to_visual"] for record in manifest["results"]["per_seed"]]
    floors["text_to_visual"] |= {"q025": min(values) + 1e-9, "q975": 4.0}

    words = gamma_chart(Manifest.parse(manifest)).alternative

    assert "2 of 3 seeds inside the grey band; visual to text" in words


def test_many_seeds_are_thinned_to_ranks_and_every_one_is_in_the_rows(
    made: dict[str, Run],
) -> None:
    manifest = made["flip"].manifest()
    first = manifest["results"]["per_seed"][0]
    manifest["results"]["per_seed"] = [
        first | {"seed": n, "gamma": dict.fromkeys(first["gamma"], n / 1000)} for n in range(1001)
    ]

    chart = gamma_chart(Manifest.parse(manifest))

    drawn = chart.specification["layer"][2]["data"]["values"]
    assert len(drawn) == 2 * MOST_SEEDS
    values = sorted(r["value"] for r in drawn if r["direction"] == "text to visual")
    assert (values[0], values[-1]) == (0, 1)
    assert values[len(values) // 2] == pytest.approx(0.5, abs=0.006)
    assert len(chart.rows) == 2 * 1001
    assert f"thinned to {MOST_SEEDS}" in chart.note


def test_win_rates_name_the_strategy_on_which_the_domains_part_most(made: dict[str, Run]) -> None:
    given = [
        WinRate(strategy="a", domain="text", wins=3, losses=1, ties=0),
        WinRate(strategy="a", domain="visual", wins=2, losses=2, ties=0),
        WinRate(strategy="b", domain="text", wins=1, losses=3, ties=0),
        WinRate(strategy="b", domain="visual", wins=4, losses=0, ties=1),
        WinRate(strategy="c", domain="text", wins=0, losses=0, ties=4),
        WinRate(strategy="c", domain="visual", wins=4, losses=0, ties=0),
    ]

    chart = win_rates_chart(given)

    assert chart.alternative == (
        "The domains part most on b: it wins 25% of its decided comparisons in text and 100% in "
        "visual."
    )
    # Wilson's interval of 3 in 4, from its formula by hand.
    assert chart.rows[0]["low"] == pytest.approx(0.3006, abs=1e-4)
    assert chart.rows[0]["high"] == pytest.approx(0.9544, abs=1e-4)
    assert chart.rows[4]["rate"] is None


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


# An evaluator through time.


def site(folder: Path, *, record: Any = None) -> Site:
    made = Checkout(folder)
    if record:
        made.evaluator(record)
    made.publish("v1.0-Judge-1")
    made.publish("v1.1-Judge-1", measured={"from": "2026-02-01", "to": "2026-02-11"})
    return collect(folder, as_of=date(2026, 4, 1), address="")


def judge(found: Site) -> EvaluatorPage:
    return next(page for page in found.evaluators if page.name == "Judge-1")


def scales(specification: object) -> list[list[str]]:
    """Return the directions that each scale of a picture names."""
    if isinstance(specification, list):
        return [found for each in specification for found in scales(each)]
    if not isinstance(specification, dict):
        return []
    own = specification.get("scale", {}).get("domain", [])
    return ([own] if own else []) + scales(list(specification.values()))


def test_a_history_names_no_direction_without_figures(tmp_path: Path) -> None:
    # Judge-1's figures were reported in one direction.
    (chart,) = charts_of_evaluator(judge(site(tmp_path)), {})

    assert {row["direction"] for row in chart.rows if "direction" in row} == {"text to visual"}
    named = scales(chart.specification)
    assert named
    assert all(each == ["text to visual"] for each in named)


def test_a_history_holds_figures_lifecycle_events_and_expiry(tmp_path: Path) -> None:
    life = life_record(released=stated("2025-03-01"), retires=stated("2026-12-01"))
    record = generation_record("Judge-1", life)

    (chart,) = charts_of_evaluator(judge(site(tmp_path, record=record)), {})

    assert chart.name == "gamma-history"
    assert list(vega_lite().iter_errors(chart.specification)) == []
    figures = [row for row in chart.rows if "snapshot" in row]
    assert [(r["snapshot"], r["day"], r["mean"]) for r in figures] == [
        ("v1.0-Judge-1", "2026-01-01", 1.1),
        ("v1.1-Judge-1", "2026-02-06", 1.1),
    ]
    events = {(row["day"], row["what"], row["of"]) for row in chart.rows if "what" in row}
    assert events == {
        ("2025-03-01", "released", "maker"),
        ("2026-12-01", "retires", "maker"),
        ("2026-02-01", "published", "v1.0-Judge-1"),
        ("2026-02-01", "published", "v1.1-Judge-1"),
        ("2026-06-30", "expires", "v1.0-Judge-1"),
        ("2026-07-31", "expires", "v1.1-Judge-1"),
    }
    assert (
        f"gamma in 2 snapshots; newest, 2026-02-06: text to visual 1.100, {READ}."
        in chart.alternative
    )
    assert "v1.0-Judge-1 expires 2026-06-30" in chart.alternative
    assert "maker retires 2026-12-01" in chart.alternative


def test_where_nothing_was_published_there_is_no_picture(tmp_path: Path) -> None:
    Checkout(tmp_path).tell({"date": "2026-01-01", "event": "published", "tag": "x"})
    (tmp_path / "snapshots" / "events.jsonl").write_text("")

    found = collect(tmp_path, as_of=date(2026, 4, 1), address="")

    assert charts_of_evaluator(judge(found), {}) == []


# The small picture of a row.


def row(folder: Path, **given: Any) -> SnapshotPage:
    made = Checkout(folder)
    made.publish("v1.0-Judge-1", **given)
    return collect(folder, as_of=date(2026, 4, 1), address="").snapshots[0]


def test_a_row_is_drawn_on_a_coin_flip_where_it_has_no_floor_of_its_own(tmp_path: Path) -> None:
    coin = blind_band(strategies=11, rounds=30, rule=UpdateRule())["gamma"]

    drawn = unescape(spark(row(tmp_path).row))

    assert f"gamma 1.100 (no interval), {READ}" in drawn
    assert f"a coin flip {coin.mean:.2f}" in drawn
    assert drawn.count("<rect") == 1
    assert drawn.count("<circle") == 1


def test_a_variant_with_another_coin_is_drawn_without_a_band(tmp_path: Path) -> None:
    drawn = spark(row(tmp_path, protocol_version="EPC-v1.0-AltRounds").row)

    assert "<rect" not in drawn
    assert "<circle" in drawn


def test_csv_is_written_as_json_writes_numbers() -> None:
    rows: list[dict[str, Any]] = [{"a": 1e-05, "b": 0.1 + 0.2, "c": None}, {"a": 2, "d": 'x,"y"'}]

    text = csv_text(_columns(rows), rows)

    assert text == 'a,b,c,d\r\n1e-05,0.30000000000000004,,\r\n2,,,"x,""y"""\r\n'
    assert json.loads("0.30000000000000004") == 0.1 + 0.2
