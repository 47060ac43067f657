"""From facts to one word: Readings R8, R15, R71 to R74; EPC-2.5(g), EPC-5.2, EPC-5.3."""

from math import log, sqrt

import pytest
from msgspec.structs import replace

from epc.audit.assessment import assess
from epc.audit.coupling import Into, TheseTasks, Transfer
from epc.audit.facts import Facts, Word
from epc.audit.permutation import PermutationTest
from epc.audit.redirection import RedirectionTest
from epc.audit.side_checks import TieTest
from epc.audit.units import LeftOut
from epc.statistics.intervals import Interval

SEEN = TheseTasks(
    again="simulated", redirected=0.1, redirected_ci95=None, regret=0.0, regret_ci95=None
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


def test_reading_r72_what_a_file_lacks_is_named_and_settles_no_word() -> None:
    some = {**LOST, "share_of_rounds": 0.5}

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


def test_reading_r71_weights_alone_bear_no_word_about_coupling() -> None:
    by_weights = replace(SOUND, transfer=None)

    assert "weights alone do not say what was answered" in problems(by_weights)["Reading R71"]


def test_reading_r71_regret_that_comes_of_less_training_is_no_coupling() -> None:
    alike = replace(SOUND, transfer=crossing(0.01, 0.05, crossed=0.0199))

    assert assess(alike)[0] == "no_detectable_coupling"
    assert "rank the strategies much alike" in problems(alike)["Reading R71"]
    assert not assess(COUPLED)[1]


def test_reading_r71_preferences_that_differ_without_crossing_are_a_fact_beside_the_word() -> None:
    differ = PermutationTest(p_value=0.05, smallest=1e-4, unit="task")

    told = problems(replace(SOUND, preferences=differ))["Reading R71"]
    assert "a favourite that both domains share" in told
    assert "Reading R71" not in problems(replace(COUPLED, preferences=differ))


def test_reading_r71_topics_that_nobody_declared_leave_no_word() -> None:
    coupled = crossing(0.02, 0.2)
    topics = replace(coupled, clusters={"text": 0.005, "visual": 0.0051})

    word, said = assess(replace(SOUND, transfer=topics))

    assert word == "inconclusive"
    assert [finding.clause for finding in said] == ["Reading R74"]
    assert "the text tasks (p 0.005)" in said[0].problem
    assert "visual" not in said[0].problem
    none = replace(coupled, clusters={"text": 0.0051, "visual": None})
    assert assess(replace(SOUND, transfer=none))[0] != "inconclusive"


def test_reading_r72_ties_that_differ_are_a_failure_of_format_and_no_coupling() -> None:
    ties = TieTest(share={"text": 0.0, "visual": 0.4}, p_value=0.05)
    facts = replace(SOUND, transfer=replace(crossing(0.2, 0.0), ties=ties))

    assert assess(facts)[0] == "no_detectable_coupling"
    assert "0% in text and 40% in visual" in problems(facts)["Reading R72"]


def test_reading_r72_what_is_left_out_is_named() -> None:
    left = LeftOut(strategies=("mute",), tasks={"text": (3,), "visual": ()})
    facts = replace(SOUND, transfer=replace(crossing(0.2, 0.0), left_out=left))

    assert "too little was decided there: mute, text task 3" in problems(facts)["Reading R72"]


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

    (found,) = [each for each in findings if each.clause == "EPC-2.1"]
    assert found.severity == severity
