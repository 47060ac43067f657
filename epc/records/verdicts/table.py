"""A table of verdicts: CSV, JSON Lines, Excel or Parquet, its columns mapped to fields."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, Final

from epc.digests import file_sha256
from epc.errors import refuse
from epc.printable import shortened
from epc.records.csv_tables import table_of
from epc.records.findings import SHOWN, Causes
from epc.records.tables import kind_of, rows_of
from epc.records.verdicts.checking import CLAUSE
from epc.records.verdicts.converting import FAILS, ColumnChoice, Conversion, Request
from epc.records.verdicts.names import Sample, are_labels, no_judges, recognised, two_authors
from epc.records.verdicts.table_rows import (
    FIELDS,
    FILE,
    FIRST,
    HUMANS,
    ITEM,
    JUDGE,
    REPEAT,
    VERDICT,
    UnfitError,
    Work,
    add,
    words_of,
)
from epc.records.verdicts.types import (
    HUMAN_SCORE,
    SCORES,
    UNKNOWN,
    Header,
    SourceFile,
)
from epc.records.verdicts.verdict_words import PASSES, SIDES, are_passes

_SAMPLE: Final = 200  # rows that are looked at before the columns are chosen
_BASELINE: Final = "the baseline"
EXPECTED: Final = (
    "a table (CSV, TSV, JSON Lines, Excel, Parquet) whose first line names the columns: item, "
    "judge, the texts a and b (or who wrote them, a_by and b_by), verdict (a, b, tie, unreadable; "
    "first or second beside a column first; of one answer pass or fail) or a_score and b_score. "
    "Map other names by --map FIELD=COLUMN and other labels by --label VALUE=WORD; --set "
    f"FIELD=VALUE states what no column does. Fields: {', '.join(FIELDS)}"
)
_NO_TABLE: Final = (
    "give a table whose first line names columns such as question, answer_a, answer_b and verdict; "
    "--map FIELD=COLUMN names those of another name"
)
_NO_ITEM: Final = "no column names the question: rows of equal texts are of one question"
EACH_ROW: Final = "no column names the question, or has texts: each row is of another question"
_NO_JUDGE: Final = "no column names the judge: all verdicts count as those of one judge"
_ASKED_AGAIN: Final = "the texts of an earlier one: the same question, asked again"
_ONE_BASELINE: Final = "each verdict compares an answer (a) with one baseline (b)"
EXCHANGED: Final = "rows with the answers of another one exchanged are that pair in the other order"
ALONE: Final = "each verdict is of one answer: pass counts as a, fail as b"
_NAMELESS: Final[Mapping[int, tuple[str, ...]]] = {1: ("the answer",), 2: ("A", "B")}
Cells = Iterable[tuple[int, Mapping[str, str]]]


def convert(source: Path, request: Request) -> Conversion:
    """Return every line of a table as a verdict.

    Raises: WorldError if the file cannot be read; MalformedError if it is no table.
    """
    work = Work(request=request, causes=Causes(source.name, CLAUSE))
    for line, values in _fields(source, work):
        add(line, values, work)
    if not work.rows and not work.causes:
        work.causes.add(0, "", "holds no verdict", f"expected {EXPECTED}")
    if work.causes:
        return Conversion(findings=work.causes.findings())
    if work.exchanged:
        if not {FIRST} & {*work.column_choice.columns, *request.constants}:
            # Who exchanges the answers asks in both orders, and writes down what was shown.
            return convert(source, replace(request, constants={**request.constants, FIRST: "a"}))
        work.column_choice = replace(
            work.column_choice, assumed=[*work.column_choice.assumed, EXCHANGED]
        )
    if work.askings and (count := work.askings.total() - len(work.askings)):
        repeats = f"{count:,} row{'s repeat' if count > 1 else ' repeats'} {_ASKED_AGAIN}"
        work.column_choice = replace(
            work.column_choice, assumed=[*work.column_choice.assumed, repeats]
        )
    work.column_choice = replace(
        work.column_choice, notes=[_noted(*note) for note in work.notes.items()]
    )
    header = Header(
        schema_version=1,
        source=request.source(name=source.name),
        files={FILE: SourceFile(path=source.name, sha256=file_sha256(source))},
        settings=work.settings,
        identity="text" if work.has_texts else "name",
    )
    return Conversion(
        header=header,
        rows=work.rows,
        place=lambda row, name: f"{source.name}:{work.lines[row]}/{work.column(name)}",
        column_choice=work.column_choice,
    )


def stated_in(source: Path) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Yield what each line of a table states, its verdict in our words, with its line.

    Raises: MalformedError of the first field that cannot be used; WorldError if the file cannot be
    read.
    """
    work = Work(request=Request(), causes=Causes(source, CLAUSE))
    for line, values in _fields(source, work):
        try:
            yield line, {**values, **words_of(values, work.labels, scored=False)}
        except UnfitError as error:
            work.causes.add(line, work.column(error.name), str(error), error.remedy)
            break
    refuse(work.causes.findings())


