"""Who may replace a judge, in words."""

from typing import Any

import pytest

from epc.analysis.observed_figures import Figure
from epc.analysis.succession import Agreement, Measurement, Succession, Successor, Unlike
from epc.report.succession_text import agreement_line, prompt_of, sentence, text


def figure(value: float) -> Figure:
    return Figure(value=value, ci95=(value - 0.1, value + 0.1), n=1200, items=600)


def agreement(**more: Any) -> Agreement:
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
    return Agreement(**{**fixed, **more})


def succession(*successors: Successor, **more: Any) -> Succession:
    fixed = {
        "name": "old",
        "as_of": "2026-07-02",
        "state": (),
        "named": {},
        "aliases": (),
        "recorded": 0,
        "elsewhere": (),
        "measurement": Measurement(why="few items", command="epc run", calls=1500),
    }
    return Succession(**{**fixed, "successors": successors, **more})


LIVING = Successor(agreement=agreement(), state="alive", living=True)
GONE = Successor(agreement=agreement(model="gone"), state="gone", living=False)
HARD = Successor(agreement=agreement(subset="hard"), state="alive", living=True)


@pytest.mark.parametrize(
    ("successors", "said"),
    [
        (
            (LIVING, GONE),
            (
                "old: new can be named: 80.0% [70.0%, 90.0%] of verdicts alike, where chance gives "
                "50.0%, on 600 common items (LLMBar, prompt P); which of the two is right more "
                "often is not known."
            ),
        ),
        (
            (GONE,),
            (
                "old: none can be named as its successor. Nobody is known to serve the 1 judge "
                "with common items and a common prompt."
            ),
        ),
        ((), "old: none can be named as its successor. No verdict of it is kept here."),
    ],
)
def test_reading_r96_the_answer_is_a_name_or_what_is_missing(
    successors: tuple[Successor, ...], said: str
) -> None:
    assert sentence(succession(*successors)) == said


def test_reading_r96_an_unknown_prompt_is_the_reason_where_there_are_common_items() -> None:
    hidden = (Unlike(model="new", items=861),)

    assert sentence(succession(recorded=900, unlike=hidden)) == (
        "old: none can be named as its successor. new was asked about 861 of the same items, but "
        "no source says whether with the same prompt."
    )
    assert sentence(succession(recorded=900)).endswith(
        "No other judge was asked about the same items."
    )


@pytest.mark.parametrize(
    ("given", "choices", "why"),
    [
        ({}, 1, ""),  # 0.7 against 0.5 and a margin of 0.1
        ({"chance": 0.61}, 1, "not shown to exceed chance by 10 points, as the best of 1"),
        # Of 1,000 choices the half width 0.1 becomes 0.1 x 4.08 / 1.96 = 0.21: 0.59 is below 0.6.
        ({}, 1000, "not shown to exceed chance by 10 points, as the best of 1,000"),
        ({"alike": Figure(value=1.0, ci95=None, n=2, items=1)}, 1, "too few for an interval"),
        ({"shifts": {"better": figure(0.05)}}, 1, ""),  # at worst 0.05 fewer
        ({"shifts": {"better": figure(-0.05)}}, 1, "it is right less often"),  # at worst 0.15
    ],
)
def test_reading_r96_a_successor_exceeds_chance_by_a_margin_corrected_for_the_choice(
    given: dict[str, Any], choices: int, why: str
) -> None:
    found = agreement(**given).unfit(choices)

    assert why in found
    assert bool(found) == bool(why)


def test_a_judge_s_agreement_is_one_line() -> None:
    assert agreement_line(agreement()) == (
        "0.800 [0.700, 0.900] of 1,200 verdicts alike, chance 0.500, items 600; "
        "share of the first place +0.050 [-0.050, +0.150]; same decoding"
    )
    bare = agreement(same_decoding=False, shifts={}, shared_answers=3)
    assert agreement_line(bare).endswith(
        "no shift is known; decoding differs or is not stated; 3 with one shared answer left out"
    )
    assert prompt_of(agreement(prompt="plain")) == "plain"


def test_kinds_of_task_are_shown_if_they_are_wanted_and_judges_that_are_gone_apart() -> None:
    result = succession(LIVING, HARD, GONE, recorded=12)

    plain, by_kind = text(result, kinds=False), text(result, kinds=True)

    assert "prompt P, hard (LLMBar)" not in plain
    assert "prompt P, hard (LLMBar)" in by_kind
    assert (
        plain.index("  new, prompt P")
        < plain.index("judges that are gone")
        < plain.index("  gone, prompt P")
    )
    assert "1,500 evaluator calls at most; few items" in plain
    assert "its 12 recorded items" in plain
    assert "recorded items" not in text(succession(LIVING), kinds=False)
