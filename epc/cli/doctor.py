"""`epc doctor`."""

import os

import click

from epc.cli.common import echo_json, format_option
from epc.errors import ExitCode


@click.command()
@format_option
@click.pass_context
def command(ctx: click.Context, form: str) -> None:
    r"""Say what is installed, which models can be used, and how to get what is missing.

    Nothing is downloaded and nothing is sent: self-hosted endpoints are only connected to. Exits
    1 if a measurement with the embedded models is not possible as things stand.

    \b
    Example:
      epc doctor
    """
    from epc.engine.doctor import examine

    checks = examine(os.environ)
    if form == "json":
        echo_json([{"what": c.what, "ok": c.ok, "found": c.found, "fix": c.fix} for c in checks])
    else:
        for check in checks:
            mark = "ok      " if check.ok else "missing " if check.needed else "not set "
            click.echo(f"{mark}{check.what}: {check.found}")
            if not check.ok:
                click.echo(f"        fix: {check.fix}")
    failed = any(check.needed and not check.ok for check in checks)
    ctx.exit(ExitCode.FINDINGS if failed else ExitCode.CLEAN)
