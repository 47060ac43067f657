"""Small-sample inference in closed form: tails, bounds, Student's t, Holm's correction.

Everything here is exact up to rounding; nothing is simulated and nothing is asymptotic. SciPy has
it all, in a hundred megabytes; it is what the tests hold these few sums against.
"""

from collections.abc import Callable, Mapping
from functools import cache
from math import atan, comb, cos, exp, lgamma, log, pi, sin, sqrt
from typing import Final, TypeVar

ALPHA: Final = 0.05
_LARGEST_FREEDOM: Final = 10_000  # past this, Student's t is the normal distribution
_MANY: Final = 1000  # degrees of freedom
_HALVINGS: Final = 100
K = TypeVar("K")


def binomial_tail(hits: int, n: int, share: float) -> float:
    """Return the probability of `hits` or more in `n` tries of probability `share`."""
    if hits <= 0:
        return 1.0
    if hits > n or share <= 0:
        return 0.0
    if share >= 1:
        return 1.0
    if hits <= n * share:  # the other tail is the shorter sum
        return 1 - binomial_tail(n - hits + 1, n, 1 - share)
    ways = lgamma(n + 1) - lgamma(hits + 1) - lgamma(n - hits + 1)
    term = exp(ways + hits * log(share) + (n - hits) * log(1 - share))
    total, odds = 0.0, share / (1 - share)
    for k in range(hits, n + 1):
        if total + term == total:
            break
        total += term
        term *= odds * (n - k) / (k + 1)
    return min(1.0, total)


def sign_test(up: int, down: int) -> float:
    """Return the two-sided exact p-value of `up` against `down` being as likely (McNemar's).

    Source: Q. McNemar, Psychometrika 12 (1947), 153-157, in its exact form.
    """
    return min(1.0, 2 * binomial_tail(max(up, down), up + down, 0.5))


def fisher_tail(hits: int, n: int, other_hits: int, other_n: int) -> float:
    """Return the p-value of `hits` of `n` being no larger a share than `other_hits` of `other_n`.

    Source: R. A. Fisher's exact test, one-sided: the hypergeometric tail given all hits.
    """
    total = hits + other_hits
    ways = comb(n + other_n, total)
    tail = sum(comb(n, k) * comb(other_n, total - k) for k in range(hits, min(n, total) + 1))
    return tail / ways


def upper_bound(hits: int, n: int, error: float = ALPHA) -> float:
    """Return the exact one-sided upper bound of a share (Clopper and Pearson).

    Source: C. J. Clopper and E. S. Pearson, Biometrika 26 (1934), 404-413.
    """
    if hits >= n:
        return 1.0
    # The largest share at which seeing so few hits is still as likely as `error`.
    return _crossing(lambda share: 1 - binomial_tail(hits + 1, n, share), error)


def t_two_sided(t: float, freedom: int) -> float:
    """Return the probability that Student's t is further from 0 than `t`.

    Source: Abramowitz and Stegun, 26.7.3 and 26.7.4: a finite sum for whole degrees of freedom.
    """
    freedom = min(freedom, _LARGEST_FREEDOM)
    angle = atan(abs(t) / sqrt(freedom))
    square = cos(angle) ** 2
    odd = freedom % 2
    # The terms are 1, 2/3 c2, 2/3 4/5 c4, ... or 1, 1/2 c2, 1/2 3/4 c4, ...
    term, total = 1.0, 0.0
    for step in range(freedom // 2):
        total += term
        term *= square * (2 * step + 1 + odd) / (2 * step + 2 + odd)
    if not odd:
        return max(0.0, 1 - sin(angle) * total)
    return max(0.0, 1 - 2 / pi * (angle + sin(angle) * cos(angle) * total))


@cache
def t_point(freedom: int, error: float = ALPHA) -> float:
    """Return the distance from 0 that Student's t exceeds with probability `error`.

    Source: Abramowitz and Stegun, 26.7.5, for many degrees of freedom, where the expansion about
    the normal distribution is exact to twelve digits.
    """
    if freedom > _MANY:
        from statistics import NormalDist

        z, v = NormalDist().inv_cdf(1 - error / 2), freedom
        first = (z**3 + z) / (4 * v)
        second = (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
        third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3)
        return z + first + second + third
    # Bisection on t / (1 + t), which is 0 to 1.
    ratio = _crossing(lambda r: t_two_sided(r / (1 - r), freedom), error)
    return ratio / (1 - ratio)


def holm(p_values: Mapping[K, float]) -> dict[K, float]:
    """Return p-values adjusted so that any false finding among them has at most their level.

    Source: S. Holm, Scand. J. Stat. 6 (1979), 65-70; valid under any dependence.
    """
    adjusted: dict[K, float] = {}
    largest, remaining = 0.0, len(p_values)
    for key in sorted(p_values, key=lambda key: p_values[key]):
        largest = max(largest, min(1.0, remaining * p_values[key]))
        adjusted[key], remaining = largest, remaining - 1
    return {key: adjusted[key] for key in p_values}


@cache
def pairs_needed(
    changed: float, unchanged: float, *, power: float = 0.9, error: float = ALPHA
) -> int | None:
    """Return how many pairs the exact binomial test needs to see a share of changed verdicts.

    The least n from which on the power stays at `power`, `unchanged` being the share that changes
    anyway; None where ten thousand pairs do not do.
    """
    enough = None
    for n in _sizes():
        needed = critical(n, unchanged, error)
        if binomial_tail(needed, n, changed) < power:
            enough = None
        elif enough is None:
            enough = n
    return enough


def critical(n: int, share: float, error: float = ALPHA) -> int:
    """Return the fewest hits of `n` that a share explains with at most probability `error`."""
    low, high = 0, n + 1  # never with too few hits, always with more than there can be
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if binomial_tail(middle, n, share) <= error else (middle, high)
    return high


def _sizes() -> list[int]:
    """Every size to 500, then steps of a hundredth."""
    sizes = list(range(1, 501))
    while sizes[-1] < _LARGEST_FREEDOM:
        sizes.append(sizes[-1] + sizes[-1] // 100)
    return sizes


def _crossing(falling: Callable[[float], float], level: float) -> float:
    """Return where a function that falls over 0 to 1 crosses a level, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if falling(middle) > level else (low, middle)
    return low
