"""EPC-5.3(4), Readings R40 and R41: who can tell a good answer from a bad one."""

import math
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import binom, binomtest, norm

from epc.audit.competence import (
    CHANCE,
    USEFUL,
    PlantedPair,
    Verdicts,
    competence,
    order_consistency,
)
from epc.audit.probes import CONTROLS
from epc.protocol.verdict import Verdict
from epc.statistics.intervals import share_interval

A, B, TIE = Verdict.A, Verdict.B, Verdict.TIE
RIGHT, WRONG = Verdicts(first=A, exchanged=B), Verdicts(first=B, exchanged=A)
FIRST, SECOND = Verdicts(first=A, exchanged=A), Verdicts(first=B, exchanged=B)
PAIRS = 48
VERDICTS = st.builds(
    Verdicts, first=st.sampled_from([A, B, TIE]), exchanged=st.sampled_from([A, B, TIE])
)


def judged(says: Callable[[int], Verdicts], pairs: int = PAIRS) -> list[PlantedPair]:
    return [PlantedPair(kind=CONTROLS[n % 3], verdicts=says(n)) for n in range(pairs)]


# ---------------------------------------------------------------------------- the numbers


def test_reading_r41_figures_worked_out_by_hand() -> None:
    """Right twice, right once by place, a tie and a right one: (2 + 1 + 1) / (2 x 3) = 2/3."""
    pairs = [RIGHT, FIRST, Verdicts(first=TIE, exchanged=B)]

    found = competence([PlantedPair(kind="shuffled", verdicts=pair) for pair in pairs])

    overall = found["overall"]
    assert overall["pairs"] == 3
    assert overall["accuracy"]["mean"] == pytest.approx(2 / 3, abs=1e-15)
    assert overall["tied"] == 1
    assert overall["order_consistency"]["mean"] == 1 / 2  # of the two pairs without a tie
    assert overall["share_of_first_place"]["mean"] == 3 / 4  # A and B, A and A
    assert found["kinds"]["shuffled"] == overall
    assert found["kinds"]["refusing"]["accuracy"] == {"mean": None, "ci95": None}
    assert found["word"] == "cannot_tell"


def test_reading_r40_order_consistency_counts_ties_apart() -> None:
    found = order_consistency([RIGHT, WRONG, FIRST, SECOND, Verdicts(first=TIE, exchanged=TIE)])

    assert found["pairs"] == 5
    assert found["tied"] == 1
    expected = binomtest(2, 4).proportion_ci(method="wilson")
    assert found["order_consistency"]["mean"] == 0.5
    assert found["order_consistency"]["ci95"] == pytest.approx([expected.low, expected.high])
    assert found["share_of_first_place"]["mean"] == 0.5


def test_reading_r40_nothing_decided_is_no_consistency() -> None:
    found = order_consistency([Verdicts(first=TIE, exchanged=A)] * 3)

    assert found["order_consistency"] == {"mean": None, "ci95": None}
    assert order_consistency([])["pairs"] == 0


@pytest.mark.parametrize(("hits", "n"), [(0.5, 7), (12.5, 30), (29.5, 30), (24.0, 48)])
def test_reading_r41_the_interval_is_where_the_score_test_turns(hits: float, n: int) -> None:
    """Independently: the means at which |share - mean| is z standard errors of a coin."""
    share, z = hits / n, float(norm.ppf(0.975))

    def excess(mean: float) -> float:
        return abs(share - mean) - z * math.sqrt(mean * (1 - mean) / n)

    expected = brentq(excess, 0, share), brentq(excess, share, 1)
    assert share_interval(hits, n) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("both", [0.0, 0.25, 0.5])
def test_reading_r41_the_interval_covers_however_the_orders_hang_together(both: float) -> None:
    """Of pairs with mean 1/2, `both` are right in both orders and as many in neither."""
    covered = 0.0
    for whole in range(PAIRS + 1):  # how many pairs score 1; of the rest, how many score 0
        for none in range(PAIRS + 1 - whole):
            chance = binom.pmf(whole, PAIRS, both) * binom.pmf(
                none, PAIRS - whole, both / (1 - both) if both < 1 else 0
            )
            half = PAIRS - whole - none
            interval = share_interval(whole + half / 2, PAIRS)
            assert interval is not None
            covered += chance * (interval[0] <= 0.5 <= interval[1])

    # Two orders that are always alike are a coin a pair, where Wilson's interval covers 94.4%.
    assert covered >= 0.94
    assert both == 0.5 or covered > 0.99


# ---------------------------------------------------------------------------- the word


