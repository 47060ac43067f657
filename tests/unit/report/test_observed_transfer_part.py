"""What crosses by recorded verdicts, as it is printed, from figures made by hand (Reading R70)."""

from dataclasses import replace
from typing import Any

import pytest
from observed_support import report, verdict

from epc.analysis.observed_transfer import Beside, Transferred
from epc.audit.coupling import Crossed
from epc.audit.redirection import RedirectionTest
from epc.report.observed_text import text

CROSSED = Crossed(
    redirected=0.5,
    redirected_ci95=(0.25, 0.75),
    chance=0.125,
    regret=0.03125,
    regret_ci95=None,
    harm=-0.5,
    harm_ci95=(-1.0, 0.0),
    crossing=0.0,
    crossing_ci95=None,
)
BESIDE = Beside(
    judge=0.5,
    judge_ci95=(0.25, 0.75),
    people=0.25,
    people_ci95=None,
    difference=0.25,
    difference_ci95=(0.0, 0.5),
)
FOUND = Transferred(
    rule=3,
    clusters={},
    baseline="b",
    baseline_chosen=False,
    domains={"chat": 1_000, "code": 40},
    domains_chosen=False,
    verdicts=2_000,
    decided_share=0.875,
    strategies=("x", "y", "z"),
    left_out_strategies=(),
    left_out_tasks={"chat": 0, "code": 0},
    word="no_detectable_coupling",
    test=RedirectionTest(p_value=0.25, unit="task", method="permutation", splits=100),
    directions={"chat_to_code": CROSSED},
    detectable=0.0625,
    people=None,
)
HEAD = [
    "",
    "transfer by one: no_detectable_coupling",
    "  domains    chat (1,000 tasks) and code (40 tasks): the two with most tasks",
    "  baseline   b: in every comparison",
    "  strategies 3 authors, 2,000 verdicts, 88% decided",
]
DIRECTION = [
    "  chat_to_code",
    "    redirected choices 0.500 [0.250, 0.750], by chance 0.125",
    "    regret             0.031 of win rate",
    "    harm               -0.500 [-1.000, 0.000]",
]
P_VALUE = ["  p          0.2500 for both directions, by permutation of tasks"]
POWER = [
    "  power      a regret of 0.062 is found in 4 of 5 such files or more",
    "             (the margin is 0.02)",
]


def said(found: Transferred | None) -> list[str]:
    """The part of a report that is about transfer, with the empty line before it."""
    whole = report(verdict("1", "a", "a"))
    (group,) = whole.groups
    lines = text(replace(whole, groups=[replace(group, transfer=found)])).split("\n")
    begin = next((n for n, line in enumerate(lines) if line.startswith("transfer by ")), None)
    if begin is None:
        return []
    end = lines.index("", begin) if "" in lines[begin:] else len(lines)
    return lines[begin - 1 : end]


def test_reading_r70_a_judge_s_transfer_is_said_with_the_choices_that_it_rests_on() -> None:
    assert said(FOUND) == [*HEAD, *DIRECTION, *P_VALUE, *POWER]
    assert said(None) == []


@pytest.mark.parametrize(
    ("given", "power"),
    [
        ({}, POWER),
        ({"word": "no_coupling_beyond_margin"}, POWER),
        ({"word": "coupled"}, []),
        ({"detectable": None}, []),
        ({"word": "coupled", "detectable": None}, []),
    ],
)
def test_reading_r70_what_could_have_been_found_is_said_where_nothing_was(
    given: dict[str, Any], power: list[str]
) -> None:
    assert [line for line in said(replace(FOUND, **given)) if line in POWER] == power


def test_reading_r72_what_was_left_out_and_what_was_chosen_is_said() -> None:
    chosen = replace(
        FOUND,
        baseline_chosen=True,
        domains_chosen=True,
        left_out_tasks={"chat": 2, "code": 1},
        left_out_strategies=("u", "v"),
    )

    told = said(chosen)

    assert told[2].endswith("code (40 tasks): chosen")
    assert told[3] == "  baseline   b: chosen"
    assert told[5] == "  left out   u, v; 3 tasks: too little was decided there"
    nobody = said(replace(chosen, left_out_strategies=()))
    assert nobody[5] == "  left out   no author; 3 tasks: too little was decided there"


def test_reading_r70_persons_who_judged_the_same_pairs_stand_beside_the_judge() -> None:
    both = {"regret": BESIDE, "redirected": BESIDE}

    told = said(replace(FOUND, people={"chat_to_code": both}))

    beside = "judge 0.500 [0.250, 0.750], persons 0.250, judge minus persons 0.250 [0.000, 0.500]"
    assert told[9:11] == [f"    regret: {beside}", f"    redirected choices: {beside}"]


def test_reading_r72_where_too_little_was_decided_the_word_stands_alone() -> None:
    bare = replace(FOUND, word="inconclusive", test=None, directions=None, detectable=None)

    assert said(bare) == [HEAD[0], "transfer by one: inconclusive", *HEAD[2:]]
