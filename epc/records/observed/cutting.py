"""One judge's part of a verdict file, without the candidates' texts."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from msgspec import UNSET

from epc.arrays import Indices, np
from epc.errors import UsageError
from epc.records.observed.columns import COLUMNS, Column, Verdicts
from epc.records.observed.types import Header, Judge, Row

_SCORES: Final = ("a_score", "b_score")


def cut(header: Header, verdicts: Verdicts, judge: str) -> tuple[Header, list[Row]]:
    """Return a judge's verdicts in the order of the file, under a header that names nothing else.

    `judge` is the source's name for it, or its model. What the source left out is counted of the
    whole source. Texts are gone: their digests and lengths are what is published.

    Raises: UsageError if there is no such judge, or its settings are of several models.
    """
    own = _settings(header, judge)
    codes = [code for code, name in enumerate(verdicts.setting.names) if name in own]
    chosen = np.flatnonzero(np.isin(verdicts.setting.codes, codes))
    if not len(chosen):
        raise UsageError(f"no verdict is by {judge}\n  fix: see `epc observe report`")
    rows = rows_of(verdicts, chosen)
    files = {row.file for row in rows}
    used = {row.setting for row in rows}
    part = replace(
        header,
        source=replace(header.source, texts=False),
        files={key: value for key, value in header.files.items() if key in files},
        settings={key: value for key, value in header.settings.items() if key in used},
    )
    return part, rows


def rows_of(verdicts: Verdicts, chosen: Indices | None = None) -> list[Row]:
    """Return verdicts, or the chosen ones, as rows without texts."""
    places = np.arange(len(verdicts)) if chosen is None else chosen
    read = [_values(name, getattr(verdicts, name), places) for name in COLUMNS]
    return [Row(**dict(zip(COLUMNS, values, strict=True))) for values in zip(*read, strict=True)]


def judge_of(header: Header) -> Judge:
    """Return who was asked, of a file with one judge."""
    return next(iter(header.settings.values())).judge


def _settings(header: Header, judge: str) -> set[str]:
    """Return the settings of a judge, by its name or, if none has that name, by its model."""
    named = {key for key, each in header.settings.items() if each.judge.name == judge}
    modelled = {key for key, each in header.settings.items() if each.judge.model == judge}
    judges = {each.judge.name: each.judge.model for each in header.settings.values()}
    if not named and not modelled:
        known = ", ".join(f"{name} ({model})" for name, model in judges.items())
        raise UsageError(f"no judge is called {judge!r}\n  fix: name one of {known}")
    own = named or modelled
    models = {(each.model, each.platform) for each in (header.settings[key].judge for key in own)}
    if len(models) > 1:
        several = ", ".join(f"{model} on {platform}" for model, platform in sorted(models))
        raise UsageError(
            f"{judge} was {several}: a snapshot is of one\n  fix: name one model with --judge"
        )
    return own


def _values(name: str, column: Column, places: Indices) -> Iterator[Any]:
    kept = [float(value) for value in column.names] if name in _SCORES else column.names
    names = [*kept, UNSET]
    return (names[code] for code in column.codes[places].tolist())
