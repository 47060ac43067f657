"""A table of verdicts: CSV, JSON Lines, Excel or Parquet, its columns mapped to fields."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from sys import intern
from typing import Any, Final

import msgspec

from epc.digests import file_sha256
from epc.errors import refuse
from epc.judge.reply import score_in
from epc.records.csv_tables import table_of
from epc.records.findings import SHOWN, Causes
from epc.records.judging.tables import kind_of, rows_of
from epc.records.observed.checking import CLAUSE, misread
from epc.records.observed.converting import Conversion, Request, Taken, day_of, digest
from epc.records.observed.names import (
    NO_ANSWER,
    PASSES,
    SIDES,
    Sample,
    are_labels,
    no_judges,
    recognised,
    two_authors,
)
from epc.records.observed.types import (
    SCORES,
    UNKNOWN,
    Header,
    Judge,
    Prompt,
    Row,
    Setting,
    SourceFile,
)

_FILE: Final = "table"
_OF_SETTING: Final = ("judge", "model", "platform", "prompt", "prompt_sha256", "decoding")
_TEXTS: Final = ("question", "a", "b", "answer")
_NOT_HERE: Final = (
    *("setting", "file", "a_text", "b_text", "candidates", "scores", "picked", "order", "right"),
)
_OF_ROW: Final = tuple(name for name in Row.__struct_fields__ if name not in _NOT_HERE)
FIELDS: Final = (*_OF_ROW, *_TEXTS, *_OF_SETTING)
_PLACES: Final = ("first", "second")
_ITEM: Final = "item"
_JUDGE, _REPEAT = "judge", "repeat"
_FIRST, _VERDICT, _GOLD, _HUMANS = "first", "verdict", "gold", "humans"
_WORDS: Final = {  # the field that the others rest on comes first
    _FIRST: ("a", "b"),
    _VERDICT: ("a", "b", "tie", "unreadable"),
    _GOLD: ("a", "b", "tie"),
    _HUMANS: ("a", "b", "tie"),
}
_FORMS: Final = {  # by field, or by the end of its name
    "repeat": "a whole number: 0, 1, 2, ...",
    "length": "a whole number",
    "confidence": "a number from 0 to 1",
    "date": "a day: YYYY-MM-DD",
    "sha256": "a SHA-256: 64 hexadecimal digits",
}
_NUMBER: Final = re.compile(r"\s*[-+]?\d+(\.\d*)?\s*")
_SAMPLE: Final = 200  # rows that are looked at before the columns are chosen
_LABELS: Final = frozenset([*SIDES, *PASSES, *NO_ANSWER, *_WORDS[_VERDICT]])
_BASELINE: Final = "the baseline"
_FAILS: Final = digest("fail")
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
_NO_JUDGE: Final = "no column names the judge: all verdicts count as those of one judge"
_ASKED_AGAIN: Final = "the texts of an earlier one: the same question, asked again"
_NO_SCORE: Final = "without a score, so without a verdict"
_NO_PLAIN_SCORE: Final = "with a score that is no plain number (8/10 is read as 8)"
_ONE_BASELINE: Final = "each verdict compares an answer (a) with one baseline (b)"
ALONE: Final = "each verdict is of one answer: pass counts as a, fail as b"
Cells = Iterable[tuple[int, Mapping[str, str]]]


class _UnfitError(Exception):
    """A field of a line cannot be used."""

    def __init__(self, name: str, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.name, self.problem, self.remedy = name, problem, remedy


@dataclass(slots=True, kw_only=True)
class _Work:
    """What a conversion has so far; `taken` has the column of each field.

    `pairs` has the two answers of each item in the order in which they were met first. `askings`
    counts, where nothing names an item but its texts, how often the same was asked. `notes` has the
    lines that could not be used whole, by what is said of them.
    """

    request: Request
    causes: Causes
    taken: Taken = field(default_factory=Taken)
    constants: dict[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    settings: dict[str, Setting] = field(default_factory=dict)
    keys: dict[tuple[str, ...], str] = field(default_factory=dict)
    pairs: set[tuple[str, str, str]] = field(default_factory=set)
    askings: Counter[tuple[object, ...]] | None = None
    notes: dict[str, list[int]] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    @property
    def known(self) -> set[str]:
        """The words that a verdict may be, in lower case."""
        return {*_LABELS, *map(str.lower, self.request.words)}

    @property
    def has_texts(self) -> bool:
        """Whether the table holds the answers, or their digests."""
        return bool({"a", "a_sha256"} & {*self.taken.columns, *self.constants})

    def column(self, name: str) -> str:
        """Return the column that a field of a verdict comes from, or its name."""
        text = name.removesuffix("_sha256").removesuffix("_length")
        return self.taken.columns.get(name) or self.taken.columns.get(text, name)


def convert(source: Path, request: Request) -> Conversion:
    """Return every line of a table as a verdict.

    Raises: WorldError if the file cannot be read; MalformedError if it is no table.
    """
    work = _Work(request=request, causes=Causes(source.name, CLAUSE))
    for line, values in _fields(source, work):
        _add(line, values, work)
    if not work.rows and not work.causes:
        work.causes.add(0, "", "holds no verdict", f"expected {EXPECTED}")
    if work.causes:
        return Conversion(findings=work.causes.findings())
    if work.askings and (again := work.askings.total() - len(work.askings)):
        repeats = f"{again:,} row{'s repeat' if again > 1 else ' repeats'} {_ASKED_AGAIN}"
        work.taken = replace(work.taken, assumed=[*work.taken.assumed, repeats])
    work.taken = replace(work.taken, notes=[_noted(*note) for note in work.notes.items()])
    header = Header(
        schema_version=1,
        source=request.source(name=source.name),
        files={_FILE: SourceFile(path=source.name, sha256=file_sha256(source))},
        settings=work.settings,
        identity="text" if work.has_texts else "name",
    )
    return Conversion(
        header=header,
        rows=work.rows,
        place=lambda row, name: f"{source.name}:{work.lines[row]}/{work.column(name)}",
        taken=work.taken,
    )


def stated_in(source: Path) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Yield what each line of a table states, its verdict in our words, with its line.

    Raises: MalformedError of the first field that cannot be used; WorldError if the file cannot be
    read.
    """
    work = _Work(request=Request(), causes=Causes(source, CLAUSE))
    for line, values in _fields(source, work):
        try:
            yield line, {**values, **_words(values, work.labels, scored=False)}
        except _UnfitError as error:
            work.causes.add(line, work.column(error.name), str(error), error.remedy)
            break
    refuse(work.causes.findings())


