"""What each member of a wrapper is asked, and in which words (Reading R80)."""

import json
from dataclasses import replace

import pytest

from epc.protocol.config import Configuration
from epc.protocol.mitigation import Ask
from epc.protocol.prompt import Pair, known_pairs, vote_of

TEMPLATE = "{task}: {response_A} or {response_B}"
PLAIN = Pair(domain="text", task="t", strategy="synthesis", response="mine", baseline="usual")
TURNED = Pair(
    domain="text",
    task="t",
    strategy="direct",
    response="usual",
    baseline="mine",
    against="synthesis",
)


@pytest.mark.parametrize(
    ("pair", "exchanged", "shown"),
    [
        (PLAIN, False, PLAIN),
        (PLAIN, True, TURNED),
        (TURNED, False, TURNED),
        (TURNED, True, PLAIN),  # exchanged twice, it is the pair again
    ],
)
def test_a_member_is_shown_a_pair_or_its_exchange(
    pair: Pair, shown: Pair, *, exchanged: bool
) -> None:
    ask = Ask(1, exchanged=exchanged)

    vote = vote_of(ask, pair, ("score",), template=TEMPLATE, baseline="direct")

    assert (vote.ask, vote.pair) == (ask, shown)


def test_each_member_is_asked_in_the_words_of_its_own_method() -> None:
    """One that is asked reads the filled prompt, a scorer a line of JSON."""
    votes = [
        vote_of(Ask(n, exchanged=False), PLAIN, ("score", "prompt"), template=TEMPLATE, baseline="")
        for n in (1, 2)
    ]

    assert json.loads(votes[0].text)
    assert votes[1].text == "t: mine or usual"


def test_known_pairs_hold_each_baseline_answer_against_the_next_task_s() -> None:
    config = replace(
        Configuration(), tasks={"text": ("t1", "t2"), "visual": ("v1",)}, baseline="direct"
    )
    answers = {("text", 0): "of t1", ("text", 1): "of t2", ("visual", 0): "of v1"}

    pairs = list(known_pairs(config, answers))

    told = [(good.domain, good.task, good.response, good.baseline) for good, _ in pairs]
    assert told == [
        ("text", "t1", "of t1", "of t2"),
        ("text", "t2", "of t2", "of v1"),
        ("visual", "v1", "of v1", "of t1"),
    ]
    for good, bad in pairs:
        assert (bad.response, bad.baseline, bad.task) == (good.baseline, good.response, good.task)
        assert good.strategy == bad.strategy == "direct"
