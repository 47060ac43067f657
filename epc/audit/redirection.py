"""Is what crosses between two domains more than chance gives? The p-value of Reading R71.

Under the hypothesis a domain's name says nothing about its tasks, so every way to deal the units
out to two domains of these sizes was as likely. The statistic is the share of choices that are
redirected, both directions added: the coupled phases themselves, not the verdicts' distribution.
"""

from math import sqrt
from typing import Final, Literal, TypeGuard

from msgspec import Struct

from epc.arrays import Array, np
from epc.audit.permutation import (
    DRAWN,
    MOST_LISTED,
    arrangements,
    share_as_large,
    splits,
)
from epc.audit.resampled import Estimate
from epc.audit.transfer import Rates, policies, rates_of, redirected
from epc.audit.units import Units
from epc.protocol.rules import Rule
from epc.protocol.weights import UpdateRule
from epc.spec.coupling import LEVEL, UNEQUAL
from epc.statistics.inference import t_two_sided
from epc.statistics.intervals import Interval, mean

Unit = Literal["task", "group"]
Method = Literal["permutation", "jackknife"]

_FEWER_DRAWN: Final = 499  # where every one of them takes wheels
_SHORT: Final = 30  # rounds up to which the recursion's order of tables is that of the wheels
_WHEELS: Final = 150
_CHANCES: Final = 64  # arrangements
_WHEELS_BY_CHANCE: Final = 128
_CUT_STREAM: Final = 20261130


class RedirectionTest(Struct, frozen=True, kw_only=True):
    """The p-value of redirected choices, both directions together (Reading R71).

    `splits` counts the distinct ways to deal the units out, as far as JSON counts.
    """

    p_value: float
    unit: Unit
    method: Method
    splits: int


def redirection_test(
    units: Units, crossings: Estimate, *, rounds: int, rule: Rule
) -> tuple[RedirectionTest, tuple[float, float]]:
    """Test whether training in the other domain redirects choices beyond chance.

    Also returned is what chance redirects into the first domain and the second.

    Where one domain has more than twice the units of the other, permuting them loses its power
    with every unit that the larger one gets; there what crosses, both directions added, is held
    against its own spread.

    Source: Readings R71 and R73.
    """
    test = RedirectionTest(
        p_value=p_value_of(units, crossings, rounds=rounds, rule=rule),
        unit="group" if units.grouped else "task",
        method="permutation" if permutable(units) else "jackknife",
        splits=units.splits,
    )
    return test, by_chance(units, rounds=rounds, rule=rule)


def by_chance(units: Units, *, rounds: int, rule: Rule) -> tuple[float, float]:
    """Return what chance redirects into the first domain and the second.

    It is the mean over arrangements of the units. Each is corrected for bias as the estimate that
    it is held against, by a cut of its own.
    """
    rows, _ = splits(*units.numbers.values(), **_looked_at(rounds, rule))
    sample = rows[np.linspace(0, len(rows) - 1, min(_CHANCES, len(rows))).astype(int)]
    drawn = np.random.default_rng(_CUT_STREAM).random(sample.shape)
    first, second = (np.concatenate([side, *_cut(side, drawn)]) for side in (sample, 1 - sample))
    shares = _by_wheels(
        rates_of(units, first, second),
        units.ties,
        rounds=rounds,
        rule=rule,
        wheels=_WHEELS_BY_CHANCE,
        alike=False,
    )
    chance = []
    for share in shares:
        estimate, upper, lower = (mean(part.tolist()) for part in np.split(share, 3))
        chance.append(2 * estimate - (upper + lower) / 2)
    return chance[0], chance[1]


def _cut(side: Array, drawn: Array) -> tuple[Array, Array]:
    """Return two halves of the units that each row marks; a single one is in both.

    Shapes: (tables, units) each.
    """
    order = np.where(side > 0, drawn, np.inf).argsort(axis=1).argsort(axis=1)
    half = side.sum(axis=1, keepdims=True) // 2
    upper = np.where(half > 0, side * (order < half), side)
    return upper, np.where(half > 0, side - upper, side)


def p_value_of(units: Units, crossings: Estimate, *, rounds: int, rule: Rule) -> float:
    """Return the p-value of the word: by permutation, or by the spread of what crosses."""
    if permutable(units):
        return permuted(units, rounds=rounds, rule=rule)
    return by_spread(crossings)


