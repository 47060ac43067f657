"""Figures about judges: vectors worked by hand, and judges side by side (R24, R26, R27)."""

from dataclasses import replace
from typing import Any

import pytest
from judge_support import vectors

from epc.analysis.judging.agreement import between_judges, self_preferences
from epc.analysis.judging.drift import EvaluationRecord, drift, judge_comparison
from epc.analysis.judging.labels import passes_by_people
from epc.analysis.judging.results import DriftRow
from epc.analysis.judging.shares import Judgment, by_score, counted, groups, mean, share
from epc.analysis.sharing import Answer
from epc.judge.check import no_quotes
from epc.judge.samples import Unit
from epc.records.judging.documents import Judge, Plan, PlannedSet, Reference, RunLog, Thresholds
from epc.records.strict_json import disagreements
from epc.spec.judge_v1 import DIMENSIONS, VERDICTS, verdict_of

Case = dict[str, Any]
JUDGE = "maker/judge"
PLAN = Plan(
    protocol="Judge-v1.0",
    epc_version="0",
    date="2026-07-02",
    judges=(),
    methods=("cross_judge",),
    prompts={},
    constraint=None,
    retry_malformed=0,
    mapping=None,
    thresholds=Thresholds(pass_from=7, fail_to=3),
    samples=PlannedSet(sha256="0", rows=0),
    gaps_allowed=False,
)
LOG = RunLog(
    protocol="Judge-v1.0", state="complete", epc_version="0", origin="run", time={"to": None}
)


def judgment(
    output: str,
    *,
    judge: str = JUDGE,
    target: str = "maker/target",
    scores: tuple[int, ...] | None = None,
    valid: bool = True,
    answer: Answer | None = None,
    question: str = "Q",
) -> Judgment:
    unit = Unit(question_id=question, prompt_variant="A", target_model=target, output_id=output)
    return Judgment(
        unit=unit,
        output_sha256="0",
        judge_model=judge,
        method=unit.before(judge).method,
        valid=valid,
        verdict=verdict_of(dict(zip(DIMENSIONS, scores, strict=True))) if scores else None,
        scores=scores,
        quotes=no_quotes(2),
        answer=answer,
    )


def summing_to(overall: int) -> tuple[int, ...]:
    """Four scores of a sum."""
    return tuple(min(2, max(0, overall - 2 * n)) for n in range(4))


def figure_case(value: float | None, interval: tuple[float, float] | None) -> Case:
    return {"value": value, "ci95": ends(interval)}


@pytest.mark.parametrize("case", vectors("intervals"), ids=lambda case: case["id"])
def test_reading_r26_intervals_are_clustered_by_question(case: Case) -> None:
    figure = case["given"]["figure"]
    entries = [
        (observation["question"], observation["value"], observation["of"])
        for observation in case["given"]["observations"]
    ]

    if figure in ("mean", "score"):
        actual_mean = mean([one[:2] for one in entries], ends=(0, 8) if figure == "score" else None)
        answer = figure_case(actual_mean.value, actual_mean.ci95)
    else:
        counts = share(entries, 1 if figure == "wilson" else 3)
        answer = figure_case(counts.value, counts.ci95)

    assert disagreements(case["expect"], answer) == []


@pytest.mark.parametrize("case", vectors("agreement"), ids=lambda case: case["id"])
def test_kappa_and_alpha_are_what_their_definitions_give(case: Case) -> None:
    """By scikit-learn and krippendorff here, by exact fractions in the vectors."""
    agreement = between_judges(
        judgment(str(index), judge=judge, scores=tuple(scores), question=output["question"])
        for index, output in enumerate(case["given"]["outputs"])
        for judge, scores in output["scores"].items()
    )

    answer = {
        "pairs": [
            {
                "judges": list(pair.judges),
                "kappa": {
                    name: figure_case(value, pair.compared.kappa_ci95[name])
                    for name, value in pair.compared.kappa.items()
                },
            }
            for pair in agreement.pairs
        ],
        "alpha": {
            name: figure_case(value, agreement.alpha_ci95[name])
            for name, value in agreement.alpha.items()
        },
    }
    assert disagreements(case["expect"], answer) == []


@pytest.mark.parametrize("case", vectors("shares"), ids=lambda case: case["id"])
def test_reading_r26_every_share_has_its_bounds(case: Case) -> None:
    judgments = [
        judgment(
            str(n),
            target=evaluation["target"],
            scores=evaluation["scores"] and tuple(evaluation["scores"]),
            valid=evaluation["valid"],
        )
        for n, evaluation in enumerate(case["given"]["evaluations"])
    ]

    group = counted(judgments)

    assert group.bounds is not None
    answer = {
        "verdicts": {
            name: {"value": group.verdicts[name].value, "bounds": ends(group.bounds.verdicts[name])}
            for name in VERDICTS
        },
        "overall_score": {
            "value": group.overall_score.value,
            "bounds": ends(group.bounds.overall_score),
        },
        "invalid": group.invalid.value,
        "invalid_by_target": {g.value: g.invalid.value for g in groups(judgments, "target_model")},
        "invalid_by_score": {str(s.overall_score): s.invalid.value for s in by_score(judgments)},
    }
    assert disagreements(case["expect"], answer) == []


