"""Options and small helpers that several commands share."""

import json
from collections.abc import Sequence
from datetime import datetime
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from epc.engine import clock
from epc.printable import json_shown, lines_shown

if TYPE_CHECKING:
    from epc.registry.registry import Registry

format_option = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to print the result.",
)

baseline_option = click.option(
    "--baseline", metavar="AUTHOR", help="Of verdicts: compare all other authors with this one."
)

domains_option = click.option(
    "--domains",
    metavar="A,B",
    help="Of verdicts: subsets to hold against each other, as talk=Gmail+Messenger,facts=Wiki*.",
)

now = clock.now

html_option = click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write a report as one HTML file as well.",
)


def write_page(path: Path, page: str) -> None:
    """Write a report and say where it is."""
    from epc.records.strict_json import write_text

    write_text(path, [page])
    note(f"report   {path}")


class Finite(click.FloatRange):
    """A number in a range, which NaN and infinity are in none of."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number."""
        number = float(super().convert(value, param, ctx))
        if not isfinite(number):
            self.fail(f"{value!r} is no finite number", param, ctx)
        return number


run_argument = click.argument(
    "run", type=click.Path(exists=True, path_type=Path, resolve_path=False)
)


def echo_json(value: Any) -> None:
    """Print a value as indented JSON."""
    click.echo(json_shown(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)))


def say(text: str, *, err: bool = False) -> None:
    """Print lines that hold other people's text, which can then steer no terminal and no log."""
    click.echo(lines_shown(text), err=err)


def say_checked(name: object, document: Any, lines: Sequence[str], *, ok: bool, form: str) -> None:
    """Print what a check of one file found: as JSON in a line, or a line and then its findings."""
    if form == "json":
        click.echo(json_shown(json.dumps(document, ensure_ascii=False)))
        return
    say(f"{name}: {'ok' if ok else 'not valid'}, findings: {len(lines)}")
    for line in lines:
        say(line)


def note(message: str) -> None:
    """Say something about the work on stderr, where it does not mix with the data."""
    say(message, err=True)


def _today() -> str:
    return now().date().isoformat()


class Day(click.DateTime):
    """A calendar day, as YYYY-MM-DD."""

    name = "day"

    def __init__(self) -> None:
        super().__init__(["%Y-%m-%d"])

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime:
        """Return the beginning of the day."""
        try:
            day: datetime = super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"{value!r} is no day; write it as YYYY-MM-DD", param, ctx)
        return day


as_of_option = click.option(
    "--as-of",
    type=Day(),
    default=_today,
    metavar="YYYY-MM-DD",
    help="The day to ask about. Default: today in UTC.",
)

registry_option = click.option(
    "--registry",
    metavar="PATH|URL",
    help="A checkout, or a published registry.json. Default: this checkout, or the copy in epc.",
)


def open_registry(place: str | None, *, figures: bool = True) -> "Registry":
    """Open a registry; of the copy that came with the program, say of which day it is."""
    from epc import __version__
    from epc.registry import reading

    opened = reading.open_registry(place, figures=figures)
    if opened.listed:
        note(f"registry of {opened.listed}, as epc {__version__} brought it; newer: --registry URL")
    return opened
