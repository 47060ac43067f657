"""Which outputs a judge is tested on, and what stands in for an answer to another question."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from engine_support import DAY
from judge_support import grid, planned

from epc.engine.judging.competence import CompetenceOptions, _unrelated_row
from epc.engine.judging.competence import Test as JudgeTest
from epc.engine.judging.competence import tests_of as judge_tests
from epc.engine.judging.evaluate import open_part
from epc.errors import UsageError
from epc.records.judging.documents import PLAN
from epc.records.judging.evaluation_set import EvaluationSet


def row(question: str, *, target: str = "t", variant: str = "A", **further_fields: Any) -> Any:
    fixed = {"output_id": f"{question}{target}{variant}", "output_sha256": f"of {question}"}
    whole = {**fixed, "task": f"about {question}", **further_fields}
    unit = SimpleNamespace(
        question_id=question,
        target_model=target,
        prompt_variant=variant,
        output_id=whole.pop("output_id"),
    )
    return SimpleNamespace(unit=unit, **whole)


OWN = row("Q1")


@pytest.mark.parametrize(
    "alike",
    [
        row("Q1", target="u", output_sha256="other", task="other"),  # the same question
        row("Q2", output_sha256="of Q1"),  # the same text
        row("Q2", task="about Q1"),  # the same task under another number
    ],
)
def test_another_answer_is_to_another_question_and_another_text(alike: Any) -> None:
    assert _unrelated_row(OWN, [OWN, alike]) is None


def test_another_answer_is_of_the_same_target_first_and_then_of_the_same_variant() -> None:
    far = row("Q2", target="u", variant="A")
    near = row("Q3", variant="B")
    nearest = row("Q4")

    assert _unrelated_row(OWN, [far, near, nearest]) is nearest
    assert _unrelated_row(OWN, [far, near]) is near
    assert _unrelated_row(OWN, [far]) is far


def chosen(rows: list[Any], limit: int) -> list[str]:
    evaluation: Any = SimpleNamespace(folder=Path("e"))
    judge: Any = SimpleNamespace(model="j")
    test = JudgeTest(evaluation=evaluation, judge=judge, options=CompetenceOptions())
    pairs: Any = [(None, row) for row in rows]
    return [each.unit.question_id for _, each in test._chosen(pairs, limit)]


def test_one_output_of_each_question_is_chosen_before_a_second_one_of_any() -> None:
    rows = [row(question, variant=variant) for question in ("Q1", "Q2") for variant in "ABC"]

    assert sorted(chosen(rows, 2)) == ["Q1", "Q2"]
    assert sorted(chosen(rows, 4)) == ["Q1", "Q1", "Q2", "Q2"]
    assert len(chosen(rows, 99)) == 6


def test_a_set_without_an_output_of_a_judges_tests_nothing() -> None:
    with pytest.raises(UsageError, match="j has no output to judge"):
        chosen([], 2)


def test_a_part_is_asked_of_the_judge_that_the_set_opened_by_the_sets_prompt(
    tmp_path: Path,
) -> None:
    planned(tmp_path / "e", grid(), ["mock/judge", "mock/careless-judge"], methods=("cross_judge",))
    (test,) = judge_tests(tmp_path / "e", ["mock/judge"], CompetenceOptions(pairs=2))
    folder = next(test.parts(DAY))

    part = open_part(test.evaluation, folder)

    assert part.judges == {"mock/judge": test.evaluation.judges["mock/judge"]}
    assert part.judges["mock/judge"].model is test.model
    assert part.prompts == test.evaluation.prompts
    assert isinstance(part.units, EvaluationSet)
    assert len([row for row in part.units.rows if row.planted is None]) == 2


@pytest.mark.parametrize("key", ["judges", "prompts"])
def test_a_part_of_another_judge_or_prompt_is_refused_before_anything_is_asked(
    tmp_path: Path, key: str
) -> None:
    planned(tmp_path / "e", grid(), ["mock/judge", "mock/careless-judge"], methods=("cross_judge",))
    (test,) = judge_tests(tmp_path / "e", ["mock/judge"], CompetenceOptions(pairs=2))
    folder = next(test.parts(DAY))
    plan = json.loads((folder / PLAN).read_text("utf-8"))
    if key == "judges":
        plan["judges"][0]["model"] = "mock/another"
    else:
        plan["prompts"]["cross_judge"]["sha256"] = "0" * 64
    (folder / PLAN).write_text(json.dumps(plan), "utf-8")

    with pytest.raises(UsageError, match="planned for another judge or prompt than the set's"):
        open_part(test.evaluation, folder)
