"""`epc audit` over real runs, tampered ones, and weights that were published alone."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from records_support import Run, make_run
from registry_support import ROOT

from epc.analysis.audit import Audit, _still, audit, audit_manifest
from epc.records.manifest import Manifest
from epc.report.audit_text import text
from epc.spec.epc_v1 import DOMAINS, REFERENCE_DOMAINS
from epc.spec.reference import STRATEGIES, TASKS

NAMES = [strategy.name for strategy in STRATEGIES]
UNIFORM = dict.fromkeys(NAMES, 1 / 11)


@pytest.fixture(scope="module")
def opposed(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Measure an evaluator that always prefers one strategy, another one in each domain."""
    folder = tmp_path_factory.mktemp("opposed")
    favourites = {"text": "synthesis", "visual": "creative_leap"}
    lines = ["strategy,domain,task,verdict"]
    for domain in DOMAINS:
        for task in TASKS[domain]:
            for name in NAMES:
                verdict = "A" if name == favourites[domain] else "B"
                lines.append(f'{name},{domain},"{task}",{verdict}')
    file = folder / "verdicts.csv"
    file.write_text("\n".join(lines) + "\n", "utf-8")
    return make_run(
        folder / "run", evaluator=f"recorded:{file}", executor=None, seeds=30, rounds=30
    )


def test_reading_r71_different_favourites_in_the_two_domains_are_coupled(opposed: Run) -> None:
    actual_audit = audit(opposed.folder)

    assert actual_audit.verdict == "coupled"
    # 2 of the 12,870 ways to deal 16 tasks out are as extreme, and 1,999 of all are drawn.
    document = actual_audit.as_json()
    assert 1 <= document["p_value"] * 2000 <= 4
    assert (document["rule"], document["margin"], document["unit"]) == (4, 0.02, "task")
    assert document["preferences_differ"] == {
        "differ": True,
        "p_value": pytest.approx(2 / 12870),
        "unit": "task",
    }
    for direction in ("text_to_visual", "visual_to_text"):
        low, _ = document["excess"][direction]["ci95"]
        assert low > 0
        into = document["transfer"][direction]
        # Only one strategy ever wins, so that each choice led away from it costs a whole win.
        for part in (into, into["these_tasks"]):
            assert part["regret"] == pytest.approx(part["redirected"], abs=0.01)
            assert part["redirected_ci95"][0] > 0.3
    assert actual_audit.clean


def test_reading_r70_version_1_of_a_manifest_gives_the_same_figures_as_version_2() -> None:
    """Its weights stand in the order of their names, and not in that of the strategies."""
    home = ROOT / "snapshots" / "v1.0-Scripted-Opposed"
    actual_audit = audit_manifest(Manifest.parse(json.loads((home / "manifest.json").read_bytes())))

    assert actual_audit.facts.transfer is not None
    for into in (actual_audit.facts.transfer.directions or {}).values():
        # Only one strategy of a domain ever wins: what is led away from it is what is lost.
        assert into.these_tasks.regret == pytest.approx(into.these_tasks.redirected, abs=0.01)
        assert into.these_tasks.regret == pytest.approx(into.regret, abs=0.05)


@pytest.mark.parametrize(
    ("p_value", "differ"), [(0.049, True), (0.05, True), (0.051, False), (1.0, False)]
)
def test_reading_r71_preferences_differ_up_to_a_p_value_of_5_percent(
    exhaustive: Run, p_value: float, *, differ: bool
) -> None:
    document = exhaustive.manifest()
    document["results"]["summary"]["control"]["test"]["p_value"] = p_value

    preferences_differ = audit_manifest(Manifest.parse(document)).as_json()["preferences_differ"]

    assert (preferences_differ["differ"], preferences_differ["p_value"]) == (differ, p_value)


def test_reading_r8_a_run_of_ties_is_no_stability(ties: Run) -> None:
    actual_audit = audit(ties.folder)

    assert actual_audit.verdict == "no_verdicts_counted"
    assert not actual_audit.clean
    assert "its gamma of 0" in text(actual_audit) or "gamma of 0 is a failed run" in text(
        actual_audit
    )


def test_a_record_that_was_improved_bears_no_claim(exhaustive: Run) -> None:
    def improve(manifest: Any) -> None:
        manifest["results"]["summary"]["gamma"]["text_to_visual"]["mean"] = 0.01

    exhaustive.edit(improve)
    actual_audit = audit(exhaustive.folder)

    assert actual_audit.verdict == "inconclusive"
    assert "not true to itself" in actual_audit.findings[0].problem


def test_a_manifest_alone_can_be_audited(opposed: Run, tmp_path: Path) -> None:
    run = Run(folder=Path(shutil.copytree(opposed.folder, tmp_path / "run")))
    run.without_raw()

    assert audit(run.folder / "manifest.json").verdict == "coupled"