def _fields(source: Path, work: _Work) -> Cells:
    """Yield the fields of each line, once the columns are chosen; none if they cannot be.

    Raises: WorldError if the file cannot be read; MalformedError if it is no table.
    """
    # Read line by line: a million verdicts fit no document.
    with _opened(source, work.causes) as (present, table):
        sample = [cells for _, cells in islice(table, _SAMPLE)]
    shown = ", ".join(map(repr, present[:SHOWN]))
    mapped = work.request.columns
    if present and not mapped and not recognised(FIELDS, present, {}, sample, work.known):
        work.causes = Causes(source.name, CLAUSE)
        work.causes.add(1, "", f"is no table of verdicts: no column is known in {shown}", _NO_TABLE)
    if not work.causes:
        _choose(present, sample, work)
    if work.causes:
        return
    columns = dict(work.taken.columns)
    people = columns.pop(_HUMANS, "").split(", ")
    with _opened(source, work.causes) as (_, table):
        for line, cells in table:
            values = {name: cells[column] for name, column in columns.items()}
            if labels := [cells[column] for column in people if cells.get(column)]:
                values[_HUMANS] = ";".join(labels)
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


def _choose(present: Sequence[str], sample: Sample, work: _Work) -> None:
    """Choose the column of each field; what cannot be chosen is a finding."""
    mapped, stated = work.request.columns, work.request.constants
    has = f"its columns are {', '.join(map(repr, present)) or 'none'}"
    for name in {**mapped, **stated}:
        if name not in FIELDS:
            option = "--map" if name in mapped else "--set"
            fields = f"name one of {', '.join(FIELDS)}"
            work.causes.add(1, "", f"{option} {name}: no such field", fields)
        elif name in mapped and name in stated:
            work.causes.add(1, "", f"{name} is mapped and set", "give --map or --set")
        elif name in mapped and mapped[name] not in present:
            work.causes.add(1, "", f"has no column {mapped[name]!r}", has)
    if work.causes:
        return
    columns = recognised(
        FIELDS, present, {**dict.fromkeys(stated, ""), **mapped}, sample, work.known
    )
    authors = _authors(columns, present, sample, work)
    columns = {
        name: columns[name]
        for name in sorted(columns, key=lambda name: [*present, columns[name]].index(columns[name]))
    }
    _refuse(columns, {*columns, *stated, *authors}, present, sample, work)
    labels = (row[columns[_VERDICT]] for row in sample if _VERDICT in columns)
    said = {label.strip().lower() for label in labels}
    assumed = dict(_assumed({*columns, *stated, *authors}, said))
    people = columns.get(_HUMANS, "").split(", ")
    unused = [name for name in present if name not in {*columns.values(), *people}]
    constants = {**stated, **authors}
    work.taken = Taken(columns=columns, constants=constants, unused=unused, assumed=[*assumed])
    work.constants = {
        **constants,
        **{name: value for of in assumed.values() for name, value in of.items()},
    }
    sides = PASSES if ALONE in assumed else SIDES
    work.labels = {**sides, **work.labels, **work.request.words}
    if work.has_texts and not {_ITEM, _REPEAT} & {*columns, *stated}:
        work.askings = Counter()


