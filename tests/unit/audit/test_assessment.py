"""From facts to one word: Readings R8, R15, R71 to R74; EPC-2.5(g), EPC-5.2, EPC-5.3."""

from math import log, sqrt

import pytest
from golden_support import Golden
from msgspec.structs import replace

from epc.audit.assessment import assess
from epc.audit.coupling import Into, SeedFigures, Transfer
from epc.audit.facts import Facts, Word
from epc.audit.permutation import PermutationTest
from epc.audit.redirection import RedirectionTest
from epc.audit.side_checks import TieTest
from epc.audit.units import LeftOut
from epc.statistics.intervals import Interval

SEEN = SeedFigures(
    control="simulated", redirected=0.1, redirected_ci95=None, regret=0.0, regret_ci95=None
)


def into(regret: float, interval: Interval | None, crossing: float) -> Into:
    return Into(
        redirected=0.2,
        redirected_ci95=(0.1, 0.3),
        chance=0.1,
        regret=regret,
        regret_ci95=interval,
        harm=0.0,
        harm_ci95=(-0.1, 0.1),
        crossing=crossing,
        crossing_ci95=interval,
        these_tasks=SEEN,
    )


def crossing(
    p_value: float,
    regret: float,
    *,
    upper: float = 0.2,
    other: float = 0.0,
    crossed: float | None = None,
    splits: int = 6435,
) -> Transfer:
    test = RedirectionTest(p_value=p_value, unit="task", method="permutation", splits=splits)
    crossed = regret if crossed is None else crossed
    return Transfer(
        rule=2,
        margin=0.02,
        test=test,
        units={"text": 8, "visual": 8},
        decided_share=1.0,
        left_out=LeftOut(strategies=(), tasks={"text": (), "visual": ()}),
        ties=TieTest(share={"text": 0.0, "visual": 0.0}, p_value=1.0),
        clusters={"text": 0.5, "visual": 0.5},
        directions={
            "text_to_visual": into(regret, (-0.1, upper), crossed),
            "visual_to_text": into(other, (-0.1, upper), other),
        },
    )


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
    preferences=PermutationTest(p_value=0.2, smallest=1e-4, unit="task"),
    transfer=crossing(0.2, 0.05),
    tie_rate=0.02,
)
COUPLED = replace(SOUND, transfer=crossing(0.05, 0.02))
UNDECIDED = replace(crossing(0.05, 0.02), test=None, directions=None, decided_share=0.24)


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
        (replace(SOUND, tie_rate=0.51), "no_detectable_coupling"),
        (replace(COUPLED, tie_rate=0.51), "coupled"),
        (replace(COUPLED, transfer=crossing(0.051, 0.5)), "no_detectable_coupling"),
        (replace(COUPLED, transfer=crossing(0.001, 0.0199)), "no_detectable_coupling"),
        (replace(COUPLED, transfer=crossing(0.001, -0.3, other=0.02)), "coupled"),
        (replace(COUPLED, transfer=crossing(0.5, 0.0, upper=0.0199)), "no_coupling_beyond_margin"),
        (replace(COUPLED, transfer=crossing(0.5, 0.0, upper=0.02)), "no_detectable_coupling"),
        (replace(COUPLED, transfer=crossing(0.001, 0.5, splits=20)), "coupled"),
        (replace(COUPLED, transfer=crossing(0.001, 0.5, splits=19)), "inconclusive"),
        (replace(COUPLED, transfer=UNDECIDED), "inconclusive"),
        (replace(COUPLED, unsound=1), "inconclusive"),
        (replace(COUPLED, off_simplex=1), "inconclusive"),
        (replace(COUPLED, stuck={"text_to_visual": 30}), "inconclusive"),
        (replace(COUPLED, stuck={"text_to_visual": 29}), "coupled"),
        (replace(COUPLED, transfer=None), "inconclusive"),
        (replace(SOUND, preferences=None), "no_detectable_coupling"),
    ],
)
def test_reading_r71_the_word_follows_from_the_facts(facts: Facts, word: Word) -> None:
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


