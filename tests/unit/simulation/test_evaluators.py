"""Synthetic evaluators by their written form; odds worked out by hand."""

import numpy as np
import pytest

from epc.errors import UsageError
from epc.simulation.evaluators import KINDS, couples, evaluator
from epc.spec.epc_v1 import DOMAINS


@pytest.mark.parametrize(
    ("text", "odds"), [("coin-flip", 0.5), ("always-a", 1), ("always-b", 0), ("position-bias", 0.8)]
)
def test_epc_2_8_a_blind_evaluator_says_the_same_of_all(text: str, odds: float) -> None:
    preferences = evaluator(text, strategies=3)

    for domain in DOMAINS:
        assert preferences[domain].a.tolist() == [odds] * 3
        assert preferences[domain].tie.tolist() == [0] * 3


def test_reading_r4_ties_take_their_share_of_any_evaluator() -> None:
    preferences = evaluator("favourite:high=0.9,low=0.1,tie=0.25", strategies=3)

    assert preferences["text"].a.tolist() == pytest.approx([0.075, 0.675, 0.075])
    assert preferences["visual"].tie.tolist() == [0.25] * 3


def test_reading_r15_favourites_are_alike_or_apart() -> None:
    alike, apart = evaluator("favourite"), evaluator("domain-favourites")
    preferences = evaluator("one-domain:high=0.9,low=0.4")

    assert alike["text"].a.tolist() == alike["visual"].a.tolist() == [0.1, 0.95, *[0.1] * 9]
    assert apart["text"].a.tolist() == [0.1, 0.95, *[0.1] * 9]
    assert apart["visual"].a.tolist() == [*[0.1] * 8, 0.95, 0.1, 0.1]
    assert preferences["text"].a.tolist() == [0.4] * 11
    assert max(preferences["visual"].a) == 0.9


@pytest.mark.parametrize("strategies", [2, 3, 4, 5, 8, 127])
def test_reading_r15_two_favourites_are_never_one(strategies: int) -> None:
    apart = evaluator("domain-favourites", strategies=strategies)

    assert apart["text"].a.argmax() != apart["visual"].a.argmax()


def test_reading_r15_scattered_preferences_are_the_same_every_time() -> None:
    apart, repeated_preferences = evaluator("scattered:sd=1"), evaluator("scattered:sd=1")
    alike, other_preferences = evaluator("scattered-alike:sd=1"), evaluator("scattered:sd=1,draw=1")

    assert (apart["text"].a == repeated_preferences["text"].a).all()
    assert (alike["text"].a == alike["visual"].a).all()
    assert not (apart["text"].a == apart["visual"].a).any()
    assert not (apart["text"].a == other_preferences["text"].a).any()
    many = evaluator("scattered:sd=0.5", strategies=100_000)["text"].a
    logits = np.log(many / (1 - many))
    assert logits.std() == pytest.approx(0.5, abs=0.01)
    assert logits.mean() == pytest.approx(0, abs=0.01)


def test_epc_2_6_a_preference_for_length_ends_where_the_text_is_cut() -> None:
    preferences = evaluator("length:slope=2,text=100/200/900,visual=300/200/100", strategies=3)

    expected = [1 / (1 + np.exp(-logit)) for logit in (0, 2, 4)]  # 900 are shown as 300
    assert preferences["text"].a.tolist() == pytest.approx(expected)
    assert preferences["visual"].a.tolist() == pytest.approx(
        [0.5, 1 / (1 + np.exp(2)), 1 / (1 + np.exp(4))]
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("coinflip", "did you mean 'coin-flip'"),
        ("", "they are coin-flip, always-a"),
        ("coin-flip:tie", "is no setting such as tie=0.3"),
        ("favourite:hi=2", "it takes high, low, tie"),
        ("favourite:high=2", "high=2 is no number from 0 to 1"),
        ("favourite:high=nan", "from 0 to 1"),
        ("position-bias:a=often", "from 0 to 1"),
        ("length:text=1/2", "2 lengths for 11 strategies"),
        ("length:text=" + "/".join(["-1"] * 11), "not below 0"),
        ("length:words=3", "it takes slope, tie, text, visual"),
        ("favourite:text=3", "it takes high, low, tie"),
        ("coin-flip:tie=0.1,tie=0.1", "tie appears twice"),
        ("coin-flip:tie=0.1, tie = 0.2", "tie appears twice"),
        ("coin-flip:tie=0.1,tie", "tie appears twice"),
    ],
)
def test_epc_2_8_a_wrong_evaluator_is_told_what_is_right(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        evaluator(text)


def test_reading_r15_only_preferences_that_differ_couple() -> None:
    assert couples("one-domain")
    assert not couples("favourite:tie=0.2")


def test_reading_r15_one_strategy_cannot_be_two_favourites() -> None:
    with pytest.raises(UsageError, match="at least 2 strategies"):
        evaluator("domain-favourites", strategies=1)


@pytest.mark.parametrize("name", KINDS)
def test_epc_2_8_every_evaluator_works_as_it_is_named(name: str) -> None:
    for strategies in (2, 11):
        for odds in evaluator(name, strategies=strategies).values():
            assert odds.strategies == strategies
