"""`epc audit RUN`."""

from pathlib import Path

import click

from epc.cli.common import echo_json, format_option
from epc.errors import ExitCode
from epc.spec.epc_v1 import ROUNDS


@click.command()
@click.argument("run", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--rounds",
    type=click.IntRange(0, 100_000),
    default=ROUNDS,
    show_default=True,
    help="Rounds in a phase, for weights that were published alone.",
)
@format_option
@click.pass_context
def command(ctx: click.Context, run: Path, rounds: int, form: str) -> None:
    r"""Say whether RUN can bear a claim: one word, then every reason.

    RUN is a run folder, a manifest, or per-seed weights that somebody published alone, complete or
    rounded. Exits 1 if no claim can rest on it.

    \b
    coupled                 the domains' preferences differ (p at most 0.05)
    no_detectable_coupling  they cannot be told apart
    no_verdicts_counted     a failed run: its gamma of 0 says nothing
    collapsed               every run ended on one strategy
    inconclusive            see the reasons

    \b
    Example:
      epc audit runs/first
      epc audit weights.json --format json
    """
    from epc.records.audit import audit
    from epc.records.audit_text import text

    found = audit(run, rounds=rounds)
    if form == "json":
        echo_json(found.as_json())
    else:
        click.echo(text(found))
    ctx.exit(ExitCode.CLEAN if found.clean else ExitCode.FINDINGS)
