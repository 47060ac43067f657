"""Shares and their intervals a second time: plain floats, summed exactly, from the text alone.

It shares no code with `epc.statistics`. Student's t is found from the integral of its density,
which is a power of a cosine, by Simpson's rule and Newton's steps.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from math import atan, exp, fsum, inf, log1p, pi, sin, sqrt, tan
from statistics import NormalDist
from typing import Any, Final, Protocol

Json = dict[str, Any]


class Asking(Protocol):
    """What belongs to a cluster; those of one unit weigh together as much as those of another."""

    @property
    def cluster(self) -> object: ...
    @property
    def unit(self) -> object: ...


Seen = tuple[float, float, Asking]  # hits, of how many, of which asking

_Z: Final = NormalDist().inv_cdf(0.975)
_STEPS: Final = 2000
_ROUNDS: Final = 20


def share(seen: Sequence[Seen]) -> Json | None:
    """Return a share with Wilson's interval at the effective number of observations."""
    some = [(hits, n, asking) for hits, n, asking in seen if n > 0]
    if not some:
        return None
    often = Counter(asking.unit for _, _, asking in some)
    weighed = [(h / often[a.unit], n / often[a.unit], a.cluster) for h, n, a in some]
    total = fsum(n for _, n, _ in weighed)
    value = fsum(hits for hits, _, _ in weighed) / total
    parts = _parts((cluster, (hits - value * n) / total) for hits, n, cluster in weighed)
    interval = None
    if len(parts) > 1:
        spread = _spread(parts)
        worth = float(len(parts))
        if spread > 1e-12 / total:
            worth = min(total, value * (1 - value) / spread)
        worth *= (_Z / student(len(parts) - 1)) ** 2
        interval = _wilson(value, worth)
    n = int(fsum(n for _, n, _ in some))
    return {"value": value, "ci95": interval, "n": n, "items": len(parts)}


def average(values: Sequence[tuple[object, float]]) -> Json | None:
    """Return the mean of values, each with its cluster; without spread its interval is a point."""
    if not values:
        return None
    middle = fsum(value for _, value in values) / len(values)
    document = linear(
        middle, [(c, (value - middle) / len(values)) for c, value in values], len(values)
    )
    if document["ci95"] is None and document["items"] > 1:
        document["ci95"] = [middle, middle]
    return document


def mean_of_shares(strata: Sequence[Sequence[tuple[float, Asking]]]) -> Json | None:
    """Return the mean of several shares; none where a stratum is empty."""
    if not all(strata):
        return None
    value, moves = 0.0, []
    for hits in strata:
        often = Counter(asking.unit for _, asking in hits)
        total = fsum(1 / often[asking.unit] for _, asking in hits)
        share = fsum(hit / often[asking.unit] for hit, asking in hits) / total
        value += share / len(strata)
        for hit, asking in hits:
            worth = 1 / often[asking.unit] / total / len(strata)
            moves.append((asking.cluster, worth * (hit - share)))
    return linear(value, moves, len(moves), (0.0, 1.0))


def jackknifed(statistic: Callable[[set[int]], float], clusters: int) -> list[float] | None:
    """Return the interval of a statistic, which takes the clusters that are left out."""
    blocks = min(clusters, 64)
    if blocks < 2:
        return None
    parts = [statistic({*range(block, clusters, blocks)}) for block in range(blocks)]
    middle = fsum(parts) / blocks
    spread = sqrt((blocks - 1) / blocks * fsum((part - middle) ** 2 for part in parts))
    value, half = statistic(set()), student(blocks - 1) * spread
    return [value - half, value + half]


def linear(
    value: float, moves: Iterable[tuple[object, float]], n: int, ends: Sequence[float] = (-inf, inf)
) -> Json:
    """Return a figure whose spread is that of what each cluster moves it by."""
    parts = _parts(moves)
    interval = None
    if len(parts) > 1 and (spread := _spread(parts)) > 1e-20:
        half = student(len(parts) - 1) * sqrt(spread)
        interval = [max(ends[0], value - half), min(ends[1], value + half)]
    return {"value": value, "ci95": interval, "n": n, "items": len(parts)}


@cache
def student(freedom: int, beyond_it: float = 0.05) -> float:
    """Return the distance from 0 that Student's t exceeds in a share of cases, either way.

    With t = sqrt(v) tan(x) the density is that of cos(x)**(v - 1).
    """
    wanted = (1 - beyond_it) / _scale(freedom)
    # The normal point is never too far, and each step stops short.
    angle = atan(NormalDist().inv_cdf(1 - beyond_it / 2) / sqrt(freedom))
    for _ in range(_ROUNDS):
        moved = (wanted - _integral(angle, freedom)) / _density(angle, freedom)
        angle += moved
        if abs(moved) <= 1e-16 * angle:
            break
    return sqrt(freedom) * tan(angle)


def beyond(distance: float, freedom: int) -> float:
    """Return the share of cases in which Student's t is farther from 0, either way."""
    return 1 - _scale(freedom) * _integral(atan(distance / sqrt(freedom)), freedom)


def _scale(freedom: int) -> float:
    """Return what makes the integral of the density from 0, taken twice, a share."""
    ratio = sqrt(pi) / 2 if freedom % 2 == 0 else 1 / sqrt(pi)  # gamma(x + 1/2) / gamma(x)
    for step in range(2 - freedom % 2, freedom, 2):
        ratio *= (step + 1) / step
    return 2 * ratio / sqrt(pi)


def _density(angle: float, freedom: int) -> float:
    return exp((freedom - 1) / 2 * log1p(-(sin(angle) ** 2)))


def _integral(angle: float, freedom: int) -> float:
    width = angle / _STEPS
    inner = ((4 if step % 2 else 2) * _density(step * width, freedom) for step in range(1, _STEPS))
    return width / 3 * fsum((1.0, *inner, _density(angle, freedom)))


def _wilson(value: float, n: float) -> list[float] | None:
    if n < 2:
        return None
    z2 = _Z**2
    middle = (value + z2 / (2 * n)) / (1 + z2 / n)
    half = sqrt(value * (1 - value) * z2 / n + z2 * z2 / (4 * n * n)) / (1 + z2 / n)
    return [max(0.0, middle - half), min(1.0, middle + half)]


def _parts(moves: Iterable[tuple[object, float]]) -> list[float]:
    sums: dict[object, list[float]] = {}
    for cluster, move in moves:
        sums.setdefault(cluster, []).append(move)
    return [fsum(figures) for figures in sums.values()]


def _spread(parts: Sequence[float]) -> float:
    return fsum(part * part for part in parts) * len(parts) / (len(parts) - 1)
