"""From facts to one word: Readings R8, R15, R39; EPC-2.5(g), EPC-5.2, EPC-5.3."""

from dataclasses import replace
from math import log, sqrt

import pytest

from epc.audit.assessment import Facts, Word, assess
from epc.audit.permutation import PermutationTest

SOUND = Facts(
    n=30,
    strategies=11,
    unsound=0,
    off_simplex=0,
    gamma={"text_to_visual": [0.3] * 30, "visual_to_text": [0.3] * 30},
    jsd={"text_to_visual": [0.1] * 30, "visual_to_text": [0.1] * 30},
    dead=0,
    collapsed=0,
    stuck={"text_to_visual": 0, "visual_to_text": 0},
    test=PermutationTest(p_value=0.2, smallest=1e-4, unit="task"),
    tie_rate=0.02,
)
COUPLED = replace(SOUND, test=PermutationTest(p_value=0.05, smallest=1e-4, unit="task"))


@pytest.mark.parametrize(
    ("facts", "word"),
    [
        (SOUND, "no_detectable_coupling"),
        (COUPLED, "coupled"),
        (replace(COUPLED, dead=15), "no_verdicts_counted"),
        (replace(COUPLED, dead=14), "inconclusive"),
        (replace(COUPLED, collapsed=15), "collapsed"),
        (replace(COUPLED, dead=15, collapsed=15), "no_verdicts_counted"),
        (replace(COUPLED, collapsed=14), "coupled"),
        (replace(COUPLED, n=9), "inconclusive"),
        (replace(SOUND, n=10), "no_detectable_coupling"),
        (replace(SOUND, tie_rate=0.51), "inconclusive"),
        (replace(COUPLED, tie_rate=0.51), "coupled"),
        (
            replace(SOUND, test=PermutationTest(p_value=1, smallest=0.1, unit="task")),
            "inconclusive",
        ),
        (replace(COUPLED, unsound=1), "inconclusive"),
        (replace(COUPLED, off_simplex=1), "inconclusive"),
        (replace(COUPLED, stuck={"text_to_visual": 30}), "inconclusive"),
        (replace(COUPLED, stuck={"text_to_visual": 29}), "coupled"),
        (replace(SOUND, test=None), "no_detectable_coupling"),
    ],
)
def test_reading_r39_the_word_follows_from_the_facts(facts: Facts, word: Word) -> None:
    assert assess(facts)[0] == word


LOST = {
    "pairs": 9,
    "of": 40,
    "share_of_rounds": 0.51,
    "by_domain": {
        "text": {"pairs": 9, "of": 20, "strategies": {"a": 1, "b": 5, "c": 2, "d": 1}},
        "visual": {"pairs": 0, "of": 20, "strategies": {}},
    },
}


def test_reading_r72_what_a_file_lacks_is_named_and_settles_no_word_but_inconclusive() -> None:
    some = {**LOST, "share_of_rounds": 0.5}

    assert assess(replace(SOUND, missing=LOST))[0] == "inconclusive"
    assert assess(replace(COUPLED, missing=LOST))[0] == "coupled"
    assert assess(replace(SOUND, missing=some))[0] == "no_detectable_coupling"
    told = problems(replace(SOUND, missing=some))["Reading R72"]
    assert "9 of 40 pairs are not in the file (text: 9 of 20, b 5, c 2, a 1, ...)" in told
    assert "50% of the rounds drew one" in told
    assert not assess(replace(SOUND, missing={**LOST, "pairs": 0}))[1]


def problems(facts: Facts) -> dict[str, str]:
    return {finding.clause: finding.problem for finding in assess(facts)[1]}


def test_a_sound_measurement_has_no_finding() -> None:
    assert assess(SOUND)[1] == []


def test_reading_r8_failed_seeds_are_named_failed_and_counted() -> None:
    said = problems(replace(SOUND, dead=29))["Reading R8"]

    assert said.startswith("in 29 of 30 seeds no verdict was ever counted")
    assert "1/11" in said
    assert "not stability" in said


