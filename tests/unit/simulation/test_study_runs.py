"""Simulated runs: whose verdicts are counted, and how many."""

import numpy as np
import pytest

from epc.simulation.populations import Population
from epc.simulation.study_runs import Reuse, Run, simulate_runs
from epc.spec.epc_v1 import DOMAINS, MIN_TASKS, ROUNDS

SEEDS, RUNS, STRATEGIES = 4, 6, 11


def runs_of(population: Population, reuse: Reuse, *, seeds: int = SEEDS) -> list[Run]:
    rng = np.random.default_rng(7)
    return simulate_runs(population, runs=RUNS, seeds=seeds, reuse=reuse, rng=rng)


def test_reading_r38_a_fresh_run_counts_every_round_of_its_seeds() -> None:
    for run in runs_of(Population(evaluator="always-a"), "fresh"):
        for domain in DOMAINS:
            counts = run.table.counts[domain]
            assert counts.shape == (STRATEGIES, MIN_TASKS, 3)
            # A pure and a coupled phase in each domain.
            assert counts.sum(axis=(0, 1)).tolist() == [2 * SEEDS * ROUNDS, 0, 0]
        assert not run.table.repeated


def test_reading_r16_an_exhaustive_run_asks_every_pair_once() -> None:
    for run in runs_of(Population(evaluator="always-b", tasks=(8, 40)), "exhaustive"):
        assert (run.table.counts["visual"] == [0, 1, 0]).all()
        assert run.table.counts["visual"].shape == (STRATEGIES, 40, 3)
        assert run.table.repeated


@pytest.mark.parametrize("reuse", ["fresh", "exhaustive"])
def test_reading_r4_a_table_has_the_ties_of_its_evaluator(reuse: Reuse) -> None:
    """Half of all verdicts are ties, a quarter each A and B: three standard errors of 1,056."""
    runs = runs_of(Population(evaluator="coin-flip:tie=0.5"), reuse)

    total = sum(run.table.counts[domain].sum(axis=(0, 1)) for run in runs for domain in DOMAINS)

    assert total / np.sum(total) == pytest.approx([0.25, 0.25, 0.5], abs=3 * (0.25 / 1056) ** 0.5)


def test_reading_r15_the_verdicts_of_one_run_are_in_no_other() -> None:
    runs = runs_of(Population(), "fresh")

    assert len({run.table.counts["text"].tobytes() for run in runs}) == RUNS
    assert {run.vectors["text"].shape for run in runs} == {(STRATEGIES, SEEDS)}


@pytest.mark.parametrize("reuse", ["fresh", "exhaustive"])
def test_reading_r72_a_missing_pair_is_in_no_table_and_moves_no_weight(reuse: Reuse) -> None:
    for run in runs_of(Population(evaluator="always-a", missing=1.0), reuse):
        assert not run.table.counts["visual"][:2].any()
        assert run.table.counts["visual"][2:].any()
        assert run.table.is_whole
        # In the visual domain the others alone win, so the two never rise.
        assert (run.vectors["visual"][:2] <= 1 / STRATEGIES).all()


@pytest.mark.parametrize("reuse", ["fresh", "exhaustive"])
def test_reading_r72_a_missing_pair_among_ties_leaves_all_weights_even(reuse: Reuse) -> None:
    """No round is won or lost: every weight stays at 1/11, and the two of no pair with them."""
    for run in runs_of(Population(evaluator="coin-flip:tie=1", missing=1.0), reuse):
        assert not run.table.counts["visual"][:2].any()
        for weights in run.vectors.values():
            assert weights == pytest.approx(np.full((STRATEGIES, SEEDS), 1 / 11), abs=1e-12)


def test_reading_r16_the_seeds_of_an_exhaustive_run_follow_its_own_table() -> None:
    """Strategies that win all their tasks end high: weights and table are of one evaluator."""
    for run in runs_of(Population(), "exhaustive", seeds=200):
        wins = run.table.counts["text"][..., 0].sum(axis=1)
        assert np.corrcoef(wins, run.vectors["text"].mean(axis=1))[0, 1] > 0.8


def test_reading_r75_an_evaluator_that_repeats_gives_one_verdict_a_pair() -> None:
    for run in runs_of(Population(repeats=1.0), "fresh", seeds=30):
        assert (run.table.counts["text"].min(axis=2) == 0).all()
        assert (np.count_nonzero(run.table.counts["text"], axis=2) <= 1).all()
