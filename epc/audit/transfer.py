"""Effect of training in one domain first on the agent's choices in the other (Reading R70).

A policy is the mean of the final weights over many wheels: the probability of the agent's next
choice. pi(X,Y) is that of training on X, then on Y; pi(Y,Y) of training on Y twice; pi(0,Y) of
training on Y alone. How far they are apart, and what that costs by the evaluator's own verdicts in
Y, has a unit: choices, and points of win rate.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from msgspec import Struct

from epc.arrays import Array, Generator, np
from epc.audit.resampled import (
    WHEELS,
    WHEELS_A_PART,
    Estimate,
    Figure,
    Parts,
    estimated,
    parts_of,
)
from epc.audit.units import Units
from epc.protocol.draws import generator
from epc.protocol.rules import Rule
from epc.protocol.rules import policies as policies_of
from epc.simulation.training import Odds, train_by, uniform_start
from epc.spec.domains import Domain
from epc.statistics.intervals import Interval

# By tables, wheels, and whether all tables have the same draws.
Figured = Callable[["Rates", int, bool], list[dict[str, Array]]]
Way = Sequence[tuple[Array, Array]]  # the rates and the ties of one phase after the other

_A_BLOCK: Final = 16_384  # columns of weights, which a processor's cache holds
_STREAM: Final = 20261123
_STEPS: Final = 2  # phases that a way has at most
_ROUNDS_AT_ONCE: Final = 8  # whose draws are made at once, which the cache holds as well
_APART: Final = 8  # numbers: a line of the cache


class Rates(NamedTuple):
    """Share of its decided verdicts that each strategy wins, by domain, for several tables at once.

    Shapes: both (K, tables).
    """

    first: Array
    second: Array


class Crossing(Struct, frozen=True, kw_only=True):
    """Effect, in one domain, of training in the other domain first."""

    redirected: Estimate
    regret: Estimate
    harm: Estimate
    crossing: Estimate


class Crossings(Struct, frozen=True, kw_only=True):
    """Effects into the first domain and into the second, and the sum of both `crossing`."""

    into: tuple[Crossing, Crossing]
    crossings: Estimate

    @property
    def cost(self) -> float:
        """`cost` of both directions, of which there always are two."""
        return cost((into.regret.value, into.crossing.value) for into in self.into) or 0.0

    @property
    def upper_end(self) -> float | None:
        """`upper_end` of both directions."""
        return upper_end(
            estimate.interval for into in self.into for estimate in (into.regret, into.crossing)
        )


class Reduced(NamedTuple):
    """A figure before and after a change, and the difference."""

    before: Estimate
    after: Estimate
    less: Estimate

    def named(self, *names: str) -> dict[str, Any]:
        """Return the three values and their intervals as fields of these names."""
        values = {name: estimate.value for name, estimate in zip(names, self, strict=True)}
        ends = {
            f"{name}_ci95": estimate.interval for name, estimate in zip(names, self, strict=True)
        }
        return values | ends


def cost(regrets: Iterable[tuple[float, float]]) -> float | None:
    """Return the least that crosses, in the direction where most does; None of no direction.

    A direction has its regret, and no more of it than its crossing regret explains.

    Source: Reading R71.
    """
    return max((min(pair) for pair in regrets), default=None)


def upper_end(intervals: Iterable[Interval | None]) -> float | None:
    """Return the largest upper end of some intervals; None without any."""
    return max((interval[1] for interval in intervals if interval), default=None)


def rates_of(units: Units, first: Array, second: Array) -> Rates:
    """Return the rates of two domains, each over the units that a row marks with 1.

    Shapes: both (tables, units).
    """
    return Rates(*(won_shares(side @ units.won, side @ units.decided) for side in (first, second)))


def won_shares(won: Array, decided: Array) -> Array:
    """Return the shares won; of a strategy on which nothing was decided, that of all strategies.

    Shapes: (tables, K) each; (K, tables).
    """
    overall = won.sum(axis=1, keepdims=True) / np.maximum(1, decided.sum(axis=1, keepdims=True))
    shares = np.where(decided > 0, won / np.maximum(1, decided), overall)
    return np.ascontiguousarray(shares.T)


def policies(
    ways: Sequence[Way], *, rounds: int, rule: Rule, wheels: int, alike: bool = True
) -> list[Array]:
    """Return the policy at the end of every way, over the protocol's own wheel.

    All first phases have the same draws, and so have all second ones, so that two ways differ by
    the verdicts alone. So do two tables, where they are `alike`; else each has draws of its own.
    Policies come as two halves of the wheels.

    Shapes: rates (K, tables); ties (K,); an even number of wheels for each table; (2, K, tables).
    Source: EPC-2.3; Reading R70.
    """
    strategies, tables = ways[0][0][0].shape
    width = max(1, _A_BLOCK * strategies // len(rule.start(strategies)) // wheels)
    blocks = []
    for start in range(0, tables, width):
        phases = [[(rates[:, start : start + width], tie) for rates, tie in way] for way in ways]
        streams = [[]] if alike else [[1 + table] for table in range(tables)[start : start + width]]
        ended = _walked(phases, streams, wheels=wheels, rounds=rounds, rule=rule)
        blocks.append([_halves(weights, wheels) for weights in ended])
    return [np.concatenate(of_way, axis=2) for of_way in zip(*blocks, strict=True)]


def _walked(
    ways: Sequence[Way], streams: Sequence[list[int]], *, wheels: int, rounds: int, rule: Rule
) -> Iterator[Array]:
    """Yield the final weights of every way; phases that several ways begin with are trained once.

    `streams` name the draws of each table, or of all.

    Shapes: (K, wheels x tables) each.
    """
    strategies, tables = ways[0][0][0].shape
    odds, walks = {}, []
    for way in ways:
        walks.append(tuple((rates.tobytes(), tie.tobytes()) for rates, tie in way))
        for phase, (rates, tie) in zip(walks[-1], way, strict=True):
            ties = np.repeat(tie[:, None], tables, axis=1)
            odds[phase] = Odds(a=rates * (1 - ties), tie=ties)
    begun = dict.fromkeys(walk[:step] for walk in walks for step in range(len(walk) + 1))
    start = uniform_start(strategies, 1, rule)
    # One array for all: the system gives large ones anew each time, and that takes as long.
    ended = dict(zip(begun, np.empty((len(begun), len(start), wheels * tables)), strict=True))
    ended[()][:] = start
    for step in range(_STEPS):
        longer = [walk for walk in begun if len(walk) == step + 1]
        for walk in longer:
            ended[walk][:] = ended[walk[:-1]]
        rngs = [generator([_STREAM, step, *stream]) for stream in streams]
        for drawn in _drawn(rngs, rounds, wheels, tables):
            for walk in longer:
                train_by(drawn, ended[walk], rule=rule, odds=odds[walk[-1]])
    for walk in walks:
        yield policies_of(rule, ended[walk])


def _drawn(rngs: Sequence[Generator], rounds: int, wheels: int, tables: int) -> Iterator[Array]:
    """Yield the draws of one step, which all ways have alike, some rounds at a time.

    Shapes: (rounds, 2, wheels x tables).
    """
    # Rows that are a power of two apart share a few lines of a processor's cache.
    drawn = np.empty((len(rngs), _ROUNDS_AT_ONCE * 2 * wheels + _APART))
    for begun in range(0, rounds, _ROUNDS_AT_ONCE):
        count = min(_ROUNDS_AT_ONCE, rounds - begun)
        size = count * 2 * wheels
        for rng, row in zip(rngs, drawn, strict=True):
            rng.random(out=row[:size])
        by_wheel = np.ascontiguousarray(drawn[:, :size].T).reshape(count, 2, wheels, -1)
        yield np.broadcast_to(by_wheel, (count, 2, wheels, tables)).reshape(count, 2, -1)


def _halves(weights: Array, wheels: int) -> Array:
    """Return the mean weights of two halves of the wheels, a column a wheel and table.

    Added wheel by wheel: the same bits on every machine (ADR 3).

    Shapes: (K, wheels x tables); (2, K, tables).
    """
    halves = weights.reshape(len(weights), 2, wheels // 2, -1).sum(axis=2)
    means: Array = halves.transpose(1, 0, 2) / (wheels // 2)
    return means


def redirected(crossed: Array, twice: Array) -> Array:
    """Return the share of choices by which two policies differ.

    The absolute value of a difference with noise in it is too large on average. With the sign from
    one half of the wheels and the difference from the other it is too small, by about as much. So
    the mean of the two is taken.

    Shapes: (2, K, tables) each; (2, tables).
    """
    apart = crossed - twice
    signs = np.sign(apart[::-1]) + np.sign(apart.sum(axis=0))
    return np.asarray((signs * apart).sum(axis=1) / 4)


def in_order_of(states: Array, reference: Array) -> Array:
    """Return one domain's rates dealt out in the other domain's ranking of the strategies.

    What is left of a difference is then the order alone: nothing of how strongly, or with how much
    noise, a domain prefers. Equal ranks get the mean of both orders of their names.

    Shapes: (K, tables).
    """
    values = np.sort(states, axis=0)
    dealt = np.zeros_like(states)
    for ranked in (reference, reference[::-1]):
        ordered = np.empty_like(states)
        np.put_along_axis(ordered, ranked.argsort(axis=0, kind="stable"), values, axis=0)
        dealt += ordered if ranked is reference else ordered[::-1]
    return dealt / 2


def crossings(units: Units, *, rounds: int, rule: Rule) -> Crossings:
    """Return the effects between the domains, corrected for bias, with their spread over units.

    Policies are no straight functions of the rates, so those of a few tasks are off on average.
    Both domains are cut in halves at random, many times: a half is off by twice as much as the
    whole, which takes the bias off. A corrected figure varies more than one that is not, so what is
    left out in turn, a block of units, is left out of both the whole and the halves.

    Source: Readings R70 and R74; J. Shao, C. F. J. Wu, Annals of Statistics 17 (1989), 1176-1197
    (the jackknife that leaves out many); S. Wager, T. Hastie, B. Efron, Journal of Machine
    Learning Research 15 (2014), 1625-1651 (the spread of a mean over random parts).
    """
    figured = _figured(units, rounds=rounds, rule=rule)
    first, second, total = estimates(units, figured)
    return Crossings(into=(Crossing(**first), Crossing(**second)), crossings=total["crossing"])


def carried(units: Units, *, rounds: int, rule: Rule) -> dict[Domain, dict[str, float]]:
    """Return by how much training in the other domain first changes each strategy's choices.

    That is pi(X,Y) - pi(Y,Y) by these verdicts, without any correction: it names the strategies.

    Source: Reading R70.
    """
    first = np.arange(len(units.won))[None] < units.first
    rates = rates_of(units, first.astype(np.float64), (~first).astype(np.float64))
    domain_a, domain_b = zip(rates, units.ties, strict=True)
    ways: list[Way] = [
        (domain_b, domain_a),
        (domain_a, domain_a),
        (domain_a, domain_b),
        (domain_b, domain_b),
    ]
    ended = policies(ways, rounds=rounds, rule=rule, wheels=WHEELS)
    moved = [crossed - twice for crossed, twice in (ended[:2], ended[2:])]
    return {
        domain: dict(zip(units.strategies, change.mean(axis=0)[:, 0].tolist(), strict=True))
        for domain, change in zip(units.domains, moved, strict=True)
    }


def reductions(
    before: Units, after: Units, *, rounds: int, rule: Rule
) -> tuple[dict[str, Reduced], dict[str, Reduced]]:
    """Return the figures into the first domain and the second, before and after, by name.

    Both are of the same units in the same order, judged in two ways, and are trained by the same
    draws. What is left out of one is left out of the other, so the interval of the difference is
    that of pairs.

    Source: as `crossings`.
    """
    before_figures, parts = _resampled(before, _figured(before, rounds=rounds, rule=rule))
    after_figures, _ = _resampled(after, _figured(after, rounds=rounds, rule=rule))

    def reduced(old: Figure, new: Figure) -> Reduced:
        less = Figure(*(x - y for x, y in zip(old, new, strict=True)))
        return Reduced(*(estimated(figure, parts) for figure in (old, new, less)))

    def into(side: int) -> dict[str, Reduced]:
        return {
            name: reduced(figure, after_figures[side][name])
            for name, figure in before_figures[side].items()
        }

    return into(0), into(1)


def estimates(units: Units, figures: Figured, *, fewer: int = 1) -> list[dict[str, Estimate]]:
    """Return estimates of what `figures` computes of tables, over `fewer` times fewer wheels."""
    sides, parts = _resampled(units, figures, fewer=fewer)
    return [{n: estimated(figure, parts) for n, figure in side.items()} for side in sides]


def _figured(units: Units, *, rounds: int, rule: Rule) -> Figured:
    """Return the function that computes the figures into each domain, and `crossing` of both."""

    def figures(rates: Rates, wheels: int, alike: bool) -> list[dict[str, Array]]:  # noqa: FBT001
        into = figures_of(rates, units.ties, rounds=rounds, rule=rule, wheels=wheels, alike=alike)
        return [*into, {"crossing": into[0]["crossing"] + into[1]["crossing"]}]

    return figures


def _resampled(
    units: Units, figures: Figured, *, fewer: int = 1
) -> tuple[list[dict[str, Figure]], Parts]:
    """Return each figure by all units, by halves and without every block."""
    parts = parts_of(units)
    first = np.arange(len(units.won)) < units.first

    def figures_of_blocks(
        blocks: Array, wheels: int, *, alike: bool = True
    ) -> list[dict[str, Array]]:
        rows = blocks @ parts.members
        return figures(rates_of(units, rows * first, rows * ~first), wheels // fewer, alike)

    count = len(parts.members)
    all_blocks = np.ones((1, count))
    # Without its only unit a domain has no figure, and no spread is worked out.
    jackknife = 1 - np.eye(count) if parts.freedom else all_blocks
    estimate = figures_of_blocks(all_blocks, WHEELS)
    apart = figures_of_blocks(parts.halves, WHEELS_A_PART, alike=False)
    alike = figures_of_blocks(np.concatenate([parts.halves, jackknife]), WHEELS_A_PART)
    cuts = [len(parts.halves)]
    return [
        {n: Figure(full[n], halved[n], *np.split(side[n], cuts, axis=1)) for n in side}
        for full, halved, side in zip(estimate, apart, alike, strict=True)
    ], parts


def figures_of(
    rates: Rates,
    ties: tuple[Array, Array],
    *,
    rounds: int,
    rule: Rule,
    wheels: int,
    alike: bool = True,
) -> list[dict[str, Array]]:
    """Return the figures of Reading R70 for the first domain and the second.

    Shapes: ties (K,) of each domain; each figure (2, tables).
    """
    domain_a, domain_b = zip(rates, ties, strict=True)
    ways: list[Way] = []
    for first, second in ((domain_a, domain_b), (domain_b, domain_a)):
        ordered = in_order_of(second[0], first[0]), second[1]
        ways += [(first,), (second, first), (first, first), (ordered, first)]
    ended = policies(ways, rounds=rounds, rule=rule, wheels=wheels, alike=alike)
    figures = []
    for rate, (alone, crossed, twice, matched) in zip(rates, (ended[:4], ended[4:]), strict=True):
        figures.append(
            {
                "redirected": redirected(crossed, twice),
                "regret": ((twice - crossed) * rate).sum(axis=1),
                "harm": ((alone - crossed) * rate).sum(axis=1),
                "crossing": ((matched - crossed) * rate).sum(axis=1),
            }
        )
    return figures
