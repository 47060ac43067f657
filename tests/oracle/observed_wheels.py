"""Policies, their figures and the arrangements of units a second time (Readings R70 to R74).

Plain floats, one wheel after the other, by the declared draws: the generator is `pcg64`. Weights
are left undivided by their sum, which is kept beside them, so a round changes one of them.
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import accumulate, combinations, islice
from math import comb, fsum
from typing import Final

from oracle.pcg64 import uniforms

from epc.spec.epc_v1 import ALPHA_LOSE, ALPHA_WIN, ROUNDS, WEIGHT_FLOOR

Rates = Sequence[float]
Pair = tuple[Rates, Rates]  # the rates of the first domain and of the second
Twice = tuple[float, float]  # a figure by either half of the wheels
Odds = tuple[Rates, Rates]
Halves = list[list[float]]  # the mean weights of either half of the wheels
Counts = Sequence[Sequence[int]]  # won, lost and tied of each strategy: a unit

FIGURES: Final = ("redirected", "regret", "harm", "crossing")
_WALKS, _DEALT = 20261123, 20260704
_LISTED, _DRAWN = 2000, 1999
_CHANCES, _OF_CHANCE, _CUT = 64, 128, 20261130
_EQUAL: Final = 1e-9


def rates(units: Sequence[Counts]) -> list[float]:
    """Return what each strategy won of what was decided; by all of them, where that is nothing."""
    won = [sum(unit[k][0] for unit in units) for k in range(len(units[0]))]
    lost = [sum(unit[k][1] for unit in units) for k in range(len(units[0]))]
    overall = sum(won) / max(1, sum(won) + sum(lost))
    return [w / (w + n) if w + n else overall for w, n in zip(won, lost, strict=True)]


def figures(
    tables: Sequence[Pair],
    ties: Pair,
    wheels: int,
    *,
    whole: bool = True,
    numbers: Sequence[int] | None = None,
) -> list[list[dict[str, Twice]]]:
    """Return the figures into either domain of each table, over so many wheels each.

    `ties` are of either domain. If not the `whole` of them, the redirected choices alone. Tables
    with `numbers` have draws of their own by these, others have the same.
    """
    rows = []
    for index, pair in enumerate(tables):
        stream = () if numbers is None else (1 + numbers[index],)
        ended = _policies(pair, ties, wheels, stream, whole=whole)
        rows.append([_retests(own, *halves) for own, halves in zip(pair, ended, strict=True)])
    return rows


def _retests(
    own: Rates, crossed: Halves, repeated_halves: Halves, *further_halves: Halves
) -> dict[str, Twice]:
    apart = [
        [x - y for x, y in zip(*both, strict=True)]
        for both in zip(crossed, repeated_halves, strict=True)
    ]
    # The sign is half that of the other half of the wheels and half that of all of them.
    signed = [
        fsum((_sign(y) + _sign(x + y)) * x for x, y in zip(left, right, strict=True)) / 4
        for left, right in (apart, apart[::-1])
    ]
    values = {"redirected": (signed[0], signed[1])}
    for name, other in (
        zip(FIGURES[1:], (repeated_halves, *further_halves), strict=True) if further_halves else ()
    ):
        lost = [
            fsum((y - x) * rate for x, y, rate in zip(*both, own, strict=True))
            for both in zip(crossed, other, strict=True)
        ]
        values[name] = lost[0], lost[1]
    return values


def _sign(x: float) -> int:
    return (x > 0) - (x < 0)


def _policies(
    pair: Pair, ties: Pair, wheels: int, stream: tuple[int, ...], *, whole: bool
) -> list[list[Halves]]:
    """Return, into either domain: crossed, again and, of the `whole`, alone and matched."""
    sides = [_odds(side, tie) for side, tie in zip(pair, ties, strict=True)]
    dealt = [_odds(_dealt(pair[1 - at], pair[at]), ties[1 - at]) for at in (0, 1) if whole]
    strategies = len(pair[0])
    start = [1 / strategies] * strategies
    kinds = 4 if whole else 2
    sums = [[[[0.0] * strategies for _ in range(2)] for _ in range(kinds)] for _ in range(2)]
    for wheel in range(wheels):
        half = 2 * wheel // wheels
        begun, then = (_draws((step, *stream), wheels, wheel) for step in (0, 1))
        alone = [_walk(start, odds, begun) for odds in sides]
        for index, odds in enumerate(sides):
            ended = [_walk(alone[1 - index], odds, then), _walk(alone[index], odds, then)]
            if whole:
                ended += [alone[index], _walk(_walk(start, dealt[index], begun), odds, then)]
            for total, weights in zip(sums[index], ended, strict=True):
                total[half] = [x + y for x, y in zip(total[half], weights, strict=True)]
    n = wheels // 2
    return [[[[x / n for x in one] for one in each] for each in of] for of in sums]


def _odds(side: Rates, ties: Rates) -> Odds:
    """Return below which draw each strategy wins, and below which it wins or loses."""
    wins = [rate * (1 - tie) for rate, tie in zip(side, ties, strict=True)]
    return wins, [max(win, 1 - tie) for win, tie in zip(wins, ties, strict=True)]


def _dealt(own: Rates, other: Rates) -> list[float]:
    """Return one domain's rates in the other's order of strategies; equals by both orders."""
    values, dealt = sorted(own), [0.0] * len(own)
    for names in (range(len(own)), range(len(own) - 1, -1, -1)):
        for value, k in zip(values, sorted(names, key=other.__getitem__), strict=True):
            dealt[k] += value / 2
    return dealt


def _walk(start: Sequence[float], odds: Odds, draws: Sequence[tuple[float, float]]) -> list[float]:
    """Return the weights after all rounds of one wheel."""
    weights, whole, last = list(start), 1.0, len(start) - 1
    wins, decides = odds
    for spun, u_verdict in draws:
        chosen = bisect_right([*accumulate(weights)], spun * whole, 0, last)
        if u_verdict < wins[chosen]:
            step = ALPHA_WIN * whole
        elif u_verdict < decides[chosen]:
            step = max(WEIGHT_FLOOR * whole - weights[chosen], -ALPHA_LOSE * whole)
        else:
            continue
        weights[chosen] += step
        whole += step
    whole = fsum(weights)
    return [weight / whole for weight in weights]


@lru_cache(maxsize=4)
def _drawn(stream: tuple[int, ...], wheels: int) -> "array[float]":
    return array("d", islice(uniforms(_WALKS, *stream), 2 * ROUNDS * wheels))


@lru_cache(maxsize=2048)  # those of parts, which many tables share
def _draws(stream: tuple[int, ...], wheels: int, wheel: int) -> list[tuple[float, float]]:
    """Return a wheel's draws and its verdicts': of every round, all wheels' of either in a row."""
    drawn = _drawn(stream, wheels)
    spun, said = drawn[wheel :: 2 * wheels], drawn[wheels + wheel :: 2 * wheels]
    return [*zip(spun, said, strict=True)]


