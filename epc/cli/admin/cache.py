"""`epc admin cache list`, `epc admin cache size` and `epc admin cache clear`."""

from typing import TYPE_CHECKING

import click

from epc.cli.common import exit_with, print_result, say
from epc.cli.options import format_option
from epc.printable import aligned

if TYPE_CHECKING:
    from epc.engine.cache import Cache, Entry


@click.group()
def command() -> None:
    """Answers of pinned weights, kept across runs, one file for each (Readings R16 and R76).

    Only the embedded models have such weights. Answers of any other model stay in the run's own
    folder; `epc run --reuse-answers-of RUN` takes them over.
    """


@command.command(name="list")
@format_option
def list_entries(form: str) -> None:
    r"""List every kept answer: its name, day, role, model and the start of its prompt.

    \b
    Example:
      epc admin cache list
    """
    entries = list(_cache().entries())
    print_result(
        form,
        lambda: [{"day": _day(entry), "bytes": entry.size, **entry.call} for entry in entries],
        lambda: aligned([_row(entry) for entry in entries]),
    )


@command.command()
@format_option
def size(form: str) -> None:
    r"""Say how many answers are kept, where, and how large they are.

    \b
    Example:
      epc admin cache size
    """
    from epc.engine.cache import answer_cache_folder

    sizes = [entry.size for entry in _cache().entries()]
    folder = answer_cache_folder()
    print_result(
        form,
        lambda: {"folder": str(folder), "answers": len(sizes), "bytes": sum(sizes)},
        lambda: f"{len(sizes)} answers, {sum(sizes):,} bytes, in {folder}",
    )


@command.command()
@click.option("--yes", is_flag=True, help="Do not ask.")
def clear(yes: bool) -> None:
    r"""Remove every kept answer; they will be asked, and paid for, again.

    \b
    Example:
      epc admin cache clear --yes
    """
    cache = _cache()
    if not yes and not click.confirm("Remove every kept answer?", err=True):
        exit_with(clean=False)
    say(f"removed {cache.clear()} answers")


def _cache() -> "Cache":
    from epc.engine.cache import Cache, answer_cache_folder

    return Cache(answer_cache_folder())


def _row(entry: "Entry") -> tuple[str, ...]:
    call = entry.call
    prompt = " ".join(call["prompt"].split())[:40]
    return (call["id"], _day(entry), call["role"], call["model"], prompt)


def _day(entry: "Entry") -> str:
    return str(entry.call["answered_at"][:10])
