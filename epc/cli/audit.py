"""`epc audit RUN`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from epc.cli.asking import limit_options
from epc.cli.common import leave, note, now, tell
from epc.cli.options import THERE, format_option
from epc.spec.epc_v1 import ROUNDS

if TYPE_CHECKING:
    from epc.engine.budget import Limits


@click.command()
@click.argument("run", type=THERE)
@click.option(
    "--rounds",
    type=click.IntRange(0, 100_000),
    default=ROUNDS,
    show_default=True,
    help="Rounds in a phase, for weights published without trials.",
)
@click.option(
    "--swap",
    type=click.IntRange(0, 10_000),
    default=0,
    metavar="N",
    help="Ask N of the run's pairs again with the order of the answers exchanged.",
)
@click.option(
    "--controls",
    type=click.IntRange(0, 10_000),
    default=0,
    metavar="N",
    help="Ask about N planted pairs, good against shuffled, off-topic and refusing answers.",
)
@limit_options
@format_option
def command(
    *,
    run: Path,
    rounds: int,
    swap: int,
    controls: int,
    limits: "Limits",
    form: str,
) -> None:
    r"""Say whether a claim can rest on RUN: one word, then every reason.

    RUN is a run folder, a manifest, or per-seed weights that were published without trials, exact
    or rounded; weights alone bear no word about coupling. Exits 1 if no claim can rest on RUN.
    Nothing is sent anywhere, except with --swap or --controls. These ask the run's evaluator and
    keep its answers in RUN's probes.jsonl.

    \b
    coupled                    training in one domain redirects choices in the other,
                               beyond chance (p at most 0.05), at an estimated 2 points of
                               win rate or more
    no_coupling_beyond_margin  whatever crosses costs less than 2 points
    no_detectable_coupling     neither could be shown
    no_verdicts_counted        a failed run: its gamma of 0 says nothing
    collapsed                  every run ended on one strategy
    inconclusive               see the reasons

    \b
    Example:
      epc audit runs/first
      epc audit runs/first --swap 24 --controls 24
      epc audit weights.json --format json
    """
    from epc.analysis.audit import audit
    from epc.report.audit_text import text

    if swap or controls:
        _ask(run, limits, swap=swap, controls=controls)
    result = audit(run, rounds=rounds)
    tell(form, result.as_json, lambda: text(result))
    leave(clean=result.clean)


def _ask(run: Path, limits: "Limits", *, swap: int, controls: int) -> None:
    """Ask a run's evaluator what was not asked yet; it is kept beside the run."""
    from epc.cli.progress import shown
    from epc.cli.run_session import carried_out, fetch_weights_if_named
    from epc.engine.probe import probe, reopen

    reopened = reopen(run, swap=swap, controls=controls)
    for kind, count in reopened.short.items():
        if count:
            note(f"--{kind}: the run's answers give {count} pairs fewer than that")
    fetch_weights_if_named(reopened.evaluator)
    again = f"epc audit {run} --swap {swap} --controls {controls}"
    carried_out(probe(reopened, clock=now, watch=shown, limits=limits), again=again)
