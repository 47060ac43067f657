"""What training in one domain first does to the agent's choices in the other (Reading R70).

A policy is the mean of the final weights over many wheels: the probability of the agent's next
choice. pi(X,Y) is that of training on X, then on Y; pi(Y,Y) of training on Y twice; pi(0,Y) of
training on Y alone. How far they are apart, and what that costs by the evaluator's own verdicts in
Y, has a unit: choices, and points of win rate.
"""

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Final, NamedTuple

from epc.audit.units import Units
from epc.protocol.weights import UpdateRule
from epc.simulation.training import Odds, train, uniform_start
from epc.statistics.inference import t_point
from epc.statistics.intervals import Interval, mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy import float64
    from numpy.typing import NDArray

    Array = NDArray[float64]

_WHEELS: Final = 4096  # of the whole table
_CUTS: Final = 64
_WHEELS_A_HALF: Final = 64
_A_BLOCK: Final = 16_384  # columns, which a processor's cache holds
_STREAM: Final = 20261123
_CUT_STREAM: Final = 20261124


class Rates(NamedTuple):
    """How often each strategy wins what is decided, in two domains, for several tables at once.

    Shapes: both (K, tables).
    """

    first: "Array"
    second: "Array"


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A figure for the domain, corrected for bias, with the spread over its units.

    `variance` is None where a domain has a single unit.
    """

    value: float
    variance: float | None
    freedom: int

    @property
    def interval(self) -> Interval | None:
        """The 95% interval for the domain, by Student's t (Reading R74)."""
        if self.variance is None:
            return None
        half = t_point(self.freedom) * sqrt(self.variance)
        return self.value - half, self.value + half


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossing:
    """What training in the other domain first does in one domain."""

    redirected: Estimate
    regret: Estimate
    harm: Estimate
    crossing: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossings:
    """What crosses into the first domain and into the second, and both `crossing` added."""

    into: tuple[Crossing, Crossing]
    crossings: Estimate

    @property
    def cost(self) -> float:
        """`cost` of both directions, of which there always are two."""
        return cost((into.regret.value, into.crossing.value) for into in self.into) or 0.0

    @property
    def most(self) -> float | None:
        """`most` of both directions."""
        return most(each.interval for into in self.into for each in (into.regret, into.crossing))


def cost(regrets: "Iterable[tuple[float, float]]") -> float | None:
    """Return what crosses at least, in the direction where most does; None of no direction.

    A direction has its regret, and no more of it than its crossing regret explains.

    Source: Reading R71.
    """
    return max((min(both) for both in regrets), default=None)


def most(intervals: "Iterable[Interval | None]") -> float | None:
    """Return the most that intervals for the domain admit; None without any."""
    return max((interval[1] for interval in intervals if interval), default=None)


def rates_of(units: Units, first: "Array", second: "Array") -> Rates:
    """Return the rates of two domains that have the units which each row marks with 1.

    Shapes: both (tables, units).
    """
    return Rates(*(won_shares(side @ units.won, side @ units.decided) for side in (first, second)))


def won_shares(won: "Array", decided: "Array") -> "Array":
    """Return won shares; where nothing was decided on a strategy, that of all strategies.

    Shapes: (tables, K) each; (K, tables).
    """
    import numpy as np

    overall = won.sum(axis=1, keepdims=True) / np.maximum(1, decided.sum(axis=1, keepdims=True))
    shares = np.where(decided > 0, won / np.maximum(1, decided), overall)
    return np.ascontiguousarray(shares.T)


