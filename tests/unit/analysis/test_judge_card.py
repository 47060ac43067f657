"""A card against thresholds: whole intervals, and nothing that does not count."""

from datetime import date

import pytest

from epc.analysis.judge_card import (
    Answer,
    Card,
    CardFigure,
    Range,
    Requirement,
    _section,
    answered,
)
from epc.analysis.quotable import QuotableFigures
from epc.errors import UsageError


def card_figure(name: str, ci95: Range | None, *, left_out: str = "") -> CardFigure:
    return CardFigure(
        name=name,
        value=0.5,
        ci95=ci95,
        n=10,
        unit="pairs",
        items=10,
        of="file",
        source="LLMBar",
        setting="J/Vanilla",
        conditions="c",
        state="s",
        left_out=left_out,
    )


def card(*figures: CardFigure) -> Card:
    return Card(
        name="Judge-1",
        maker=None,
        as_of="2026-01-01",
        aliases=(),
        served=(),
        figures=figures,
        rests_on=(),
        drift=(),
        faults=(),
        quotable=QuotableFigures(
            target="Judge-1",
            as_of=date(2026, 1, 1),
            headline=None,
            other_figures=(),
            history=(),
            missing=(),
        ),
    )


@pytest.mark.parametrize(
    ("requirement", "ci95", "answer"),
    [
        ("x>=0.8", (0.8, 0.9), "meets"),
        ("x>=0.8", (0.79, 0.9), "unknown"),
        ("x>=0.8", (0.7, 0.8), "unknown"),  # 0.8 itself meets it
        ("x>=0.8", (0.7, 0.79), "does not meet"),
        ("x<=0.1", (0.0, 0.1), "meets"),
        ("x<=0.1", (0.1, 0.2), "unknown"),
        ("x <= 0.1", (0.11, 0.2), "does not meet"),
        ("x>=0.8", None, "unknown"),
        ("x>=30", (0, None), "unknown"),  # an open end
        ("x>=30", (40, None), "meets"),
        ("x<=30", (40, None), "does not meet"),
        ("x>=-1.5e-1", (-0.1, 0.1), "meets"),
    ],
)
def test_a_requirement_is_held_to_the_whole_interval(
    requirement: str, ci95: Range | None, answer: Answer
) -> None:
    assert answered(card(card_figure("x", ci95)), Requirement.parse(requirement)).answer == answer


def test_one_figure_that_misses_it_outweighs_all_others_and_all_must_meet_it() -> None:
    meets, unsure, misses = ((0.9, 0.95), (0.7, 0.9), (0.1, 0.2))
    held_requirement = Requirement.parse("x>=0.8")

    def answer(*ranges: Range) -> tuple[str, str]:
        requirement_answer = answered(
            card(*(card_figure("x", bounds) for bounds in ranges)), held_requirement
        )
        return requirement_answer.answer, requirement_answer.why

    assert answer(meets, meets) == ("meets", "2 of 2 intervals meet it whole")
    assert answer(meets, unsure)[0] == "unknown"
    assert answer(meets, unsure, misses) == ("does not meet", "1 of 3 intervals miss it whole")


def test_a_name_means_the_figure_in_all_directions_and_no_longer_name() -> None:
    held_requirement = Requirement.parse("gamma<=1")
    fields = card(card_figure("gamma/a_to_b", (0.1, 0.2)), card_figure("gammas", (2, 3)))

    assert [figure.name for figure in answered(fields, held_requirement).figures] == [
        "gamma/a_to_b"
    ]


def test_what_does_not_count_and_what_nobody_measured_is_unknown() -> None:
    fields = card(card_figure("place_consistency", (0.9, 0.95), left_out="withdrawn"))

    left_out = answered(fields, Requirement.parse("place_consistency>=0.5"))
    misspelt = answered(fields, Requirement.parse("place_consistancy>=0.5"))

    assert (left_out.answer, left_out.why) == ("unknown", "each figure of this name is left out")
    assert misspelt.why == "it is not in this registry; did you mean place_consistency?"


@pytest.mark.parametrize("text", ["x", "x>0.8", "x>=", ">=1", "x>=nan", "x>=inf", "x>=1>=2", "x=1"])
def test_what_is_no_requirement_is_misuse(text: str) -> None:
    with pytest.raises(UsageError, match="is no requirement"):
        Requirement.parse(text)


def test_a_figure_stands_in_the_section_of_its_name_or_in_none() -> None:
    assert _section("gamma/text_to_visual") == _section("gamma") != ""
    assert _section("gammas") == _section("no such figure") == ""
