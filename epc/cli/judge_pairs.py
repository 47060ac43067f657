"""`epc judge pairs`: ask judges about a labelled set of pairs of answers."""

import shlex
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from epc.cli.asking import bound_options, dry_run_option, pair_judge_options
from epc.cli.common import now, print_note, print_result
from epc.cli.options import FILE, NEW_FILE, Pair, Whole, format_option, once, origin_options
from epc.records.verdicts.types import Candidate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epc.engine.budget import Limits
    from epc.records.verdicts.types import Row

_ORDERS: Final[dict[str, tuple[Candidate, ...]]] = {"both": ("a", "b"), "given": ("a",)}


@click.command()
@click.argument("file", metavar="SET", type=FILE)
@click.option(
    "--judge", "judges", multiple=True, required=True, metavar="MODEL", help="Repeatable."
)
@click.option("--out", required=True, type=NEW_FILE, help="A verdict file: .jsonl or .parquet.")
@click.option(
    "--order",
    type=click.Choice(list(_ORDERS)),
    default="both",
    show_default=True,
    help="Show each pair in both orders, or as it stands in SET.",
)
@click.option(
    "--askings", type=Whole(1, 100), default=1, show_default=True, help="Ask each so often."
)
@click.option("--prompt", type=FILE, help="A prompt with $question, $a and $b. Its name is its id.")
@click.option(
    "--map",
    "columns",
    type=Pair(),
    multiple=True,
    metavar="FIELD=COLUMN",
    help="FIELD of SET is in COLUMN. Repeatable.",
)
@origin_options
@dry_run_option
@pair_judge_options
@bound_options
@format_option
def pairs(
    file: Path,
    judges: tuple[str, ...],
    out: Path,
    order: str,
    askings: int,
    prompt: Path | None,
    columns: tuple[tuple[str, str], ...],
    origin: dict[str, Any],
    dry_run: bool,
    decoding: dict[str, Any],
    limits: "Limits",
    form: str,
) -> None:
    r"""Ask judges which answer of each pair of a labelled SET is better.

    SET is a table (CSV, JSON, JSON Lines, Excel, Parquet), a row for each pair: item, question, a,
    b; and where known gold or humans (a, b or tie; people between semicolons), subset, group, a_by,
    b_by. The verdict file has digests, lengths, labels and verdicts, and no text; OUT.calls keeps
    every reply, and the same command goes on where it stopped. `epc audit OUT` says what the
    verdicts show.

    \b
    Example:
      epc judge pairs pairs.csv --judge openai/gpt-5.4-mini --out verdicts.jsonl --dry-run
      epc judge pairs pairs.csv --judge local/smollm2-135m-constrained --out verdicts.jsonl
      epc judge pairs pairs.csv --judge xai/grok-4.3 --askings 3 --temperature 0.7 --out three.jsonl
    """
    from epc.cli.progress import progress_bar
    from epc.cli.run_session import fetch_weights_if_named, run_work, show_forecast
    from epc.engine.pairs import PairAsking, ask_pairs, calls_folder, expect
    from epc.judge.pairs import pair_template_problem
    from epc.records.judging.prompts import read_prompt
    from epc.records.pairs import read_pairs
    from epc.records.verdicts.converting import Request
    from epc.records.verdicts.verdict_file import require_kind, write

    require_kind(out)
    pair_set = read_pairs(file, once("--map", columns))
    fetch_weights_if_named(*judges)
    asking = PairAsking(
        pair_set=pair_set,
        judges=judges,
        prompt=read_prompt(prompt, "pairs-v1", pair_template_problem),
        decoding=decoding,
        orders=_ORDERS[order],
        askings=askings,
        source=Request(**origin).source(name=file.stem),
    )
    if pair_set.ignored:
        print_note(f"not used: the columns {', '.join(pair_set.ignored)}")
    if dry_run:
        show_forecast(expect(asking), form, limits)
        return
    work = ask_pairs(asking, out, clock=now, watch=progress_bar, limits=limits)
    header, rows = run_work(work, next_command=shlex.join(["epc", *sys.argv[1:]]))
    write(out, header, rows)
    counts = _counts(rows)
    print_result(form, lambda: counts, lambda: "\n".join(map(_line, counts.items())))
    print_note(f"replies  {calls_folder(out)}")
    print_note(f"written  {out}: {len(rows):,} verdicts\n  next: epc audit {out}")


def _counts(rows: "Sequence[Row]") -> dict[str, dict[str, int]]:
    """Return how many verdicts of each kind every judge gave, by its model."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        counts.setdefault(row.setting, Counter())[_place(row)] += 1
    return {judge: dict(sorted(places.items())) for judge, places in counts.items()}


def _place(row: "Row") -> str:
    """Return which place a verdict named: the first, the second, neither, or none readable."""
    if row.verdict in ("a", "b"):
        return "first" if row.verdict == row.first else "second"
    return str(row.verdict)


def _line(judge_counts: tuple[str, dict[str, int]]) -> str:
    judge, places = judge_counts
    return f"{judge}: " + ", ".join(f"{count:,} {word}" for word, count in places.items())
