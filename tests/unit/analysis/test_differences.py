"""Reading R47: figures of two runs, held against SciPy and against published values."""

from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats
from studies.evaluators import coin, measure

from epc.analysis.differences import Difference, differences, seeds_needed
from epc.records.manifest import SeedRecord
from epc.spec.epc_v1 import DIRECTIONS, REFERENCE_DOMAINS


def record(
    gamma: float, *, zero: bool = False, weights: tuple[float, ...] = (0.5, 0.5)
) -> SeedRecord:
    return SeedRecord(
        seed=0,
        gamma=dict.fromkeys(DIRECTIONS, gamma),
        jsd=dict.fromkeys(DIRECTIONS, gamma / 4),
        zero_coupling=dict.fromkeys(DIRECTIONS, zero),
        zero_cause=dict.fromkeys(DIRECTIONS),
        weights={
            phase: dict(zip("xy", weights, strict=True)) for phase in REFERENCE_DOMAINS.phase_names
        },
        tie_rate=0.25,
        verdicts={},
    )


def results(*records: SeedRecord) -> Sequence[SeedRecord]:
    return records


def figure(found: list[Difference], metric: str, part: str | None = None) -> Difference:
    return next(d for d in found if d.metric == metric and part in (None, d.part))


def gammas(seed: int, n: int, mean: float, spread: float) -> list[float]:
    return [float(value) for value in np.random.default_rng(seed).normal(mean, spread, n)]


@pytest.mark.parametrize(("n", "m"), [(2, 2), (10, 30), (30, 7)])
def test_reading_r47_independent_seeds_get_welch_s_interval(n: int, m: int) -> None:
    left, right = gammas(1, n, 1.0, 0.2), gammas(2, m, 1.2, 0.4)

    difference = figure(
        differences(results(*map(record, left)), results(*map(record, right)), paired=False),
        "gamma",
    )

    welch = stats.ttest_ind(right, left, equal_var=False)
    low, high = welch.confidence_interval(0.95)
    assert difference.difference == pytest.approx(np.mean(right) - np.mean(left))
    assert difference.ci95 is not None
    assert difference.p_value is not None
    # Whole degrees of freedom, rounded down: never narrower, and hardly wider once there are some.
    wider = (difference.ci95[1] - difference.ci95[0]) / (high - low)
    assert 1 - 1e-9 <= wider <= (1.03 if min(n, m) > 2 else 4)
    assert difference.p_value >= float(welch.pvalue) - 1e-12


def test_reading_r47_equal_seeds_are_held_against_themselves() -> None:
    left = gammas(3, 12, 1.0, 0.3)
    right = [value + step for value, step in zip(left, gammas(4, 12, 0.05, 0.02), strict=True)]

    difference = figure(
        differences(results(*map(record, left)), results(*map(record, right)), paired=True), "gamma"
    )

    related = stats.ttest_rel(right, left)
    low, high = related.confidence_interval(0.95)
    assert difference.ci95 == pytest.approx((low, high))
    assert difference.p_value == pytest.approx(float(related.pvalue), abs=1e-12)


def test_reading_r47_the_same_measurement_twice_is_no_more_evidence() -> None:
    run = results(*map(record, gammas(5, 10, 1.0, 0.3)))

    actual_differences = differences(run, run, paired=True)

    assert {d.difference for d in actual_differences} == {0}
    assert {(d.ci95, d.p_value, d.p_holm) for d in actual_differences} == {(None, None, None)}


def test_reading_r47_single_seeds_have_no_interval() -> None:
    actual_differences = differences(results(record(1.0)), results(record(2.0)), paired=False)

    assert {(d.ci95, d.p_value) for d in actual_differences} == {(None, None)}
    assert figure(actual_differences, "gamma").difference == 1
    assert seeds_needed(results(record(1.0)), results(record(2.0))) == dict.fromkeys(DIRECTIONS)


def test_reading_r47_a_share_has_newcombe_s_interval() -> None:
    """His own example: 48 of 80 against 56 of 70, a difference of 0.2 from 0.0524 to 0.3339."""
    left = results(*(record(1.0, zero=i < 48) for i in range(80)))
    right = results(*(record(1.0, zero=i < 56) for i in range(70)))

    difference = figure(differences(left, right, paired=False), "zero_coupling_rate")

    assert difference.difference == pytest.approx(0.2)
    assert difference.ci95 == pytest.approx((0.0524, 0.3339), abs=5e-5)
    table = np.array([[48, 32], [56, 14]])
    less = stats.fisher_exact(table, alternative="less").pvalue
    assert difference.p_value == pytest.approx(2 * float(less))


def test_reading_r47_p_values_are_corrected_for_all_figures() -> None:
    left, right = gammas(6, 10, 1.0, 0.1), gammas(7, 10, 1.2, 0.1)

    actual_differences = differences(
        results(*map(record, left)), results(*map(record, right)), paired=False
    )

    tested = [d for d in actual_differences if d.p_value is not None]
    smallest = min(tested, key=lambda d: d.p_value or 0)
    # gamma and JSD in two directions and two zero-coupling rates; ties and PCI have no spread.
    assert len(tested) == 6
    assert smallest.p_holm == pytest.approx(6 * (smallest.p_value or 0))
    assert len(actual_differences) == 2 + 2 + 1 + 4 + 2


def test_reading_r47_the_seeds_that_gamma_takes_by_hand() -> None:
    # (1.96 + 1.2816)^2 = 10.507 times the sum of the variances 0.02 and 0.02, by 0.01: 42.03.
    left = results(record(0.9), record(1.1))
    assert float(np.var([0.9, 1.1], ddof=1)) == pytest.approx(0.02)

    assert seeds_needed(left, left) == dict.fromkeys(DIRECTIONS, 43)


@pytest.mark.parametrize("seeds", [5, 10, 30])
def test_reading_r47_the_interval_covers_at_few_seeds(seeds: int) -> None:
    """300 pairs of simulated coin-flip measurements, whose gammas have the same mean."""
    gamma = measure(coin(), 600 * seeds, np.random.default_rng(seeds)).gamma["text_to_visual"]
    runs = [results(*map(record, run)) for run in gamma.reshape(600, seeds).tolist()]
    covered = 0
    for left, right in zip(runs[::2], runs[1::2], strict=True):
        interval = figure(differences(left, right, paired=False), "gamma").ci95
        assert interval is not None
        covered += interval[0] <= 0 <= interval[1]
    assert covered / 300 == pytest.approx(0.95, abs=3 * (0.95 * 0.05 / 300) ** 0.5)
