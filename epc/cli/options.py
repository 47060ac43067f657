"""Arguments and options that several commands share."""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from functools import wraps
from math import isfinite
from pathlib import Path
from typing import Any, Final

import click
from click.core import ParameterSource

from epc.engine.clock import now
from epc.extras import require

# Paths of what is there, and of what is to be written.
THERE: Final = click.Path(exists=True, path_type=Path)
FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
FOLDER: Final = click.Path(exists=True, file_okay=False, path_type=Path)
NEW: Final = click.Path(path_type=Path)
NEW_FILE: Final = click.Path(path_type=Path, dir_okay=False)
NEW_FOLDER: Final = click.Path(path_type=Path, file_okay=False)


class Whole(click.IntRange):
    """A whole number in a range."""

    name = "whole number"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:  # noqa: ARG002
        """Return what stands for the number in a help text."""
        return "N"


class Finite(click.FloatRange):
    """A number in a range, which NaN and infinity are in none of."""

    name = "number"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number."""
        number = float(super().convert(value, param, ctx))
        if not isfinite(number):
            self.fail(f"{value!r} is no finite number", param, ctx)
        return number


class Pair(click.ParamType[tuple[str, str]]):
    """NAME=VALUE; a label may hold the sign itself, or be empty."""

    name = "pair"

    def __init__(self, *, of_label: bool = False) -> None:
        self._of_label = of_label

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """Return both halves."""
        name, sign, label = value.rpartition("=") if self._of_label else value.partition("=")
        if not (sign and label and (name or self._of_label)):
            self.fail(f"{value!r} is not NAME=VALUE", param, ctx)
        return name, label


class RunOrTag(click.ParamType[Path | str]):
    """A run, as its path; or a published snapshot, by its tag or its folder, as its tag."""

    name = "run"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Path | str:
        """Return the path of a run, or the tag of a snapshot."""
        from epc.errors import MalformedError
        from epc.registry.tags import Tag

        path = Path(value)
        try:
            tag = str(Tag.parse(path.resolve().name))
        except MalformedError:
            return Path(THERE.convert(value, param, ctx))
        published = (path / "snapshot.json").is_file() or not path.exists()
        return tag if published else path


RUN_OR_TAG: Final = RunOrTag()


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


def with_default(
    name: str, kind: click.ParamType[Any], default: Any, says: str, **settings: Any
) -> Callable[..., Any]:
    """Return an option of a kind, whose help shows its default."""
    return click.option(name, type=kind, default=default, show_default=True, help=says, **settings)


def printed_as(*forms: str, says: str = "How to print the result.") -> Callable[..., Any]:
    """Return the option that says in which form a command prints its result."""
    kinds = click.Choice(["text", *forms])
    return click.option(
        "--format", "form", type=kinds, default="text", show_default=True, help=says
    )


def refuse_options(names: Collection[str], problem: str) -> None:
    """Refuse options that the user gives and that would do nothing.

    Raises: UsageError with what to do.
    """
    context = click.get_current_context()
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if parameter.name in names and source is ParameterSource.COMMANDLINE:
            name = parameter.make_metavar(context) if isinstance(parameter, click.Argument) else ""
            raise click.UsageError(f"{name or parameter.opts[0]} {problem}\n  fix: leave it out")


run_argument = click.argument("run", type=THERE)
format_option = printed_as("json")


def require_pages(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
    """Return the page's path; what draws pages is there, or is named before anything is done."""
    if path is not None:
        require("charts")
    return path


html_option = click.option(
    "--html",
    type=NEW_FILE,
    metavar="FILE",
    callback=require_pages,
    help="Write a report as one HTML file as well.",
)
as_of_option = click.option(
    "--as-of",
    type=Day(),
    default=lambda: now().date().isoformat(),
    metavar="YYYY-MM-DD",
    help="The day to ask about. Default: today in UTC.",
)
registry_option = click.option(
    "--registry",
    metavar="PATH|URL",
    help="A checkout, or a published registry.json. Default: this checkout, or the copy in epc.",
)
setting_option = click.option(
    "--setting",
    "settings",
    multiple=True,
    metavar="PATTERN",
    help="Of verdicts: only settings of this name, such as '*/Vanilla'. Repeatable.",
)
baseline_option = click.option(
    "--baseline", metavar="AUTHOR", help="Of verdicts: compare all other authors with this one."
)
domains_option = click.option(
    "--domains",
    metavar="A,B",
    help="Of verdicts: subsets to compare, as talk=Gmail+Messenger,facts=Wiki*.",
)