def p_value(units: Sequence[Counts], first: int, ties: Rates) -> float:
    """Return the share of arrangements that redirect as many choices as the observed one.

    Each is judged by weights that take the mean of what a round could do.
    """
    rows, listed = _arrangements(first, len(units) - first)
    rows = rows if listed else [[*range(first)], *rows]
    moved = [_redirected(pair, ties) for pair in _tables(units, rows)]
    return sum(figure >= moved[0] * (1 - _EQUAL) for figure in moved) / len(moved)


def by_chance(units: Sequence[Counts], first: int, ties: Pair) -> list[float]:
    """Return what arrangements redirect on average into either domain, each without its bias."""
    rows, _ = _arrangements(first, len(units) - first)
    count = min(_CHANCES, len(rows))
    step = (len(rows) - 1) / max(1, count - 1)
    some = [rows[int(index * step)] for index in range(count - 1)] + rows[-1:]
    drawn, moved = uniforms(_CUT), [0.0, 0.0]
    for number, row in enumerate(some):
        keys = [*islice(drawn, len(units))]
        sides = [*row], [position for position in range(len(units)) if position not in {*row}]
        halves = [_cut(side, keys) for side in sides]
        tables = [
            (rates([units[at] for at in left]), rates([units[at] for at in right]))
            for left, right in (sides, *zip(*halves, strict=True))
        ]
        numbers = [number, count + number, 2 * count + number]
        whole_retests, upper, lower = figures(
            tables, ties, _OF_CHANCE, whole=False, numbers=numbers
        )
        for at in (0, 1):
            share, *parts = (
                sum(retests[at]["redirected"]) / 2 for retests in (whole_retests, upper, lower)
            )
            moved[at] += 2 * share - sum(parts) / 2
    return [total / count for total in moved]


