"""`epc compare A B`."""

from pathlib import Path

import click

from epc.cli.common import Finite, echo_json, format_option, html_option, say, write_page
from epc.errors import ExitCode

_run = click.Path(exists=True, path_type=Path)


@click.command()
@click.argument("left", type=_run, metavar="A")
@click.argument("right", type=_run, metavar="B")
@click.option(
    "--margin",
    type=Finite(0, 1, min_open=True),
    default=0.1,
    show_default=True,
    help="How large a changed share still counts as the same.",
)
@html_option
@format_option
@click.pass_context
def command(
    ctx: click.Context, left: Path, right: Path, margin: float, form: str, html: Path | None
) -> None:
    r"""Compare two measurements A and B: like for like, differences, drift.

    A and B are run folders, or manifests, which allow fewer comparisons. With raw files the command
    compares verdicts pair by pair. That shows a changed evaluator long before gamma does. Exits 1
    if the evaluator drifted or the runs are not like for like; 0 if it is the same or the data
    cannot tell; the verdict says which.

    \b
    Example:
      epc compare runs/july runs/august
      epc compare runs/july runs/august --html drift.html
      epc compare --format json july/manifest.json august/manifest.json
    """
    from epc.analysis.compare import check_records, compare
    from epc.report.comparison_text import report

    comparison = compare(left, right, margin=margin, untrue=check_records(left, right))
    if form == "json":
        echo_json(comparison.as_json())
    else:
        say(report(comparison))
    if html is not None:
        from epc.report.page.comparison import comparison_page

        write_page(html, comparison_page(comparison))
    ctx.exit(ExitCode.CLEAN if comparison.clean else ExitCode.FINDINGS)
