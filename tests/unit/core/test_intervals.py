"""EPC-2.5(f): intervals of several figures at once are those of each figure alone."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from epc.core.intervals import mean, mean_interval, mean_intervals, variance_of


def as_reading_r10_says(values: list[float]) -> tuple[float, float]:
    """One figure's percentile bootstrap, as the reading spells it."""
    n = len(values)
    indices = np.random.default_rng(20260702).integers(0, n, size=(2000, n))
    means = np.array(values)[indices].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


@settings(deadline=None, max_examples=90)
@given(
    st.one_of(st.integers(2, 40), st.integers(120, 140)).flatmap(
        lambda n: st.lists(
            st.one_of(
                st.lists(st.floats(0, 2), min_size=n, max_size=n),
                st.floats(0, 2).map(lambda value: [value] * n),
            ),
            min_size=1,
            max_size=6,
        )
    )
)
def test_epc_2_5_f_figures_of_the_same_seeds_share_resamples_to_the_last_bit(
    rows: list[list[float]],
) -> None:
    assert mean_intervals(rows) == [as_reading_r10_says(row) for row in rows]
    assert [mean_interval(row) for row in rows] == mean_intervals(rows)


def test_reading_r10_a_single_seed_has_no_interval() -> None:
    assert mean_intervals([[0.5], [0.25]]) == [None, None]
    assert mean_intervals([]) == []


def test_mean_and_variance_by_hand() -> None:
    assert (mean([1.0, 2.0, 6.0]), variance_of([1.0, 2.0, 6.0])) == (3.0, 7.0)
    assert (mean([4.0]), variance_of([4.0])) == (4.0, 0.0)
