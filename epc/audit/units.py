"""A verdict table as the rule reads it: decided verdicts by group of tasks, in one order for all.

What may not matter is taken out here, before anything is drawn: the order of rows, tasks and
strategies, which domain is called which, whether a verdict was repeated (Reading R73). Strategies
and tasks on which too little was decided are left out, and named (Reading R72).
"""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from epc.arrays import Array, Counts, Flags, np
from epc.protocol.table import VerdictTable
from epc.spec.coupling import FEWEST_DECIDED, FEWEST_STRATEGIES, FEWEST_TASKS
from epc.spec.domains import Domain

Groups = Mapping[Domain, Sequence[str]]

_WON, _LOST, _TIED = range(3)  # the columns of a verdict table
_MOST_COUNTED: Final = 2**53 - 1  # splits; no larger number is the same to every reader of JSON
_FEWEST_KEPT: Final = 2  # strategies: with one there is nothing to choose


class LeftOut(Struct, frozen=True, kw_only=True):
    """Strategies, and places of tasks in their domain, on which too little was decided."""

    strategies: tuple[str, ...]
    tasks: Mapping[Domain, tuple[int, ...]]


@dataclass(frozen=True, kw_only=True, eq=False)
class Units:
    """Verdicts by unit, the groups of tasks of two domains one after the other.

    `domains` says which domain comes first. `decided_share` is of all verdicts, those left out
    too. Two of equal content are equal, so that what follows from one is worked out once.

    Shapes: won, decided and tied (units, K), whole numbers.
    """

    domains: tuple[Domain, Domain]
    strategies: tuple[str, ...]
    won: Array
    decided: Array
    tied: Array
    first: int
    left_out: LeftOut
    decided_share: float
    grouped: bool

    @cached_property
    def tie(self) -> Array:
        """How often a strategy's comparison ends undecided, in both domains together.

        Of units that are dealt out anew: ties that differ by domain are no coupling (Reading R72).

        Shapes: (K,).
        """
        return self._tied(slice(None))

    @cached_property
    def ties(self) -> tuple[Array, Array]:
        """The same in each domain by itself, where they slow an agent down.

        Shapes: (K,) each.
        """
        return self._tied(slice(self.first)), self._tied(slice(self.first, None))

    def _tied(self, rows: slice) -> Array:
        tied = self.tied[rows].sum(axis=0)
        share: Array = tied / np.maximum(1, tied + self.decided[rows].sum(axis=0))
        return share

    @cached_property
    def _content(self) -> tuple[object, ...]:
        counts = (part.tobytes() for part in (self.won, self.decided, self.tied))
        return (self.domains, self.strategies, self.first, self.grouped, *counts)

    def __eq__(self, other: object) -> bool:
        """Return whether both have the same verdicts on the same strategies."""
        return isinstance(other, Units) and self._content == other._content

    def __hash__(self) -> int:
        """Return a hash of the content."""
        return hash(self._content)

    @property
    def numbers(self) -> dict[Domain, int]:
        """The number of units of each domain, in the order of `domains`."""
        return dict(zip(self.domains, (self.first, len(self.won) - self.first), strict=True))

    @property
    def fewest(self) -> int:
        """The number of units of the domain that has fewer."""
        return min(self.numbers.values())

    @property
    def largest(self) -> int:
        """The number of units of the domain that has more."""
        return max(self.numbers.values())

    @property
    def splits(self) -> int:
        """In how many distinct ways the units could be dealt out, or `_MOST_COUNTED` if more."""
        ways = comb(len(self.won), self.first)
        return min(ways // 2 if self.fewest == self.largest else ways, _MOST_COUNTED)

    @property
    def bearable(self) -> bool:
        """Return whether enough was decided, and on enough, for any figure (Reading R72)."""
        enough = self.decided_share >= FEWEST_DECIDED
        return enough and len(self.strategies) >= _FEWEST_KEPT and self.fewest > 0


def units_of(table: VerdictTable, names: Sequence[str], groups: Groups | None = None) -> Units:
    """Return the decided verdicts of two domains by unit, in the order that their content gives.

    Without `groups` every task is a unit of its own. Strategies are ordered by name, units by
    their counts, domains by their units: two units of equal content are the same to any test.

    Shapes: `names` K; `groups` a name for each task of a domain.
    Source: Readings R72, R73 and R74.
    """
    order = sorted(range(len(names)), key=lambda index: names[index])
    counts = {domain: table.counts[domain][order] for domain in table.domains.names}
    strategies_kept, tasks = _decided_often(counts, is_whole=table.is_whole)
    by_domain = {
        domain: _by_unit(
            counts[domain][strategies_kept][:, tasks[domain]],
            [groups[domain][index] for index in np.flatnonzero(tasks[domain]).tolist()]
            if groups
            else None,
        )
        for domain in counts
    }
    domains = sorted(counts, key=lambda domain: by_domain[domain].tolist())
    units = np.concatenate([by_domain[domain] for domain in domains])
    total = sum(int(part.sum()) for part in counts.values())
    ties = sum(int(part[..., _TIED].sum()) for part in counts.values())
    return Units(
        domains=(domains[0], domains[1]),
        strategies=tuple(names[order[index]] for index in np.flatnonzero(strategies_kept)),
        won=units[..., _WON].astype(np.float64),
        decided=units[..., (_WON, _LOST)].sum(axis=2).astype(np.float64),
        tied=units[..., _TIED].astype(np.float64),
        first=len(by_domain[domains[0]]),
        left_out=LeftOut(
            strategies=tuple(names[order[index]] for index in np.flatnonzero(~strategies_kept)),
            tasks={d: tuple(np.flatnonzero(~tasks[d]).tolist()) for d in counts},
        ),
        decided_share=(total - ties) / total if total else 0.0,
        grouped=groups is not None,
    )


def in_one_order(table: VerdictTable, names: Sequence[str]) -> VerdictTable:
    """Return a table with its strategies by name, its tasks and its domains by their content.

    The domains' names then say which comes first, and nothing else.

    Source: Reading R73.
    """
    order = sorted(range(len(names)), key=lambda index: names[index])
    domains = table.domains.names
    sides = sorted(sorted(table.counts[d][order].transpose(1, 0, 2).tolist()) for d in domains)
    counts = {
        domain: np.array(side, np.int64).reshape(-1, len(names), 3).transpose(1, 0, 2).copy()
        for domain, side in zip(domains, sides, strict=True)
    }
    return replace(table, counts=counts)


def _decided_often(
    counts: Mapping[Domain, Counts], *, is_whole: bool
) -> tuple[Flags, dict[Domain, Flags]]:
    """Return which strategies and which tasks were decided on often enough.

    In a whole table a pair without a verdict is undecided. In one that rounds have drawn, it is a
    pair that nobody has come to, and shares are of those that were asked. A strategy that was
    decided on left-out tasks alone is left out with them; no other task's share falls by that.
    """
    strategies: Flags = np.ones(len(next(iter(counts.values()))), np.bool_)
    for cells in counts.values():
        decided, due = _cells(cells, is_whole=is_whole)
        enough = decided.sum(axis=1) >= FEWEST_TASKS * due.sum(axis=1)
        strategies &= enough & decided.any(axis=1)
    tasks = {}
    for domain, cells in counts.items():
        decided, due = _cells(cells[strategies], is_whole=is_whole)
        enough = decided.sum(axis=0) >= FEWEST_STRATEGIES * due.sum(axis=0)
        tasks[domain] = enough & decided.any(axis=0)
    for domain, cells in counts.items():
        decided, _ = _cells(cells[:, tasks[domain]], is_whole=is_whole)
        strategies = strategies & decided.any(axis=1)
    return strategies, tasks


def _cells(counts: Counts, *, is_whole: bool) -> tuple[Flags, Flags]:
    """Return which pairs were decided, and which were to be.

    Shapes: (K, tasks, 3); (K, tasks) each.
    """
    decided: Flags = counts[..., _WON] + counts[..., _LOST] > 0
    present: Flags = counts.sum(axis=2) > 0
    return decided, np.ones_like(present) if is_whole else present


def _by_unit(counts: Counts, groups: Sequence[str] | None) -> Counts:
    """Return the counts of each group, in the order of their content.

    Shapes: (K, tasks, 3) to (units, K, 3).
    """
    by_group = summed(counts, groups)
    return np.array(sorted(by_group.tolist()), np.int64).reshape(by_group.shape)


def summed(counts: Counts, groups: Sequence[str] | None) -> Counts:
    """Return the counts of each group, or of each task, as they first come.

    Shapes: (K, tasks, 3) to (units, K, 3).
    """
    by_task = counts.transpose(1, 0, 2)
    if groups is None:
        return by_task
    places = {name: index for index, name in enumerate(dict.fromkeys(groups))}
    sums = np.zeros((len(places), *by_task.shape[1:]), np.int64)
    np.add.at(sums, [places[name] for name in groups], by_task)
    return sums


def paired_units(
    left: VerdictTable, right: VerdictTable, names: Sequence[str], groups: Groups | None = None
) -> tuple[tuple[Units, Units], LeftOut]:
    """Return two tables of two domains by unit: what is left out of one is left out of the other.

    Shapes: `names` K; `groups` a name for each task of a domain.
    """
    both_units = [units_of(table, names, groups) for table in (left, right)]
    domains = left.domains.names
    out = LeftOut(
        strategies=tuple(n for n in names if any(n in u.left_out.strategies for u in both_units)),
        tasks={
            d: tuple(sorted({task for u in both_units for task in u.left_out.tasks.get(d, ())}))
            for d in domains
        },
    )
    first, second = (
        _paired(table, units, names, groups, out)
        for table, units in zip((left, right), both_units, strict=True)
    )
    return (first, second), out


def _paired(
    table: VerdictTable, units: Units, names: Sequence[str], groups: Groups | None, out: LeftOut
) -> Units:
    strategies = [index for index, name in enumerate(names) if name not in out.strategies]
    sides: list[Counts] = []
    for domain, number in table.tasks().items():
        tasks = [index for index in range(number) if index not in set(out.tasks[domain])]
        of_tasks = [groups[domain][index] for index in tasks] if groups else None
        sides.append(summed(table.counts[domain][strategies][:, tasks], of_tasks))
    counts = np.concatenate(sides).astype(np.float64)
    domains = tuple(table.counts)
    return dataclasses.replace(
        units,
        domains=(domains[0], domains[1]),
        strategies=tuple(names[index] for index in strategies),
        won=counts[..., 0],
        decided=counts[..., 0] + counts[..., 1],
        tied=counts[..., 2],
        first=len(sides[0]),
        left_out=out,
    )
