"""Readings R15 and R38: the control, simulated from a run's own verdicts or measured."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from epc.audit.control import coin_flip, measured, rates, simulated
from epc.protocol.draws import turns
from epc.protocol.metrics import gamma
from epc.protocol.phases import PhaseRun, drive, run_phase
from epc.protocol.table import VerdictTable
from epc.protocol.verdict import Verdict
from epc.protocol.weights import UpdateRule, Weights, uniform
from epc.spec.epc_v1 import PHASES

RULE = UpdateRule()


def table(
    text: list[list[list[int]]], visual: list[list[list[int]]], *, repeated: bool
) -> VerdictTable:
    return VerdictTable(
        counts={"text": np.array(text), "visual": np.array(visual)}, repeated=repeated
    )


def one_kind(counts: list[int], *, strategies: int = 11, tasks: int = 8) -> VerdictTable:
    rows = [[counts] * tasks] * strategies
    return table(rows, rows, repeated=False)


def test_reading_r38_fresh_rates_lean_on_the_domain_by_half_a_verdict() -> None:
    """Worked by hand: 3 A and 1 B of one strategy, nothing of the other.

    The domain's counts with a third of a verdict each are 10/3, 4/3, 1/3 of 5. The first strategy
    has (3 + 0.5 * 2/3) / 4.5 of A; the second has the domain's 2/3.
    """
    given_rates = rates(
        table([[[3, 1, 0]], [[0, 0, 0]]], [[[0, 0, 0]]] * 2, repeated=False), "text"
    )

    assert given_rates.a.tolist() == pytest.approx([(3 + 1 / 3) / 4.5, 2 / 3])
    assert given_rates.tie.tolist() == pytest.approx([0.5 / 15 / 4.5, 1 / 15])


def test_reading_r38_a_repeated_verdict_that_was_asked_is_a_fact() -> None:
    complete = table(
        [[[1, 0, 0], [0, 1, 0]], [[0, 0, 1], [1, 0, 0]]],
        [[[1, 0, 0], [1, 0, 0]], [[0, 1, 0], [0, 1, 0]]],
        repeated=True,
    )

    assert rates(complete, "text").a.tolist() == [0.5, 0.5]
    assert rates(complete, "text").tie.tolist() == [0.0, 0.5]
    assert rates(complete, "visual").a.tolist() == [1.0, 0.0]


def test_reading_r38_a_pair_that_was_not_asked_has_its_strategys_rates() -> None:
    """Worked by hand: of two tasks one was asked and won.

    The domain's counts with a third each are 4/3, 1/3, 1/3 of 2, so two thirds of A; the strategy
    has (1 + 0.5 * 2/3) / 1.5 = 8/9, and the mean of 1 and 8/9 is 17/18.
    """
    partly = table([[[1, 0, 0], [0, 0, 0]]], [[[0, 0, 0]] * 2], repeated=True)

    assert rates(partly, "text").a.tolist() == pytest.approx([17 / 18])


def played(running: PhaseRun, verdicts: list[Verdict]) -> Weights:
    """Return where a phase ends that is answered with these verdicts in turn."""
    iterator = iter(verdicts)
    return drive(running, lambda _: next(iterator)).weights


def pure(seeds: int, verdicts: NDArray[np.bool_]) -> list[Weights]:
    """Return pure visual vectors of a scripted sequence of wins, by the protocol's generator."""
    ended = []
    for seed in range(seeds):
        said = [Verdict.A if won else Verdict.B for won in verdicts[seed]]
        running = run_phase(PHASES[1], uniform(11), turns(seed, 1, 30), RULE)
        ended.append(played(running, said))
    return ended


def test_reading_r15_the_simulated_floor_is_that_of_the_protocols_own_steps() -> None:
    """The same control without vectors: the generator, seed by seed, against a coin."""
    seeds = 60
    rng = np.random.default_rng(8)
    starts = [pure(seeds, rng.random((seeds, 30)) < 0.5) for _ in range(2)]
    again = []
    for seed, start in enumerate(starts[0]):
        said = [Verdict.A if won else Verdict.B for won in rng.random(30) < 0.5]
        running = run_phase(PHASES[2], start, turns(seed, 2, 30), RULE)
        again.append(played(running, said))
    by_hand = [gamma(a, b) for a in again for b in starts[1]]  # every pair: less noise

    control = coin_flip([1.0] * seeds, starts[1], rounds=30, rule=RULE)

    # Sixty starts spread by about 0.2 a mean over seeds: three standard errors.
    assert control.floor == pytest.approx(float(np.mean(by_hand)), abs=3 * 0.2 / np.sqrt(60))
    assert control.low == pytest.approx(float(np.quantile(by_hand, 0.025)), abs=0.15)
    assert control.high == pytest.approx(float(np.quantile(by_hand, 0.975)), abs=0.15)


