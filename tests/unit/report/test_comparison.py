"""What `epc compare` says of two measurements before any figure: the word, and what A and B are."""

from typing import Any

import pytest

from epc.analysis.compare import Comparison
from epc.analysis.sharing import SharedAnswers
from epc.errors import Finding
from epc.report.comparison import heading, sides, verdicts

UNLIKE = Finding(clause="EPC-2.4", where="", problem="other tasks", remedy="compare others")
MINOR = Finding(clause="EPC-2.4", where="", problem="other day", remedy="none", severity="warning")


def head(evaluator: str, seeds: int = 30) -> dict[str, Any]:
    return {
        "path": f"runs/{evaluator}",
        "evaluator": evaluator,
        "measurement_date": "2026-07-02",
        "seeds": seeds,
    }


def comparison(
    left: dict[str, Any], right: dict[str, Any], *findings: Finding, shared: int = 0
) -> Comparison:
    return Comparison(
        verdict="cannot_tell",
        two_evaluators=left["evaluator"] != right["evaluator"],
        left=left,
        right=right,
        findings=list(findings),
        tables=None,
        metrics=[],
        pairs_needed={},
        seeds_needed={},
        shared={"evaluator": SharedAnswers(count=shared, answers=176)},
        epc_5_2={},
    )


@pytest.mark.parametrize(
    ("findings", "shared", "said"),
    [
        ((), 0, "CANNOT TELL, like for like"),
        ((MINOR,), 0, "CANNOT TELL, like for like"),
        ((MINOR, UNLIKE), 0, "CANNOT TELL, not like for like"),
        ((), 1, "CANNOT TELL, shared answers"),
        ((UNLIKE,), 1, "CANNOT TELL, shared answers"),
    ],
)
def test_the_heading_says_whether_like_is_compared_with_like(
    findings: tuple[Finding, ...], shared: int, said: str
) -> None:
    record, two_records = head("judge-1"), head("judge-2")

    assert heading(comparison(record, record, *findings, shared=shared)) == said
    apart = heading(comparison(record, two_records, *findings, shared=shared))
    assert apart == f"{said}: two evaluators, so no drift of either"


def test_each_side_is_named_with_its_evaluator_day_and_number_of_seeds() -> None:
    assert list(sides(comparison(head("judge-1", 1), head("judge-2", 0)))) == [
        ("A", "runs/judge-1: judge-1, 2026-07-02, 1 seed"),
        ("B", "runs/judge-2: judge-2, 2026-07-02, 0 seeds"),
    ]


def test_reading_r76_shared_answers_are_counted_and_nothing_else_is_compared() -> None:
    record = head("judge-1")

    assert list(verdicts(comparison(record, record, shared=1))) == [
        "1 of 176 answers are shared: one answer each, not two",
        "nothing is left that could be compared",
    ]
    (alone,) = verdicts(comparison(record, record))
    assert alone.startswith("not compared: a manifest without its raw files has none")
