"""What is said of a judge follows from an interval and a bound, and from nothing else."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from judge_support import grid, imported, record_for, reply_row

from epc.analysis.judging.evaluation import Evaluation
from epc.analysis.judging.results import (
    Agreement,
    DriftRow,
    Ends,
    Evidence,
    ScoreAgreement,
    SelfPreference,
    Share,
    is_none,
)
from epc.analysis.judging.summary import summary
from epc.analysis.judging.trust import (
    _agreement,
    _evidence,
    _self_preference,
    _valid,
    _word,
    statements,
)
from epc.spec.judge_v1 import DIMENSIONS, OVERALL
from epc.statistics.figures import Mean

SCORES = ((2, 2, 2, 2), (2, 2, 1, 1), (1, 1, 1, 1), (0, 0, 0, 1))


def share(count: int, of: int, ci95: Ends | None) -> Share:
    return Share(count=count, value=count / of, ci95=ci95)


@pytest.mark.parametrize(
    ("ci95", "trusted"),
    [((0.0, 0.5), "yes"), ((0.51, 0.9), "no"), ((0.4, 0.6), "unknown"), (None, "unknown")],
)
def test_most_evaluations_are_valid_where_the_whole_interval_says_so(
    ci95: Ends | None, trusted: str
) -> None:
    assert _valid("j", share(1, 2, ci95)).trusted == trusted


@pytest.mark.parametrize(
    ("ci95", "trusted"),
    [((0.0, 0.05), "yes"), ((0.06, 0.2), "no"), ((0.01, 0.2), "unknown"), (None, "unknown")],
)
def test_a_judge_is_trusted_on_quotes_where_at_most_5_percent_are_invented(
    ci95: Ends | None, trusted: str
) -> None:
    row = Evidence(judge="j", quotes=40, kinds={"invented": share(1, 40, ci95)})
    statement = _evidence("j", row)

    assert statement.trusted == trusted
    assert "2.5%" in statement.sentence


@pytest.mark.parametrize(
    ("ci95", "trusted"),
    [
        ((-0.4, 0.5), "yes"),
        ((0.1, 0.3), "no"),
        ((-0.9, -0.1), "no"),
        ((-1.0, 1.0), "unknown"),  # that none is seen is not that there is none
        (None, "unknown"),
    ],
)
def test_reading_r24_no_self_preference_is_said_where_none_can_be_large(
    ci95: Ends | None, trusted: str
) -> None:
    row = SelfPreference(
        judge="j", own=9, others=9, questions=9, not_stated=None, value=0.1, ci95=ci95
    )
    assert _self_preference("j", row).trusted == trusted


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Evaluation:
    """Return an evaluation in which j/1 and j/2 say the same, and j/3 the opposite."""
    rows = grid("12345678", "A")
    replies = [
        reply_row(row, judge, record_for(row, judge, SCORES[abs(number % 4 - worst)]))
        for number, row in enumerate(rows)
        for judge, worst in (("j/1", 0), ("j/2", 0), ("j/3", 3))
    ]
    folder: Path = tmp_path_factory.mktemp("trust") / "e"
    imported(folder, rows, replies, judges=("j/1", "j/2", "j/3"))
    (evaluation,) = summary([folder]).evaluations
    return evaluation


def test_equal_scores_of_eight_questions_cannot_say_that_a_judge_is_trusted(
    three: Evaluation,
) -> None:
    rows = {(row.judge, row.about): row for row in three.trust}

    for name in (OVERALL, *DIMENSIONS):
        assert [rows[judge, name].trusted for judge in ("j/1", "j/2", "j/3")] == [
            *("unknown", "unknown", "no")
        ]
    # Eight questions without a difference do not say how many there may be.
    assert "with j/2 1.000 (too few differ)" in rows["j/1", OVERALL].sentence


def test_reading_r26_valid_and_readable_evaluations_must_both_say_it(three: Evaluation) -> None:
    """Were the valid ones alone asked, j/1 and j/2 would agree; over all that can be read not."""
    apart = three.readable
    readable = type(apart)(
        pairs=tuple(
            type(pair)(judges=pair.judges, compared=apart.pairs[-1].compared)
            for pair in apart.pairs
        ),
        alpha=apart.alpha,
        alpha_ci95=apart.alpha_ci95,
    )

    assert _agreement("j/1", OVERALL, three.agreement, readable).trusted == "unknown"


def test_a_judge_alone_is_trusted_on_no_score(tmp_path: Path) -> None:
    rows = grid("123", "A")
    replies = [reply_row(row, "j/1", record_for(row, "j/1")) for row in rows]
    imported(tmp_path / "e", rows, replies, judges=("j/1",))
    (evaluation,) = summary([tmp_path / "e"]).evaluations

    printed_rows = {row.about: row for row in evaluation.trust}
    assert printed_rows[OVERALL].trusted == "unknown"
    assert "no other judge scored these outputs" in printed_rows[OVERALL].sentence


@pytest.mark.parametrize(
    ("ci95", "trusted"),
    [
        ((-0.5, 0.5), "yes"),
        ((-0.51, 0.4), "unknown"),
        ((-0.4, 0.51), "unknown"),
        ((0.1, 0.2), "no"),
        ((-0.2, -0.1), "no"),
        (None, "unknown"),
    ],
)
def test_a_difference_is_none_where_its_whole_interval_is_within_half_a_point(
    ci95: Ends | None, trusted: str
) -> None:
    assert is_none(ci95) == trusted


def test_reading_r76_only_what_nothing_but_time_parts_says_that_a_judge_stayed_the_same() -> None:
    zero = Mean(value=0.0, ci95=(-0.1, 0.1))
    none = Share(count=0, value=None, ci95=None)
    drifted = DriftRow(
        before="a",
        after="b",
        times=(None, None),
        judge="j",
        method="cross_judge",
        blind=(False, False),
        shared=0,
        compared=ScoreAgreement(
            outputs=40,
            same_verdict=none,
            same_overall=none,
            mean_absolute_error=zero,
            mean_difference=zero,
            kappa={},
            kappa_ci95={},
        ),
    )
    apart = [
        replace(drifted, blind=(False, True)),
        replace(drifted, judge="k"),
        replace(drifted, method="self_judge"),
    ]
    alone = Agreement(pairs=(), alpha={}, alpha_ci95={})
    evaluation: Any = SimpleNamespace(
        evidence=(), self_preference=(), competence=(), agreement=alone, readable=alone
    )
    group: Any = SimpleNamespace(value="j", invalid=share(1, 2, None))

    said = [
        [statement.about for statement in statements(evaluation, [group], drifts)]
        for drifts in ([drifted], apart)
    ]

    assert ["staying the same" in about for about in said] == [True, False]


@pytest.mark.parametrize(
    ("intervals", "word"),
    [
        ([(0.85, 0.97)], "yes"),
        ([(0.85, 0.97), (0.2, 0.9)], "unknown"),
        ([(0.85, 0.97), None], "unknown"),
        ([(-0.2, 0.3)], "no"),
    ],
)
def test_a_judge_is_trusted_where_every_interval_of_its_kappa_is_high(
    intervals: list[tuple[float, float] | None], word: str
) -> None:
    assert _word(intervals) == word
