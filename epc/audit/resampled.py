"""A figure of a table corrected for bias, with its spread over units: halves, and blocks left out.

A figure of an agent's choices is the larger the fewer verdicts it rests on. What it does from all
units to half of them tells how far it is off; what it does without a block of them, how far it
would be elsewhere (Reading R74).
"""

from math import sqrt
from typing import Final, NamedTuple

from msgspec import Struct

from epc.arrays import Array, np
from epc.audit.units import Units
from epc.statistics.inference import ALPHA, t_point
from epc.statistics.intervals import Interval, mean

WHEELS: Final = 16_384  # of the whole table
WHEELS_A_PART: Final = 256
_CUTS: Final = 64
# By the study. The least of a corrected figure's variance, in that of halves: up to 40 units in the
# smaller domain 1.5; with more it comes nearer to 1, as the correction shrinks. Two units of n are
# lost to it, as one is to a mean.
_MORE, _FADING, _LOST = 1.5, 20, 2
_BLOCKS: Final = 16  # of a domain's units, at most, each of which is left out in turn
_CUT_STREAM, _BLOCK_STREAM = 20261124, 20261126


class Estimate(Struct, frozen=True, kw_only=True):
    """A figure for the domain, corrected for bias, with the spread over its units.

    `variance` is that of the corrected figure, `of_halves` that between the two halves of a cut,
    which is smaller. Both are None where a domain has a single unit.
    """

    value: float
    variance: float | None
    of_halves: float | None
    freedom: int

    @property
    def interval(self) -> Interval | None:
        """The 95% interval for the domain, by Student's t (Reading R74)."""
        return self.interval_of()

    def interval_of(self, figures: int = 1) -> Interval | None:
        """Return the interval, so wide that those of so many figures hold together in 95%.

        Source: Readings R74 and R78 (Bonferroni).
        """
        if self.variance is None:
            return None
        half = t_point(self.freedom, ALPHA / figures) * sqrt(self.variance)
        return self.value - half, self.value + half


class Parts(NamedTuple):
    """Two domains dealt into blocks of units, and `_CUTS` cuts of the blocks in halves.

    Shapes: members (blocks, units); halves (2 x `_CUTS`, blocks), a cut's two halves one after the
    other. The first domain has the first blocks, `first` of them. `freedom` is one less than the
    blocks of the domain with fewer, `fewest` are its units.
    """

    members: Array
    halves: Array
    first: int
    freedom: int
    fewest: int


class Figure(NamedTuple):
    """A figure of all units, of every half and without every block, by two halves of the wheels.

    `apart` are the halves with wheels of their own, whose noise a mean over halves loses; for the
    spread the same wheels serve all parts, so that what sets these apart is their units.

    Shapes: full (2, 1), apart and halves (2, 2 x `_CUTS`), jackknife (2, blocks).
    """

    full: Array
    apart: Array
    halves: Array
    jackknife: Array


def parts_of(units: Units) -> Parts:
    """Return a domain's units in at most `_BLOCKS` blocks, and the blocks in halves.

    The only block of a domain is in both halves, since a half without any would be about no domain.
    """
    total, first = len(units.won), units.first
    mixed, rng = np.random.default_rng(_BLOCK_STREAM), np.random.default_rng(_CUT_STREAM)
    members, halves = [], []
    for start, size in ((0, first), (first, total - first)):
        count = min(size, _BLOCKS)
        # Units are sorted and neighbours alike: blocks of neighbours would be too far apart.
        order = np.arange(size) if count == size else mixed.permutation(size)
        blocks = np.array_split(start + order, count)
        members += [np.isin(np.arange(total), block) for block in blocks]
        upper, lower = np.ones((2, _CUTS, count), np.bool_)
        if count > 1:
            upper = rng.random((_CUTS, count)).argsort(axis=1) < count // 2
            lower = ~upper
        halves.append(np.stack([upper, lower], axis=1).reshape(-1, count))
    return Parts(
        members=np.stack(members).astype(np.float64),
        halves=np.concatenate(halves, axis=1).astype(np.float64),
        first=min(first, _BLOCKS),
        freedom=min(first, total - first, _BLOCKS) - 1,
        fewest=units.fewest,
    )


def estimated(figure: Figure, parts: Parts) -> Estimate:
    """Return a figure corrected for bias, with its spread over units.

    It comes twice, from two halves of the wheels. The product of two has no noise of the wheels
    in it, which gives the spread over units. So few cuts add noise of their own to a mean over the
    halves that lack a block; it is known and taken off. What the wheels' noise does to the estimate
    is added, so that no interval is narrower than the simulation is exact.

    A regret grows with the square of how far apart the domains are. Where units happen to show no
    distance, neither single blocks nor the two halves of a cut move it, but halves are off from the
    whole in either direction. So the spread is at least that of halves about the mean of them all.
    """
    full, apart, halves, jackknife = figure
    value = 2 * mean(full[:, 0].tolist()) - mean(apart.reshape(-1).tolist())
    if not parts.freedom:
        return Estimate(value=value, variance=None, of_halves=None, freedom=0)
    cut = (halves[:, ::2] - halves[:, 1::2]) / 2
    of_a_cut = max(0.0, mean((cut[0] * cut[1]).tolist()))
    about = halves - np.array([[mean(row.tolist())] for row in halves])
    of_a_half = max(0.0, mean((about[0] * about[1]).tolist()))
    lacking = 1 - parts.halves
    moved = 2 * jackknife - (halves[:, :, None] * lacking).sum(axis=1) / lacking.sum(axis=0)
    of_units = 0.0
    for side in (moved[:, : parts.first], moved[:, parts.first :]):
        middles = [mean(row.tolist()) for row in side]
        off = mean(((side[0] - middles[0]) * (side[1] - middles[1])).tolist())
        of_units += (side.shape[1] - 1) * (off - of_a_cut / _CUTS)
    noise = [mean(((pair[0] - pair[1]) ** 2 / 4).tolist()) for pair in (full, apart)]
    of_wheels = 4 * noise[0] + noise[1] / apart.shape[1]
    spread = max(min(_MORE, 1 + _FADING / parts.fewest) * of_a_half, of_units)
    return Estimate(
        value=value,
        variance=spread * parts.fewest / max(1, parts.fewest - _LOST) + of_wheels,
        of_halves=of_a_cut + of_wheels,
        freedom=parts.freedom,
    )
