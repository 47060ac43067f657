"""`epc resume RUN`."""

from pathlib import Path

import click

from epc.cli.common import format_option, note, now, run_argument


@click.command()
@run_argument
@format_option
def command(run: Path, form: str) -> None:
    r"""Finish an interrupted RUN.

    No answered call is asked again, and the result is the one that an uninterrupted run gives.

    \b
    Example:
      epc resume runs/first
    """
    from epc.cli.run import finish
    from epc.cli.show import show
    from epc.engine.session import reopen
    from epc.records.recompute import load_manifest

    opened = reopen(run)
    if opened is None:
        note(f"{run} is complete")
        show(load_manifest(run), run, form=form, figure=False)
        return
    plan, models = opened
    finish(plan, models, run, now=now(), form=form)
