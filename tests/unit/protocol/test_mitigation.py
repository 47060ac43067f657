"""Wrappers round an evaluator: names, votes and verdicts, all worked by hand."""

import pytest

from epc.errors import UsageError
from epc.protocol.mitigation import Ask, asks, composed, margin_of, spelled

ASKED, EXCHANGED = Ask(1, exchanged=False), Ask(1, exchanged=True)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("balanced:", "names no model"),
        ("balanced:balanced:m/x", "both places are asked already"),
        ("panel:a/x,b/y", "name three or more"),
        ("panel:a/x,b/y,a/x", "one judge has one vote"),
        ("panel:a/x,b/y,panel:c/z", "a panel is no judge of a panel"),
        ("band=-1:m/x", "is no margin above 0"),
        ("band=nan:m/x", "is no margin above 0"),
        ("band=0.1:balanced:m/x", "put the band innermost"),
        ("calibrated:m/x", "calibrated: left"),
        ("band=0.1:calibrated:m/x", "calibrated: left"),
    ],
)
def test_reading_r80_a_name_that_cannot_be_says_what_to_do(name: str, says: str) -> None:
    with pytest.raises(UsageError, match=says) as refused:
        spelled(name)

    assert "fix: " in str(refused.value)


def test_reading_r80_a_panel_asks_each_judge_and_a_balanced_one_twice() -> None:
    judging, members = spelled("panel:balanced:a/x,b/y,band=0.1:c/z")

    assert members == ("a/x", "b/y", "c/z")
    assert [(ask.member, ask.exchanged) for ask in asks(judging)] == [
        (1, False),
        (1, True),
        (2, False),
        (3, False),
    ]


# Said of the answers as they stand, and of the same in each other's place.
@pytest.mark.parametrize(
    ("own", "exchanged", "verdict"),
    [
        ("A", "B", "A"),  # the same answer wins in both places
        ("B", "A", "B"),
        ("A", "A", "tie"),  # the place wins
        ("B", "B", "tie"),
        ("tie", "B", "tie"),
        ("A", "I cannot say", "tie"),
    ],
)
def test_reading_r80_balanced_is_a_verdict_only_where_both_places_agree(
    own: str, exchanged: str, verdict: str
) -> None:
    judging, _ = spelled("balanced:m/x")

    said = composed(judging, {ASKED: own, EXCHANGED: exchanged})

    assert said.splitlines()[0] == verdict


@pytest.mark.parametrize(
    ("votes", "verdict"),
    [("AAB", "A"), ("ABB", "B"), ("AAt", "A"), ("ABt", "tie"), ("Att", "tie"), ("AABB", "tie")],
)
def test_reading_r80_a_panel_needs_more_than_half_of_all_judges(votes: str, verdict: str) -> None:
    judging, _ = spelled("panel:" + ",".join(f"m/{n}" for n in range(len(votes))))

    replies = {Ask(n, exchanged=False): vote for n, vote in enumerate(votes, 1)}

    assert composed(judging, replies).splitlines()[0] == verdict


@pytest.mark.parametrize(
    ("name", "a", "b", "verdict"),
    [
        ("band=5:m/x", "12.0", "7.0", "A"),  # a margin of just the band decides
        ("band=5:m/x", "12.0", "7.5", "tie"),
        ("band=5:m/x", "7.0", "12.0", "B"),
        ("band=5:m/x", "-inf", "7.0", "B"),
        ("band=5:m/x", "-inf", "-inf", "tie"),
    ],
)
def test_reading_r80_a_band_works_on_the_scores(name: str, a: str, b: str, verdict: str) -> None:
    judging, _ = spelled(name)

    reply = f"A\nwords: A {a}, B {b}"

    assert composed(judging, {ASKED: reply}).splitlines()[0] == verdict


def test_reading_r80_what_states_no_scores_has_no_margin() -> None:
    assert margin_of("A") is None
    assert margin_of("A\nwords: A many, B few") is None
    assert margin_of("B\nVADER compound: A 0.25, B 0.5") == -0.25
