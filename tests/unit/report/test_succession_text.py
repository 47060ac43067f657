"""Tests of who may replace a judge, in words."""

from typing import Any

import pytest
from golden_support import Golden

from epc.analysis.agreement import Agreement, ReplacementJudge, UncomparedJudge
from epc.analysis.succession import Measurement, Succession, Successor
from epc.report.succession_text import agreement_line, prompt_of, sentence, text
from epc.statistics.figures import ClusteredFigure


def figure(value: float) -> ClusteredFigure:
    return ClusteredFigure(value=value, ci95=(value - 0.1, value + 0.1), n=1200, items=600)


def agreement(**further_fields: Any) -> Agreement:
    fixed = {
        "judge": "new/P",
        "model": "new",
        "sources": ("LLMBar",),
        "prompt": "prompts/P.txt",
        "same_decoding": True,
        "subset": None,
        "items": 600,
        "shared_answers": 0,
        "alike": figure(0.8),
        "chance": 0.5,
        "shifts": {"first_place": figure(0.05)},
    }
    return Agreement(**{**fixed, **further_fields})


def succession(*successors: Successor, **further_fields: Any) -> Succession:
    fixed = {
        "name": "old",
        "as_of": "2026-07-02",
        "state": (),
        "named": {},
        "aliases": (),
        "recorded": 0,
        "elsewhere": (),
        "measurement": Measurement(why="few items", command="epc run", calls=1500),
        "has_end": True,
    }
    return Succession(**{**fixed, "successors": successors, **further_fields})


def shown(*successors: Successor, **further_fields: Any) -> Succession:
    """Return a succession in which new is shown to agree."""
    agreeing = {"new": agreement().summary}
    first = ReplacementJudge(name="new", how="agreeing", why=agreement().summary)
    return succession(*successors, agreeing=agreeing, first=first, **further_fields)


LIVING = Successor(agreement=agreement(), state="alive", living=True)
GONE = Successor(agreement=agreement(model="gone"), state="gone", living=False)
HARD = Successor(agreement=agreement(subset="hard"), state="alive", living=True)


def test_reading_r96_the_words_of_a_succession(golden: Golden) -> None:
    bare = agreement(same_decoding=False, shifts={}, shared_answers=3)
    hidden = (UncomparedJudge(model="new", items=861),)
    all_three = shown(LIVING, HARD, GONE, recorded=12)
    cases = {
        "one that lives": sentence(shown(LIVING, GONE)),
        "one that lives, without its verdicts": sentence(shown()),
        "no end is stated": sentence(succession(has_end=False)),
        "text that is no name": sentence(
            succession(
                named={"newest one": "not in this registry"}, named_by={"newest one": ("x",)}
            )
        ),
        "one that is gone": sentence(succession(GONE)),
        "none": sentence(succession()),
        "none on the same items": sentence(succession(recorded=900)),
        "the same items, the prompt unknown": sentence(succession(recorded=900, unlike=hidden)),
        "agreement": agreement_line(agreement()),
        "agreement of which little is known": agreement_line(bare),
        "all": text(all_three),
        "no verdict of its own": text(shown(LIVING)),
    }

    golden("succession", cases)
    assert prompt_of(agreement(prompt="plain")) == "plain"


@pytest.mark.parametrize(
    ("given", "choices", "why"),
    [
        ({}, 1, ""),  # 0.7 against 0.5 and a margin of 0.1
        ({"chance": 0.61}, 1, "not shown to exceed chance by 10 points, as the best of 1"),
        # Of 1,000 choices the half width 0.1 becomes 0.1 x 4.08 / 1.96 = 0.21: 0.59 is below 0.6.
        ({}, 1000, "not shown to exceed chance by 10 points, as the best of 1,000"),
        (
            {"alike": ClusteredFigure(value=1.0, ci95=None, n=2, items=1)},
            1,
            "too few for an interval",
        ),
        ({"shifts": {"better": figure(0.05)}}, 1, ""),  # at worst 0.05 fewer
        (
            {"shifts": {"better": figure(-0.05)}},
            1,
            "its share of right answers may be lower",
        ),  # at worst 0.15
    ],
)
def test_reading_r96_a_successor_exceeds_chance_by_a_margin_corrected_for_the_choice(
    given: dict[str, Any], choices: int, why: str
) -> None:
    actual_text = agreement(**given).unfit(choices)

    assert why in actual_text
    assert bool(actual_text) == bool(why)
