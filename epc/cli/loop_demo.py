"""`epc loop demo`."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from epc.cli.common import now, print_note, say, write_page
from epc.cli.options import refuse_options, registry_option, with_default
from epc.extras import require

if TYPE_CHECKING:
    from collections.abc import Mapping

    from epc.engine.loop_demo import Work

_JUDGE: Final = "gpt-5.4-nano"
_START: Final = "good"  # the picker that is right most often
_SEED: Final = 1  # of GEPA, and of which items it sees


@click.command()
@with_default(
    "--out",
    click.Path(exists=False, file_okay=False, path_type=Path),
    Path("loop-demo"),
    "The new folder for log, plan, checks and report.",
)
@click.option("--model", is_flag=True, help="Optimise an instruction to the embedded model.")
@registry_option
def demo(out: Path, registry: str | None, *, model: bool) -> None:
    r"""Run GEPA on this machine with no key, and say what it gained: as its judge says, and truly.

    The optimiser is the real one; the judge's scores were recorded. A candidate weighs the votes
    of eight recorded pickers to choose one of four answers; which one is right is known. With
    --model a candidate is an instruction to the embedded model, which adds two numbers; its judge
    is how likely the same weights would have written the answer, and gold is the sum.

    Writes log, plan, checks and report as `epc loop` does for a run of your own.

    \b
    Example:
      epc loop demo
      epc loop demo --model --out loop-sums
    """
    if model:
        refuse_options(("registry",), "has recorded scores, and --model asks the embedded model")
    require("loop")
    from epc.analysis.loop_decisions import assess
    from epc.analysis.loop_files import Files
    from epc.api.loop_demo import check, run
    from epc.engine.loop_demo import CALLS, SIZES, SUM_CALLS, SUM_SIZES, Split
    from epc.errors import refuse
    from epc.records.layout import stamp
    from epc.registry.writing import new_folder
    from epc.report.document import printed
    from epc.report.loop_text import document, loop_page

    work, begin = _sums() if model else _pickers(registry)
    split = Split.drawn(work.items, SUM_SIZES if model else SIZES, _SEED)
    with new_folder(out, out.with_name(f".{out.name}.partial"), "--out") as folder:
        log = folder / "run.loop.jsonl"
        calls = SUM_CALLS if model else CALLS
        print_note(f"GEPA may ask {work.judge} {calls:,} times")
        final = run(work, begin, split, calls=calls, seed=_SEED, log=log)
        if final != begin:
            check(work, split, log, time=stamp(now()))
    if final == begin:
        say("The optimiser kept what it started with: there is nothing to check.")
        return
    assessed = assess(Files.read(out / log.name))
    refuse(assessed.findings)
    assert assessed.report is not None
    say(printed(document(assessed.report)))
    write_page(out / "run.html", loop_page(assessed.report))


def _pickers(registry: str | None) -> "tuple[Work, Mapping[str, str]]":
    """Return the bank as a work, and what a run begins with."""
    from epc.engine.loop_demo import STARTS, Pickers
    from epc.records.banks import shared_bank
    from epc.registry.layout import BANK, FOLDER
    from epc.registry.reading import NAMED, nearest_checkout
    from epc.registry.store import reader

    home = registry or str(nearest_checkout(NAMED))
    work = Pickers.from_bank(shared_bank(reader(home)(f"{FOLDER}/{BANK}")), _JUDGE)
    return work, work.start(STARTS[_START])


def _sums() -> "tuple[Work, Mapping[str, str]]":
    """Return sums as a work, and what a run begins with."""
    from epc.engine.loop_demo import Sums

    work = Sums()
    click.get_current_context().call_on_close(work.close)
    return work, work.begin
