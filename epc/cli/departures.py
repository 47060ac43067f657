"""Departures: commands, options, fields and words that left `epc`, with what to do instead."""

from typing import Final, Literal, NamedTuple

import click

Kind = Literal["command", "option", "provider", "field", "word"]


class Departure(NamedTuple):
    """Name of a thing that left, and what to do instead.

    `name` is what people typed: `epc merge`, `epc run --batch`, `vertex/`; of a field, the document
    and the key.
    """

    kind: Kind
    name: str
    instead: str


def _below_admin(group: str, *names: str) -> list[Departure]:
    """Return the commands of a group that stand below `epc admin` now."""
    rows = []
    for name in names:
        path = " ".join(filter(None, (group, name)))
        rows.append(Departure("command", f"epc {path}", f"type `epc admin {path}`"))
    return rows


DEPARTURES: Final = (
    Departure("command", "epc recompute", "type `epc validate --write`"),
    Departure(
        "command",
        "epc study",
        "run the script of a clone: python tests/studies/learning_rules/command.py",
    ),
    Departure(
        "command", "epc verify", "type `epc snapshot fetch TAG --out RUN`, then `epc watch RUN`"
    ),
    *_below_admin("", "site", "upkeep", "cache"),
    *_below_admin("evaluators", "check", "sync"),
    *_below_admin("submission", "publish"),
    *_below_admin(
        "snapshot", *("publish", "withdraw", "drift", "expire", "headlines", "tags", "export")
    ),
)
_TYPED: Final = {row.name: row for row in DEPARTURES}


def departure_of(path: str) -> str | None:
    """Return the error for a command or option that left, by what was typed, or None."""
    row = _TYPED.get(path)
    return f"`{row.name}` is no longer there: {row.instead}" if row else None


def departed_option(error: click.NoSuchOption) -> str | None:
    """Return the error for an option that left the command it was given to, or None."""
    path = error.ctx.command_path if error.ctx else "epc"
    return departure_of(f"{path} {error.option_name}")
