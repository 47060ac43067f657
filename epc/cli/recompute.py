"""`epc recompute RUN`."""

from pathlib import Path

import click

from epc.cli.common import echo_json, format_option, note, run_argument
from epc.errors import ExitCode


@click.command()
@run_argument
@click.option("--write", is_flag=True, help="Put the recomputed results into the manifest.")
@format_option
@click.pass_context
def command(ctx: click.Context, run: Path, write: bool, form: str) -> None:
    r"""Compute RUN's metrics again from its trials alone, and compare with its manifest.

    Exits 1 if they differ or a trial does not fit; with --write, the manifest and weights.jsonl
    are then brought in line with the trials.

    \b
    Example:
      epc recompute runs/first
      epc recompute runs/first --format json
    """
    from epc.records.rewrite import rewrite

    outcome = rewrite(run, write=write)
    for finding in outcome.findings:
        note(str(finding))
    if form == "json":
        echo_json(outcome.results)
    else:
        same = "equal to the manifest's" if not outcome.changed else "not the manifest's"
        seeds = len(outcome.results["per_seed"])
        click.echo(f"{run}: {seeds} seeds recomputed from the trials; results {same}")
        for place in outcome.changed:
            click.echo(f"  differs: /results{place}")
        if outcome.written:
            click.echo(f"  written: {', '.join(outcome.written)}")
    clean = not outcome.findings and not outcome.changed
    ctx.exit(ExitCode.CLEAN if clean else ExitCode.FINDINGS)
