"""`epc compare A B [MORE...]`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from epc.cli.common import echo_json, leave, say, tell, write_page
from epc.cli.options import THERE, Finite, format_option, html_option
from epc.errors import refuse

if TYPE_CHECKING:
    from epc.analysis.mitigation import Mitigated


@click.command()
@click.argument("left", type=THERE, metavar="A")
@click.argument("right", type=THERE, metavar="B")
@click.argument("more", type=THERE, metavar="[MORE]...", nargs=-1)
@click.option(
    "--margin",
    type=Finite(0, 1, min_open=True),
    default=0.1,
    show_default=True,
    help="How large a changed share still counts as the same.",
)
@html_option
@format_option
def command(
    left: Path,
    right: Path,
    more: tuple[Path, ...],
    *,
    margin: float,
    form: str,
    html: Path | None,
) -> None:
    r"""Compare two measurements A and B: like for like, differences, drift.

    A and B are run folders, or manifests, which allow fewer comparisons. With raw files the command
    compares verdicts pair by pair. That shows a changed evaluator long before gamma does. Exits 1
    if the evaluator drifted or the runs are not like for like; 0 if it is the same or the data
    cannot tell; the verdict says which.

    Where B is a wrapper round A's evaluator (balanced:, calibrated:, panel:, band=), the command
    also says by how much B reduces the transfer regret and the redirected choices of A, with
    intervals, and what that costs in calls. With MORE it says only that, of B and of each of MORE,
    and exits 0.

    \b
    Example:
      epc compare runs/july runs/august
      epc compare runs/july runs/august --html drift.html
      epc compare runs/plain runs/balanced runs/calibrated
      epc compare --format json july/manifest.json august/manifest.json
    """
    from epc.analysis.compare import check_records, compare
    from epc.records.recompute import load_manifest
    from epc.report.comparison_text import report
    from epc.report.mitigation_text import mitigation_report

    if more:
        _only_mitigation(left, (right, *more), form, html)
        return
    effect = _effect(left, right)
    comparison = compare(left, right, margin=margin, untrue=check_records(left, right))
    if form == "json":
        mitigation = {"mitigation": effect[0].as_json()} if effect else {}
        echo_json({**comparison.as_json(), **mitigation})
    else:
        say(report(comparison))
        if effect:
            say(f"\n{mitigation_report(load_manifest(left).evaluator.model, effect)}")
    if html is not None:
        from epc.report.page.comparison import comparison_page

        write_page(html, comparison_page(comparison))
    leave(clean=comparison.clean)


def _effect(plain: Path, other: Path) -> "list[Mitigated]":
    """Return what the second run does to the first, if it is of a wrapper round its evaluator."""
    from epc.analysis.mitigation import mitigated, wraps
    from epc.records.recompute import load_manifest

    return mitigated(plain, [other]) if wraps(load_manifest(plain), load_manifest(other)) else []


def _only_mitigation(plain: Path, others: tuple[Path, ...], form: str, html: Path | None) -> None:
    """Print what each wrapper does to the plain run.

    Raises: UsageError if one is no wrapper round its evaluator.
    """
    from epc.analysis.compare import check_records
    from epc.analysis.mitigation import mitigated
    from epc.records.recompute import load_manifest
    from epc.report.mitigation_text import mitigation_report

    if html is not None:
        raise click.UsageError("--html is of two runs: leave MORE or --html out")
    refuse(check_records(plain, *others))
    effects = mitigated(plain, others)
    tell(
        form,
        lambda: {"plain": str(plain), "mitigated": [each.as_json() for each in effects]},
        lambda: mitigation_report(load_manifest(plain).evaluator.model, effects),
    )
