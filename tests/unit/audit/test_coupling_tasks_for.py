"""How many tasks would settle an open word: held against fresh tables of that many (R75)."""

import numpy as np
import pytest

from epc.audit.coupling import tasks_for
from epc.audit.transfer import crossings
from epc.audit.units import units_of
from epc.protocol.table import VerdictTable
from epc.protocol.weights import UpdateRule
from epc.spec.coupling import MARGIN

NAMES = ("bold", "shy", "terse")


def width(rng: np.random.Generator, tasks: int) -> list[tuple[float, float] | None]:
    """Return the regrets' intervals of a judge that prefers alike in both domains, with noise."""
    counts = {}
    for domain in ("code", "prose"):
        rates = np.clip(np.array([0.62, 0.5, 0.38]) + rng.normal(0, 0.15, (tasks, 3)), 0, 1)
        won = rng.random((tasks, 3)) < rates
        counts[domain] = np.stack([won.T, ~won.T, np.zeros((3, tasks), bool)], axis=2).astype(int)
    units = units_of(VerdictTable(counts=counts, repeated=False, is_whole=True), NAMES)
    return [into.regret.interval for into in crossings(units, rounds=30, rule=UpdateRule()).into]


def half(intervals: list[tuple[float, float] | None]) -> float:
    return max((high - low) / 2 for low, high in filter(None, intervals))


@pytest.mark.slow
def test_reading_r75_as_many_tasks_give_the_promised_width_within_two_points() -> None:
    rng = np.random.default_rng(75)
    pilots = [width(rng, 40) for _ in range(4)]
    wanted = sorted(tasks_for(pilot, 40) or 0 for pilot in pilots)[2]
    assert 100 < wanted < 4_000

    figures = [half(width(rng, wanted)) for _ in range(4)]

    assert abs(np.mean(figures) - MARGIN) < 0.02
    assert np.mean(figures) < np.mean([half(pilot) for pilot in pilots]) / 1.5


def test_reading_r75_four_times_the_tasks_are_wanted_where_the_interval_is_twice_as_wide() -> None:
    narrow = tasks_for([(-0.04, 0.04), (0.0, 0.02)], 1_000)
    wide = tasks_for([(-0.06, 0.1), None], 1_000)

    assert narrow == pytest.approx(4_000, rel=0.01)  # half as wide: four times as many
    assert wide == pytest.approx(16_000, rel=0.01)
    assert tasks_for([(-0.1, 0.1)], 1) is None
    assert tasks_for([None], 100) is None
