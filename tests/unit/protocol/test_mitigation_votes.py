"""What each member of a wrapper is asked, and in which words (Reading R80)."""

import json

import pytest

from epc.protocol.mitigation import Ask, spelled, votes
from epc.protocol.prompt import Pair

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
    ("pair", "turned"),
    [
        (PLAIN, TURNED),
        (TURNED, PLAIN),  # exchanged twice, it is the pair again
    ],
)
def test_a_balanced_member_is_shown_a_pair_and_its_exchange(pair: Pair, turned: Pair) -> None:
    judging, _ = spelled("balanced:m/x")

    asked = votes(judging, pair, ("score",), template=TEMPLATE, baseline="direct")

    assert [(vote.ask, vote.pair) for vote in asked] == [
        (Ask(1, exchanged=False), pair),
        (Ask(1, exchanged=True), turned),
    ]


def test_each_member_is_asked_in_the_words_of_its_own_method() -> None:
    """One that is asked reads the filled prompt, a scorer a line of JSON."""
    judging, _ = spelled("panel:m/x,m/y,m/z")

    asked = votes(judging, PLAIN, ("score", "prompt", "likelihood"), template=TEMPLATE, baseline="")

    assert json.loads(asked[0].text) == {"task": "t", "response_A": "mine", "response_B": "usual"}
    assert [vote.text for vote in asked[1:]] == ["t: mine or usual", asked[0].text]