def test_reading_r36_weights_alone_are_held_against_a_coin_flip_of_the_same_size() -> None:
    """K = 11, R = 30: 1.17. A uniform pure vector that is all there is to know of a seed.

    With two strategies and no rounds every vector is (1/2, 1/2), and nothing lies between them.
    """
    ended = np.random.default_rng(36).random((400, 30)) < 0.5
    vectors = pure(400, ended)

    control = coin_flip([1.17] * 400, vectors, rounds=30, rule=RULE)
    still = coin_flip([0.25, 0.75], [(0.5, 0.5)] * 2, rounds=0, rule=RULE)

    assert control.floor == pytest.approx(1.17, abs=0.03)
    assert control.excess == pytest.approx(0.0, abs=0.03)
    assert (still.floor, still.low, still.high, still.excess) == (0, 0, 0, 0.5)


def test_reading_r15_excess_is_the_difference_of_the_means() -> None:
    gammas = [1.0, 1.2, 0.9]
    vectors = pure(3, np.random.default_rng(1).random((3, 30)) < 0.5)

    control = simulated(
        gammas, vectors, table=one_kind([5, 5, 0]), domain="visual", rounds=30, rule=RULE
    )

    assert control.excess == pytest.approx(np.mean(gammas) - control.floor, abs=1e-12)
    assert control.interval is not None
    assert control.interval[0] < control.excess < control.interval[1]


def test_reading_r15_the_control_is_the_same_every_time() -> None:
    vectors = pure(2, np.random.default_rng(1).random((2, 30)) < 0.5)
    first, second = (
        simulated(
            [1.0, 1.1], vectors, table=one_kind([1, 1, 1]), domain="text", rounds=30, rule=RULE
        )
        for _ in range(2)
    )

    assert first == second


def test_reading_r38_a_table_known_for_certain_narrows_the_interval() -> None:
    """Few fresh verdicts leave the rates in doubt, a complete repeated table does not."""
    won = np.random.default_rng(1).random((10, 30)) < 0.5
    vectors = pure(10, won)
    rows = [[[1, 0, 0], [0, 1, 0]] * 4] * 11
    widths = []
    for repeated in (True, False):
        control = simulated(
            [1.0] * 10,
            vectors,
            table=table(rows, rows, repeated=repeated),
            domain="visual",
            rounds=30,
            rule=RULE,
        )
        assert control.interval is not None
        widths.append(control.interval[1] - control.interval[0])

    assert widths[0] < widths[1]


@pytest.mark.parametrize("domain", ["text", "visual"])
def test_reading_r38_rates_beyond_doubt_make_an_interval_as_wide_as_certain_ones(
    domain: str,
) -> None:
    """160,000 verdicts a strategy: tables drawn from them differ by less than seeds' noise."""
    vectors = pure(10, np.random.default_rng(1).random((10, 30)) < 0.5)
    certain, many = [[[1, 0, 0], [0, 1, 0]] * 4] * 11, [[[10_000, 10_000, 0]] * 8] * 11
    widths = []
    for rows, repeated in ((certain, True), (many, False)):
        verdicts = table(rows, rows, repeated=repeated)
        control = simulated(
            [1.0] * 10, vectors, table=verdicts, domain=domain, rounds=30, rule=RULE
        )
        assert control.interval is not None
        widths.append(control.interval[1] - control.interval[0])

    assert widths[1] == pytest.approx(widths[0], rel=1e-6)


def test_reading_r15_only_ties_leave_nothing_to_control() -> None:
    still = [uniform(11)] * 3

    control = simulated(
        [0.0] * 3, still, table=one_kind([0, 0, 1]), domain="text", rounds=30, rule=RULE
    )

    # A third of a verdict stands in for A and B, so the simulated vectors move by a hair.
    assert control.floor < 0.1


def test_reading_r10_one_seed_has_no_interval_of_its_excess() -> None:
    assert coin_flip([1.0], [uniform(11)], rounds=30, rule=RULE).interval is None


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 3), st.floats(0, 3)), min_size=2, max_size=20))
def test_reading_r15_a_measured_control_is_paired_seed_by_seed(
    pairs: list[tuple[float, float]],
) -> None:
    gammas, controls = zip(*pairs, strict=True)

    control = measured(gammas, controls)

    assert control.floor == pytest.approx(np.mean(controls), abs=1e-12)
    assert control.excess == pytest.approx(np.mean(np.subtract(gammas, controls)), abs=1e-12)
