"""`epc validate PATH...`."""

from pathlib import Path

import click

from epc.cli.common import leave, say_checked
from epc.cli.options import THERE, format_option


@click.command()
@click.argument("paths", nargs=-1, required=True, type=THERE, metavar="PATH...")
@format_option
def command(paths: tuple[Path, ...], form: str) -> None:
    r"""Check run folders or manifests: schema, then meaning, then recomputed values.

    All findings are listed, each with its place as a JSON Pointer and the clause it departs
    from. Places in the raw files begin with /trials, /calls and /weights. As JSON, one line a
    path. Of a campaign's folder every run is checked. Exits 1 if anything worse than a warning was
    found.

    \b
    Example:
      epc validate runs/first
      epc validate --format json submissions/*/manifest.json
    """
    from epc.records.campaign import each_run
    from epc.records.validate import validate

    ok = True
    for path in (run for named in paths for run in each_run(named)):
        report = validate(path)
        ok = ok and report.ok
        lines = [str(finding) for finding in report.findings]
        say_checked(path, report.as_json(), lines, ok=report.ok, form=form)
    leave(clean=ok)