# Weights that were published alone


def entry(seed: int, **phases: dict[str, float]) -> dict[str, Any]:
    return {"seed": seed, "weights": dict.fromkeys(REFERENCE_DOMAINS.phase_names, UNIFORM) | phases}


def published(folder: Path, entries: Any) -> Path:
    file = folder / "weights.json"
    file.write_text(json.dumps(entries), "utf-8")
    return file


def of_vectors(folder: Path, *vectors: dict[str, float]) -> Audit:
    """Audit weights that are a vector in all phases of a seed, for each of some seeds."""
    phases = [dict.fromkeys(REFERENCE_DOMAINS.phase_names, vector) for vector in vectors]
    entries = [{"seed": n, "weights": weights} for n, weights in enumerate(phases)]
    return audit(published(folder, entries))


def test_reading_r8_the_published_zero_rows_are_failed_runs(tmp_path: Path) -> None:
    """As published: 29 of 30 seeds at exactly 1/11, here also rounded to three decimals."""
    moved = UNIFORM | {"synthesis": 1 / 11 + 0.02, "counterfactual": 1 / 11 - 0.02}
    entries = [entry(seed) for seed in range(29)] + [entry(29, text=moved)]
    rounded = [
        {
            "seed": one["seed"],
            "weights": {
                phase: {name: round(weight, 3) for name, weight in vector.items()}
                for phase, vector in one["weights"].items()
            },
        }
        for one in entries
    ]

    for given in (entries, rounded):
        actual_audit = audit(published(tmp_path, given))
        assert actual_audit.verdict == "no_verdicts_counted"
        assert "in 29 of 30 seeds" in text(actual_audit)


def test_epc_2_5_b_rounding_of_stored_weights_is_said(tmp_path: Path) -> None:
    actual_audit = of_vectors(tmp_path, *[{"a": 0.333, "b": 0.667}] * 3)

    (rounding,) = [f for f in actual_audit.findings if "decimals" in f.problem]

    assert "3 decimals" in rounding.problem
    assert "0.0005" in rounding.problem


def test_epc_2_3_weights_off_the_simplex_are_found_beyond_their_rounding(tmp_path: Path) -> None:
    actual_audit = of_vectors(tmp_path, {"a": 0.333, "b": 0.666}, {"a": 0.333, "b": 0.600})

    assert (actual_audit.facts.off_simplex, actual_audit.facts.n) == (1, 1)
    assert actual_audit.verdict == "inconclusive"


@pytest.mark.parametrize(
    "vector",
    # As it ends, and rounded to whole numbers, which is not uniform.
    [{"a": 0.9990001, "b": 0.0009999}, {"a": 1.0, "b": 0.0, "c": 0.0, "d": 0.0}],
)
def test_reading_r8_both_runs_on_one_strategy_are_a_collapse(
    tmp_path: Path, vector: dict[str, float]
) -> None:
    assert of_vectors(tmp_path, *[vector] * 10).verdict == "collapsed"


def test_epc_2_1_a_second_half_that_never_moved_is_found(tmp_path: Path) -> None:
    text_end, visual_end = {"a": 0.71234567891, "b": 0.28765432109}, {"a": 0.5, "b": 0.5}
    weights = {
        "text": text_end,
        "visual": visual_end,
        "text_to_visual": text_end,
        "visual_to_text": visual_end,
    }
    entries = [{"seed": n, "weights": weights} for n in range(10)]

    actual_audit = audit(published(tmp_path, entries))

    assert actual_audit.facts.stuck == {"text_to_visual": 10, "visual_to_text": 0}
    assert actual_audit.verdict == "inconclusive"


def test_reading_r38_a_table_that_is_not_the_rounds_bears_no_claim(flip: Run) -> None:
    def forge(manifest: Any) -> None:
        manifest["results"]["verdict_table"]["counts"]["text"][NAMES[0]][0][0] += 5

    flip.without_raw()
    flip.edit(forge)

    actual_audit = audit(flip.folder)

    assert actual_audit.verdict == "inconclusive"
    assert not actual_audit.clean


@pytest.mark.parametrize(("loose", "is_still"), [(0.25, True), (0.125, False)])
def test_a_phase_stood_still_where_weights_differ_by_no_more_than_their_rounding(
    loose: float, *, is_still: bool
) -> None:
    phases = {"text": (1.0, 0.0, 0.0, 0.0), "text_to_visual": (0.75, 0.25, 0.0, 0.0)}

    assert _still(phases, "text_to_visual", loose) == is_still


def test_a_phase_that_began_evenly_has_not_stood_still() -> None:
    even = (0.25,) * 4

    assert not _still({"text": even, "text_to_visual": even}, "text_to_visual", 1e-9)