def _authors(
    columns: dict[str, str], present: Sequence[str], sample: Sample, work: _Work
) -> dict[str, str]:
    """Return whose the answers are where only the verdicts name two authors.

    A column that says in their names what was shown first becomes `first`.
    """
    stated, by = work.request.constants, ("a_by", "b_by")
    if _VERDICT not in columns or {"a", "a_sha256", *by} & {*columns}:
        return {}
    free = [name for name in present if name not in columns.values()]
    orders = [columns[_FIRST]] if _FIRST in columns else free
    verdicts = columns[_VERDICT]
    named = [stated[name] for name in by if name in stated]
    authors, order, sides = two_authors(verdicts, orders, sample, work.known, named)
    if order and _FIRST not in stated:
        columns[_FIRST] = order
        work.labels = sides
    return dict(zip(by, authors, strict=False))


def _refuse(
    columns: Mapping[str, str],
    known: Collection[str],
    present: Sequence[str],
    sample: Sample,
    work: _Work,
) -> None:
    """Note what no table of verdicts can lack, and a judge's column that names no judges."""
    has = f"its columns are {', '.join(map(repr, present)) or 'none'}"
    alike = [name for name in present if are_labels(name, sample, work.known, words=True)]
    other = {
        "a": ", or name two authors by --set a_by=NAME --set b_by=NAME",
        _VERDICT: f" (these look like verdicts: {', '.join(map(repr, alike))})" if alike else "",
    }
    for needed in (("a", "a_sha256", "a_by"), (_VERDICT, *SCORES)):
        if not {*known} & {*needed}:
            remedy = f"map a column to it by --map {needed[0]}=COLUMN{other[needed[0]]}: {has}"
            work.causes.add(1, "", f"has no {' or '.join(needed)}", remedy)
    column = columns.get(_JUDGE, "")
    if work.causes or not column or _JUDGE in work.request.columns:
        return
    if why := no_judges(column, sample, work.known):
        remedy = (
            "name one judge by --set judge=NAME, "
            f"or say that it names judges by --map judge={column}"
        )
        if are_labels(column, sample, work.known):
            remedy = f"if these are the verdicts, --map verdict={column}; else {remedy}"
        work.causes.add(1, column, why, remedy)


