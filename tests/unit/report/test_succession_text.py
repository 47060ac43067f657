"""Who may replace a judge, in words."""

from typing import Any

import pytest

from epc.analysis.observed_figures import Figure
from epc.analysis.succession import Agreement, Measurement, Succession, Successor
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
                "old: of the judges that somebody serves, new agrees most: 80.0% of verdicts alike "
                "[0.700, 0.900] on 600 common items (LLMBar, prompt P)."
            ),
        ),
        (
            (GONE,),
            (
                "old: no common items with a judge that somebody serves; 1 that are gone or of "
                "unknown state have some."
            ),
        ),
        ((), "old: no common items with a judge that somebody serves."),
    ],
)
def test_the_answer_is_one_sentence(successors: tuple[Successor, ...], said: str) -> None:
    assert sentence(succession(*successors)) == said


def test_a_judge_s_agreement_is_one_line() -> None:
    assert agreement_line(agreement()) == (
        "0.800 [0.700, 0.900] of 1,200 verdicts alike, items 600; "
        "share of the first place +0.050 [-0.050, 0.150]; same decoding"
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
