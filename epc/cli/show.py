"""`epc show RUN`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from epc.cli.common import echo_json, format_option, note, run_argument, say

if TYPE_CHECKING:
    from epc.analysis.audit import Audit
    from epc.records.manifest import Manifest


@click.command()
@run_argument
@click.option(
    "--figure/--no-figure", default=True, show_default=True, help="Draw the picture again."
)
@format_option
def command(run: Path, figure: bool, form: str) -> None:
    r"""Show RUN's figures with their intervals and the coin-flip band.

    Prints a table, and draws figure.svg and figure.png beside the manifest. With --format json,
    prints the manifest's summary.

    \b
    Example:
      epc show runs/first
    """
    from epc.records.recompute import load_manifest

    show(load_manifest(run), run, form=form, figure=figure)


def show_written(manifest: "Manifest", folder: Path, *, form: str) -> "Audit":
    """Show a record that this program has just written and replayed; return its audit."""
    from epc.analysis.audit import audit_checked
    from epc.records.validate import check_statement

    audited = audit_checked(check_statement(manifest, folder))
    show(manifest, folder, form=form, audited=audited)
    return audited


def show(
    manifest: "Manifest",
    run: Path,
    *,
    form: str,
    figure: bool = True,
    audited: "Audit | None" = None,
) -> None:
    """Print a manifest's figures and draw its picture; `epc run` ends with the same.

    `audited` is the audit of RUN, where there is one already.
    """
    if form == "json":
        echo_json(manifest.document["results"]["summary"])
    else:
        from epc.analysis.audit import audit
        from epc.report.measurement_text import report

        say(report(manifest, audited or audit(run)))
    if figure:
        from epc.records.recompute import manifest_path
        from epc.report.figure import draw

        note("")
        for path in draw(manifest, manifest_path(run).parent):
            note(f"picture  {path}")
