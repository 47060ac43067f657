"""An evaluation's agreement and trust, as they are printed."""

from typing import Any

from epc.analysis.judging.results import Agreement, Compared, Pair, Share, Statement
from epc.report.judging.text import _agreement, _trust
from epc.spec.judge_v1 import OVERALL
from epc.statistics.figures import Mean


def compared(outputs: int) -> Compared:
    share, mean = Share(count=1, value=0.5, ci95=None), Mean(value=0.25, ci95=None)
    return Compared(
        outputs=outputs,
        same_verdict=share,
        same_overall=share,
        mean_absolute_error=mean,
        mean_difference=mean,
        kappa={OVERALL: 0.5},
        kappa_ci95={OVERALL: None},
    )


def agreement(outputs: int | None) -> Agreement:
    pairs = () if outputs is None else (Pair(judges=("j/1", "j/2"), compared=compared(outputs)),)
    return Agreement(pairs=pairs, alpha={OVERALL: 0.5}, alpha_ci95={OVERALL: None})


def labels(valid: int | None, readable: int | None) -> list[str]:
    """Return which comparisons of the two judges are printed."""
    lines = "\n".join(_agreement(agreement(valid), agreement(readable)))
    return [words for words in ("both valid", "both readable") if words in lines]


def test_readable_replies_are_compared_where_they_are_more_than_the_valid_ones() -> None:
    assert labels(4, 5) == ["both valid", "both readable"]
    assert labels(4, 4) == ["both valid"]
    assert labels(None, 4) == ["both readable"]
    assert list(_agreement(agreement(None), agreement(None))) == []


def statement(judge: str, about: str, trusted: Any) -> Statement:
    return Statement(judge=judge, about=about, trusted=trusted, sentence="")


def test_what_a_judge_can_be_trusted_on_stands_under_its_name() -> None:
    lines = list(_trust([statement("j/1", "length", "yes"), statement("j/1", "format", "yes")]))

    assert list(_trust([])) == []
    assert lines[0] == ""
    assert lines[2] == "  j/1"
    assert lines[3].endswith("length, format")
