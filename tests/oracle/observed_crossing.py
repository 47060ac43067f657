"""What crosses between two subsets a second time: figures, intervals, p-value and word.

From the text of Readings R70 to R74 and the numbers of the rule in `epc.spec.coupling`.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import comb, sqrt
from statistics import NormalDist, fmean
from typing import Final, NamedTuple

from oracle.observed_clusters import clusters
from oracle.observed_sums import Json, beyond, student
from oracle.observed_wheels import FIGURES, Counts, Pair, Twice, by_chance, figures, p_value
from oracle.observed_wheels import rates as rates_of
from oracle.pcg64 import orders, uniforms

from epc.spec.coupling import (
    CLUSTER_LEVEL,
    FEWEST_DECIDED,
    FEWEST_SPLITS,
    FEWEST_STRATEGIES,
    FEWEST_TASKS,
    LEVEL,
    MARGIN,
    RULE,
    UNEQUAL,
)

Cells = Mapping[tuple[str, object], Sequence[int]]  # of author and task: won, lost and tied

_WHEELS, _OF_A_PART = 16_384, 256
_CUTS, _BLOCKS = 64, 16
_CUT, _BLOCKED = 20261124, 20261126
_MOST: Final = 2**53 - 1
_TWO: Final = 2
_POWER: Final = NormalDist().inv_cdf(0.8)
_NONE: Final = (0, 0, 0)
_CHECKED: Final = 8  # strategies


def crossing(sides: Mapping[str, Cells], strategies: Sequence[str]) -> Json:
    """Return what a report states of two domains beside their table: the word and its figures."""
    kept, tasks = _decided_tasks(sides, strategies)
    by_domain = {
        name: sorted([[*cells.get((k, task), _NONE)] for k in kept] for task in tasks[name])
        for name, cells in sorted(sides.items())
    }
    all_totals = [sum(map(sum, cells.values())) for cells in sides.values()]
    tied = sum(cell[2] for cells in sides.values() for cell in cells.values())
    enough = sum(all_totals) - tied >= FEWEST_DECIDED * sum(all_totals)
    report: Json = {
        "rule": RULE,
        "left_out_strategies": [k for k in strategies if k not in kept],
        "left_out_tasks": {
            name: len({task for _, task in cells} - tasks[name]) for name, cells in sides.items()
        },
        **dict.fromkeys(("test", "directions", "detectable")),
        "clusters": {name: clusters(own) for name, own in by_domain.items()},
        "word": "inconclusive",
    }
    if enough and len(kept) >= _TWO and all(by_domain.values()):
        report |= _worked_out(by_domain)
    if any(p is not None and p * len(sides) <= CLUSTER_LEVEL for p in report["clusters"].values()):
        report["word"] = "inconclusive"
    # Reading R102: no text is in a file of verdicts, so copies are not found among few strategies.
    if report["word"] == "coupled" and len(kept) < _CHECKED:
        report |= {"word": "inconclusive", "unchecked": True}
    return report


def _decided_tasks(
    sides: Mapping[str, Cells], strategies: Sequence[str]
) -> tuple[list[str], dict[str, set[object]]]:
    """Return the strategies and each domain's tasks on which enough was decided (Reading R72)."""
    decided = {
        name: {key for key, (won, lost, _) in cells.items() if won + lost}
        for name, cells in sides.items()
    }
    all_tasks = {name: {task for _, task in cells} for name, cells in sides.items()}

    def on(name: str, strategy: str, tasks: set[object]) -> int:
        return sum((strategy, task) in decided[name] for task in tasks)

    kept = [
        k
        for k in strategies
        if all(on(n, k, own) >= max(1, FEWEST_TASKS * len(own)) for n, own in all_tasks.items())
    ]
    tasks = {
        name: {
            task
            for task in own
            if sum((k, task) in decided[name] for k in kept)
            >= max(1, FEWEST_STRATEGIES * len(kept))
        }
        for name, own in all_tasks.items()
    }
    return [k for k in kept if all(on(n, k, own_task) for n, own_task in tasks.items())], tasks


