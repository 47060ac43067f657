"""Two judges of the same tasks by unit, in one order, on what both decided on."""

from collections.abc import Sequence
from dataclasses import replace

from epc.arrays import Counts, np
from epc.audit.units import Groups, LeftOut, Units, summed, units_of
from epc.protocol.table import VerdictTable


def paired_units(
    one: VerdictTable, other: VerdictTable, names: Sequence[str], groups: Groups | None = None
) -> tuple[tuple[Units, Units], LeftOut]:
    """Return two tables of two domains by unit: what is left out of one is left out of the other.

    Shapes: `names` K; `groups` a name for each task of a domain.
    """
    both_units = [units_of(table, names, groups) for table in (one, other)]
    both = one.domains.names
    out = LeftOut(
        strategies=tuple(n for n in names if any(n in u.left_out.strategies for u in both_units)),
        tasks={
            d: tuple(sorted({at for u in both_units for at in u.left_out.tasks.get(d, ())}))
            for d in both
        },
    )
    first, second = (
        _units(table, units, names, groups, out)
        for table, units in zip((one, other), both_units, strict=True)
    )
    return (first, second), out


def _units(
    table: VerdictTable, units: Units, names: Sequence[str], groups: Groups | None, out: LeftOut
) -> Units:
    strategies = [at for at, name in enumerate(names) if name not in out.strategies]
    sides: list[Counts] = []
    for domain, number in table.tasks().items():
        tasks = [at for at in range(number) if at not in set(out.tasks[domain])]
        of_tasks = [groups[domain][at] for at in tasks] if groups else None
        sides.append(summed(table.counts[domain][strategies][:, tasks], of_tasks))
    every = np.concatenate(sides).astype(np.float64)
    domains = tuple(table.counts)
    return replace(
        units,
        domains=(domains[0], domains[1]),
        strategies=tuple(names[at] for at in strategies),
        won=every[..., 0],
        decided=every[..., 0] + every[..., 1],
        tied=every[..., 2],
        first=len(sides[0]),
        left_out=out,
    )
