"""`epc study --out FOLDER`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from epc.cli.common import echo_json, format_option, note
from epc.cli.grid import grid_options

if TYPE_CHECKING:
    from epc.audit.study import Coverage, Rejections

_RUNS = 2000
_FEWEST = 8


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    metavar="FOLDER",
    help="Where the tables and pictures go; those of an earlier study are replaced.",
)
@click.option(
    "--runs",
    type=click.IntRange(_FEWEST, 10_000_000),
    default=_RUNS,
    show_default=True,
    help="Runs of every evaluator without coupling; half for coverage, a quarter for power.",
)
@grid_options
@format_option
def command(out: Path, runs: int, spread: Any, form: str) -> None:
    r"""Rerun the simulations behind the audit: error rates, power and coverage.

    Synthetic evaluators whose preferences are known are measured again and again. The tables are
    the same to the last digit on any number of processes.

    \b
    Example:
      epc study --out site/docs/data --jobs 2
    """
    from epc.audit.study import coverage, points, rejections, work
    from epc.report.study_tables import write

    found = list(spread(work, points(runs), "simulated runs"))
    decided, covered = rejections(found), coverage(found)
    files = write(decided, covered, out)
    if form == "json":
        echo_json(
            {
                "rejections": [_decided(row) for row in decided],
                "coverage": [_covered(row) for row in covered],
            }
        )
    else:
        click.echo("\n".join(_lines(decided, covered)))
    note("wrote    " + ", ".join(map(str, files)))


def _decided(row: "Rejections") -> dict[str, Any]:
    from dataclasses import asdict

    return {**asdict(row), "rate": row.rate, "ci95": row.interval}


def _covered(row: "Coverage") -> dict[str, Any]:
    from dataclasses import asdict

    return {**asdict(row), "rate": row.rate}


def _lines(decided: "list[Rejections]", covered: "list[Coverage]") -> list[str]:
    """Return the adopted test's row of every evaluator, and the intervals' coverage."""
    from epc.audit.candidate_tests import ADOPTED

    lines = [f"{'says coupled':<38}{'seeds':>7}  {'reuse':<12}{'rate':>8}"]
    lines += [
        f"{row.evaluator:<38}{row.seeds:>7}  {row.reuse:<12}{row.rate:>8.3f}"
        for row in decided
        if row.test == ADOPTED
    ]
    lines += ["", f"{'covers the truth':<38}{'seeds':>7}  {'interval':<28}{'rate':>8}"]
    lines += [
        f"{row.evaluator:<38}{row.seeds:>7}  {row.interval:<28}{row.rate:>8.3f}" for row in covered
    ]
    return lines
