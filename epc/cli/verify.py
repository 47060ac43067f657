"""`epc verify --spot-check N TAG`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from epc.cli.common import echo_json, format_option, note, now, say
from epc.cli.limits import limit_options
from epc.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from epc.engine.budget import Limits


@click.command()
@click.argument("tag")
@click.option(
    "--spot-check",
    "pairs",
    type=click.IntRange(2, 1_000),
    required=True,
    metavar="N",
    help="How many pairs are asked again, each twice.",
)
@click.option("--model", metavar="NAME", help="Whom to ask; the evaluator on its own platform.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="Keep the answers.")
@limit_options
@format_option
@click.pass_context
def command(
    ctx: click.Context,
    tag: str,
    pairs: int,
    model: str | None,
    out: Path | None,
    limits: "Limits",
    form: str,
) -> None:
    r"""Ask the evaluator of snapshot TAG again, with your key, and compare with what is published.

    The commit that published TAG draws the pairs: nobody knew them while measuring. Each is asked
    twice, so that the evaluator's own changes of mind are measured beside. The word is `agrees`,
    `differs` (exit 1), or `cannot_tell` where a copy by chance would agree as well.

    \b
    Example:
      epc verify --spot-check 20 v1.0-SmolLM2-135M-Likelihood --out check.json
    """
    from epc.analysis.spot_checking import SpotCheck, draw, judged
    from epc.cli.progress import shown
    from epc.cli.run_session import fetch_weights_if_named
    from epc.engine import event_loop
    from epc.engine.spot_check import ask_twice
    from epc.records.strict_json import write
    from epc.records.typed import as_json
    from epc.registry.reading import find_checkout
    from epc.registry.spot_checks import is_direct, published
    from epc.report.spot_check_text import report

    found = published(find_checkout(Path.cwd()), tag)
    name = model or found.name
    drawn = draw(found.asked, found.commit, pairs)
    if out and out.exists():
        raise UsageError(f"{out} exists already\n  fix: name another file with --out")
    fetch_weights_if_named(name)
    note(f"asks     {name}: {len(drawn)} pairs of {len(found.asked)}, each twice")
    asking = ask_twice(
        found.manifest, found.asked, drawn, name=name, clock=now, watch=shown, limits=limits
    )
    asked, answers = event_loop.run(asking)
    value = SpotCheck(
        tag=tag,
        seed=found.commit,
        day=now().date().isoformat(),
        asked=asked,
        direct=is_direct(asked, found.snapshot),
        pairs=drawn,
        answers=answers,
        agreement=judged(drawn, answers),
    )
    if out:
        write(out, as_json(value))
        note(f"answers  {out}")
    if form == "json":
        echo_json(as_json(value))
    else:
        say(report(value))
    differs = value.agreement.verdict == "differs"
    ctx.exit(ExitCode.FINDINGS if differs else ExitCode.CLEAN)
