"""`epc verify --spot-check N TAG`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from epc.cli.common import checkout_here, leave, note, now, tell
from epc.cli.limits import limit_options
from epc.cli.options import NEW_FILE, format_option
from epc.errors import UsageError

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
@click.option("--out", type=NEW_FILE, help="Keep the answers.")
@limit_options
@format_option
def command(
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
    import asyncio

    from epc.analysis.spot_checking import SpotCheck, draw, judged
    from epc.cli.progress import shown
    from epc.cli.run_session import fetch_weights_if_named
    from epc.engine.spot_check import ask_twice
    from epc.records.strict_json import write
    from epc.records.typed import as_json
    from epc.registry.spot_checks import is_direct, published
    from epc.report.spot_check_text import report

    publication = published(checkout_here(), tag)
    name = model or publication.name
    drawn = draw(publication.asked, publication.commit, pairs)
    if out and out.exists():
        raise UsageError(f"{out} exists already\n  fix: name another file with --out")
    fetch_weights_if_named(name)
    note(f"asks     {name}: {len(drawn)} pairs of {len(publication.asked)}, each twice")
    asking = ask_twice(
        publication.manifest,
        publication.asked,
        drawn,
        name=name,
        clock=now,
        watch=shown,
        limits=limits,
    )
    identity, answers = asyncio.run(asking)
    value = SpotCheck(
        tag=tag,
        seed=publication.commit,
        day=now().date().isoformat(),
        asked=identity,
        direct=is_direct(identity, publication.snapshot),
        pairs=drawn,
        answers=answers,
        agreement=judged(drawn, answers),
    )
    if out:
        write(out, as_json(value))
        note(f"answers  {out}")
    tell(form, lambda: as_json(value), lambda: report(value))
    differs = value.agreement.verdict == "differs"
    leave(clean=not differs)
