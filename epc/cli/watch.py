"""`epc watch RUN`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from epc.cli.asking import BOUNDS, bound_options
from epc.cli.common import exit_with, now, print_note, print_result
from epc.cli.options import NEW_FILE, RUN_OR_TAG, Whole, format_option, refuse_options
from epc.errors import StoppedError

if TYPE_CHECKING:
    from epc.engine.budget import Limits


@click.command()
@click.argument("run", metavar="RUN|TAG", type=RUN_OR_TAG)
@click.option(
    "--history",
    type=NEW_FILE,
    metavar="FILE",
    help="Where the days are kept. Default: watch.jsonl in RUN.",
)
@click.option(
    "--pairs",
    type=Whole(1, 10_000),
    metavar="N",
    help="Pairs in the panel, from 2.5 times as many. Default: 24, or all recorded ones.",
)
@click.option("--dry-run", is_flag=True, help="Say what a day would ask and cost; send nothing.")
@click.option("--no-ask", is_flag=True, help="Say what is known; ask nothing.")
@bound_options
@format_option
def command(
    run: Path | str,
    history: Path | None,
    pairs: int | None,
    dry_run: bool,
    no_ask: bool,
    limits: "Limits",
    form: str,
) -> None:
    r"""Ask the evaluator of RUN again and say whether it still answers as it did.

    The first day asks 60 of RUN's own questions three times. It answers whether the evaluator
    changed since RUN, and keeps 24 pairs that got the same verdict each time: the panel. Every
    later UTC day asks the panel once. Nothing comes from the cache.

    You may look every day. Of evaluators that did not change since the first day at most one in
    twenty is ever called `drifted`, however long the watch goes on (simulated, also with answers
    that flip). `holds` is about the recent past: of twenty drifts to a fifth of the panel or more
    that have lasted 21 days, at most one is ever called so. It is taken back when the last days
    no longer support it.

    Exits 1 if the evaluator drifted, since RUN or since the first day, 3 if the provider failed
    (the history is then untouched), 4 at a limit, and 0 if it holds or cannot tell.

    \b
    Example:
      epc watch runs/first
      epc watch runs/first --history watch/first.jsonl --max-cost 0.05
    """
    from epc.cli.progress import progress_bar
    from epc.cli.run_session import fetch_weights_if_named, show_forecast
    from epc.engine.drift_watch import ask_today, begin, expect
    from epc.engine.task_group import run_until_ctrl_c
    from epc.report.drift_text import report

    if isinstance(run, str):
        raise click.UsageError(f"Get its folder first: epc snapshot fetch {run}")
    if no_ask:
        of_asking = ("dry_run", "pairs", *BOUNDS)
        refuse_options(of_asking, "is of what a day asks, and --no-ask asks nothing")
    watching = begin(run, history=history, pairs=pairs)
    if dry_run:
        show_forecast(expect(watching), form, limits)
        return
    if no_ask:
        standing = watching.standing()
    else:
        fetch_weights_if_named(watching.evaluator)
        calls = len(watching.due) * watching.askings
        print_note(f"watch    {run}: a day asks {calls} questions of {watching.evaluator}")
        try:
            standing = run_until_ctrl_c(
                ask_today(watching, clock=now, watch=progress_bar, limits=limits)
            )
        except KeyboardInterrupt:
            message = "stopped; nothing answered is lost\n  the same command goes on today"
            raise StoppedError(message) from None
        print_note(f"history  {watching.history}")
    print_result(form, standing.as_json, lambda: report(standing))
    exit_with(clean=not standing.drifted)