def policies(
    ways: "Sequence[Sequence[Array]]", tie: "Array", *, rounds: int, rule: UpdateRule, wheels: int
) -> "list[Array]":
    """Return the policy at the end of every way, over the protocol's own wheel.

    A way is the rates of one phase after the other. All first phases have the same draws, and so
    have all second ones, so that two ways differ by the verdicts alone. Policies come as two
    halves of the wheels.

    Shapes: rates (K, tables); tie (K,); an even number of wheels for each table; (2, K, tables).
    Source: EPC-2.3; Reading R70.
    """
    import numpy as np

    tables = ways[0][0].shape[1]
    width = max(1, _A_BLOCK // wheels)
    blocks = []
    for number, at in enumerate(range(0, tables, width)):
        phases = [[_odds(rates[:, at : at + width], tie, wheels) for rates in way] for way in ways]
        ended = _walked(phases, block=number, rounds=rounds, rule=rule)
        blocks.append([_halves(weights, wheels) for weights in ended])
    return [np.concatenate(of_way, axis=2) for of_way in zip(*blocks, strict=True)]


def _walked(
    ways: "Sequence[Sequence[Odds]]", *, block: int, rounds: int, rule: UpdateRule
) -> "Iterator[Array]":
    """Yield the final weights of every way; what several begin with is trained once."""
    from numpy.random import PCG64, Generator, SeedSequence

    strategies, columns = ways[0][0].a.shape
    done: dict[tuple[bytes, ...], Array] = {}
    for way in ways:
        weights = uniform_start(strategies, columns)
        walked: tuple[bytes, ...] = ()
        for step, odds in enumerate(way):
            walked = (*walked, odds.a.tobytes())
            if walked not in done:
                rng = Generator(PCG64(SeedSequence([_STREAM, step, block])))
                done[walked] = train(weights, rounds=rounds, rule=rule, odds=odds, rng=rng)
            weights = done[walked]
        yield weights


def _halves(weights: "Array", wheels: int) -> "Array":
    """Return the mean weights of two halves of the wheels, a column a wheel and table.

    Added wheel by wheel: the same bits on every machine (ADR 3).

    Shapes: (K, wheels x tables); (2, K, tables).
    """
    halves = weights.reshape(len(weights), 2, wheels // 2, -1).sum(axis=2)
    means: Array = halves.transpose(1, 0, 2) / (wheels // 2)
    return means


def _odds(rates: "Array", tie: "Array", wheels: int) -> Odds:
    """Return the odds of tables, side by side for every wheel."""
    import numpy as np

    ties = np.repeat(tie[:, None], rates.shape[1] * wheels, axis=1)
    return Odds(a=np.tile(rates, wheels) * (1 - ties), tie=ties)


def redirected(crossed: "Array", again: "Array") -> "Array":
    """Return the share of choices by which two policies differ.

    The absolute value of a difference with noise in it is too large on average. So the sign is
    taken from one half of the wheels and the difference from the other.

    Shapes: (2, K, tables) each; (2, tables).
    """
    import numpy as np

    one, other = crossed - again
    return np.stack([(np.sign(one) * other).sum(axis=0), (np.sign(other) * one).sum(axis=0)]) / 2


def in_order_of(own: "Array", other: "Array") -> "Array":
    """Return one domain's rates dealt out in the order in which the other domain ranks strategies.

    What is left of a difference is then the order alone: nothing of how strongly, or with how much
    noise, a domain prefers. Equal ranks get the mean of both orders of their names.

    Shapes: (K, tables).
    """
    import numpy as np

    values = np.sort(own, axis=0)
    dealt = np.zeros_like(own)
    for ranked in (other, other[::-1]):
        one = np.empty_like(own)
        np.put_along_axis(one, ranked.argsort(axis=0, kind="stable"), values, axis=0)
        dealt += one if ranked is other else one[::-1]
    return dealt / 2


def crossings(units: Units, *, rounds: int, rule: UpdateRule) -> Crossings:
    """Return what crosses between the domains, corrected for bias, with its spread over units.

    Policies are no straight functions of the rates, so those of a few tasks are off on average.
    `_CUTS` times both domains are cut in halves at random: a half is off by twice as much as the
    whole, which takes the bias off, and the two halves of a cut differ as much as the whole varies.
    Leaving out one unit at a time would multiply the wheels' noise by the number of units.

    Source: Readings R70 and R74; J. Shao, C. F. J. Wu, Annals of Statistics 17 (1989), 1176-1197
    (the jackknife that leaves out many).
    """
    import numpy as np

    first = np.arange(len(units.won)) < units.first
    halves = _cuts(units)
    parts = (
        (first[None].astype(np.float64), (~first)[None].astype(np.float64), _WHEELS),
        (halves * first, halves * ~first, _WHEELS_A_HALF),
    )
    figures = [
        figures_of(rates_of(units, *sides), units.tie, rounds=rounds, rule=rule, wheels=wheels)
        for *sides, wheels in parts
    ]
    freedom = units.fewest - 1

    def into(side: int) -> Crossing:
        of_whole, of_halves = (figure[side] for figure in figures)
        return Crossing(
            **{name: _estimate(of_whole[name], of_halves[name], freedom) for name in of_whole}
        )

    whole, of_halves = (one["crossing"] + other["crossing"] for one, other in figures)
    return Crossings(into=(into(0), into(1)), crossings=_estimate(whole, of_halves, freedom))


def figures_of(
    rates: Rates, tie: "Array", *, rounds: int, rule: UpdateRule, wheels: int
) -> "list[dict[str, Array]]":
    """Return the figures of Reading R70 for the first domain and the second.

    Shapes: each (2, tables).
    """
    ways = [
        way
        for own, other in (rates, rates[::-1])
        for way in ((own,), (other, own), (own, own), (in_order_of(other, own), own))
    ]
    ended = policies(ways, tie, rounds=rounds, rule=rule, wheels=wheels)
    figures = []
    for own, (alone, crossed, again, matched) in zip(rates, (ended[:4], ended[4:]), strict=True):
        figures.append(
            {
                "redirected": redirected(crossed, again),
                "regret": ((again - crossed) * own).sum(axis=1),
                "harm": ((alone - crossed) * own).sum(axis=1),
                "crossing": ((matched - crossed) * own).sum(axis=1),
            }
        )
    return figures


def _cuts(units: Units) -> "Array":
    """Return which units are in which half: a cut's two halves are two rows, one after the other.

    The only unit of a domain is in both, since a half without any would be about no domain.

    Shapes: (2 x `_CUTS`, units).
    """
    import numpy as np

    rng = np.random.default_rng(_CUT_STREAM)
    total, first = len(units.won), units.first
    upper, lower = np.ones((2, _CUTS, total), np.bool_)
    for side, size in ((slice(0, first), first), (slice(first, total), total - first)):
        if size > 1:
            upper[:, side] = rng.random((_CUTS, size)).argsort(axis=1) < size // 2
            lower[:, side] = ~upper[:, side]
    return np.stack([upper, lower], axis=1).reshape(-1, total).astype(np.float64)


def _estimate(whole: "Array", halves: "Array", freedom: int) -> Estimate:
    """Return an estimate from the figure of all units and those of the cuts' halves.

    Each comes twice, from two halves of the wheels. The product of two has no noise of the wheels
    in it, which gives the spread over units; their difference is nothing else, and what it does to
    the estimate is added, so that no interval is narrower than the simulation is exact.

    Shapes: whole (2, 1), halves (2, 2 x `_CUTS`).
    """
    value = 2 * mean(whole[:, 0].tolist()) - mean(halves.reshape(-1).tolist())
    if not freedom:
        return Estimate(value=value, variance=None, freedom=0)
    apart = (halves[:, ::2] - halves[:, 1::2]) / 2
    of_units = max(0.0, mean((apart[0] * apart[1]).tolist()))
    of_a_wheel = mean(((halves[0] - halves[1]) ** 2 / 4).tolist()) * _WHEELS_A_HALF
    of_wheels = of_a_wheel * (4 / _WHEELS + 1 / (2 * _CUTS * _WHEELS_A_HALF))
    return Estimate(value=value, variance=of_units + of_wheels, freedom=freedom)
