"""The evaluation set before anything is asked."""

from hypothesis import given
from hypothesis import strategies as st

from epc.judge.samples import Unit, gaps, repeats


def unit(question: str, variant: str, target: str, output: str = "") -> Unit:
    return Unit(
        question_id=question,
        prompt_variant=variant,
        target_model=target,
        output_id=output or f"{target}/{question}/{variant}",
    )


GRID = [unit(q, v, t) for q in ("Q1", "Q2") for v in "AB" for t in ("m", "n")]


def test_judge_7_1_a_whole_grid_has_no_gaps() -> None:
    assert list(gaps(GRID)) == list(repeats(GRID)) == []


def test_judge_7_1_every_gap_is_named() -> None:
    found = list(gaps([u for u in GRID if (u.question_id, u.prompt_variant) != ("Q2", "B")]))

    assert [(f.clause, f.problem) for f in found] == [
        ("JUDGE-7.1", "question 'Q2', variant 'B', target 'm': 0 of 1 outputs"),
        ("JUDGE-7.1", "question 'Q2', variant 'B', target 'n': 0 of 1 outputs"),
    ]


def test_judge_7_2_an_output_that_is_listed_twice_is_a_repeat() -> None:
    found = repeats([*GRID, GRID[3]])

    assert [f.problem for f in found] == ["the output id 'n/Q1/B' stands 2 times"]


@given(st.lists(st.sampled_from(GRID), max_size=12))
def test_a_set_is_whole_or_says_what_is_missing(units: list[Unit]) -> None:
    cells = {(u.question_id, u.prompt_variant, u.target_model) for u in units}
    axes = [{cell[axis] for cell in cells} for axis in range(3)]
    complete = len(cells) == len(axes[0]) * len(axes[1]) * len(axes[2])
    even = len({units.count(u) for u in units}) <= 1

    assert any(gaps(units)) == (not (complete and even))
    assert any(repeats(units)) == (len(set(units)) < len(units))