def redirected_interval(redirected: Estimate, p_value: float, figures: int = 1) -> Interval | None:
    """Return the interval for the domain of a share of choices.

    A share has no sign, so an estimate of it stays above 0 where nothing crosses. An interval by
    its spread alone would leave 0 out too often. So 0 belongs to it wherever the test does not
    refuse that nothing crosses. `figures` is as for `Estimate.interval_of`.
    """
    interval = redirected.interval_of(figures)
    if interval is None:
        return None
    low, high = (min(1.0, max(0.0, bound)) for bound in interval)
    return (0.0 if p_value > LEVEL else low), high


def permutable(units: Units) -> bool:
    """Return whether the domains' numbers of units are near enough to deal them out anew."""
    return units.largest <= UNEQUAL * units.fewest


def permuted(units: Units, *, rounds: int, rule: Rule) -> float:
    """Return the share of arrangements of the units that redirect as many choices, or more."""
    rows = arrangements(*units.numbers.values(), **_looked_at(rounds, rule))
    rates = rates_of(units, rows, 1 - rows)
    return share_as_large(_redirected(rates, units.tie, rounds, rule))


def _recurs(rule: Rule, rounds: int) -> TypeGuard[UpdateRule]:
    """Return whether the recursion, which is of the protocol's own rule, ranks tables as wheels."""
    return isinstance(rule, UpdateRule) and rounds <= _SHORT


def _looked_at(rounds: int, rule: Rule) -> dict[str, int]:
    """Return how many arrangements are listed at most, and drawn: fewer where each takes wheels."""
    recurs = _recurs(rule, rounds)
    limit, drawn = (MOST_LISTED, DRAWN) if recurs else (_FEWER_DRAWN, _FEWER_DRAWN)
    return {"listed_limit": limit, "drawn": drawn}


def _redirected(rates: Rates, tie: Array, rounds: int, rule: Rule) -> Array:
    """Return the redirected choices of both directions added, of many tables.

    Shapes: (tables,).
    """
    if not _recurs(rule, rounds):
        directions = _by_wheels(rates, (tie, tie), rounds=rounds, rule=rule, wheels=_WHEELS)
        return directions[0] + directions[1]
    start = np.full_like(rates.first, 1 / len(rates.first))
    alone = [recursion(start, side, tie, rounds=rounds, rule=rule) for side in rates]
    apart = np.zeros(rates.first.shape[1])
    for home, side in enumerate(rates):
        crossed, twice = (
            recursion(alone[origin], side, tie, rounds=rounds, rule=rule)
            for origin in (1 - home, home)
        )
        apart += np.abs(crossed - twice).sum(axis=0)
    return apart / 2


def _by_wheels(
    rates: Rates,
    ties: tuple[Array, Array],
    *,
    rounds: int,
    rule: Rule,
    wheels: int,
    alike: bool = True,
) -> list[Array]:
    """Return the redirected choices of each direction, of many tables.

    Shapes: (tables,) each.
    """
    first, second = zip(rates, ties, strict=True)
    ways = [(second, first), (first, first), (first, second), (second, second)]
    ended = policies(ways, rounds=rounds, rule=rule, wheels=wheels, alike=alike)
    return [redirected(*ended[index : index + 2]).mean(axis=0) for index in (0, 2)]


def recursion(start: Array, rates: Array, tie: Array, *, rounds: int, rule: UpdateRule) -> Array:
    """Return the weights of an agent that each round takes the mean of what a round could do.

    A stand-in for a policy, for comparing tables and nothing else: single wheels lock in, and the
    mean of many is elsewhere.

    Shapes: (K, tables); tie (K,).
    Source: Reading R70; EPC-2.3.
    """
    # A win divides all by 1 + step, a loss by 1 - step.
    wins = rates * (1 - tie)[:, None] / (1 + rule.alpha_win)
    lost = (1 - rates) * (1 - tie)[:, None]
    up = rule.alpha_win * wins
    weights = start
    for _ in range(rounds):
        down = np.minimum(rule.alpha_lose, weights - rule.weight_floor)  # no more at the floor
        losses = lost / (1 - down)
        scale = np.add.reduce(weights * (wins + losses + tie[:, None]))
        weights = weights * (scale + up - down * losses)
        weights /= np.add.reduce(weights)  # what rounding leaves would double with every round
    return weights


def by_spread(crossings: Estimate) -> float:
    """Return the one-sided p-value of nothing crossing, by Student's t, from its own spread.

    That is the spread of halves: where nothing crosses it keeps the level, as the study shows, and
    the spread of the corrected figure would cost a third of the power (Reading R73).
    """
    if not crossings.of_halves:
        return 1.0
    t = crossings.value / sqrt(crossings.of_halves)
    tail = t_two_sided(abs(t), crossings.freedom) / 2
    return tail if t > 0 else 1 - tail