_SEVERAL: Final = ("verdict", "humans")  # fields with a column for each judge, or person


def once(option: str, pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return an option's pairs by name.

    Raises: UsageError if a name comes twice.
    """
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            problem = f"names {name!r}" if name else "is given"
            raise click.UsageError(f"{option} {problem} twice\n  fix: keep one of them")
    return dict(pairs)


def _columns(pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return the column of each field; of verdicts and people there may be several."""
    several: dict[str, list[str]] = {name: [] for name in _SEVERAL}
    for name, column in pairs:
        if name in several:
            if column in several[name]:
                raise click.UsageError(
                    f"--map {name} names {column!r} twice\n  fix: keep one of them"
                )
            several[name].append(column)
    joined = [(name, ", ".join(columns)) for name, columns in several.items() if columns]
    return once("--map", [*[pair for pair in pairs if pair[0] not in several], *joined])


def origin_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add where verdicts or pairs come from; a command gets `origin`, fields of a request."""

    @wraps(command)
    def with_origin(
        repository: str | None, commit: str | None, licence: str | None, **options: Any
    ) -> None:
        origin = {"repository": repository, "commit": commit, "licence": licence}
        command(origin={name: text for name, text in origin.items() if text}, **options)

    for option in (
        click.option("--licence", help="Its SPDX identifier, where it does not say."),
        click.option("--commit", help="Its version. Default, of a clone: what git says."),
        click.option("--repository", help="Where the file or clone comes from."),
    ):
        with_origin = option(with_origin)
    return with_origin


def table_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add what a table's columns and labels mean; a command gets `table`, a request's fields."""

    @wraps(command)
    def with_tables(
        columns: Sequence[tuple[str, str]],
        words: Sequence[tuple[str, str]],
        constants: Sequence[tuple[str, str]],
        ignored: Sequence[str],
        rows: str,
        scales: Sequence[str],
        **options: Any,
    ) -> None:
        halves = [scale.rpartition("=") for scale in scales]
        table = {
            "columns": _columns(columns),
            "labels": once("--label", words),
            "constants": once("--set", constants),
            "ignored": tuple(ignored),
            "rows": rows,
            "scales": once("--scale", [(scorer, scale) for scorer, _, scale in halves]),
        }
        command(table=table, **options)

    of_fields = (
        "Of verdicts: FIELD is in COLUMN, whatever its name. Repeatable; verdict and humans may "
        "have several columns, one for each judge or person."
    )
    of_labels = (
        "Of verdicts: what a label means (a, b, tie, unreadable; pass, fail; first, second of "
        "verdicts). COLUMN:VALUE=WORD is of one column. Repeatable."
    )
    of_all = "Of verdicts: what is the same in all rows, as prompt=v1. Repeatable."
    for option in (
        click.option(
            "--scale",
            "scales",
            multiple=True,
            metavar="LOW-HIGH[:STEP]",
            help="Of scores: their scale, as 1-5; judge=1-10 and humans=1-5 where they differ.",
        ),
        click.option(
            "--rows",
            default="",
            metavar="KEY",
            help="Of verdicts as JSON: the list that holds the rows, as results.rows.",
        ),
        click.option(
            "--ignore",
            "ignored",
            multiple=True,
            metavar="COLUMN",
            help="Of verdicts: take COLUMN for nothing. Repeatable.",
        ),
        click.option(
            "--set", "constants", type=Pair(), multiple=True, metavar="FIELD=VALUE", help=of_all
        ),
        click.option(
            "--label",
            "words",
            type=Pair(of_label=True),
            multiple=True,
            metavar="VALUE=WORD",
            help=of_labels,
        ),
        click.option(
            "--map", "columns", type=Pair(), multiple=True, metavar="FIELD=COLUMN", help=of_fields
        ),
    ):
        with_tables = option(with_tables)
    return with_tables


def judges_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add which judges of a file are measured, and against what; a command gets `choices`."""

    @wraps(command)
    def with_choices(
        same: tuple[tuple[str, str], ...], baseline: str | None, domains: str | None, **options: Any
    ) -> None:
        from epc.records.verdicts.types import Choices

        chosen = domains.split(",") if domains else ()
        choices = Choices(same=dict(same), baseline=baseline, domains=chosen)
        command(choices=choices, **options)

    for option in (
        domains_option,
        baseline_option,
        click.option(
            "--same",
            type=Pair(),
            multiple=True,
            metavar="JUDGE=AUTHOR",
            help="Of verdicts: a judge that wrote answers under another name. Repeatable.",
        ),
        setting_option,
    ):
        with_choices = option(with_choices)
    return with_choices
