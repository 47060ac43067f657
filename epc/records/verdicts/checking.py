"""Checks of verdicts that no schema of a single one can make: contradictions, and R77.

Every check is a comparison of columns, so a million verdicts take a moment.
"""

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Final

from epc.arrays import Codes, Flags, np
from epc.errors import Finding
from epc.records.findings import SHOWN, also
from epc.records.verdicts.columns import Column, Verdicts
from epc.records.verdicts.converting import FAILS
from epc.records.verdicts.types import UNKNOWN, Header

CLAUSE: Final = "Reading R77"
# Where the askings of a table differ, and what no column may say yet.
_COLUMNS: Final = (
    "name the column that tells them apart: --map repeat=COLUMN if it was asked again, "
    "--map first=COLUMN or prompt=COLUMN if in another order or with another prompt, "
    "--map item=COLUMN if it is another question"
)
_AGAIN: Final = "keep one, or number the askings in a column `repeat`: 0, 1, 2, ..."
# What msgspec says of a value, and of which: "Expected `int`, got `str` - at `$.a_length`".
_SAID: Final = re.compile(r"(.*?)(?: - at `(?:key in )?\$\.?([^`]*)`)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Fault:
    """A rule and the verdicts that break it; `earlier` is the verdict that each is held against."""

    field: str
    rows: Flags
    problem: str
    remedy: str
    earlier: Codes | None = None


def problems(
    name: str,
    header: Header,
    verdicts: Verdicts,
    place: Callable[[int, str], str] | None = None,
) -> Iterator[Finding]:
    """Yield what is wrong with the verdicts of a file as a whole: one finding for each cause.

    `place` says where a verdict's field stands in what the user gave, if that is another file.
    """
    # Reading R77: what may not stand in public does not stand here.
    licence = header.source.licence
    if header.source.texts and (licence == UNKNOWN or "-NC" in licence):
        is_stated = licence != UNKNOWN
        problem = f"{licence} does not let the texts stand" if is_stated else "no licence is stated"
        remedy = "state the licence that lets the texts stand here, or leave them out"
        location = f"{name}:1/source/texts"
        yield Finding(clause=CLAUSE, where=location, problem=problem, remedy=remedy)
    show = place or (lambda row, field: f"{name}:{verdicts.lines[row]}/{field}")
    contradictory = _contradictory(header, verdicts, is_table=place is not None)
    for fault in (*_incomplete(verdicts), *_unlisted(header, verdicts), *contradictory):
        if rows := np.flatnonzero(fault.rows).tolist():
            first, *further = (show(row, fault.field) for row in rows[: SHOWN + 1])
            before = "" if fault.earlier is None else show(int(fault.earlier[rows[0]]), fault.field)
            problem = fault.problem.format(before) + also("place", further, len(rows) - 1)
            yield Finding(clause=CLAUSE, where=first, problem=problem, remedy=fault.remedy)


def misread(problem: str, where: str, remedy: str) -> Finding:
    """Return the finding for what msgspec says of one line, with its field."""
    match = _SAID.fullmatch(problem)
    assert match
    json_pointer = f"/{match[2].replace('.', '/')}" if match[2] else ""
    return Finding(clause=CLAUSE, where=where + json_pointer, problem=match[1], remedy=remedy)


def asks(verdicts: Verdicts, *, by_place: bool = True) -> Codes:
    """Return a number for each verdict, the same where the same thing was asked once.

    That is the same item in the same setting, order and repeat; or in whatever order.
    """
    key = verdicts.setting.codes.astype(np.int64)
    places = (verdicts.first, verdicts.order) if by_place else ()
    for column in (verdicts.item, *places, verdicts.repeat):
        codes = column.codes.astype(np.int64) + 1
        if column is verdicts.repeat:  # absent is the first, 0
            codes = np.nan_to_num(column.as_numbers()).astype(np.int64)
        _, key = np.unique(key * (int(codes.max(initial=0)) + 1) + codes, return_inverse=True)
    return key


def _incomplete(verdicts: Verdicts) -> Iterator[_Fault]:
    """Yield the rules about fields that need each other."""

    def absent(column: Column) -> Flags:
        return column.codes < 0

    alone, listed = absent(verdicts.b_sha256), ~absent(verdicts.candidates)
    needed = "name the second candidate's `b_sha256`, or leave this field out"
    yield _Fault(
        field="a_sha256",
        rows=listed != absent(verdicts.a_sha256),
        problem="neither candidate a nor a list of candidates, or both",
        remedy="name `a_sha256`, or `candidates`",
    )
    outcomes = ("verdict", "a_score", "b_score", "scores", "picked", "label")
    yield _Fault(
        field="verdict",
        rows=np.all([absent(getattr(verdicts, name)) for name in outcomes], axis=0),
        problem="neither a verdict nor a score",
        remedy="state `verdict`, a score or `picked`; an answer without one is `unreadable`",
    )
    compared = verdicts.verdict.as_places(("a", "b", "tie")) >= 0
    yield _Fault("verdict", compared & alone, "compares one candidate", needed)
    for field in ("first", "gold", "humans", "b_score", "b_by", "b_length"):
        rows = ~absent(getattr(verdicts, field)) & alone
        yield _Fault(field, rows, "speaks of no candidate b", needed)
    for field in ("a_score", "human_score", "a_by", "a_length", "label"):
        rows = ~absent(getattr(verdicts, field)) & listed
        yield _Fault(field, rows, "speaks of no candidate a", "use `candidates` and `scores`")
    without_digest, without_length = absent(verdicts.answer_sha256), absent(verdicts.answer_length)
    remedy = "state both `answer_sha256` and `answer_length`, or neither"
    yield _Fault("answer_length", without_digest != without_length, "half is missing", remedy)
    yield from _unfit_lists(verdicts)


def _unfit_lists(verdicts: Verdicts) -> Iterator[_Fault]:
    """Yield what does not fit the list of candidates that it speaks of."""

    def sizes(column: Column) -> Codes:
        return np.array([*map(len, column.names), 0])[column.codes]

    size = sizes(verdicts.candidates)
    rows = (size > 0) & (verdicts.question_sha256.codes < 0)
    yield _Fault("question_sha256", rows, "is missing", "a list of candidates needs its question")
    for field in ("scores", "order"):
        column = getattr(verdicts, field)
        rows = (column.codes >= 0) & (sizes(column) != size)
        yield _Fault(field, rows, "has not one entry a candidate", "name all, in one order")
    for field in ("picked", "right"):
        rows = np.nan_to_num(getattr(verdicts, field).as_numbers(), nan=-1) >= size
        rows &= getattr(verdicts, field).codes >= 0
        yield _Fault(field, rows, "is none of the candidates", "count them from 0")
    orders = verdicts.order.names
    torn = [sorted(order) != [*range(len(order))] for order in orders]
    rows = np.array([*torn, False])[verdicts.order.codes]
    yield _Fault("order", rows, "names a candidate twice", "name each candidate once, from 0")


def _unlisted(header: Header, verdicts: Verdicts) -> Iterator[_Fault]:
    """Yield the verdicts that name what the header does not have."""

    def strange(column: Column, listed: Collection[str]) -> Flags:
        return np.array([*(name not in listed for name in column.names), False])[column.codes]

    for field, listed in (("setting", header.settings), ("file", header.files)):
        yield _Fault(
            field=field,
            rows=strange(getattr(verdicts, field), listed),
            problem=f"names no key of the header's `{field}s`",
            remedy=f"use a key of `{field}s`: {', '.join(list(listed)[:3])}, ...",
        )


def _contradictory(header: Header, verdicts: Verdicts, *, is_table: bool) -> Iterator[_Fault]:
    """Yield the verdicts that say of an item, or of one asking, what an earlier one denies."""

    def first_of(groups: Codes) -> Codes:
        _, first, group = np.unique(groups, return_index=True, return_inverse=True)
        return np.asarray(first[group])

    def differs(first: Codes, field: str) -> Flags:
        codes = getattr(verdicts, field).codes
        return np.asarray(codes != codes[first])

    items = first_of(verdicts.item.codes.astype(np.int64))
    for field in (
        *("a_sha256", "b_sha256", "candidates", "question_sha256", "gold", "right", "subset"),
        "gold_label",
    ):
        yield _Fault(
            field=field,
            rows=differs(items, field),
            problem="is another one than in the item's first verdict, {}",
            remedy="give another pair another `item`; keep a and b in one order, `first` says which"
            " stood first; where a question has several answers, --map a_by=COLUMN names each",
            earlier=items,
        )
    askings = first_of(asks(verdicts))
    for field in ("verdict", "a_score", "b_score", "scores", "picked", "label"):
        rows = differs(askings, field)
        yield _Fault(
            field=field,
            rows=rows,
            problem="differs from an earlier one of the same item, setting, order and repeat, {}",
            remedy=_AGAIN
            if verdicts.b_sha256.names == [FAILS]
            else _apart(header, verdicts, rows) + (f"; or {_COLUMNS}" if is_table else ""),
            earlier=askings,
        )


def _apart(header: Header, verdicts: Verdicts, rows: Flags) -> str:
    """Return what would tell contradictory askings apart, as far as nobody states it."""
    unstated = []
    if (rows & (verdicts.first.codes < 0) & (verdicts.b_sha256.codes >= 0)).any():
        unstated.append("`first`, which candidate was shown first")
    names = {verdicts.setting.names[code] for code in verdicts.setting.codes[rows].tolist()}
    prompts = [header.settings[name].prompt for name in names if name in header.settings]
    if any(UNKNOWN == prompt.name == prompt.sha256 for prompt in prompts):
        unstated.append("`prompt`, what the judge was asked with")
    number = "number the askings by `repeat`: 0, 1, 2, ..."
    if not unstated:
        return number
    return f"state {', and '.join(unstated)}; only where these were the same, {number}"
