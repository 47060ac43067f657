"""`epc show RUN`."""

from pathlib import Path

import click

from epc.cli.common import echo_json, format_option, note, run_argument
from epc.core.results import Json


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
    from epc.records.recompute import load_manifest, manifest_path

    manifest = load_manifest(run)
    show(manifest, manifest_path(run).parent, form=form, figure=figure)


def show(manifest: Json, folder: Path, *, form: str, figure: bool = True) -> None:
    """Print a manifest's figures and draw its picture; `epc run` ends with the same."""
    if form == "json":
        echo_json(manifest["results"]["summary"])
    else:
        from epc.records.audit import audit
        from epc.records.report import report

        click.echo(report(manifest, audit(folder)))
    if figure:
        from epc.records.figure import draw

        note("")
        for path in draw(manifest, folder):
            note(f"picture  {path}")