def _fields(source: Path, work: Work) -> Cells:
    """Yield the fields of each line, once the columns are chosen; none if they cannot be.

    Raises: WorldError if the file cannot be read; MalformedError if it is no table.
    """
    # Read line by line: a million verdicts fit no document.
    with _opened(source, work.causes) as (present, table):
        sample = [cells for _, cells in islice(table, _SAMPLE)]
    examples = ", ".join(map(repr, present[:SHOWN]))
    mapped = work.request.columns
    if present and not mapped and not recognised(FIELDS, present, {}, sample, work.known_labels):
        work.causes = Causes(source.name, CLAUSE)
        work.causes.add(
            1, "", f"is no table of verdicts: no column is known in {examples}", _NO_TABLE
        )
    if not work.causes:
        _choose(present, sample, work)
    if work.causes:
        return
    columns = dict(work.column_choice.columns)
    of_people, people = _of_people(columns)
    columns.pop(of_people, None)
    with _opened(source, work.causes) as (_, table):
        for line, cells in table:
            values = {name: cells[column] for name, column in columns.items()}
            if labels := [cells[column] for column in people if cells.get(column)]:
                values[of_people] = ";".join(labels)
            if EACH_ROW in work.column_choice.assumed:
                values[ITEM] = f"line {line}"
            yield line, {**work.constants, **values}


@contextmanager
def _opened(source: Path, causes: Causes) -> Iterator[tuple[tuple[str, ...], Cells]]:
    if kind_of(source) == "csv":
        with table_of(source, CLAUSE, causes) as table:
            yield table.columns, table
        return
    rows = [
        (int(row.place.rpartition(" ")[2]), dict(_flat(row.value)))
        for row in rows_of(source, clause=CLAUSE)
    ]
    rows = [(line, row) for line, row in rows if any(row.values())]
    names = tuple(dict.fromkeys(name for _, row in rows for name in row))
    yield names, [(line, dict.fromkeys(names, "") | row) for line, row in rows]


def _flat(value: Any, above: str = "") -> Iterator[tuple[str, str]]:
    """Yield the values of a row as a table has them; what is inside another is `outer.inner`."""
    for key, inner in value.items() if isinstance(value, dict) else ():
        name = f"{above}{key}"
        if isinstance(inner, dict):
            yield from _flat(inner, f"{name}.")
        elif isinstance(inner, list | tuple):
            yield name, ";".join(map(str, inner))
        elif isinstance(inner, float) and inner.is_integer():
            yield name, str(int(inner))
        elif inner is not None:
            yield name, str(inner)


def _of_people(columns: Mapping[str, str]) -> tuple[str, list[str]]:
    """Return the field of what people said, and its columns, one for each person."""
    field = HUMAN_SCORE if HUMAN_SCORE in columns else HUMANS
    return field, columns.get(field, "").split(", ")


def _choose(present: Sequence[str], sample: Sample, work: Work) -> None:
    """Choose the column of each field; what cannot be chosen is a finding."""
    mapped, fixed = work.request.columns, work.request.constants
    has = f"its columns are {', '.join(map(repr, present)) or 'none'}"
    for name in {**mapped, **fixed}:
        if name not in FIELDS:
            option = "--map" if name in mapped else "--set"
            fields = f"name one of {', '.join(FIELDS)}"
            work.causes.add(1, "", f"{option} {name}: no such field", fields)
        elif name in mapped and name in fixed:
            work.causes.add(1, "", f"{name} is mapped and set", "give --map or --set")
        elif name in mapped:
            people = mapped[name].split(", ") if name == HUMANS else []  # a column for each person
            if mapped[name] not in present and not (people and {*people} <= {*present}):
                work.causes.add(1, "", f"has no column {mapped[name]!r}", has)
    if work.causes:
        return
    columns = recognised(
        FIELDS, present, {**dict.fromkeys(fixed, ""), **mapped}, sample, work.known_labels
    )
    authors = _authors(columns, present, sample, work)
    columns = {
        name: columns[name]
        for name in sorted(columns, key=lambda name: [*present, columns[name]].index(columns[name]))
    }
    _refuse(columns, {*columns, *fixed, *authors}, present, sample, work)
    verdicts = [row[columns[VERDICT]] for row in sample if VERDICT in columns]
    assumed = dict(_assumed({*columns, *fixed, *authors}, verdicts))
    _, people = _of_people(columns)
    unused = [name for name in present if name not in {*columns.values(), *people}]
    alike = [name for name in unused if are_labels(name, sample, work.known_labels, textual=True)]
    if alike and HUMANS not in {*columns, *fixed}:
        assumed[f"labels of people? --map '{HUMANS}={', '.join(alike)}'"] = {}
    constants = {**fixed, **authors}
    work.column_choice = ColumnChoice(
        columns=columns, constants=constants, unused=unused, assumed=[*assumed]
    )
    work.constants = {
        **constants,
        **{name: value for implied in assumed.values() for name, value in implied.items()},
    }
    sides = PASSES if ALONE in assumed else SIDES
    user_labels = {label: sides.get(word, word) for label, word in work.request.labels.items()}
    work.labels = {**sides, **work.labels, **user_labels}
    if work.has_texts and not {ITEM, REPEAT} & {*columns, *fixed}:
        work.askings = Counter()


