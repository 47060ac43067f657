"""Simulated runs: whose verdicts are counted, and how many."""

import numpy as np
import pytest

from epc.simulation.study_runs import Point, Reuse, simulate_runs
from epc.spec.epc_v1 import DOMAINS, MIN_TASKS, ROUNDS

SEEDS, RUNS, STRATEGIES = 4, 6, 11


def point(evaluator: str, reuse: Reuse) -> Point:
    return Point(kind="decide", evaluator=evaluator, seeds=SEEDS, reuse=reuse, runs=RUNS, number=0)


def test_reading_r38_a_fresh_run_counts_every_round_of_its_seeds() -> None:
    for run in simulate_runs(point("always-a", "fresh")):
        for domain in DOMAINS:
            counts = run.table.counts[domain]
            assert counts.shape == (STRATEGIES, MIN_TASKS, 3)
            # A pure and a coupled phase in each domain.
            assert counts.sum(axis=(0, 1)).tolist() == [2 * SEEDS * ROUNDS, 0, 0]
        assert not run.table.repeated


def test_reading_r16_an_exhaustive_run_asks_every_pair_once() -> None:
    for run in simulate_runs(point("always-b", "exhaustive")):
        for domain in DOMAINS:
            counts = run.table.counts[domain]
            assert (counts == [0, 1, 0]).all()
        assert run.table.repeated


@pytest.mark.parametrize("reuse", ["fresh", "exhaustive"])
def test_reading_r4_a_table_has_the_ties_of_its_evaluator(reuse: Reuse) -> None:
    """Half of all verdicts are ties, a quarter each A and B: three standard errors of 1,056."""
    runs = simulate_runs(point("coin-flip:tie=0.5", reuse))

    total = sum(run.table.counts[domain].sum(axis=(0, 1)) for run in runs for domain in DOMAINS)

    assert total / np.sum(total) == pytest.approx([0.25, 0.25, 0.5], abs=3 * (0.25 / 1056) ** 0.5)


def test_reading_r15_the_verdicts_of_one_run_are_in_no_other() -> None:
    runs = simulate_runs(point("coin-flip", "fresh"))

    assert len({run.table.counts["text"].tobytes() for run in runs}) == RUNS
    assert {run.vectors["text"].shape for run in runs} == {(STRATEGIES, SEEDS)}
    assert {values.shape for run in runs for values in run.paired.values()} == {(SEEDS,)}
