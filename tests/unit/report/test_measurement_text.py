"""The printed form of a measurement says what its figures can bear."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from golden_support import Golden
from records_support import Run, make_run
from scipy import stats

from epc.records.manifest import Manifest
from epc.report.measurement_text import report

EQUAL = [(8, 8, 1.0), (8, 8, 0.125), (8, 4, 0.5), (8, 0, None)]


def changed(run: Run, change: Callable[[Any], object]) -> str:
    """Return the lines that the report has only after a change of the manifest."""
    manifest = run.manifest()
    change(manifest)
    before = report(run.parsed()).splitlines()
    return "\n".join(x for x in report(Manifest.parse(manifest)).splitlines() if x not in before)


def through_a_gateway(manifest: Any) -> None:
    manifest["evaluator"]["gateway"] = "openrouter"


def goes_with_length(manifest: Any) -> None:
    manifest["results"]["summary"]["length_correlation"] = {"text": 0.25, "visual": None}


def above_noise_and_within(manifest: Any) -> None:
    for record in manifest["results"]["per_seed"]:
        record["gamma"] = {"text_to_visual": 1.3, "visual_to_text": 0.1}
    manifest["results"]["summary"]["control"]["excess"] = {
        "text_to_visual": {"mean": 0.2, "ci95": [0.1, 0.3]},
        "visual_to_text": {"mean": 0.0, "ci95": [-0.1, 0.1]},
    }


def equal_answers(n: int, decided: int, share: float | None) -> Callable[[Any], None]:
    def change(manifest: Any) -> None:
        rest = {"parse_rate": decided / n, "refusals": 0, "unparseable": 0}
        compared = {"n": n, "decided": decided, "share_of_a": share}
        manifest["results"]["summary"]["diagnostics"]["self_comparisons"] = compared | rest

    return change


def before_tasks_of_ones_own(manifest: Any) -> None:
    manifest["protocol_version"] = "EPC-v1.0-AltEvaluator"
    del manifest["schema_version"]


def test_the_words_of_a_measurement(
    golden: Golden, flip: Run, ties: Run, exhaustive: Run, tmp_path: Path
) -> None:
    def of_few(seeds: int, rounds: int) -> str:
        run = make_run(tmp_path / f"{seeds}-{rounds}", seeds=seeds, rounds=rounds)
        return report(run.parsed())

    def some(text: str, *parts: str) -> str:
        return "\n".join(x for x in text.splitlines() if any(part in x for part in parts))

    ended = report(flip.parsed(), ended=["expired since 2026-07-24 (retired)"])
    weighed = ("figures show", "seeds", "No claim")
    cases = {
        "a coin flip of 3 seeds": report(flip.parsed()),
        "each pair asked once": some(report(exhaustive.parsed()), "answers"),
        "nothing but ties, on two tasks of one's own": report(ties.parsed()),
        "no rounds": some(of_few(2, 0), "rounds", "EVER", "no_"),
        "one seed": some(of_few(1, 5), "seed"),
        "10 seeds": some(of_few(10, 2), *weighed),
        "30 seeds": some(of_few(30, 2), *weighed),
        "the evaluator has ended": some(ended, "decay"),
        "by schema 1, before AltTasks": changed(ties, before_tasks_of_ones_own),
        "asked through a gateway": changed(flip, through_a_gateway),
        "verdicts go with length": changed(flip, goes_with_length),
        "one gamma above the noise, one within": changed(flip, above_noise_and_within),
        **{f"equal answers {given}": changed(flip, equal_answers(*given)) for given in EQUAL},
    }

    golden("measurement", cases)


def test_the_table_holds_the_figures_of_the_manifest(flip: Run) -> None:
    manifest = flip.manifest()
    summary = manifest["results"]["summary"]
    control = summary["control"]
    lines = report(Manifest.parse(manifest)).splitlines()

    def line(begin: str) -> str:
        return next(x for x in lines if x.startswith(begin))

    for way in ("text_to_visual", "visual_to_text"):
        gamma, floor, beyond = (
            each[way] for each in (summary["gamma"], control["noise_floor"], control["excess"])
        )
        (low, high), (least, most) = gamma["ci95"], beyond["ci95"]
        assert f"{gamma['mean']:.3f} [{low:.3f}, {high:.3f}]" in line("  gamma")
        band = f"{floor['mean']:.3f} ({floor['q025']:.2f} to {floor['q975']:.2f})"
        assert band in line("    noise floor ")
        excess = f"{beyond['mean']:+.3f} [{least:+.3f}, {most:+.3f}]"
        assert excess in line("    excess coupling ")


def test_reading_r39_few_seeds_get_students_interval_beside_the_bootstrap(flip: Run) -> None:
    manifest = flip.manifest()
    gammas = [r["gamma"]["text_to_visual"] for r in manifest["results"]["per_seed"]]
    low, high = stats.t.interval(
        0.95, len(gammas) - 1, loc=np.mean(gammas), scale=stats.sem(gammas)
    )

    text = report(Manifest.parse(manifest))

    (line,) = [x for x in text.splitlines() if x.startswith("    by Student's t")]
    assert f"[{low:.3f}, {high:.3f}]" in line


def test_epc_5_3_3_the_correlation_with_length_is_said(flip: Run) -> None:
    assert "by r = +0.25 in text:" in changed(flip, goes_with_length)


def test_epc_5_3_6_tasks_of_ones_own_are_said_and_the_papers_are_not(ties: Run, flip: Run) -> None:
    assert "Its tasks are not the paper's" in report(ties.parsed())
    assert "Its tasks are not the paper's" not in report(flip.parsed())
