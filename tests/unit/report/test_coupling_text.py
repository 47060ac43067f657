"""What crosses, in sentences."""

from types import SimpleNamespace
from typing import Any

import pytest

from epc.report import coupling_text
from epc.report.coupling_text import cell, headline


def into(**figures: Any) -> Any:
    fixed = {"redirected": 0.416, "redirected_ci95": None, "chance": 0.2, "regret": 0.0}
    return SimpleNamespace(**{**fixed, "regret_ci95": (-0.0104, 0.05), **figures})


@pytest.mark.parametrize(
    ("regret", "said"),
    [
        (0.0049, "costs no whole point of win rate"),
        (0.006, "costs 1 point of win rate"),
        (0.031, "costs 3 points of win rate"),
        (-0.012, "gains 1 point of win rate"),
        (-0.02, "gains 2 points of win rate"),
    ],
)
def test_a_direction_is_one_sentence(regret: float, said: str) -> None:
    assert headline("text_to_visual", into(regret=regret)) == (
        "training in text first redirects 42 of 100 choices in visual (by chance 20) and " + said
    )


def test_a_cell_has_its_interval_if_there_is_one() -> None:
    assert cell(into(), "redirected") == ("42",)
    assert cell(into(regret=0.0312), "regret") == ("+3.1", "[-1.0, +5.0]")


def test_a_p_value_says_how_it_came_about() -> None:
    test = SimpleNamespace(p_value=0.04, method="permutation", unit="task")
    transfer: Any = SimpleNamespace(test=test, units={"text": 8, "visual": 40}, tests=None)

    assert "dealing 8 and 40 tasks out to two domains anew" in coupling_text.tested(transfer)
    test.method = "jackknife"
    assert "by the spread over 8 and 40 tasks" in coupling_text.tested(transfer)
    transfer.tests = {}
    assert "the least of all pairs, by Holm" in coupling_text.tested(transfer)
    transfer.test = None
    assert coupling_text.tested(transfer) == "none: too little was decided"
