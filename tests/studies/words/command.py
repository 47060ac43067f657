"""The simulations behind the audit, rerun.

python tests/studies/words/command.py --out FOLDER
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import click

from epc.cli.common import echo_json, note
from epc.cli.grid import grid_options
from epc.cli.options import NEW_FOLDER, format_option
from epc.errors import UsageError

if TYPE_CHECKING:
    from studies.words.results import Coverage, Words
    from studies.words.rules import Loop

    from epc.audit.units import Groups

_PUBLISHED = 2000
_QUICK = 200
_JUDGES = 60
_FEWEST = 8
_RECORDED = "recorded:"


@click.command()
@click.option(
    "--rules",
    is_flag=True,
    help="Instead ask which learning rule resists a biased judge, by transfer regret.",
)
@click.option(
    "--evaluator",
    "evaluators",
    multiple=True,
    metavar="TAG|RUN|recorded:FILE",
    help="With --rules: a judge by its recorded verdicts. May be given again.",
)
@click.option(
    "--out",
    type=NEW_FOLDER,
    metavar="FOLDER",
    help="Where the tables and pictures go; those of an earlier study are replaced.",
)
@click.option(
    "--runs",
    type=click.IntRange(_FEWEST, 10_000_000),
    help=f"Runs of every evaluator whose domains prefer alike, {_PUBLISHED} unless stated; half as "
    "many where preferences cross and for the coverage of intervals for the domain.",
)
@click.option(
    "--quick",
    is_flag=True,
    help=f"A first look: {_QUICK} runs, of evaluators with 8 tasks a domain and up to 30 rounds.",
)
@grid_options
@format_option
def command(
    rules: bool,
    evaluators: tuple[str, ...],
    out: Path | None,
    runs: int | None,
    quick: bool,
    spread: Any,
    form: str,
) -> None:
    r"""Rerun the simulations behind the audit: false words, power and coverage.

    Synthetic evaluators whose preferences are known are measured again and again, and each run is
    put to the rule of the audit, to the one before it and to their rivals. The tables are the
    same to the last digit on any number of processes.

    --rules asks something else: of the protocol's learning rule and of the three that may take its
    place, which one resists a biased judge? It says what each loses and gains, with synthetic
    judges and with recorded ones, how often it says that two rules differ where they do not
    (level) and where they do (power), and what other rates of the protocol's rule would do.

    \b
    Example:
      python tests/studies/words/command.py --out study --quick --jobs 2
      python tests/studies/words/command.py --out site/docs/data --jobs 8
      python tests/studies/words/command.py --rules --runs 8 \
        --evaluator v1.2-SmolLM2-135M-Likelihood
    """
    from studies.words.points import points
    from studies.words.results import coverage, sizes, words
    from studies.words.study import work
    from studies.words.tables import write

    if quick and runs is not None:
        raise click.UsageError("--quick states the number of runs: leave out --runs or --quick")
    if rules:
        _of_rules(evaluators, runs=runs or _JUDGES, out=out, spread=spread, form=form)
        return
    if evaluators:
        raise click.UsageError("--evaluator goes with --rules: this study has judges of its own")
    if out is None:
        raise click.UsageError("Missing option '--out'.")
    count = runs or (_QUICK if quick else _PUBLISHED)
    results = list(spread(work, points(count, first_look=quick), "simulated runs"))
    rows, known, covered = words(results), sizes(results), coverage(results)
    files = write(rows, known, covered, out)
    if form == "json":
        from dataclasses import asdict

        echo_json(
            {
                "words": [_words(row) for row in rows],
                "sizes": {name: asdict(size) for name, size in known.items()},
                "coverage": [{**asdict(row), "rate": row.rate} for row in covered],
            }
        )
    else:
        click.echo("\n".join(_lines(rows, covered)))
    note("wrote    " + ", ".join(map(str, files)))


def _words(row: "Words") -> dict[str, Any]:
    """Return a row for each rule, by its name."""
    rules = {
        rule: {"coupled": hits, "rate": row.rate(rule), "ci99": row.interval(rule)}
        for rule, hits in row.coupled.items()
    }
    about = {key: getattr(row, key) for key in ("evaluator", "reuse", "seeds", "runs")}
    return {**about, "rules": rules, "sized": row.sized, "beyond": row.beyond}


def _lines(rows: "list[Words]", covered: "list[Coverage]") -> list[str]:
    """Return the old word and the new one of every evaluator, and the intervals' coverage."""
    from studies.words.candidates import ADOPTED, OLD

    lines = [f"{'says coupled':<40}{'run':<16}{'rule 1':>8}{'rule 2':>8}"]
    lines += [
        f"{row.evaluator:<40}{f'{row.reuse}, {row.seeds}':<16}"
        f"{row.rate(OLD):>8.3f}{row.rate(ADOPTED):>8.3f}"
        for row in rows
    ]
    lines += ["", f"{'covers the truth':<40}{'run':<16}{'interval':<36}{'rate':>8}"]
    return lines + [
        f"{row.evaluator:<40}{f'{row.reuse}, {row.seeds}':<16}{row.interval:<36}{row.rate:>8.3f}"
        for row in covered
    ]


def _of_rules(
    evaluators: tuple[str, ...], *, runs: int, out: Path | None, spread: Any, form: str
) -> None:
    """Ask which learning rule resists a biased judge; with a folder, write it there too."""
    from studies.words.rules import points, summed, work
    from studies.words.rules_tables import Study, as_json, markdown, write

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
    from studies.words.rules import loops

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


if __name__ == "__main__":
    command()