SOME = {**LOST, "share_of_rounds": 0.5}
AGAIN = {"asked": 20, "verdict_flips": 3, "text_changes": 5, "flip_rate": 0.15}
ACCURACY = {"mean": 0.5, "ci95": [0.4, 0.6]}
INCAPABLE = {"word": "incapable", "overall": {"accuracy": ACCURACY, "pairs": 48}}
DIFFER = PermutationTest(p_value=0.05, smallest=1e-4, unit="task")
CROSSED, NOTHING = crossing(0.02, 0.2), crossing(0.2, 0.0)
TIES = TieTest(share={"text": 0.0, "visual": 0.4}, p_value=0.05)
LEFT = LeftOut(strategies=("mute",), tasks={"text": (3,), "visual": ()})


def topics(text: float, visual: float | None) -> Facts:
    return replace(SOUND, transfer=replace(CROSSED, clusters={"text": text, "visual": visual}))


def test_reading_r71_the_words_of_an_assessment(golden: Golden) -> None:
    cases = {
        "sound": SOUND,
        "coupled": COUPLED,
        "some rounds drew what a file lacks": replace(
            SOUND, missing={**LOST, "share_of_rounds": 0.5}
        ),
        "coupled, and a file lacks much": replace(COUPLED, missing=LOST),
        "a file lacks nothing": replace(SOUND, missing={**LOST, "pairs": 0}),
        "failed seeds": replace(SOUND, dead=29),
        "1 seed": replace(SOUND, n=1),
        "9 seeds": replace(SOUND, n=9),
        "10 seeds": replace(SOUND, n=10),
        "it contradicts itself": replace(SOUND, determinism=AGAIN),
        "it never contradicts itself": replace(SOUND, determinism={**AGAIN, "verdict_flips": 0}),
        "incapable": replace(SOUND, competence=INCAPABLE),
        "coupled and incapable": replace(COUPLED, competence=INCAPABLE),
        "weights alone": replace(SOUND, transfer=None),
        "regret of less training": replace(SOUND, transfer=crossing(0.01, 0.05, crossed=0.0199)),
        "preferences that differ": replace(SOUND, preferences=DIFFER),
        "coupled, and preferences differ": replace(COUPLED, preferences=DIFFER),
        "topics that nobody declared": topics(0.005, 0.0051),
        "no topics": topics(0.0051, None),
        "ties that differ": replace(SOUND, transfer=replace(NOTHING, ties=TIES)),
        "left out": replace(SOUND, transfer=replace(NOTHING, left_out=LEFT)),
    }
    assessed = {case: assess(facts) for case, facts in cases.items()}

    golden(
        "assessment",
        {case: "\n".join([word, *map(str, found)]) for case, (word, found) in assessed.items()},
    )


def problems(facts: Facts) -> dict[str, str]:
    return {finding.clause: finding.problem for finding in assess(facts)[1]}


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
    ("share", "n", "biased"),
    [(0.5, 16, False), (0.6875, 16, False), (1.0, 16, True), (0.0, 16, True), (1.0, 2, False)],
)
def test_reading_r6_a_preference_for_a_place_takes_evidence(
    share: float, n: int, *, biased: bool
) -> None:
    """Wilson's interval: 11 of 16 is 44 to 86%, 2 of 2 is 34 to 100%; both hold one half."""
    itself = {"decided": n, "share_of_a": share}

    assert ("Reading R6" in problems(replace(SOUND, self_comparisons=itself))) == biased


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


@pytest.mark.parametrize(("high", "said"), [(0.79, True), (0.8, False)])
def test_reading_r40_an_evaluator_that_follows_the_order_is_named(
    high: float, *, said: bool
) -> None:
    swap = {"order_consistency": {"mean": 0.5, "ci95": [0.3, high]}}

    assert ("Reading R40" in problems(replace(SOUND, swap=swap))) == said


def test_epc_2_5_a_gamma_of_exactly_nothing_can_be() -> None:
    still = {"text_to_visual": [0.0] * 30, "visual_to_text": [0.0] * 30}

    assert "EPC-2.5" not in problems(replace(SOUND, gamma=still, jsd=still))


@pytest.mark.parametrize(("count", "severity"), [(30, "error"), (29, "warning")])
def test_epc_2_1_a_direction_in_which_no_seed_moved_is_an_error(count: int, severity: str) -> None:
    _, findings = assess(replace(SOUND, stuck={"text_to_visual": count}))

    (found,) = [finding for finding in findings if finding.clause == "EPC-2.1"]
    assert found.severity == severity
