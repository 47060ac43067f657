"""Reading R75: what a pilot says of an evaluator's answers, by hand and from simulated pilots."""

import numpy as np
import pytest

from epc.audit.pilot import PUBLISHED, Answering, answering
from epc.errors import UsageError
from epc.protocol.table import VerdictTable
from epc.simulation.populations import Population
from epc.simulation.study_runs import Reuse, simulate_runs


def table(won: list[list[int]], lost: list[list[int]]) -> VerdictTable:
    counts = np.stack([np.array(won), np.array(lost), np.zeros_like(won)], axis=2)
    return VerdictTable(counts={"text": counts, "visual": counts}, repeated=False)


def pilot_answering(
    verdict_table: VerdictTable, *, flips: int = 0, asked_again: int = 0
) -> Answering:
    return answering(verdict_table, flips=flips, asked_again=asked_again, source="the pilot")


def test_reading_r75_answers_that_never_change_repeat() -> None:
    """Each of 2 x 8 pairs asked four times, with one verdict; tasks move both strategies alike."""
    won = [[4, 0] * 4, [4, 0] * 4]

    actual_answering = pilot_answering(table(won, [[4 - n for n in row] for row in won]))

    assert actual_answering.repeats == 1
    assert actual_answering.alike == pytest.approx(1)  # nothing is a strategy's on one task
    assert actual_answering.interaction == pytest.approx(0)


def test_reading_r75_a_coin_repeats_nothing() -> None:
    """Two answers of each pair differ: within a pair all of the variance of a coin, and more."""
    actual_answering = pilot_answering(table([[1] * 8] * 4, [[1] * 8] * 4))

    assert actual_answering.repeats == 0
    assert actual_answering.alike == 0


def test_reading_r16_comparisons_that_were_asked_again_say_how_often_verdicts_flip() -> None:
    """A pair asked once says nothing; 5 flips of 20 are half of a coin's 10."""
    won = [[1, 0] * 8, [0, 1] * 8]
    verdict_table = table(won, [[1 - n for n in row] for row in won])

    # Its variance about one half is 0.25, with 16/15 for the mean of 16 tasks.
    assert pilot_answering(verdict_table, flips=5, asked_again=20).repeats == pytest.approx(
        1 - 0.125 / (0.25 * 16 / 15)
    )
    assert pilot_answering(verdict_table, flips=0, asked_again=20).repeats == 1
    assert pilot_answering(verdict_table).repeats == PUBLISHED.repeats


def test_reading_r75_a_pilot_takes_fifty_verdicts() -> None:
    with pytest.raises(UsageError, match="the pilot has 48 verdicts: a pilot takes at least 50"):
        pilot_answering(table([[1] * 12] * 2, [[0] * 12] * 2))


@pytest.mark.parametrize(
    ("repeats", "alike", "reuse", "seeds"),
    [(1.0, 0.2, "exhaustive", 10), (0.3, 0.1, "fresh", 100), (0.0, 0.0, "fresh", 100)],
)
def test_reading_r75_a_pilot_finds_what_it_was_simulated_with(
    repeats: float, alike: float, reuse: Reuse, seeds: int
) -> None:
    population = Population(
        evaluator="domain-favourites:high=0.7,low=0.4",
        tasks=(16, 16),
        repeats=repeats,
        alike=alike,
    )
    runs = simulate_runs(
        population, runs=20, seeds=seeds, reuse=reuse, rng=np.random.default_rng(2)
    )

    answerings = [pilot_answering(run.table) for run in runs]

    assert np.mean([one.repeats for one in answerings]) == pytest.approx(repeats, abs=0.05)
    assert np.mean([one.alike for one in answerings]) == pytest.approx(alike, abs=0.05)