def _worked_out(by_domain: Mapping[str, list[list[list[int]]]]) -> Json:
    names = sorted(by_domain, key=by_domain.__getitem__)
    units = [unit for name in names for unit in by_domain[name]]
    sizes = [len(by_domain[name]) for name in names]
    first, freedom = sizes[0], min(*sizes, _BLOCKS) - 1
    pooled, *ties = (_ties(some) for some in (units, units[:first], units[first:]))
    estimates = _estimates(units, first, (ties[0], ties[1]), freedom)
    ways = comb(sum(sizes), first)
    splits = min(ways // 2 if sizes[0] == sizes[1] else ways, _MOST)
    permuted = max(sizes) <= UNEQUAL * min(sizes)
    both_crossings = estimates[2]["crossing"]
    p = p_value(units, first, pooled) if permuted else _by_spread(both_crossings, freedom)
    chance = by_chance(units, first, (ties[0], ties[1]))
    method = "permutation" if permuted else "jackknife"
    directions = {
        f"{names[1 - at]}_to_{names[at]}": _direction(estimates[at], chance[at], p, freedom)
        for at in (0, 1)
    }
    return {
        "test": {"p_value": p, "unit": "task", "method": method, "splits": splits},
        "directions": directions,
        "detectable": _detectable(estimates[:_TWO], freedom),
        "word": _word([*directions.values()], p, splits),
    }


def _ties(units: Sequence[Counts]) -> list[float]:
    """Return how often each strategy ties."""
    counts = [
        [sum(cell) for cell in zip(*cells, strict=True)] for cells in zip(*units, strict=True)
    ]
    return [tied / max(1, won + lost + tied) for won, lost, tied in counts]


class _Estimate(NamedTuple):
    """A figure without its bias, its variance and that of halves; None with a single unit."""

    value: float
    variance: float | None
    of_halves: float | None


def _estimates(
    units: Sequence[Counts], first: int, ties: Pair, freedom: int
) -> list[dict[str, _Estimate]]:
    """Return the estimates into the first domain, the second, and what crosses into both."""
    sizes = (first, len(units) - first)
    blocks = _blocks(sizes)
    cuts = _cuts([len(each) for each in blocks])

    def table(chosen: Sequence[set[int]]) -> Pair:
        left, right = (
            rates_of([units[unit] for at in sorted(picks) for unit in each[at]])
            for each, picks in zip(blocks, chosen, strict=True)
        )
        return left, right

    every = [set(range(len(each))) for each in blocks]
    without = [
        [every[side] - ({position} if side == left else set()) for side in (0, 1)]
        for left in (0, 1)
        for position in range(len(blocks[left]))
    ]
    retests = [
        _with_both(figures([table(chosen) for chosen in some], ties, wheels, numbers=numbers))
        for some, wheels, numbers in (
            ([every], _WHEELS, None),
            (cuts, _OF_A_PART, range(len(cuts))),
            (cuts, _OF_A_PART, None),
            (without if freedom else [every], _OF_A_PART, None),
        )
    ]
    fewest = min(sizes) if freedom else None
    where = [(side, position) for side in (0, 1) for position in range(len(blocks[side]))]
    return [
        {
            name: _estimated(
                [[each[of][name] for each in part] for part in retests], cuts, where, fewest
            )
            for name in (FIGURES if of < _TWO else FIGURES[-1:])
        }
        for of in range(3)
    ]


def _with_both(rows: list[list[dict[str, Twice]]]) -> list[list[dict[str, Twice]]]:
    """Return the figures with what crosses into both domains together."""
    for into in rows:
        (a, b), (c, d) = (retests["crossing"] for retests in into)
        into.append({"crossing": (a + c, b + d)})
    return rows


def _blocks(sizes: Sequence[int]) -> list[list[list[int]]]:
    """Return either domain's units, in blocks that are left out in turn."""
    mixed, blocks, start = orders(_BLOCKED), [], 0
    for size in sizes:
        count = min(size, _BLOCKS)
        order = [*range(size)] if count == size else mixed(size)
        more = size % count  # the first blocks have one unit more
        ends = [index * (size // count) + min(index, more) for index in range(count + 1)]
        blocks.append([[start + unit for unit in order[a:b]] for a, b in pairwise(ends)])
        start += size
    return blocks


def _cuts(counts: Sequence[int]) -> list[list[set[int]]]:
    """Return the blocks of either domain that each half has, a cut's two one after the other."""
    drawn = uniforms(_CUT)
    sides: list[list[set[int]]] = []
    for count in counts:
        every, halves = set(range(count)), []
        for _ in range(_CUTS):
            if count == 1:
                halves += [every, every]
                continue
            row = [next(drawn) for _ in range(count)]
            order = sorted(range(count), key=row.__getitem__)
            upper = {index for index, block in enumerate(order) if block < count // 2}
            halves += [upper, every - upper]
        sides.append(halves)
    return [[left, right] for left, right in zip(*sides, strict=True)]


def _estimated(
    seen: Sequence[Sequence[Twice]],
    cuts: Sequence[Sequence[set[int]]],
    where: Sequence[tuple[int, int]],
    fewest: int | None,
) -> _Estimate:
    """Return a figure corrected by its halves, with its spread over blocks (Reading R74)."""
    (whole_retest,), other_retests, halves, reduced_retests = seen
    value = 2 * fmean(whole_retest) - fmean(x for retest in other_retests for x in retest)
    if fewest is None:
        return _Estimate(value, None, None)
    apart = [
        [(left_part - right) / 2 for left_part, right in zip(*cut, strict=True)]
        for cut in zip(halves[::2], halves[1::2], strict=True)
    ]
    of_a_cut = max(0.0, fmean(left_part * right for left_part, right in apart))
    centre = [fmean(half[i] for half in halves) for i in (0, 1)]
    of_a_half = fmean((half[0] - centre[0]) * (half[1] - centre[1]) for half in halves)
    moved: tuple[list[list[float]], ...] = ([], [])
    for (side, at), left in zip(where, reduced_retests, strict=True):
        lacking = [half for half, cut in zip(halves, cuts, strict=True) if at not in cut[side]]
        moved[side].append([2 * left[i] - fmean(half[i] for half in lacking) for i in (0, 1)])
    of_units = 0.0
    for rows in moved:
        middles = [fmean(row[i] for row in rows) for i in (0, 1)]
        off = fmean((row[0] - middles[0]) * (row[1] - middles[1]) for row in rows)
        of_units += (len(rows) - 1) * (off - of_a_cut / _CUTS)
    noise = [fmean((x - y) ** 2 / 4 for x, y in some) for some in ([whole_retest], other_retests)]
    of_wheels = 4 * noise[0] + noise[1] / len(other_retests)
    spread = max(min(1.5, 1 + 20 / fewest) * of_a_half, of_units, 0.0)
    spread *= fewest / max(1, fewest - 2)
    return _Estimate(value, spread + of_wheels, of_a_cut + of_wheels)


def _direction(estimates: Mapping[str, _Estimate], chance: float, p: float, freedom: int) -> Json:
    stated_document: Json = {"chance": _share(chance)}
    for name, estimate in estimates.items():
        interval = None
        if estimate.variance is not None:
            half = student(freedom) * sqrt(estimate.variance)
            interval = [estimate.value - half, estimate.value + half]
        stated_document |= {name: estimate.value, f"{name}_ci95": interval}
    stated_document["redirected"] = _share(stated_document["redirected"])
    if interval := stated_document["redirected_ci95"]:
        low, high = map(_share, interval)
        stated_document["redirected_ci95"] = [0.0 if p > LEVEL else low, high]
    return stated_document


def _share(value: float) -> float:
    return min(1.0, max(0.0, value))


def _by_spread(both: _Estimate, freedom: int) -> float:
    """Return the one-sided p-value of what crosses into both domains, by the spread of halves."""
    if not both.of_halves:
        return 1.0
    t = both.value / sqrt(both.of_halves)
    tail = beyond(abs(t), freedom) / 2
    return tail if t > 0 else 1 - tail


def _detectable(estimates: Sequence[Mapping[str, _Estimate]], freedom: int) -> float | None:
    spreads = [sqrt(v) for into in estimates if (v := into["regret"].variance) is not None]
    least = [max(MARGIN, student(freedom, 2 * LEVEL) * s) + _POWER * s for s in spreads]
    return max(least, default=None)


def _word(directions: Sequence[Json], p: float, splits: int) -> str:
    """Return the word of Readings R71 and R74."""
    if splits < FEWEST_SPLITS:
        return "inconclusive"
    if p <= LEVEL and max(min(d["regret"], d["crossing"]) for d in directions) >= MARGIN:
        return "coupled"
    each = [d[f"{name}_ci95"] for d in directions for name in ("regret", "crossing")]
    known = all(each) and max(interval[1] for interval in each) < MARGIN
    return "no_coupling_beyond_margin" if known else "no_detectable_coupling"
