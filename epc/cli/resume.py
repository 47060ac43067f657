"""`epc resume RUN`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from epc.cli.asking import bound_options
from epc.cli.options import format_option, run_argument
from epc.cli.run_session import go_on

if TYPE_CHECKING:
    from epc.engine.budget import Limits


@click.command()
@run_argument
@click.option("--anyway", is_flag=True, help="Measure even an evaluator that failed the controls.")
@bound_options
@format_option
def command(
    run: Path,
    anyway: bool,
    limits: "Limits",
    form: str,
) -> None:
    r"""Finish an interrupted RUN, campaign, or evaluation of `epc judge run`.

    It asks no answered call again. The result is the one that an uninterrupted run gives. The
    limits apply to this session. A campaign (the folder of `epc run` with several models) is
    finished whole; name one of its runs to finish that alone.

    \b
    Example:
      epc resume runs/first
      epc resume runs/judges
    """
    from epc.records.judging.documents import is_evaluation

    if is_evaluation(run):
        from epc.cli.judge_run import judge_on

        judge_on(run, limits, form)
    else:
        go_on(run, limits, form=form, anyway=anyway)
