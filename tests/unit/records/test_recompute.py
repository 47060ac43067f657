"""Results again, from the trials alone."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from records_support import Run, make_run
from scipy.spatial.distance import jensenshannon

from epc.errors import MalformedError, WorldError
from epc.records.findings import Findings
from epc.records.layout import RECHECK
from epc.records.recompute import (
    Recomputation,
    _repeats,
    load_manifest,
    manifest_path,
    recompute,
)

STARTS = {"text": None, "visual": None, "text_to_visual": "text", "visual_to_text": "visual"}
PURE = {"text_to_visual": "visual", "visual_to_text": "text"}


def recomputation_of(run: Run) -> tuple[Recomputation, Findings]:
    findings = Findings()
    return recompute(run.parsed(), run.folder, findings), findings


def replayed(run: Run, seed: int) -> dict[str, list[float]]:
    """Work a seed's weights out from its trials: EPC-2.3 once more, in a dozen lines."""
    names = [strategy["name"] for strategy in run.manifest()["strategies"]]
    ends: dict[str, list[float]] = {}
    for phase, before in STARTS.items():
        weights = [1 / len(names)] * len(names) if before is None else list(ends[before])
        for row in run.rows("trials"):
            if (row["seed"], row["phase"]) != (seed, phase) or row["verdict"] == "tie":
                continue
            chosen = names.index(row["strategy"])
            step = 0.08 if row["verdict"] == "A" else -0.04
            weights[chosen] = max(0.001, weights[chosen] + step)
            total = 0.0
            for weight in weights:
                total += weight
            weights = [weight / total for weight in weights]
        ends[phase] = weights
    return ends


@pytest.mark.parametrize("name", ["flip", "exhaustive"])
def test_epc_2_5_d_the_trials_give_the_weights_to_the_last_bit(
    made: dict[str, Run], name: str
) -> None:
    run = made[name]
    stated = run.manifest()["results"]["per_seed"]
    recomputed, findings = recomputation_of(run)

    assert len(findings) == 0
    for record, mine in zip(stated, recomputed.per_seed, strict=True):
        by_hand = replayed(run, record["seed"])
        order = [strategy["name"] for strategy in run.manifest()["strategies"]]
        for phase in STARTS:
            vector = [record["weights"][phase][name] for name in order]
            assert vector == by_hand[phase]
            assert list(mine["weights"][phase].values()) == by_hand[phase]


def test_epc_2_5_eq_1_the_figures_are_those_of_the_weights(flip: Run) -> None:
    for record in recomputation_of(flip)[0].per_seed:
        weights = {phase: np.array(list(w.values())) for phase, w in record["weights"].items()}
        for coupled, pure in PURE.items():
            moved = np.linalg.norm(weights[coupled] - weights[pure])
            expected = moved / np.linalg.norm(weights[pure])
            assert record["gamma"][coupled] == pytest.approx(expected, rel=1e-12)
            distance = float(jensenshannon(weights[coupled], weights[pure]))
            assert record["jsd"][coupled] == pytest.approx(distance**2, rel=1e-9)


def test_epc_2_5_f_the_summary_is_the_mean_over_seeds(flip: Run) -> None:
    recomputed = recomputation_of(flip)[0]
    assert recomputed.summary is not None

    for direction in PURE:
        values = [record["gamma"][direction] for record in recomputed.per_seed]
        assert recomputed.summary["gamma"][direction]["mean"] == math.fsum(values) / 3
        low, high = recomputed.summary["gamma"][direction]["ci95"]
        assert min(values) <= low < high <= max(values)


def test_reading_r6_the_diagnostics_count_each_distinct_answer_once(exhaustive: Run) -> None:
    rows = exhaustive.rows("trials")
    distinct = {row["evaluation"]: row for row in rows}
    itself = [r for r in distinct.values() if r["strategy"] == "step_by_step"]
    said_a = sum(row["verdict"] == "A" for row in distinct.values())
    assert len(distinct) < len(rows)  # answers are reused

    summary = recomputation_of(exhaustive)[0].summary

    assert summary is not None
    assert summary["diagnostics"]["answers"] == {
        "n": len(distinct),
        "decided": len(distinct),
        "refusals": 0,
        "unparseable": 0,
        "parse_rate": 1.0,
        "share_of_a": said_a / len(distinct),
    }
    assert summary["diagnostics"]["self_comparisons"]["n"] == len(itself)


def test_reading_r8_a_run_of_ties_is_zero_for_want_of_updates(ties: Run) -> None:
    recomputed = recomputation_of(ties)[0]

    for record in recomputed.per_seed:
        assert record["zero_cause"] == dict.fromkeys(PURE, "no_update")
        assert record["tie_rate"] == 1.0
        assert record["weights"]["text"] == {"x": 0.5, "y": 0.5}


def test_epc_2_1_a_run_without_rounds_ends_where_it_began(tmp_path: Any) -> None:
    run = make_run(tmp_path / "run", seeds=2, rounds=0)

    assert run.rows("trials") == []
    assert run.validate().findings == []
    (first, _) = recomputation_of(run)[0].per_seed
    assert set(first["weights"]["visual_to_text"].values()) == {1 / 11}


def test_a_missing_seed_leaves_no_summary(flip: Run) -> None:
    flip.save_rows("trials", flip.rows("trials")[:-1])

    recomputed, findings = recomputation_of(flip)

    assert [record["seed"] for record in recomputed.per_seed] == [0, 1]
    assert recomputed.summary is None
    assert len(findings) == 1
    with pytest.raises(MalformedError) as caught:
        recomputed.results()
    assert caught.value.finding.where == "/trials"


def test_a_run_folder_and_its_manifest_are_one_path(flip: Run) -> None:
    file = flip.folder / "manifest.json"

    assert manifest_path(flip.folder) == manifest_path(file) == file
    assert load_manifest(flip.folder) == load_manifest(file) == flip.parsed()


def test_a_folder_without_a_manifest_says_so(flip: Run) -> None:
    (flip.folder / "manifest.json").unlink()

    with pytest.raises(MalformedError, match=r"there is no manifest\.json here"):
        load_manifest(flip.folder)


def test_the_first_problem_of_a_broken_manifest_is_raised(flip: Run) -> None:
    flip.edit(lambda m: m["config"].update(rounds=-1))

    with pytest.raises(MalformedError) as caught:
        load_manifest(flip.folder)
    assert caught.value.finding.where == f"{flip.folder / 'manifest.json'} /config/rounds"


def test_missing_trials_are_the_worlds_fault(flip: Run) -> None:
    (flip.folder / "trials.jsonl").unlink()

    with pytest.raises(WorldError, match=r"trials\.jsonl"):
        recomputation_of(flip)


def call(prompt: str, answer: str, occasion: str | None = None, role: str = "evaluator") -> Any:
    return SimpleNamespace(role=role, prompt=prompt, answer=answer, occasion=occasion)


def test_reading_r16_a_prompt_that_was_asked_again_stands_beside_its_first_answer() -> None:
    """The executor's answers and those of another occasion are no second asking."""
    calls = {
        "1": call("p", "A"),
        "2": call("q", "B"),
        "3": call("p", "B", f"{RECHECK}0"),
        "4": call("r", "A", f"{RECHECK}1"),
        "5": call("q", "B", "canary/0/start/1"),
        "6": call("s", "text", role="executor"),
        "7": call("s", "text", f"{RECHECK}2", role="executor"),
    }

    assert [(repeat.first, repeat.second) for repeat in _repeats(calls)] == [("A", "B")]