def ends(pair: tuple[float, float] | None) -> list[float] | None:
    return None if pair is None else list(pair)


@pytest.mark.parametrize("case", vectors("self_preference"), ids=lambda case: case["id"])
def test_reading_r24_leniency_is_no_self_preference(case: Case) -> None:
    actual_self_preferences = self_preferences(
        judgment(
            one["output"],
            judge=one["judge"],
            target=one["target"],
            scores=summing_to(one["overall"]),
            valid=one["valid"],
        )
        for one in case["given"]["judgments"]
    )

    assert (
        disagreements(
            case["expect"],
            {
                self_preference.judge: self_preference.value
                for self_preference in actual_self_preferences
            },
        )
        == []
    )


def evaluated(name: str, side: Case, judge: str = JUDGE) -> EvaluationRecord:
    def reference(name: str | None) -> Reference | None:
        return None if name is None else Reference(id=name, sha256="0")

    prompt = reference(side["prompt"])
    assert prompt is not None
    stated_judge = Judge(model=judge, identity=None, decoding={"named": side["decoding"]})
    return EvaluationRecord(
        name=name,
        plan=replace(
            PLAN,
            judges=(stated_judge,),
            prompts={"cross_judge": prompt},
            mapping=reference(side["mapping"]),
            constraint=side["constraint"],
            blind=side["blind"],
        ),
        log=LOG,
        judgments=[
            judgment(
                output,
                judge=judge,
                scores=summing_to(score["overall"]),
                valid=score.get("valid", True),
                answer=Answer(score["answer"].encode()),
            )
            for output, score in side["scores"].items()
        ],
    )


@pytest.mark.parametrize("case", vectors("drift"), ids=lambda case: case["id"])
def test_reading_r27_drift_is_stated_of_like_for_like_and_of_no_shared_answer(case: Case) -> None:
    sides = [evaluated(name, case["given"][name]) for name in ("before", "after")]

    drift_rows = list(drift(*sides))

    expected = case["expect"]
    stated_drift_rows = [row for row in drift_rows if isinstance(row, DriftRow)]
    assert len(stated_drift_rows) == expected["stated"] or not expected["compared"]
    for row in stated_drift_rows:
        assert row.is_drift == ("names" not in expected["differing"])
        assert (row.compared.outputs, row.shared) == (expected["compared"], expected["shared"])
        assert disagreements(expected["mean_difference"], row.compared.mean_difference.value) == []
    named = [str(row) for row in drift_rows if not isinstance(row, DriftRow)]
    if not expected["stated"]:
        assert f"another {', another '.join(expected['differing'])}" in named[0]


@pytest.mark.parametrize("case", vectors("labels"), ids=lambda case: case["id"])
def test_what_people_would_pass_follows_from_labels(case: Case) -> None:
    found = passes_by_people(
        [
            (
                f"Q{number}",
                float(output["judge"]),
                None if output["people"] is None else float(output["people"]),
            )
            for number, output in enumerate(case["given"]["outputs"])
        ]
    )

    names = ("tpr", "tnr", "corrected_pass_share")
    answer: dict[str, float | None] = {"stated": found.stated.value}
    answer |= {name: getattr(found.figures.get(name), "value", None) for name in names}
    assert disagreements(case["expect"], answer) == []


LIKE: Case = {
    "prompt": "p",
    "mapping": None,
    "constraint": None,
    "decoding": "greedy",
    "blind": True,
}


def side(*overalls: int, valid: bool = True, **changed: object) -> Case:
    """An evaluation of outputs by number."""
    given = {"answer": "n", "valid": valid}
    return {
        **LIKE,
        **changed,
        "scores": {str(n): {"overall": overall, **given} for n, overall in enumerate(overalls)},
    }


def test_reading_r27_judges_of_one_set_are_compared_where_they_were_asked_alike() -> None:
    found = judge_comparison(
        [
            evaluated("a", side(8, 6, 0), "maker/a"),
            evaluated("b", side(7, 6, 1), "maker/b"),
            evaluated("c", side(8, 8, 8, prompt="q", blind=False), "maker/c"),
        ],
        {},
    )

    assert [judge_row.unlike for judge_row in found.judges] == [(), (), ("names", "prompt")]
    (pair,) = found.agreement.pairs
    assert pair.judges == ("maker/a", "maker/b")
    assert pair.compared.outputs == 3
    assert pair.compared.mean_absolute_error.value == pytest.approx(2 / 3)


def test_reading_r23_a_failed_judge_stands_there_as_failed() -> None:
    found = judge_comparison(
        [
            evaluated("a", side(8, 6), "maker/a"),
            evaluated("b", side(8, 6, valid=False), "maker/b"),
        ],
        {},
    )

    assert [judge_row.failed for judge_row in found.judges] == [
        None,
        "none of its evaluations is valid",
    ]
    assert (found.judges[1].samples, found.judges[1].valid) == (2, 0)
    assert found.agreement.pairs == ()
    assert len(found.readable.pairs) == 1