def _cut(side: Sequence[int], keys: Sequence[float]) -> tuple[Sequence[int], Sequence[int]]:
    if len(side) == 1:
        return side, side
    order = sorted(side, key=keys.__getitem__)
    return order[: len(side) // 2], order[len(side) // 2 :]


def _tables(units: Sequence[Counts], rows: Sequence[Sequence[int]]) -> Iterator[Pair]:
    for row in rows:
        own = {*row}
        other_units = [unit for position, unit in enumerate(units) if position not in own]
        yield rates([units[position] for position in row]), rates(other_units)


@cache
def _arrangements(first: int, second: int) -> tuple[list[list[int]], bool]:
    """Return the units dealt to the first domain in many ways, and whether these are all.

    Then the observed one is the first, and of mirror images one is listed.
    """
    total, mirrored = first + second, first == second
    number = comb(total - 1, first - 1) if mirrored else comb(total, first)
    if number > _LISTED:
        drawn = uniforms(_DEALT)
        orders = [_order([*islice(drawn, total)]) for _ in range(_DRAWN)]
        return [
            [index for index, unit in enumerate(order) if unit < first] for order in orders
        ], False
    if mirrored:
        return [
            [0, *remaining_index] for remaining_index in combinations(range(1, total), first - 1)
        ], True
    return [[*chosen] for chosen in combinations(range(total), first)], True


def _order(drawn: Sequence[float]) -> list[int]:
    return sorted(range(len(drawn)), key=drawn.__getitem__)


def _redirected(pair: Pair, ties: Rates) -> float:
    """Return the choices redirected into both domains, by mean weights."""
    start = [1 / len(ties)] * len(ties)
    alone = [_mean_walk(start, side, ties) for side in pair]
    apart = 0.0
    for index, side in enumerate(pair):
        crossed, repeated_rates = (
            _mean_walk(alone[begun], side, ties) for begun in (1 - index, index)
        )
        apart += fsum(abs(x - y) for x, y in zip(crossed, repeated_rates, strict=True)) / 2
    return apart


def _mean_walk(start: Rates, side: Rates, ties: Rates) -> Rates:
    """Return the weights of an agent that takes the mean of a win, a loss and a tie each round."""
    weights = start
    odds = [
        (rate * (1 - tie) / (1 + ALPHA_WIN), (1 - rate) * (1 - tie), tie)
        for rate, tie in zip(side, ties, strict=True)
    ]
    for _ in range(ROUNDS):
        scale, steps = 0.0, []
        for weight, (won, lost, tie) in zip(weights, odds, strict=True):
            down = min(weight - WEIGHT_FLOOR, ALPHA_LOSE)
            loss = lost / (1 - down)
            scale += weight * (won + loss + tie)
            steps.append(ALPHA_WIN * won - down * loss)
        moved = [weight * (scale + step) for weight, step in zip(weights, steps, strict=True)]
        whole_total = sum(moved)
        weights = [weight / whole_total for weight in moved]
    return weights
