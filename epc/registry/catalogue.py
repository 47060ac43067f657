"""What catalogues alone know of models: `snapshots/evaluators/catalogue.csv`, a line a life.

Catalogues list more than anybody measures. A model here has a maker, names and a state, as any
other; it has no page, calendar, feed or badge of its own. A model of which more is known moves to
a record (`NAME.json`), and a line of a model that has a record tells of a further platform.

Pure: it takes the file's text.
"""

import csv
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import date
from typing import Final

from epc.registry.lifecycles import (
    Checked,
    Generation,
    GenerationRecord,
    Kind,
    Life,
    LifeRecord,
    Stated,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A model on a platform, as the file has it; days are texts, and empty where none is known.

    `names` are its names there, the first one the model's. `seen` is the last day on which
    `source` is known to have said that it is served; a list that only has the name says no day.
    """

    generation: str
    maker: str
    platform: str
    names: str
    released: str
    not_before: str
    retires: str
    seen: str
    source: str


COLUMNS: Final = tuple(Line.__dataclass_fields__)


def lines(text: str) -> list[Line]:
    """Return the lines of the file.

    Raises: ValueError if a line does not have the columns of the first.
    """
    rows = csv.reader(text.splitlines())
    if text and tuple(next(rows)) != COLUMNS:
        raise ValueError(f"the columns are not {', '.join(COLUMNS)}")
    return [Line(**dict(zip(COLUMNS, row, strict=True))) for row in rows]


def text_of(rows: list[Line]) -> str:
    """Return the file's text, in the order of the generations."""
    ordered = sorted(rows, key=lambda row: (row.generation.casefold(), row.platform, row.names))
    cells = [COLUMNS, *(tuple(asdict(row).values()) for row in ordered)]
    return "".join(f"{','.join(row)}\n" for row in cells)


def generations(rows: list[Line]) -> Iterator[Generation]:
    """Yield each model of the catalogue with its lives.

    Raises: ValueError if a day is none.
    """
    by_name: dict[str, list[Line]] = {}
    for row in rows:
        by_name.setdefault(row.generation, []).append(row)
    for name, own in by_name.items():
        lives = tuple(_life(row) for row in own)
        record = GenerationRecord(generation=name, maker=own[0].maker, platforms=lives)
        lived = tuple(Life.of(life) for life in lives)
        yield Generation(name=name, maker=record.maker, lives=lived, record=record)


def _life(row: Line) -> LifeRecord:
    model, *aliases = row.names.split()
    kind: Kind = "announced" if row.retires else "not_before"
    return LifeRecord(
        platform=row.platform,
        model=model,
        aliases=tuple(aliases),
        pinned=False,
        released=_stated(row.released, "announced", row),
        deprecated=None,
        retires=_stated(row.retires or row.not_before, kind, row),
        replacement=None,
        routes=(),
        confidence="low",
        checked=Checked(source=row.source, via=row.source, seen=_day(row.seen)),
        notes=(),
    )


def _stated(day: str, kind: Kind, row: Line) -> Stated | None:
    stated = _day(day)
    if stated is None:
        return None
    return Stated(date=stated, kind=kind, source=row.source, seen=_day(row.seen), others=())


def _day(text: str) -> date | None:
    return date.fromisoformat(text) if text else None
