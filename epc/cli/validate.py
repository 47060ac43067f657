"""`epc validate PATH...`."""

import json
from pathlib import Path

import click

from epc.cli.common import format_option, say
from epc.errors import ExitCode
from epc.printable import json_shown


@click.command()
@click.argument(
    "paths",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, path_type=Path),
    metavar="PATH...",
)
@format_option
@click.pass_context
def command(ctx: click.Context, paths: tuple[Path, ...], form: str) -> None:
    r"""Check run folders or manifests: schema, then meaning, then recomputed values.

    All findings are listed, each with its place as a JSON Pointer and the clause it departs
    from. Places in the raw files begin with /trials, /calls and /weights. As JSON, one line a
    path. Exits 1 if anything worse than a warning was found.

    \b
    Example:
      epc validate runs/first
      epc validate --format json submissions/*/manifest.json
    """
    from epc.records.validate import validate

    ok = True
    for path in paths:
        report = validate(path)
        ok = ok and report.ok
        if form == "json":
            click.echo(json_shown(json.dumps(report.as_json(), ensure_ascii=False)))
            continue
        count = len(report.findings)
        say(f"{path}: {'ok' if report.ok else 'not valid'}, findings: {count}")
        for finding in report.findings:
            say(str(finding))
    ctx.exit(ExitCode.CLEAN if ok else ExitCode.FINDINGS)
