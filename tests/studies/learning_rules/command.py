"""Which learning rule resists a biased judge?

python tests/studies/learning_rules/command.py --out FOLDER
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[2]))

import click

from epc.cli.common import echo_json, print_note
from epc.cli.countdown import spread
from epc.cli.options import NEW_FOLDER, format_option
from epc.errors import UsageError

if TYPE_CHECKING:
    from studies.learning_rules.rules import Loop

    from epc.audit.units import Groups

_RECORDED = "recorded:"


@click.command()
@click.option(
    "--evaluator",
    "evaluators",
    multiple=True,
    metavar="TAG|RUN|recorded:FILE",
    help="A judge by its recorded verdicts. May be given again.",
)
@click.option(
    "--out",
    type=NEW_FOLDER,
    metavar="FOLDER",
    help="Where the tables and the picture go; those of an earlier study are replaced.",
)
@click.option(
    "--runs",
    type=click.IntRange(8, 10_000_000),
    default=60,
    show_default=True,
    help="Synthetic judges of every kind, for level and power.",
)
@format_option
def command(evaluators: tuple[str, ...], out: Path | None, runs: int, form: str) -> None:
    r"""Ask which learning rule resists a biased judge, by transfer regret.

    Of the protocol's learning rule and of the three that may take its place it says what each
    loses and gains, with synthetic judges and with recorded ones, how often it says that two rules
    differ where they do not (level) and where they do (power), and what other rates of the
    protocol's rule would do. The tables are the same to the last digit on any number of processes.

    \b
    Example:
      python tests/studies/learning_rules/command.py --runs 8 \
        --evaluator v1.2-SmolLM2-135M-Likelihood
    """
    from studies.learning_rules.rules import points, summed, work
    from studies.learning_rules.tables import Study, as_json, markdown, write

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
        print_note("wrote    " + ", ".join(map(str, write(study, out))))


def _recorded(named: str) -> "list[Loop]":
    """Return every rule's regret by the verdicts of a file, a run or a snapshot."""
    from studies.learning_rules.rules import loops, verdicts_of

    from epc.audit.units import units_of
    from epc.cli.planning import manifest_named
    from epc.engine.verdicts import read_table
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


if __name__ == "__main__":
    command()
