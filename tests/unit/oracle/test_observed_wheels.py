"""Wheels and arrangements a second time, by hand (Readings R70 to R74)."""

from itertools import islice

import pytest
from oracle import observed_wheels
from oracle.observed_wheels import by_chance, figures, p_value, rates
from oracle.pcg64 import uniforms

from epc.spec.epc_v1 import ROUNDS

P = [[1, 0, 0], [0, 1, 0]]  # the first strategy won and the second lost
Q = [[0, 1, 0], [1, 0, 0]]
NO_TIE = (0.0, 0.0)


def test_reading_r72_rates_are_of_what_was_decided() -> None:
    """The third was never decided, so it has the rate of all: 3 of 4."""
    units = [[[1, 0, 5], [1, 1, 0], [0, 0, 3]], [[1, 0, 0], [0, 0, 1], [0, 0, 0]]]

    assert rates(units) == [1, 1 / 2, 3 / 4]
    assert rates([[[0, 0, 1], [0, 0, 1]]]) == [0, 0]


def test_reading_r2_a_wheel_takes_its_column_of_each_round() -> None:
    """Of two wheels each round has four draws: what both wheels spin, then what both are told."""
    drawn = [*islice(uniforms(20261123, 1, 99), 4 * ROUNDS)]

    second = observed_wheels._draws((1, 99), 2, 1)

    assert second == [(drawn[4 * n + 1], drawn[4 * n + 3]) for n in range(ROUNDS)]


def test_reading_r70_between_domains_of_one_taste_nothing_crosses() -> None:
    ((first, second),) = figures([((0.9, 0.2), (0.9, 0.2))], (NO_TIE, NO_TIE), 8)

    for into in (first, second):
        assert [into[name] for name in ("redirected", "regret", "crossing")] == [(0, 0)] * 3


def test_reading_r71_of_three_arrangements_the_observed_one_alone_redirects() -> None:
    """Two units like p and two like q; dealt out otherwise both domains have one of each."""
    even = (0.5, 0.5)
    tables = [((1, 0), (0, 1)), (even, even), (even, even)]
    observed = figures(tables, (NO_TIE, NO_TIE), 64, whole=False)[0]

    assert p_value([P, P, Q, Q], 2, NO_TIE) == pytest.approx(1 / 3)
    assert p_value([P, Q, P, Q], 2, NO_TIE) == 1
    assert min(sum(into["redirected"]) for into in observed) > 0.01
    # Halves are single units, alike in both halves of a cut or not: what is left is no cost of two.
    assert all(-0.5 < share < 0.5 for share in by_chance([P, P, Q, Q], 2, (NO_TIE, NO_TIE)))


def test_reading_r71_a_mean_agent_takes_the_mean_of_what_a_round_could_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of two even strategies one always wins, and each is chosen in half of all cases.

    A win makes .58 of 1.08 of it, a loss of the other .5 of .96: (.58 / 1.08 + .5 / .96) / 2.
    """
    monkeypatch.setattr(observed_wheels, "ROUNDS", 1)

    first, second = observed_wheels._mean_walk([0.5, 0.5], (1, 0), NO_TIE)

    assert first == pytest.approx((0.58 / 1.08 + 0.5 / 0.96) / 2)
    assert first + second == pytest.approx(1)
    assert observed_wheels._mean_walk([0.3, 0.7], (1, 0), (1, 1)) == pytest.approx([0.3, 0.7])
