"""Wrappers round an evaluator: names, votes, verdicts and the calibration, all worked by hand."""

from math import log

import pytest

from epc.errors import UsageError
from epc.protocol.mitigation import (
    Ask,
    Fit,
    asks,
    calibrated_members,
    composed,
    fitted,
    margin_of,
    spelled,
)

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
        ("calibrated:band=0.1:m/x", "name the model itself"),
    ],
)
def test_reading_r80_a_name_that_cannot_be_says_what_to_do(name: str, says: str) -> None:
    with pytest.raises(UsageError, match=says) as refused:
        spelled(name)

    assert "fix: " in str(refused.value)


def test_reading_r80_a_panel_asks_each_judge_and_a_balanced_one_twice() -> None:
    judging, members = spelled("panel:balanced:a/x,b/y,band=0.1:calibrated:c/z")

    assert members == ("a/x", "b/y", "c/z")
    assert [(ask.member, ask.exchanged) for ask in asks(judging)] == [
        (1, False),
        (1, True),
        (2, False),
        (3, False),
    ]


def test_reading_r80_the_calibrated_members_are_found_however_deep_they_stand() -> None:
    judging, _ = spelled("panel:calibrated:a/x,b/y,balanced:calibrated:c/z")

    assert calibrated_members(judging) == [1, 3]
    assert calibrated_members(spelled("balanced:a/x")[0]) == []


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

    said = composed(judging, {ASKED: own, EXCHANGED: exchanged}, {})

    assert said.splitlines()[0] == verdict


@pytest.mark.parametrize(
    ("votes", "verdict"),
    [("AAB", "A"), ("ABB", "B"), ("AAt", "A"), ("ABt", "tie"), ("Att", "tie"), ("AABB", "tie")],
)
def test_reading_r80_a_panel_needs_more_than_half_of_all_judges(votes: str, verdict: str) -> None:
    judging, _ = spelled("panel:" + ",".join(f"m/{n}" for n in range(len(votes))))

    replies = {Ask(n, exchanged=False): vote for n, vote in enumerate(votes, 1)}

    assert composed(judging, replies, {}).splitlines()[0] == verdict


@pytest.mark.parametrize(
    ("name", "a", "b", "verdict"),
    [
        ("band=5:m/x", "12.0", "7.0", "A"),  # a margin of just the band decides
        ("band=5:m/x", "12.0", "7.5", "tie"),
        ("band=5:m/x", "7.0", "12.0", "B"),
        ("band=5:m/x", "-inf", "7.0", "B"),
        ("band=5:m/x", "-inf", "-inf", "tie"),
        # -1 + 2 = 1 nat for A, of which the place gives 3: 2 nats for B.
        ("calibrated:m/x", "-1.0", "-2.0", "B"),
        # 5 - 3 = 2, halved 1: probabilities .731 and .269, .462 apart.
        ("band=0.46:calibrated:m/x", "-1.0", "-6.0", "A"),
        ("band=0.47:calibrated:m/x", "-1.0", "-6.0", "tie"),
    ],
)
def test_reading_r80_a_band_and_a_calibration_work_on_the_scores(
    name: str, a: str, b: str, verdict: str
) -> None:
    judging, _ = spelled(name)

    reply = f"A\nwords: A {a}, B {b}"
    fits = {1: Fit(prior=3.0, temperature=2.0)}

    assert composed(judging, {ASKED: reply}, fits).splitlines()[0] == verdict


def test_reading_r80_what_states_no_scores_has_no_margin() -> None:
    assert margin_of("A") is None
    assert margin_of("A\nwords: A many, B few") is None
    assert margin_of("B\nVADER compound: A 0.25, B 0.5") == -0.25


def pair(first: float, second: float) -> tuple[str, str]:
    return f"?\nx: A {first}, B 0.0", f"?\nx: A {second}, B 0.0"


def test_reading_r80_the_place_prior_is_what_is_left_when_content_cancels() -> None:
    # Right first +5, right second -1: content 3, place 2. The other: content 1, place 2.
    assert fitted([pair(5, -1), pair(3, 1)]).prior == 2.0


def test_reading_r80_the_temperature_is_that_of_the_likeliest_known_answers() -> None:
    # Three of four margins of 1 are right: sigmoid(1 / T) = 3/4, so T = 1 / log 3 = 0.910.
    fit = fitted([pair(1, -1), pair(1, 1), pair(-1, -1), pair(1, -1)])

    assert fit.prior == 0.0
    assert fit.temperature == pytest.approx(1 / log(3), abs=1e-6)


def test_reading_r80_the_temperature_has_ends_and_empty_answers_say_nothing() -> None:
    assert fitted([pair(9, -9)]).temperature == 0.01  # all right: as sure as may be
    assert fitted([pair(-9, 9)]).temperature == 100.0  # all wrong: as unsure as may be
    assert fitted([pair(-9, float("-inf"))]) == Fit(prior=0.0, temperature=1.0)
