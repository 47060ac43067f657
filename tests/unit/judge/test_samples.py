"""The evaluation set before anything is asked."""

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from epc.judge.samples import Unit, gaps, method_of, repeats


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
    findings = list(gaps([u for u in GRID if (u.question_id, u.prompt_variant) != ("Q2", "B")]))

    assert [(f.clause, f.problem) for f in findings] == [
        ("JUDGE-7.1", "question 'Q2', variant 'B', target 'm': 0 of 1 outputs"),
        ("JUDGE-7.1", "question 'Q2', variant 'B', target 'n': 0 of 1 outputs"),
    ]


def test_judge_7_2_an_output_that_is_listed_twice_is_a_repeat() -> None:
    findings = repeats([*GRID, GRID[3]])

    assert [f.problem for f in findings] == ["the output id 'n/Q1/B' stands 2 times"]


@given(st.lists(st.sampled_from(GRID), max_size=12))
def test_a_set_is_whole_or_says_what_is_missing(units: list[Unit]) -> None:
    cells = {(u.question_id, u.prompt_variant, u.target_model) for u in units}
    axes = [{cell[axis] for cell in cells} for axis in range(3)]
    complete = len(cells) == len(axes[0]) * len(axes[1]) * len(axes[2])
    even = len({units.count(u) for u in units}) <= 1

    assert any(gaps(units)) == (not (complete and even))
    assert any(repeats(units)) == (len(set(units)) < len(units))


def test_judge_1_a_judge_of_its_own_output_judges_itself_and_else_across() -> None:
    first_unit = unit("q", "v", "m")

    assert (first_unit.before("m").method, first_unit.before("k").method) == (
        "self_judge",
        "cross_judge",
    )
    assert first_unit.before("k").unit == first_unit
    assert first_unit.before("k").judge_model == "k"
    assert (method_of("m", "m"), method_of("m", "M")) == ("self_judge", "cross_judge")


def test_judge_0_a_sample_s_name_follows_from_all_that_makes_it_one() -> None:
    sample = unit("q", "v", "m").before("k")
    fields = [*sample.as_json().values()]

    text = "[" + ",".join(f'"{value}"' for value in fields) + "]"
    assert sample.id == hashlib.sha256(text.encode()).hexdigest()[:20]
    assert fields == ["q", "v", "m", sample.output_id, "k", "cross_judge"]


def test_a_blind_sample_tells_neither_whose_output_it_is_nor_who_judges() -> None:
    sample = unit("q", "v", "m").before("m")
    blind = sample.blind()

    assert (blind.target_model, blind.judge_model, blind.method) == (
        *("target", "judge", "cross_judge"),
    )
    assert (blind.question_id, blind.prompt_variant) == ("q", "v")
    assert blind.output_id == sample.unit.before("").id[:12]
    assert blind == unit("q", "v", "m").before("k").blind(), "the same to every judge"
