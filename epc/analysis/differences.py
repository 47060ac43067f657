"""Two measurements figure by figure: differences over seeds, with intervals and p-values."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from math import ceil, floor, sqrt
from typing import Final

from epc.protocol.metrics import pci
from epc.protocol.results import Json
from epc.records.manifest import SeedRecord
from epc.spec.domains import Direction, Domains
from epc.statistics.inference import fisher_tail, holm, t_point, t_two_sided
from epc.statistics.intervals import Interval, mean, share_interval, variance_of

# The normal distribution's points for 5% on both sides and for a power of 90%.
_POINTS: Final = 1.959963984540054 + 1.2815515655446004
GAMMA_STEP: Final = 0.1  # the width that EPC-2.5(g) has in mind


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Difference of one figure of both runs: the second's mean minus the first's.

    `ci95` is None where the seeds say nothing about it: a single seed, or no spread at all.
    `p_holm` is corrected for all figures of the comparison.
    """

    metric: str
    part: str | None
    left: float
    right: float
    difference: float
    ci95: Interval | None
    p_value: float | None
    p_holm: float | None = None

    def as_json(self) -> Json:
        """Return it as plain JSON."""
        return {**asdict(self), "ci95": list(self.ci95) if self.ci95 else None}


def differences(
    left: Sequence[SeedRecord], right: Sequence[SeedRecord], *, paired: bool
) -> list[Difference]:
    """Return the differences of every figure of two runs' seeds, corrected by Holm.

    `paired`: both have the same seeds and the same draws. The interval is then Student's over the
    differences of each seed, which is right however much the draws have in common; else it is
    Welch's, for means of independent seeds. The zero-coupling rate is a share: Newcombe's interval
    and Fisher's exact test.

    Source: Reading R47.
    """
    sides, domains = (left, right), _in_both(left, right)
    results = [
        _of_means(metric, part, value, sides, paired=paired)
        for metric, part, value in _figures(domains)
    ]
    results += [_of_shares(direction, sides, paired=paired) for direction in domains.directions]
    tested = {index: d.p_value for index, d in enumerate(results) if d.p_value is not None}
    corrected = holm(tested)
    return [replace(d, p_holm=corrected.get(index)) for index, d in enumerate(results)]


def seeds_needed(left: Sequence[SeedRecord], right: Sequence[SeedRecord]) -> Json:
    """Return how many seeds a run would take to see a difference in gamma of 0.1, by direction.

    With a power of 90%, from the spread of both runs; None for single seeds.
    """
    needed: Json = {}
    for direction in _in_both(left, right).directions:
        values = [[r.gamma[direction] for r in side] for side in (left, right)]
        spread = sum(map(variance_of, values))
        single = min(map(len, values)) < 2  # noqa: PLR2004  (what a spread takes)
        needed[direction] = None if single else max(2, ceil(_POINTS**2 * spread / GAMMA_STEP**2))
    return needed


def _in_both(left: Sequence[SeedRecord], right: Sequence[SeedRecord]) -> Domains:
    """Return the domains that both runs have (Reading R78)."""
    return Domains.among(left[0].weights.keys() & right[0].weights.keys())


Value = Callable[[SeedRecord], float]
Sides = tuple[Sequence[SeedRecord], Sequence[SeedRecord]]


def _figures(domains: Domains) -> Iterator[tuple[str, str | None, Value]]:
    for metric in ("gamma", "jsd"):
        for direction in domains.directions:
            yield metric, direction, lambda r, m=metric, d=direction: getattr(r, m)[d]  # type: ignore[misc]  # mypy infers no lambda with defaults
    yield "tie_rate", None, lambda r: r.tie_rate
    for phase in domains.phase_names:
        yield "pci", phase, lambda r, p=phase: pci(r.vector(p))  # type: ignore[misc]  # mypy infers no lambda with defaults


def _of_means(
    metric: str, part: str | None, value: Value, sides: Sides, *, paired: bool
) -> Difference:
    left, right = ([float(value(record)) for record in side] for side in sides)
    mean_left, mean_right = mean(left), mean(right)
    few = min(len(left), len(right)) < 2  # noqa: PLR2004  (what a spread takes)
    if paired:
        variance = variance_of([b - a for a, b in zip(left, right, strict=True)])
        error, freedom = sqrt(variance / len(left)), len(left) - 1
    else:
        parts = variance_of(left) / len(left), variance_of(right) / len(right)
        error, freedom = sqrt(sum(parts)), _welch(parts, (len(left), len(right)))
    difference = mean_right - mean_left
    interval, p_value = None, None
    if error and not few:
        half = error * t_point(freedom)
        interval = difference - half, difference + half
        p_value = t_two_sided(difference / error, freedom)
    return Difference(
        metric=metric,
        part=part,
        left=mean_left,
        right=mean_right,
        difference=difference,
        ci95=interval,
        p_value=p_value,
    )


def _welch(parts: tuple[float, float], sizes: tuple[int, int]) -> int:
    """Return Welch's degrees of freedom, rounded down: a little wide rather than too narrow."""
    below = sum(part**2 / (n - 1) for part, n in zip(parts, sizes, strict=True) if n > 1)
    return max(1, floor(sum(parts) ** 2 / below)) if below else 1


def _of_shares(direction: Direction, sides: Sides, *, paired: bool) -> Difference:
    zeros = [[record.zero_coupling[direction] for record in side] for side in sides]
    hits, sizes = [sum(side) for side in zeros], [len(side) for side in zeros]
    shares = [hit / n for hit, n in zip(hits, sizes, strict=True)]
    interval, p_value = None, None
    ends = [share_interval(hit, n) for hit, n in zip(hits, sizes, strict=True)]
    # Runs of the same draws that agree on every seed are one and the same sample.
    if ends[0] is not None and ends[1] is not None and not (paired and zeros[0] == zeros[1]):
        interval = _newcombe(shares, ends[0], ends[1])
        one_sided = (
            fisher_tail(hits[0], sizes[0], hits[1], sizes[1]),
            fisher_tail(hits[1], sizes[1], hits[0], sizes[0]),
        )
        p_value = min(1.0, 2 * min(one_sided))
    return Difference(
        metric="zero_coupling_rate",
        part=direction,
        left=shares[0],
        right=shares[1],
        difference=shares[1] - shares[0],
        ci95=interval,
        p_value=p_value,
    )


def _newcombe(shares: list[float], left: Interval, right: Interval) -> Interval:
    """Return the interval of a difference of shares from the Wilson interval of each.

    Source: R. G. Newcombe, Statist. Med. 17 (1998), 873-890, method 10.
    """
    first, second = shares
    difference = second - first
    below = sqrt((second - right[0]) ** 2 + (left[1] - first) ** 2)
    above = sqrt((right[1] - second) ** 2 + (first - left[0]) ** 2)
    return difference - below, difference + above
