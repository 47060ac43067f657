"""Coupling by size: which judges stand together, and what the figures allow to say."""

from dataclasses import replace
from typing import Any

import pytest

from epc.audit.facts import Word
from epc.registry.figures import Figure
from epc.registry.record import AuditSummary
from epc.simulation.training import Band
from epc.site.judge_sizes import SizeComparison, SizedJudge, picture
from epc.site.pages import Direction


def audit(word: Word) -> AuditSummary:
    return AuditSummary(
        verdict=word,
        p_value=None,
        unit=None,
        position_bias={},
        determinism=None,
        competence=None,
        findings=(),
    )


def figure(name: str, mean: float, low: float, high: float) -> Figure:
    return Figure(name=name, mean=mean, interval=(low, high), n=30)


def judge(name: str, parameters: float, **changes: Any) -> SizedJudge:
    direction = Direction(
        name="text_to_visual",
        title="text to visual",
        gamma=figure("gamma", 1.2, 1.1, 1.3),
        noise=Band(mean=1.1, low=0.5, high=1.9),
        excess=figure("excess", 0.1, -0.1, 0.3),
        into=None,
    )
    made = SizedJudge(
        name=name,
        tag=f"v1.0-{name}",
        parameters=parameters,
        likelihood=False,
        audit=audit("no_detectable_coupling"),
        directions=(direction,),
        seeds=30,
        month="November 2026",
        tie_rate=0.1,
        place=None,
    )
    return replace(made, **changes)


SMALL, LARGE = judge("tiny-135m", 135e6), judge("large-1.5b", 1.5e9)


def test_a_size_is_said_in_millions_or_billions() -> None:
    assert (SMALL.size, LARGE.size) == ("135 million", "1.5 billion")


def test_without_a_finding_nothing_is_said_of_size() -> None:
    page = SizeComparison(executor="one", judges=(SMALL, LARGE))

    assert page.lead == (
        "Not known. None of two measurements of two sizes shows coupling for the domains."
    )
    assert page.may == ["No detectable coupling: tiny-135m and large-1.5b."]
    three = SizeComparison(executor="one", judges=(SMALL, LARGE, judge("middle-1b", 1e9)))
    assert three.may == ["No detectable coupling: tiny-135m, large-1.5b and middle-1b."]
    assert "That coupling shrinks, or grows, with size" in page.may_not[0]


def test_a_judge_that_couples_is_named() -> None:
    page = SizeComparison(executor="one", judges=(SMALL, replace(LARGE, audit=audit("coupled"))))

    assert page.lead.endswith("show coupling: large-1.5b.")
    assert not any("shrinks" in line for line in page.may_not)


@pytest.mark.parametrize(
    ("place", "letter"), [((14, 14), "A in 14 of 14"), ((0, 9), "B in 9 of 9")]
)
def test_a_judge_of_places_is_none_of_answers(place: tuple[int, int], letter: str) -> None:
    page = SizeComparison(executor="one", judges=(replace(SMALL, place=place), LARGE))

    assert any(letter in line for line in page.may_not)


def test_a_judge_that_says_both_letters_of_equal_answers_is_not_accused() -> None:
    page = SizeComparison(executor="one", judges=(replace(SMALL, place=(7, 14)), LARGE))

    assert not any("equal answers" in line for line in page.may_not)


def test_a_gamma_above_its_floor_is_said_of_these_tasks_alone() -> None:
    above = replace(LARGE.directions[0], excess=figure("excess", 0.2, 0.1, 0.3))
    page = SizeComparison(executor="one", judges=(SMALL, replace(LARGE, directions=(above,))))

    assert page.may[0].startswith("Of these tasks: the gamma of large-1.5b from text to visual")
    assert "+0.20 [+0.10, +0.30], over 30 seeds" in page.may[0]


def test_the_panels_of_the_picture_share_a_scale() -> None:
    panels = picture(SizeComparison(executor="one", judges=(SMALL, LARGE))).panels

    assert {tuple(panel.reach) for panel in panels} == {(0, 1.9)}
