"""What crosses, in sentences."""

from types import SimpleNamespace
from typing import Any

import pytest
from golden_support import Golden

from epc.report import coupling_text
from epc.report.coupling_text import cell, headline


def into(**figures: Any) -> Any:
    fixed = {"redirected": 0.416, "redirected_ci95": None, "chance": 0.2, "regret": 0.0}
    return SimpleNamespace(**{**fixed, "regret_ci95": (-0.0104, 0.05), **figures})


@pytest.mark.parametrize(
    ("regret", "interval", "said"),
    [
        (0.026, (0.012, 0.04), ", at a cost estimated at 2.6 points of win rate"),
        (0.026, (0.0, 0.052), "; no cost in win rate is shown for the domain"),
        (0.04, (-0.01, 0.09), "; no cost in win rate is shown for the domain"),
        (0.04, None, "; no cost in win rate is shown for the domain"),
        (-0.012, (-0.02, -0.004), ", at a gain estimated at 1.2 points of win rate"),
    ],
)
def test_reading_r71_a_cost_is_a_sentence_only_where_its_interval_excludes_0(
    regret: float, interval: tuple[float, float] | None, said: str
) -> None:
    assert headline("text_to_visual", into(regret=regret, regret_ci95=interval)) == (
        "training in text first redirects an estimated 42 of 100 choices in visual (chance alone: "
        "20)" + said
    )


@pytest.mark.parametrize(
    ("redirected", "said"),
    [
        (0.216, "an estimated 22 of 100 choices in visual (chance alone: 20);"),
        (0.204, "no more choices in visual than chance alone: an estimated 20 of 100, chance 20;"),
        (0.0, "no more choices in visual than chance alone: an estimated 0 of 100, chance 20;"),
    ],
)
def test_reading_r70_choices_are_redirected_only_where_they_are_more_than_by_chance(
    redirected: float, said: str
) -> None:
    sentence = headline("text_to_visual", into(redirected=redirected))

    assert sentence.startswith(f"training in text first redirects {said}")


def test_reading_r71_no_sentence_about_a_word_speaks_of_chance_against_a_p_value() -> None:
    """`no_detectable_coupling` stands above p = 0.032 too: choices redirected, at no cost."""
    assert "chance" not in coupling_text.MEANING["no_detectable_coupling"]
    assert "estimated" in coupling_text.MEANING["coupled"]


def test_a_cell_has_its_interval_if_there_is_one() -> None:
    assert cell(into(), "redirected") == ("42",)
    assert cell(into(regret=0.0312), "regret") == ("+3.1", "[-1.0, +5.0]")


def test_a_p_value_says_how_it_came_about(golden: Golden) -> None:
    def said(method: str, tests: Any = None) -> str:
        test = method and SimpleNamespace(p_value=0.04, method=method, unit="task")
        units = {"text": 8, "visual": 40}
        return coupling_text.tested(SimpleNamespace(test=test or None, units=units, tests=tests))  # type: ignore[arg-type]  # what it reads of a transfer

    cases = {
        "permutation": said("permutation"),
        "jackknife": said("jackknife"),
        "several pairs": said("jackknife", {}),
        "none": said(""),
    }

    golden("p_value", cases)
