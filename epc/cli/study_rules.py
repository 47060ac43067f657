"""`epc study --rules`: which learning rule resists a biased judge."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from epc.cli.common import echo_json, note
from epc.errors import UsageError

if TYPE_CHECKING:
    from epc.audit.rules_study import Loop
    from epc.audit.units import Groups

_RECORDED = "recorded:"


def tell(
    evaluators: tuple[str, ...], *, runs: int, out: Path | None, spread: Any, form: str
) -> None:
    """Run the study and print it; with a folder, write it there too."""
    from epc.audit.rules_study import points, summed, work
    from epc.report.rules_tables import Study, as_json, markdown, write

    recorded = [loop for named in evaluators for loop in _recorded(named)]
    parts = list(spread(work, points(runs), "learning rules"))
    study = Study(
        truths=[truth for part in parts for truth in part.truths],
        grid=[cell for part in parts for cell in part.cells],
        said=summed(parts),
        recorded=recorded,
    )
    if form == "json":
        echo_json(as_json(study))
    else:
        click.echo(markdown(study), nl=False)
    if out is not None:
        note("wrote    " + ", ".join(map(str, write(study, out))))


def _recorded(named: str) -> "list[Loop]":
    """Return every rule's regret by the verdicts of a file, a run or a snapshot."""
    from epc.audit.rules_study import loops
    from epc.audit.units import units_of
    from epc.cli.planning import manifest_named
    from epc.engine.recorded import read_table, verdicts_of
    from epc.records.manifest import verdict_table
    from epc.spec.domains import PAIRED
    from epc.spec.epc_v1 import ROUNDS

    if named.startswith(_RECORDED):
        read = read_table(Path(named.removeprefix(_RECORDED)))
        table, rounds = verdicts_of(read), ROUNDS
        groups: Groups | None = read.groups
        names = [strategy.name for strategy in read.strategies]
    else:
        manifest = manifest_named(named)
        table, rounds = verdict_table(manifest), manifest.config.rounds
        groups, names = manifest.groups, manifest.names
    if len(table.domains.names) != PAIRED:
        raise UsageError(f"{named} has {len(table.domains.names)} domains: the study takes two")
    units = units_of(table, names, groups)
    if not units.bearable:
        raise UsageError(f"{named}: too little was decided to say what crosses")
    return loops(named, units, rounds=rounds)