@pytest.mark.parametrize("pairs", [24, 48, 100])
@pytest.mark.parametrize("blind", [FIRST, SECOND, WRONG, Verdicts(first=TIE, exchanged=TIE)])
def test_epc_5_3_4_always_a_always_b_ties_and_the_wrong_one_are_incapable(
    blind: Verdicts, pairs: int
) -> None:
    assert competence(judged(lambda _: blind, pairs))["word"] == "incapable"


def test_epc_5_3_4_coin_flips_are_named_incapable_in_simulation() -> None:
    toss = Random(4)
    words = [
        competence(
            judged(lambda _: Verdicts(first=toss.choice([A, B]), exchanged=toss.choice([A, B])))
        )["word"]
        for _ in range(400)
    ]

    assert words.count("incapable") / 400 > 0.97
    assert "capable" not in words


@pytest.mark.parametrize("pairs", [12, 30, 48])
def test_epc_5_3_4_an_oracle_is_capable_from_twelve_pairs_on(pairs: int) -> None:
    assert competence(judged(lambda _: RIGHT, pairs))["word"] == "capable"
    assert competence(judged(lambda _: RIGHT, 11))["word"] == "cannot_tell"


def test_epc_5_3_4_a_good_evaluator_with_a_preference_for_the_first_place_is_capable() -> None:
    found = competence(judged(lambda n: FIRST if n % 8 == 0 else RIGHT))

    assert found["word"] == "capable"
    assert found["overall"]["accuracy"]["mean"] == 1 - 1 / 16


def test_reading_r41_who_looks_at_the_length_alone_is_not_capable() -> None:
    """Refusals are shorter, shuffled answers as long, and of off-topic ones every other is."""
    by_length = {"refusing": [RIGHT], "shuffled": [FIRST], "off_topic": [RIGHT, WRONG]}

    found = competence(
        [
            PlantedPair(kind=kind, verdicts=by_length[kind][n % len(by_length[kind])])
            for n in range(PAIRS // 3)
            for kind in CONTROLS
        ]
    )

    assert found["overall"]["accuracy"]["mean"] == pytest.approx(2 / 3)
    assert found["word"] == "incapable"
    assert found["failing"] == ["shuffled", "off_topic"]


def test_reading_r41_one_kind_that_is_failed_is_enough() -> None:
    """Someone who prefers a refusal to an answer is right in two thirds of all pairs."""
    found = competence(judged(lambda n: WRONG if CONTROLS[n % 3] == "refusing" else RIGHT))

    assert (found["word"], found["failing"]) == ("incapable", ["refusing"])


@pytest.mark.parametrize("verdicts", [RIGHT, WRONG])
def test_reading_r41_fewer_than_eight_pairs_decide_nothing(verdicts: Verdicts) -> None:
    one_kind = [PlantedPair(kind="shuffled", verdicts=verdicts)]

    assert {competence(one_kind * pairs)["word"] for pairs in range(8)} == {"cannot_tell"}
    assert competence([PlantedPair(kind="shuffled", verdicts=WRONG)] * 8)["failing"] == ["shuffled"]


def test_reading_r41_no_evidence_is_no_incapacity() -> None:
    assert competence([])["word"] == "cannot_tell"
    assert competence(judged(lambda _: FIRST, 3))["word"] == "cannot_tell"
    assert competence(judged(lambda n: FIRST if n % 2 else RIGHT, 48))["word"] == "cannot_tell"


@given(st.lists(VERDICTS, max_size=60))
def test_reading_r41_figures_hold_together(pairs: list[Verdicts]) -> None:
    found = competence([PlantedPair(kind=CONTROLS[n % 3], verdicts=p) for n, p in enumerate(pairs)])

    assert sum(kind["pairs"] for kind in found["kinds"].values()) == len(pairs)
    for figures in (found["overall"], *found["kinds"].values()):
        if figures["pairs"] > 1:
            low, high = figures["accuracy"]["ci95"]
            assert 0 <= low <= figures["accuracy"]["mean"] + 1e-12
            assert figures["accuracy"]["mean"] - 1e-12 <= high <= 1
    assert found["chance"] == CHANCE < found["useful"] == USEFUL


@given(st.lists(VERDICTS, min_size=1, max_size=60))
def test_reading_r41_naming_the_places_otherwise_changes_no_consistency(
    pairs: list[Verdicts],
) -> None:
    other = [Verdicts(first=p.exchanged, exchanged=p.first) for p in pairs]

    assert order_consistency(pairs) == order_consistency(other)
