"""`epc show RUN`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from epc.cli.common import (
    echo_json,
    format_option,
    html_option,
    note,
    now,
    run_argument,
    say,
    write_page,
)

if TYPE_CHECKING:
    from epc.analysis.audit import Audit
    from epc.records.manifest import Manifest


@click.command()
@run_argument
@click.option(
    "--figure/--no-figure", default=True, show_default=True, help="Draw the picture again."
)
@html_option
@format_option
def command(run: Path, figure: bool, form: str, html: Path | None) -> None:
    r"""Show RUN's figures with their intervals and the coin-flip band.

    Prints a table, and draws figure.svg and figure.png beside the manifest. With --format json,
    prints the manifest's summary. With --html, writes a report that needs no network and no script:
    the word and what it rests on, its pictures, and all details, folded.

    \b
    Example:
      epc show runs/first
      epc show runs/first --html first.html
    """
    from epc.records.recompute import load_manifest

    manifest = load_manifest(run)
    if html is None:
        show(manifest, run, form=form, figure=figure)
        return
    from epc.analysis.audit import audit
    from epc.analysis.trajectories import trajectories_of
    from epc.report.page.run import run_page

    audited = audit(run)
    show(manifest, run, form=form, figure=figure, audited=audited)
    paths = trajectories_of(manifest, run)
    write_page(html, run_page(manifest, audited, paths=paths, holds=_holds(manifest)))


def _holds(manifest: "Manifest") -> list[str]:
    """Return until when the evaluator can be measured again, as far as a registry here says."""
    from epc.errors import EpcError
    from epc.registry.reading import open_registry

    model = manifest.evaluator.model
    try:
        states = open_registry(None, figures=False).expiry([model], now().date())
    except EpcError:
        return [f"as long as its evaluator does: `epc expiry {model}` says until when"]
    return [f"{state.words} on {state.as_of.isoformat()}: {state.note}" for state in states]


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
