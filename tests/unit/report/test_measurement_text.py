"""The printed form of a measurement says what its figures can bear."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from records_support import Run, make_run
from scipy import stats

from epc.records.manifest import Manifest
from epc.report.measurement_text import report

SHOUT = "NO VERDICT WAS EVER COUNTED"


def test_the_table_holds_the_means_and_intervals_of_the_manifest(flip: Run) -> None:
    manifest = flip.manifest()
    text = report(Manifest.parse(manifest))

    gamma = manifest["results"]["summary"]["gamma"]
    cells = [
        f"{g['mean']:.3f} [{g['ci95'][0]:.3f}, {g['ci95'][1]:.3f}]"
        for g in (gamma["text_to_visual"], gamma["visual_to_text"])
    ]
    (line,) = [line for line in text.splitlines() if line.startswith("  gamma")]
    assert cells[0] in line
    assert line.endswith(cells[1])
    assert "mean over seeds [95% interval]" in text


def test_epc_2_8_1_the_report_begins_with_tag_date_and_models(flip: Run) -> None:
    first, *others = report(flip.parsed()).splitlines()
    lines = others[others.index("What was measured") :]

    assert first == "EPC-v1.0-AltRounds, measured 2026-07-02"
    assert lines[1] == "  evaluator  mock/coin-flip (prompt, mock)"
    assert lines[2] == "  executor   mock/deterministic (mock)"
    assert lines[3] == "  seeds      3, 5 rounds in each of 4 phases"
    assert lines[4] == "  calls      120 answers, 60 comparisons"
    assert lines[5] == "             every round asked afresh"


def test_reading_r16_reuse_and_coverage_are_said(exhaustive: Run) -> None:
    assert "exhaustive, answers reused" in report(exhaustive.parsed())


def test_reading_r15_noise_floor_excess_and_coin_flip_stand_under_gamma(flip: Run) -> None:
    manifest = flip.manifest()
    control = manifest["results"]["summary"]["control"]
    lines = report(Manifest.parse(manifest)).splitlines()

    (floor,) = [line for line in lines if line.startswith("    noise floor ")]
    (excess,) = [line for line in lines if line.startswith("    excess coupling ")]
    for direction in ("text_to_visual", "visual_to_text"):
        stated = control["noise_floor"][direction]
        assert f"{stated['mean']:.3f} ({stated['q025']:.2f} to {stated['q975']:.2f})" in floor
        beyond = control["excess"][direction]
        assert f"{beyond['mean']:+.3f} [{beyond['ci95'][0]:+.3f}, " in excess
    assert sum(line.startswith("    coin flip ") for line in lines) == 2
    assert "simulated from this run's verdicts" in report(Manifest.parse(manifest))


def test_reading_r15_an_evaluator_that_only_ties_has_a_noise_floor_of_zero(ties: Run) -> None:
    (floor,) = [
        line for line in report(ties.parsed()).splitlines() if line.startswith("    noise floor ")
    ]

    assert floor.split("floor")[1].split() == ["0.000", "(0.00", "to", "0.00)"] * 2


def test_reading_r39_few_seeds_get_students_interval_beside_the_bootstrap(flip: Run) -> None:
    manifest = flip.manifest()
    gammas = [r["gamma"]["text_to_visual"] for r in manifest["results"]["per_seed"]]
    low, high = stats.t.interval(
        0.95, len(gammas) - 1, loc=np.mean(gammas), scale=stats.sem(gammas)
    )

    (line,) = [
        x
        for x in report(Manifest.parse(manifest)).splitlines()
        if x.startswith("    by Student's t")
    ]

    assert f"[{low:.3f}, {high:.3f}]" in line


def test_epc_5_2_every_gamma_has_its_class_and_its_place_beside_the_noise(flip: Run) -> None:
    manifest = flip.manifest()
    summary = manifest["results"]["summary"]
    for record in manifest["results"]["per_seed"]:
        record["gamma"] = {"text_to_visual": 1.3, "visual_to_text": 0.1}
    summary["control"]["excess"] = {
        "text_to_visual": {"mean": 0.2, "ci95": [0.1, 0.3]},
        "visual_to_text": {"mean": 0.0, "ci95": [-0.1, 0.1]},
    }

    (line,) = [x for x in report(Manifest.parse(manifest)).splitlines() if "by EPC-5.2" in x]

    assert "substantial, above noise" in line
    assert "weak, within noise" in line


def test_epc_5_2_many_zeros_are_no_stability(ties: Run, flip: Run) -> None:
    said = "gamma is 0 in 100% of the seeds, above 50%: the evaluator may tell nothing apart"

    assert said in report(ties.parsed())
    assert "above 50%" not in report(flip.parsed())


def test_epc_5_3_1_an_evaluator_that_has_ended_is_said(flip: Run) -> None:
    manifest = flip.parsed()

    decayed = report(manifest, ended=["expired since 2026-07-24 (retired)"])

    assert "Version decay: its evaluator is expired since 2026-07-24 (retired)" in decayed
    assert "Version decay" not in report(manifest)


def test_epc_5_3_2_a_gateway_is_said(flip: Run) -> None:
    manifest = flip.manifest()
    manifest["evaluator"]["gateway"] = "openrouter"

    assert "Asked through openrouter, a third party's gateway" in report(Manifest.parse(manifest))
    assert "gateway" not in report(flip.parsed())


def test_epc_5_3_3_the_correlation_with_length_is_said(flip: Run) -> None:
    manifest = flip.manifest()
    manifest["results"]["summary"]["length_correlation"] = {"text": 0.25, "visual": None}

    text = report(Manifest.parse(manifest))

    assert "go with the length of their answers by r = +0.25 in text:" in text
    assert "visual:" not in text.split("by r = ")[1][:20]


def test_epc_5_3_6_tasks_of_one_s_own_are_said(ties: Run, flip: Run) -> None:
    said = "Its tasks are not the paper's"

    assert said in report(ties.parsed())
    assert said not in report(flip.parsed())


def test_reading_r90_few_tasks_are_shown_and_a_note_where_the_tag_is_older(ties: Run) -> None:
    manifest = ties.manifest()
    few = "1 in text and 1 in visual: fewer than the 8 of EPC-2.4(a)"
    assert "AltTasks" in manifest["protocol_version"]
    assert few in report(ties.parsed())
    assert "its tag has no AltTasks" not in report(ties.parsed())

    manifest["protocol_version"] = "EPC-v1.0-AltEvaluator"
    del manifest["schema_version"]

    assert f"{few}; its tag has no AltTasks, as of schema 1" in report(Manifest.parse(manifest))


def test_reading_r8_a_run_without_a_counted_verdict_says_so_in_capitals(ties: Run) -> None:
    text = report(ties.parsed())

    assert SHOUT in text
    assert "gamma 0 is then a failed run, not stability" in text
    assert "gamma is 0 in 2 of 2 seeds: no verdict was ever counted (no_update)." in text
    assert "What these figures can bear: no_verdicts_counted" in text
    assert "0 (0%) were a bare A or B" in text


def test_a_run_with_verdicts_does_not_shout(flip: Run) -> None:
    assert SHOUT not in report(flip.parsed())


def test_a_run_without_rounds_says_that_too(tmp_path: Path) -> None:
    assert SHOUT in report(make_run(tmp_path / "run", seeds=2, rounds=0).parsed())


def test_recorded_verdicts_have_no_executor_line(ties: Run) -> None:
    assert "executor" not in report(ties.parsed())


def test_reading_r10_one_seed_is_one_seed_and_never_a_zero_width_interval(tmp_path: Path) -> None:
    manifest = make_run(tmp_path / "run", seeds=1, rounds=5).manifest()
    text = report(Manifest.parse(manifest))

    (line,) = [line for line in text.splitlines() if line.startswith("  gamma")]
    mean = manifest["results"]["summary"]["gamma"]["text_to_visual"]["mean"]
    assert line.count("(one seed)") == 2
    assert f"{mean:.3f} (one seed)" in line
    assert f"[{mean:.3f}, {mean:.3f}]" not in text
    # Five lines of two directions: gamma, excess, JSD, zero-coupling rate, tie rate.
    assert text.count("(one seed)") == 10
    assert "Student" not in text


@pytest.mark.parametrize(
    ("seeds", "said"),
    [
        (3, "3 seeds are too few for any claim: expected at least 10 [EPC-2.5(g)]"),
        (10, "10 seeds are a screening: expected 30 for publication [EPC-2.5(g)]"),
        (30, None),
    ],
)
def test_epc_2_5_g_the_number_of_seeds_is_weighed(
    tmp_path: Path, seeds: int, said: str | None
) -> None:
    text = report(make_run(tmp_path / "run", seeds=seeds, rounds=2).parsed())

    assert said is None or said in text
    assert (said is None) == ("EPC-2.5(g)" not in text)
    assert ("can bear: inconclusive" in text) == (seeds < 10)


@pytest.mark.parametrize(
    ("itself", "said"),
    [
        ({"n": 8, "decided": 8, "share_of_a": 1.0}, "A in 8 of 8 (68 to 100%): it judges the"),
        ({"n": 8, "decided": 8, "share_of_a": 0.125}, "A in 1 of 8 (2 to 47%): it judges the"),
        ({"n": 8, "decided": 4, "share_of_a": 0.5}, "A in 50% of 4."),
        ({"n": 8, "decided": 0, "share_of_a": None}, "a tie in all 8"),
    ],
)
def test_reading_r6_equal_answers_betray_a_preference_for_a_place(
    flip: Run, itself: dict[str, Any], said: str
) -> None:
    manifest = flip.manifest()
    diagnostics = manifest["results"]["summary"]["diagnostics"]
    rest = {"parse_rate": itself["decided"] / itself["n"], "refusals": 0, "unparseable": 0}
    diagnostics["self_comparisons"] = itself | rest

    assert said in report(Manifest.parse(manifest))
