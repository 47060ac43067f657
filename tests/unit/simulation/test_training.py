"""Synthetic evaluators through the protocol: the kernel against the protocol's own generator."""

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from epc.errors import ShapeError
from epc.protocol.draws import Turn
from epc.protocol.metrics import gamma, jsd, pci
from epc.protocol.phases import run_phase
from epc.protocol.verdict import Verdict
from epc.protocol.weights import UpdateRule, uniform
from epc.simulation.training import (
    Odds,
    blind,
    concentrations,
    divergences,
    gammas,
    measure,
    train,
    uniform_start,
)
from epc.spec.epc_v1 import DOMAINS, PHASES

if TYPE_CHECKING:
    from epc.spec.domains import Domain

RULE = UpdateRule()
VERDICTS = (Verdict.A, Verdict.B, Verdict.TIE)


def plain(odds: Odds, *, rounds: int, seeds: int, rule: UpdateRule, stream: int) -> list[list[str]]:
    """Return the ends of seeds that `epc.protocol.phases` ran one by one, as hexadecimal floats."""
    rng = np.random.default_rng(stream)
    draws = [(rng.random(seeds), rng.random(seeds)) for _ in range(rounds)]
    ends = []
    for seed in range(seeds):
        running = run_phase(
            PHASES[0],
            uniform(odds.strategies),
            [Turn(u_strategy=float(spun[seed])) for spun, _ in draws],
            rule,
        )
        try:
            comparison = next(running)
            while True:
                said = draws[comparison.round][1][seed]
                a, tie = odds.a[comparison.strategy], odds.tie[comparison.strategy]
                verdict = Verdict.A if said < a else Verdict.B if said < 1 - tie else Verdict.TIE
                comparison = running.send(verdict)
        except StopIteration as stop:
            ends.append([weight.hex() for weight in stop.value.weights])
    return ends


@settings(max_examples=60, deadline=None)
@given(
    strategies=some.integers(1, 12),
    rounds=some.integers(0, 40),
    stream=some.integers(0, 2**32 - 1),
    win=some.sampled_from([0.08, 0.3, 0.0]),
    lose=some.sampled_from([0.04, 0.5, 0.0]),
)
def test_reading_r3_many_seeds_at_once_take_the_very_steps_of_one(
    strategies: int, rounds: int, stream: int, win: float, lose: float
) -> None:
    """The vectorised rounds and the protocol's generator agree to the last bit."""
    shares = np.random.default_rng(stream + 1).dirichlet([1.0, 1.0, 1.0], size=strategies)
    odds = Odds(a=shares[:, 0], tie=shares[:, 1])
    rule = UpdateRule(alpha_win=win, alpha_lose=lose)

    ends = train(
        uniform_start(strategies, 5),
        rounds=rounds,
        rule=rule,
        odds=odds,
        rng=np.random.default_rng(stream),
    )

    expected = plain(odds, rounds=rounds, seeds=5, rule=rule, stream=stream)
    assert [[weight.hex() for weight in seed] for seed in ends.T.tolist()] == expected


def test_reading_r2_the_last_strategy_is_taken_where_rounding_leaves_none() -> None:
    class Highest:
        """Draws just below 1, above what a vector that sums to a little less covers."""

        def random(self, out: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> None:
            out[:] = 1 - 2**-53

    start = np.full((3, 1), 1 / 3 - 1e-12)
    ends = train(
        start,
        rounds=1,
        rule=RULE,
        odds=blind(3, a=1.0),
        rng=Highest(),  # type: ignore[arg-type]  # all that is asked of a generator here
    )

    assert ends.argmax() == 2


def test_reading_r4_ties_move_nothing_in_the_simulation_either() -> None:
    start = np.full((10, 5), 0.1)  # dividing by its sum would change its bits
    rng = np.random.default_rng(0)

    ends = train(start, rounds=30, rule=RULE, odds=blind(10, a=0, tie=1), rng=rng)

    assert (ends == start).all()


@pytest.mark.parametrize(("rounds", "published"), [(6, 0.454), (30, 0.975), (50, 1.233)])
def test_reading_r12_a_coin_flip_has_the_published_mean_pci(rounds: int, published: float) -> None:
    # Published over 100 seeds, so the error is theirs: four of its standard errors.
    rng = np.random.default_rng(rounds)
    ends = train(
        uniform_start(11, 20_000), rounds=rounds, rule=RULE, odds=blind(11, a=0.5), rng=rng
    )

    each = concentrations(ends)

    assert each.mean() == pytest.approx(published, abs=4 * each.std() / np.sqrt(100))
    assert each.std() / np.sqrt(len(each)) < 0.003


def test_epc_2_5_eq_1_the_vectorised_figures_are_those_of_the_metrics() -> None:
    rng = np.random.default_rng(1)
    left, right = (rng.dirichlet(np.full(7, 0.5), size=50).T for _ in range(2))
    left[0, 0], left[1, 0] = 0.0, left[0, 0] + left[1, 0]  # a term of 0 ln 0

    pairs = list(zip(left.T.tolist(), right.T.tolist(), strict=True))
    assert gammas(left, right).tolist() == pytest.approx([gamma(a, b) for a, b in pairs], abs=1e-12)
    assert divergences(left, right).tolist() == pytest.approx(
        [jsd(a, b) for a, b in pairs], abs=1e-12
    )
    assert concentrations(left).tolist() == pytest.approx([pci(a) for a, _ in pairs], abs=1e-12)


def test_epc_2_1_a_block_does_not_depend_on_how_many_follow() -> None:
    preferences: dict[Domain, Odds] = {domain: blind(4, a=0.5) for domain in DOMAINS}

    short, long = (
        next(iter(measure(preferences, seeds=n, rounds=9, rule=RULE, entropy=[3])))
        for n in (2048, 9000)
    )

    assert all((short[phase.name] == long[phase.name]).all() for phase in PHASES)


def test_reading_r15_odds_of_more_than_1_are_refused() -> None:
    with pytest.raises(ShapeError, match="at most 1"):
        blind(3, a=0.8, tie=0.3)
    with pytest.raises(ShapeError, match="against"):
        Odds(a=np.zeros(3), tie=np.zeros(2))


@pytest.mark.parametrize("tie", [0.25, 0.75])
def test_reading_r4_ties_move_nothing_in_the_kernel_either(tie: float) -> None:
    """After one round every seed that was tied still has uniform weights; the others have not."""
    start, seeds = uniform_start(3, 4000), 4000

    ended = train(
        start, rounds=1, rule=RULE, odds=blind(3, a=0.25, tie=tie), rng=np.random.default_rng(4)
    )

    still = float((ended == start).all(axis=0).mean())
    assert still == pytest.approx(tie, abs=3 * (tie * (1 - tie) / seeds) ** 0.5)


@pytest.mark.parametrize("tie", [0.0, 0.25])
def test_fewer_evaluators_than_seeds_are_had_in_turn(tie: float) -> None:
    a = np.random.default_rng(1).random((4, 3)) * (1 - tie)
    of_seeds = [seed % 3 for seed in range(8)]

    def ended(rates: np.ndarray) -> list[list[float]]:
        odds = Odds(a=rates, tie=np.full_like(rates, tie))
        start = uniform_start(4, len(of_seeds))
        rng = np.random.default_rng(2)
        ends: list[list[float]] = train(start, rounds=20, rule=RULE, odds=odds, rng=rng).tolist()
        return ends

    assert ended(a) == ended(a[:, of_seeds])