def _authors(
    columns: dict[str, str], present: Sequence[str], sample: Sample, work: Work
) -> dict[str, str]:
    """Return whose the answers are where only the verdicts name two authors, or nothing does.

    A column that says in their names what was shown first becomes `first`.
    """
    fixed, by = work.request.constants, ("a_by", "b_by")
    judged = {VERDICT, *SCORES} & {*columns}
    if not judged or {"a", "a_sha256", "b", "b_sha256", *by} & {*columns}:
        return {}
    unnamed = not {"a", *by} & {*fixed}
    if VERDICT not in columns:
        return dict(zip(by, _NAMELESS[len(judged)], strict=False)) if unnamed else {}
    free = [name for name in present if name not in columns.values()]
    orders = [columns[FIRST]] if FIRST in columns else free
    verdicts = columns[VERDICT]
    named = [fixed[name] for name in by if name in fixed]
    authors, order, sides = two_authors(verdicts, orders, sample, work.known_labels, named)
    if order and FIRST not in fixed:
        columns[FIRST] = order
        work.labels = sides
    if not authors and unnamed:
        authors = _NAMELESS[1 if are_passes([row[verdicts] for row in sample]) else 2]
    return dict(zip(by, authors, strict=False))


def _refuse(
    columns: Mapping[str, str],
    available: Collection[str],
    present: Sequence[str],
    sample: Sample,
    work: Work,
) -> None:
    """Note what no table of verdicts can lack, and a judge's column that names no judges."""
    has = f"its columns are {', '.join(map(repr, present)) or 'none'}"
    free = [name for name in present if name not in columns.values()]
    alike = [name for name in free if are_labels(name, sample, work.known_labels, textual=True)]
    hints = {
        "a": ", or name two authors by --set a_by=NAME --set b_by=NAME",
        VERDICT: f" (these look like verdicts: {', '.join(map(repr, alike))})"
        if alike
        else ", of scores by --map a_score=COLUMN",
    }
    several = "; several judges need a row each, and a column judge" if alike[1:] else ""
    for needed in (("a", "a_sha256", "a_by"), (VERDICT, *SCORES)):
        if not {*available} & {*needed}:
            remedy = (
                f"map a column to it by --map {needed[0]}=COLUMN{hints[needed[0]]}: {has}{several}"
            )
            work.causes.add(1, "", f"has no {' or '.join(needed)}", remedy)
    column = columns.get(JUDGE, "")
    if work.causes or not column or JUDGE in work.request.columns:
        return
    if why := no_judges(column, sample, work.known_labels):
        remedy = (
            "name one judge by --set judge=NAME, "
            f"or say that it names judges by --map judge={column}"
        )
        if are_labels(column, sample, work.known_labels):
            remedy = f"if these are the verdicts, --map verdict={column}; else {remedy}"
        work.causes.add(1, column, why, remedy)


def _assumed(
    available: Collection[str], verdicts: Collection[str]
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield what no column states, with the fields that follow; `verdicts` are a few of them."""
    if "verdict" in available and not {"b", "b_sha256", "b_by", "b_score"} & {*available}:
        if are_passes(verdicts):
            yield ALONE, {"b_sha256": FAILS}
        elif "a_by" in available:
            yield _ONE_BASELINE, {"b_by": _BASELINE}
    if "judge" not in available:
        yield _NO_JUDGE, {"judge": UNKNOWN}
    if not {"item", "question", "question_sha256"} & {*available}:
        yield (_NO_ITEM if {"a", "a_sha256"} & {*available} else EACH_ROW), {}


def _noted(note: str, lines: Sequence[int]) -> str:
    rows, places = ("1 row", "line") if len(lines) == 1 else (f"{len(lines):,} rows", "lines")
    return f"{rows} {note}: {places} {shortened(lines, SHOWN)}"
