"""`epc resume RUN`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from epc.cli.common import format_option, note, run_argument
from epc.cli.run import limit_options

if TYPE_CHECKING:
    from epc.engine.session import Limits


@click.command()
@run_argument
@click.option(
    "--anyway", is_flag=True, help="Measure an evaluator that failed the controls all the same."
)
@limit_options
@format_option
def command(
    run: Path,
    anyway: bool,
    limits: "Limits",
    form: str,
) -> None:
    r"""Finish an interrupted RUN, or evaluation of `epc judge run`.

    No answered call is asked again, and the result is the one that an uninterrupted run gives.
    The limits hold for this sitting.

    \b
    Example:
      epc resume runs/first
    """
    resume(run, limits, form=form, anyway=anyway)


def resume(
    run: Path, limits: "Limits", *, form: str, batches: bool = False, anyway: bool = False
) -> None:
    """Go on with a run; `epc run --batch collect` does the same."""
    from epc.cli.run import finish
    from epc.cli.show import show
    from epc.engine.session import reopen
    from epc.records.judging.layout import is_evaluation
    from epc.records.recompute import load_manifest

    if is_evaluation(run):
        from epc.cli.judge import go_on

        go_on(run, limits, form)
        return
    opened = reopen(run)
    if opened is None:
        note(f"{run} is complete")
        show(load_manifest(run), run, form=form, figure=False)
        return
    finish(opened, run, limits, form=form, batches=batches, anyway=anyway)
