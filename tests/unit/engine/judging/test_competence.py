"""Which outputs a judge is tested on, and what stands in for an answer to another question."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from epc.engine.judging.competence import Asked, _other
from epc.engine.judging.competence import Test as JudgeTest
from epc.errors import UsageError


def row(question: str, *, target: str = "t", variant: str = "A", **more: Any) -> Any:
    fixed = {"output_id": f"{question}{target}{variant}", "output_sha256": f"of {question}"}
    whole = {**fixed, "task": f"about {question}", **more}
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
    assert _other(OWN, [OWN, alike]) is None


def test_another_answer_is_of_the_same_target_first_and_then_of_the_same_variant() -> None:
    far = row("Q2", target="u", variant="A")
    near = row("Q3", variant="B")
    nearest = row("Q4")

    assert _other(OWN, [far, near, nearest]) is nearest
    assert _other(OWN, [far, near]) is near
    assert _other(OWN, [far]) is far


def chosen(rows: list[Any], most: int) -> list[str]:
    nobody: Any = None
    judge: Any = SimpleNamespace(model="j")
    test = JudgeTest(folder=Path("e"), plan=nobody, judge=judge, asked=Asked())
    pairs: Any = [(None, each) for each in rows]
    return [each.unit.question_id for _, each in test._chosen(pairs, most)]


def test_one_output_of_each_question_is_chosen_before_a_second_one_of_any() -> None:
    rows = [row(question, variant=variant) for question in ("Q1", "Q2") for variant in "ABC"]

    assert sorted(chosen(rows, 2)) == ["Q1", "Q2"]
    assert sorted(chosen(rows, 4)) == ["Q1", "Q1", "Q2", "Q2"]
    assert len(chosen(rows, 99)) == 6


def test_a_set_without_an_output_of_a_judges_tests_nothing() -> None:
    with pytest.raises(UsageError, match="j has no output to judge"):
        chosen([], 2)
