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


def share(seen: Sequence[Seen], most: float | None = None) -> Json | None:
    """Return a share with Wilson's interval at the effective number of observations.

    These are no more than `most`, which is the verdicts that observations are made of; without it
    as many as they are of.
    """
    some = [(hits, n, asking) for hits, n, asking in seen if n > 0]
    if not some:
        return None
    often = Counter(asking.unit for _, _, asking in some)
    weighed = [(h / often[a.unit], n / often[a.unit], a.cluster) for h, n, a in some]
    total = fsum(n for _, n, _ in weighed)
    value = fsum(hits for hits, _, _ in weighed) / total
    count = fsum(n for _, n, _ in some)
    moves = [(cluster, (hits - value * n) / total) for hits, n, cluster in weighed]
    spread, items = _leaving_out(moves, [n / total for _, n, _ in weighed])
    interval = _score(value, spread, items, count if most is None else most, 2)
    return {"value": value, "ci95": interval, "n": int(count), "items": items}


def average(values: Sequence[tuple[object, float]]) -> Json | None:
    """Return the mean of values, each with its cluster."""
    if not values:
        return None
    n = len(values)
    middle = fsum(value for _, value in values) / n
    spread, items = _leaving_out([(c, (value - middle) / n) for c, value in values], [1 / n] * n)
    interval = None
    if items > 1:
        half = student(items - 1) * sqrt(spread)
        interval = [middle - half, middle + half]
    return {"value": middle, "ci95": interval, "n": n, "items": items}


def mean_of_shares(strata: Sequence[Sequence[tuple[float, Asking]]]) -> Json | None:
    """Return the mean of several shares; none where a stratum is empty."""
    if not all(strata):
        return None
    value, moves, weights = 0.0, [], []
    for hits in strata:
        often = Counter(asking.unit for _, asking in hits)
        total = fsum(1 / often[asking.unit] for _, asking in hits)
        share = fsum(hit / often[asking.unit] for hit, asking in hits) / total
        value += share / len(strata)
        for hit, asking in hits:
            worth = 1 / often[asking.unit] / total / len(strata)
            moves.append((asking.cluster, worth * (hit - share)))
            weights.append(worth)
    spread, items = _leaving_out(moves, weights)
    interval = _score(value, spread, items, inf, 0)
    return {"value": value, "ci95": interval, "n": len(moves), "items": items}


def _leaving_out(
    moves: Sequence[tuple[object, float]], weights: Sequence[float]
) -> tuple[float, int]:
    """Return the variance of a figure between clusters, and how many there are.

    Where one has more than twice the mean weight, it is the jackknife's: what the figure is without
    a cluster differs by the cluster's move over 1 less its weight.
    """
    parts = _sums(moves)
    weight = _sums((cluster, w) for (cluster, _), w in zip(moves, weights, strict=True))
    count = len(parts)
    if count < 2:
        return 0.0, count
    if max(weight.values()) * count <= 2 + 1e-9:
        return spread_of([*parts.values()]), count
    squares = fsum((part / (1 - weight[cluster])) ** 2 for cluster, part in parts.items())
    return squares * (count - 1) / count, count


def _score(
    value: float, spread: float, items: int, most: float, fewest: float
) -> list[float] | None:
    """Return Wilson's interval at as many observations as vary like that, at most so many."""
    if items < 2:
        return None
    worth = float(items)
    if spread > 1e-12 / (most if most < inf else items):
        worth = min(most, value * (1 - value) / spread)
    worth *= (_Z / student(items - 1)) ** 2
    return None if worth < fewest else _wilson(value, worth)


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
    parts = parts_of(moves)
    interval = None
    if len(parts) > 1 and (spread := spread_of(parts)) > 1e-20:
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


def _wilson(value: float, n: float) -> list[float]:
    z2 = _Z**2
    middle = (value + z2 / (2 * n)) / (1 + z2 / n)
    half = sqrt(value * (1 - value) * z2 / n + z2 * z2 / (4 * n * n)) / (1 + z2 / n)
    return [max(0.0, middle - half), min(1.0, middle + half)]


def parts_of(moves: Iterable[tuple[object, float]]) -> list[float]:
    return [*_sums(moves).values()]


def _sums(moves: Iterable[tuple[object, float]]) -> dict[object, float]:
    parts: dict[object, list[float]] = {}
    for cluster, move in moves:
        parts.setdefault(cluster, []).append(move)
    return {cluster: fsum(figures) for cluster, figures in parts.items()}


def spread_of(parts: Sequence[float]) -> float:
    return fsum(part * part for part in parts) * len(parts) / (len(parts) - 1)