@pytest.mark.parametrize(
    ("gammas", "divergences", "possible"),
    [
        ([sqrt(11)], [log(2)], True),
        ([sqrt(11) + 1e-6], [0.0], False),
        ([0.0], [log(2) + 1e-6], False),
        ([-0.1], [0.0], False),
        ([float("nan")], [0.0], False),
    ],
)
def test_epc_2_5_values_that_cannot_be_are_found(
    gammas: list[float], divergences: list[float], *, possible: bool
) -> None:
    facts = replace(SOUND, gamma={"text_to_visual": gammas}, jsd={"text_to_visual": divergences})

    assert ("EPC-2.5" not in problems(facts)) == possible


@pytest.mark.parametrize(
    ("n", "said"), [(1, "1 seed is too few"), (9, "9 seeds are too few"), (10, "a screening")]
)
def test_epc_2_5_g_too_few_seeds_for_the_claim(n: int, said: str) -> None:
    assert said in problems(replace(SOUND, n=n))["EPC-2.5(g)"]


@pytest.mark.parametrize(
    ("share", "n", "biased"),
    [(0.5, 16, False), (0.6875, 16, False), (1.0, 16, True), (0.0, 16, True), (1.0, 2, False)],
)
def test_reading_r6_a_preference_for_a_place_takes_evidence(
    share: float, n: int, *, biased: bool
) -> None:
    """Wilson's interval: 11 of 16 is 44 to 86%, 2 of 2 is 34 to 100%; both hold one half."""
    itself = {"decided": n, "share_of_a": share}

    assert ("Reading R6" in problems(replace(SOUND, self_comparisons=itself))) == biased


def test_reading_r16_an_evaluator_that_contradicts_itself_is_named() -> None:
    again = {"asked": 20, "verdict_flips": 3, "text_changes": 5, "flip_rate": 0.15}

    assert "3 of 20" in problems(replace(SOUND, determinism=again))["Reading R16"]
    assert "Reading R16" not in problems(replace(SOUND, determinism={**again, "verdict_flips": 0}))


@pytest.mark.parametrize(
    ("gamma", "interval", "said"),
    [
        (1.17, [-0.1, 0.1], True),
        (1.17, [0.01, 0.1], False),
        (0.5, [-0.1, 0.1], False),
        (1.17, None, False),
    ],
)
def test_epc_5_2_a_gamma_above_the_papers_threshold_may_be_noise(
    gamma: float, interval: list[float] | None, *, said: bool
) -> None:
    facts = replace(
        SOUND,
        gamma={"text_to_visual": [gamma] * 30},
        excess={"text_to_visual": {"mean": 0.0, "ci95": interval}},
    )

    assert ("EPC-5.2" in problems(facts)) == said


def test_epc_5_3_4_an_incapable_evaluator_cannot_show_stability() -> None:
    accuracy = {"mean": 0.5, "ci95": [0.4, 0.6]}
    competence = {"word": "incapable", "overall": {"accuracy": accuracy, "pairs": 48}}

    assert assess(replace(SOUND, competence=competence))[0] == "inconclusive"
    assert assess(replace(COUPLED, competence=competence))[0] == "coupled"
    assert "incapable" in problems(replace(COUPLED, competence=competence))["EPC-5.3(4)"]


def test_reading_r39_weights_alone_show_strong_preferences_only() -> None:
    by_weights = replace(SOUND, test=PermutationTest(p_value=0.2, smallest=1e-4, unit="seed"))

    assert "whether answers were repeated" in problems(by_weights)["Reading R39"]
    assert "Reading R39" not in problems(SOUND)


@pytest.mark.parametrize(("high", "said"), [(0.79, True), (0.8, False)])
def test_reading_r40_an_evaluator_that_follows_the_order_is_named(
    high: float, *, said: bool
) -> None:
    swap = {"order_consistency": {"mean": 0.5, "ci95": [0.3, high]}}

    assert ("Reading R40" in problems(replace(SOUND, swap=swap))) == said
