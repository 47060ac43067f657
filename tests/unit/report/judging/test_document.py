"""An evaluation's agreement and trust, as parts of its report."""

from typing import Any

from epc.analysis.judging.results import Agreement, Pair, ScoreAgreement, Share, Statement
from epc.report.document import printed
from epc.report.judging.document import _pairs, _trust
from epc.spec.judge_v1 import DIMENSIONS, OVERALL
from epc.statistics.figures import Mean

SCORES = (OVERALL, *DIMENSIONS)


def compared(outputs: int) -> ScoreAgreement:
    share, mean = Share(count=1, value=0.5, ci95=None), Mean(value=0.25, ci95=None)
    return ScoreAgreement(
        outputs=outputs,
        same_verdict=share,
        same_overall=share,
        mean_absolute_error=mean,
        mean_difference=mean,
        kappa=dict.fromkeys(SCORES, 0.5),
        kappa_ci95=dict.fromkeys(SCORES),
    )


def agreement(outputs: int | None) -> Agreement:
    pairs = () if outputs is None else (Pair(judges=("j/1", "j/2"), compared=compared(outputs)),)
    return Agreement(pairs=pairs, alpha={OVERALL: 0.5}, alpha_ci95={OVERALL: None})


def rows(valid: int | None, readable: int | None) -> list[tuple[str, ...]]:
    """Return which comparisons of the two judges are shown, over how many outputs."""
    return [row[:2] for row in _pairs(agreement(valid), agreement(readable))]


def test_readable_replies_are_compared_where_they_are_more_than_the_valid_ones() -> None:
    judges = "j/1 and j/2"
    assert rows(4, 5) == [(f"{judges}, valid", "4"), (f"{judges}, readable", "5")]
    assert rows(4, 4) == [(f"{judges}, valid", "4")]
    assert rows(None, 4) == [(f"{judges}, readable", "4")]


def statement(judge: str, about: str, trusted: Any) -> Statement:
    return Statement(judge=judge, about=about, trusted=trusted, sentence=f"{about} of {judge}.")


def test_a_word_stands_in_its_judge_s_column_and_the_reason_under_its_name() -> None:
    first_statement, two_statements = (
        statement("j/1", "length", "yes"),
        statement("j/1", "format", "no"),
    )

    lines = printed(
        _trust([first_statement, two_statements, statement("j/2", "format", "unknown")])
    ).split("\n")

    assert lines[0].split() == ["on", "j/1", "j/2"]
    assert lines[1].split() == ["length", "yes", "-"]
    assert lines[2].split() == ["format", "no", "cannot", "say"]
    assert lines[lines.index("j/1") + 1] == "  - length: yes. length of j/1."
