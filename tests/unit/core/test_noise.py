"""Readings R12 and R15: what the figures are when there is nothing to measure."""

import numpy as np
import pytest

from epc.core.draws import Turn
from epc.core.metrics import gamma, pci
from epc.core.noise import COIN, Odds, blind_band, simulate_blind, train
from epc.core.protocol import Comparison, drive, run_phase
from epc.core.verdict import Verdict
from epc.core.weights import UpdateRule, uniform
from epc.spec.epc_v1 import PHASES

RULE = UpdateRule()


@pytest.mark.parametrize(("rounds", "published"), [(6, 0.454), (30, 0.975), (50, 1.233)])
def test_reading_r12_a_coin_flip_has_the_published_mean_pci(rounds: int, published: float) -> None:
    # 100 published seeds, whose PCI spreads by about a fifth of its mean: four standard errors.
    start = np.full((3000, 11), 1 / 11)

    ends = train(start, rounds, RULE, COIN, np.random.default_rng(rounds))

    mean = float(np.mean([pci(row) for row in ends.tolist()]))
    assert mean == pytest.approx(published, rel=4 * 0.2 / np.sqrt(100))


def test_reading_r15_a_coin_flip_has_gamma_of_about_1_17() -> None:
    band = blind_band(strategies=11, rounds=30, rule=RULE)

    # The figures on record: mean 1.17, 90% of seeds in 0.73 to 1.62, JSD 0.27.
    assert band["gamma"].mean == pytest.approx(1.17, abs=0.02)
    assert band["gamma"].low == pytest.approx(0.73, abs=0.03)
    assert band["gamma"].high == pytest.approx(1.62, abs=0.03)
    assert band["jsd"].mean == pytest.approx(0.27, abs=0.01)


def test_reading_r15_many_seeds_at_once_take_the_very_steps_of_one() -> None:
    """The vectorised rounds and the protocol's generator agree to the last bit."""
    rounds, seeds = 30, 50
    ends = train(np.full((seeds, 11), 1 / 11), rounds, RULE, COIN, np.random.default_rng(3))

    rng = np.random.default_rng(3)
    spins = [
        (rng.random(seeds).tolist(), (rng.random(seeds) < 0.5).tolist()) for _ in range(rounds)
    ]
    for seed in range(seeds):
        turns = [Turn(u_strategy=u[seed]) for u, _ in spins]
        won = [tosses[seed] for _, tosses in spins]

        def answer(asked: Comparison, won: list[bool] = won) -> Verdict:
            return Verdict.A if won[asked.round] else Verdict.B

        end = drive(run_phase(PHASES[0], uniform(11), turns, RULE), answer)
        assert tuple(ends[seed].tolist()) == end.weights


def test_reading_r15_the_simulated_gamma_is_that_of_the_weights() -> None:
    simulated, _ = simulate_blind(
        strategies=5, rounds=10, rule=RULE, odds=COIN, seeds=20, rng=np.random.default_rng(1)
    )
    rng = np.random.default_rng(1)
    start = np.full((20, 5), 1 / 5)
    coupled = train(train(start, 10, RULE, COIN, rng), 10, RULE, COIN, rng)
    pure = train(start, 10, RULE, COIN, rng)

    expected = [gamma(c, p) for c, p in zip(coupled.tolist(), pure.tolist(), strict=True)]
    assert simulated.tolist() == pytest.approx(expected, abs=1e-12)


def test_reading_r15_an_evaluator_that_always_says_the_same_has_a_gamma_too() -> None:
    always_a = blind_band(strategies=11, rounds=30, rule=RULE, odds=Odds(a=1, tie=0))
    always_b = blind_band(strategies=11, rounds=30, rule=RULE, odds=Odds(a=0, tie=0))

    # The figures on record: 1.29 for always A, 0.94 for always B.
    assert always_a["gamma"].mean == pytest.approx(1.29, abs=0.02)
    assert always_b["gamma"].mean == pytest.approx(0.94, abs=0.02)


def test_reading_r4_ties_move_nothing_in_the_simulation_either() -> None:
    start = np.full((5, 10), 0.1)  # dividing by its sum would change its bits

    assert (train(start, 30, RULE, Odds(a=0, tie=1), np.random.default_rng(0)) == start).all()


def test_reading_r15_no_rounds_move_nothing() -> None:
    band = blind_band(strategies=11, rounds=0, rule=RULE)

    assert (band["gamma"].mean, band["gamma"].high) == (0, 0)
