"""`epc watch TAG --spot-check N`."""

from pathlib import Path
from typing import TYPE_CHECKING

from epc.cli.common import checkout_here, leave, note, now, tell
from epc.errors import UsageError

if TYPE_CHECKING:
    from epc.engine.budget import Limits


def spot_check(
    tag: str,
    pairs: int,
    *,
    model: str | None,
    out: Path | None,
    limits: "Limits",
    form: str,
) -> None:
    """Ask the evaluator of a snapshot again, and compare with what is published.

    The commit that published it draws the pairs: nobody knew them while measuring. Each is asked
    twice, so that the evaluator's own changes of mind are measured beside.
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
