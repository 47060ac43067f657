"""Clauses that state a figure of recorded verdicts; each written by hand."""

import pytest

from epc.answers.words import verdict_clause
from epc.statistics.figures import ClusteredFigure


@pytest.mark.parametrize(
    ("name", "value", "ci95", "words"),
    [
        ("accuracy", 0.755, (0.7, 0.8), "was right on 75.5 [70.0, 80.0] of 100"),
        ("judges/k/0", 0.5, (0.4, 0.6), "chose as k did on 50.0 [40.0, 60.0] of 100, where nobody"),
        ("humans_majority", 0.5, (0.4, 0.6), "agreed with most people on 50.0 [40.0, 60.0] of 100"),
        ("self_preference", 0.125, (0.1, 0.2), "own answers by +12.5 points [+10.0, +20.0]"),
        ("self_preference_score", -0.5, (-0.75, -0.25), "by -0.50 [-0.75, -0.25] points of its"),
        ("rank_correlation/m", 0.5, (0.4, 0.6), "with a rank correlation of 0.50 [0.40, 0.60]"),
        ("transfer/regret/text_to_code", 0.5, (0.4, 0.6), "from text to code of +50.0 points ["),
    ],
)
def test_reading_r97_a_figure_of_verdict_files_is_said_as_one_of_the_registry(
    name: str, value: float, ci95: tuple[float, float], words: str
) -> None:
    clause = verdict_clause(name, ClusteredFigure(value=value, ci95=ci95, n=1200, items=300))

    assert words in clause
    assert clause.endswith(" on 300 items")
    assert ", 1,200 " in clause


def test_one_item_is_counted_in_the_singular_and_none_where_each_has_one_verdict() -> None:
    one = ClusteredFigure(value=0.5, ci95=None, n=6, items=1)
    alike = ClusteredFigure(value=0.5, ci95=None, n=6, items=6)

    assert verdict_clause("accuracy", one).endswith("6 verdicts on 1 item")
    assert verdict_clause("accuracy", alike).endswith(" 6 verdicts")