def _assumed(known: Collection[str], said: Collection[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield what no column states, with the fields that follow; `said` are some verdicts."""
    if "verdict" in known and not {"b", "b_sha256", "b_by", "b_score"} & {*known}:
        if said and {*said} <= {*PASSES, *NO_ANSWER, ""}:
            yield ALONE, {"b_sha256": _FAILS}
        elif "a_by" in known:
            yield _ONE_BASELINE, {"b_by": _BASELINE}
    if "judge" not in known:
        yield _NO_JUDGE, {"judge": UNKNOWN}
    if not {"item", "question", "question_sha256"} & {*known}:
        yield _NO_ITEM, {}


def _noted(what: str, lines: Sequence[int]) -> str:
    rows, places = ("1 row", "line") if len(lines) == 1 else (f"{len(lines):,} rows", "lines")
    shown = ", ".join(map(str, lines[:SHOWN])) + (", ..." if len(lines) > SHOWN else "")
    return f"{rows} {what}: {places} {shown}"


def _add(line: int, values: Mapping[str, str], work: _Work) -> None:
    try:
        row = _row(line, values, work)
    except msgspec.ValidationError as error:
        name = misread(str(error), "", "").where[1:]
        form = _FORMS.get(name) or _FORMS.get(name.rpartition("_")[2], "a number")
        remedy = f"write {form}, or leave the cell empty"
        work.causes.add(line, work.column(name), f"{values.get(name)!r} is not {form}", remedy)
    except _UnfitError as error:
        work.causes.add(line, work.column(error.name), error.problem, error.remedy)
    else:
        work.rows.append(row)
        work.lines.append(line)


def _row(line: int, values: Mapping[str, str], work: _Work) -> Row:
    """Return the verdict of a line.

    Raises: _UnfitError or ValidationError of the first field that cannot be used.
    """
    for name in ("item", "judge"):
        if not values.get(name, name):
            raise _UnfitError(name, "is empty", f"say of each verdict its {name}")
    # The same name stands in many lines: once in memory.
    verdict: dict[str, Any] = {
        name: _read(name, values[name])
        for name in _OF_ROW
        if name not in _WORDS and values.get(name) and not _is_nan(name, values[name])
    }
    if any(isinstance(verdict.get(name), float) for name in SCORES):
        work.notes.setdefault(_NO_PLAIN_SCORE, []).append(line)
    for name in _TEXTS:
        for key, value in _text(name, values, texts=work.request.texts).items():
            if verdict.setdefault(key, value) not in (value, str(value)):
                raise _UnfitError(key, f"is not that of {name}", f"leave out {key}, or {name}")
    present = [name in verdict for name in SCORES if name in values]
    # Who says what an empty verdict means says it of a missing score as well.
    is_scored = all(present) if "" in work.labels else any(present)
    verdict |= _words(values, work.labels, scored=bool(present) and is_scored)
    if any(present) and not all(present) and _VERDICT not in verdict:
        work.notes.setdefault(_NO_SCORE, []).append(line)
    verdict |= {"file": _FILE, "setting": _setting(values, work)}
    return msgspec.convert(_numbered(_named(verdict, work), work), Row, strict=False)


def _numbered(verdict: dict[str, Any], work: _Work) -> dict[str, Any]:
    """Return a verdict with the number of its asking, where only texts say that it is the same."""
    if work.askings is None:
        return verdict
    asking = tuple(verdict.get(name) for name in ("item", "setting", _FIRST))
    work.askings[asking] += 1
    return verdict | ({_REPEAT: work.askings[asking] - 1} if work.askings[asking] > 1 else {})


def _named(verdict: dict[str, Any], work: _Work) -> dict[str, Any]:
    """Return a verdict under the name of its item, which is a question with two answers.

    A column `item` names it. Any other column names the question, of which there may be several
    pairs of answers; a pair that was met before with its sides exchanged is turned round.
    """
    is_item = work.column(_ITEM) == work.request.columns.get(_ITEM, _ITEM)
    if work.has_texts and is_item and "item" in verdict:
        return verdict
    texts = [verdict.get(name) for name in ("question_sha256", "a_sha256", "b_sha256")]
    stated = [
        verdict.get(name) for name in ("subset", "item", "question_sha256") if name in verdict
    ]
    question = "/".join(map(str, stated)) if stated else digest("/".join(map(str, texts)))
    if not work.has_texts:
        for side in "ab":
            if by := verdict.get(f"{side}_by"):
                verdict.setdefault(f"{side}_sha256", intern(digest(f"{question}/{by}")))
    a, b = (verdict.get(f"{side}_sha256", "") for side in "ab")
    if (question, b, a) in work.pairs:
        verdict, a, b = _turned(verdict), b, a
    elif b and b != _FAILS:
        work.pairs.add((question, a, b))
    verdict.setdefault("question_sha256", intern(digest(question)))
    named = verdict.get(_ITEM, question if len(question) < len(a) else question[:12])
    return verdict | {"item": intern(f"{named}/{a[:12]}/{b[:12]}")}


def _turned(verdict: Mapping[str, Any]) -> dict[str, Any]:
    """Return a verdict with its two sides exchanged."""
    other = {"a": "b", "b": "a"}
    sides = {
        f"{other[name[0]]}{name[1:]}" if name[:2] in ("a_", "b_") else name: value
        for name, value in verdict.items()
    }
    words = {
        name: other.get(sides[name], sides[name])
        for name in (_FIRST, _VERDICT, _GOLD)
        if name in sides
    }
    people = tuple(other.get(said, said) for said in sides.get(_HUMANS, ()))
    return sides | words | ({_HUMANS: people} if people else {})


def _read(name: str, cell: str) -> str | float:
    """Return a cell as the field has it; a score may be `8/10`."""
    if name not in SCORES or _NUMBER.fullmatch(cell):
        return intern(day_of(cell) if name == "date" else cell)
    score = score_in(cell)
    if score is None:
        problem = f"{cell!r} is no number"
        raise _UnfitError(name, problem, "write a number, as 8 or 8/10, or leave the cell empty")
    return score


def _is_nan(name: str, cell: str) -> bool:
    return name in SCORES and cell.lower() == "nan"


def _text(name: str, values: Mapping[str, str], *, texts: bool) -> dict[str, Any]:
    """Return what a verdict says of a text: its digest and length, or itself where that is let.

    An empty cell is an empty text; a text without a column is none.
    """
    if name not in values:
        return {}
    text = values[name]
    fields: dict[str, Any] = {f"{name}_sha256": intern(digest(text))}
    if name != "question":
        fields[f"{name}_length"] = len(text)
    return fields | ({f"{name}_text": text} if texts and name in ("a", "b") else {})


def _words(values: Mapping[str, str], labels: Mapping[str, str], *, scored: bool) -> dict[str, Any]:
    """Return the labels of a line in our words: of candidates, whatever the place they stood in.

    An empty cell is no label, unless the user says what an empty verdict is.

    Raises: _UnfitError for a label that is none of our words, or a place that is nobody's.
    """
    fields: dict[str, Any] = {}
    authors = {values[by]: side for side in "ab" if values.get(by := f"{side}_by")}
    at = authors if len(authors) > 1 or "b_by" not in values else {}
    for name in _WORDS:
        cell = values.get(name, "").strip()
        if not cell and (name != _VERDICT or scored):
            continue
        if not cell and "" not in labels:
            remedy = f"say what an empty cell means: --label '=WORD', {_listed(name)}"
            raise _UnfitError(name, "is empty, and there is no score beside it", remedy)
        stated = _apart(cell, labels) if name == _HUMANS else [cell]
        said = [_word(name, label, labels, at) for label in stated]
        if said:
            fields[name] = tuple(said) if name == _HUMANS else said[0]
        if name == _FIRST:
            places = _WORDS[name] if said[0] == "a" else ("b", "a")
            at |= zip(_PLACES, places, strict=True)
    return fields


def _word(name: str, label: str, labels: Mapping[str, str], at: Mapping[str, str]) -> str:
    said = at.get(label) or labels.get(label) or labels.get(label.lower(), label.lower())
    said = at.get(said, said)
    if said in _WORDS[name]:
        return said
    if name == _VERDICT and said in NO_ANSWER:
        return "unreadable"
    if said in _PLACES:
        problem = "is a place, and no column `first` says who was shown there"
        raise _UnfitError(name, problem, "name that column by --map first=COLUMN")
    remedy = f"say what it means: --label '{label}=WORD', {_listed(name)}"
    if label.replace(".", "", 1).isdigit():
        remedy = f"a column of scores is a_score: --map a_score=COLUMN. Else {remedy}"
    raise _UnfitError(name, f"{label!r} is no label", remedy)


def _listed(name: str) -> str:
    return f"where WORD is one of {', '.join(_WORDS[name])}"


def _apart(cell: str, labels: Mapping[str, str]) -> list[str]:
    """Return the labels of a cell: apart by semicolons, or by blanks where none of them has one."""
    parts = [part.strip() for part in cell.split(";") if part.strip()]
    known = {*labels, *_WORDS[_HUMANS]}  # a label may hold a semicolon, or a blank
    if {cell, cell.lower()} & known:
        return [cell]
    split = [word for part in parts for word in ([part] if part in labels else part.split())]
    return split if {*split} <= known or len(parts) > 1 else parts


def _setting(values: Mapping[str, str], work: _Work) -> str:
    """Return the key of a line's setting, which is new if it differs from all before."""
    stated = tuple(values.get(each) or UNKNOWN for each in _OF_SETTING)
    if stated not in work.keys:
        judge, model, platform, prompt, sha256, decoding = stated
        key = judge if prompt == UNKNOWN else f"{judge}/{prompt}"
        if key in work.settings:
            key = f"{key}#{len(work.settings) + 1}"
        work.settings[key] = Setting(
            judge=Judge(name=judge, model=model, platform=platform),
            prompt=Prompt(name=prompt, sha256=sha256),
            decoding=_decoding(decoding),
            date=UNKNOWN,
        )
        work.keys[stated] = key
    return work.keys[stated]


def _decoding(stated: str) -> dict[str, Any] | str:
    if stated == UNKNOWN:
        return UNKNOWN
    try:
        return msgspec.json.decode(stated, type=dict[str, Any])
    except msgspec.DecodeError as error:
        problem = f"is no JSON object: {error}"
        raise _UnfitError("decoding", problem, 'write it as {"temperature": 0}') from None
