"""A line of a table as a verdict: cells read, labels in our words, sides and items named."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import fmean
from sys import intern
from typing import Any, Final

import msgspec

from epc.records.csv_tables import decimal
from epc.records.findings import Causes
from epc.records.verdicts.checking import misread
from epc.records.verdicts.converting import FAILS, ColumnChoice, Request, day_of, digest
from epc.records.verdicts.types import (
    HUMAN_SCORE,
    NUMBERS,
    SCORES,
    UNKNOWN,
    Judge,
    Prompt,
    Row,
    Setting,
)
from epc.records.verdicts.verdict_words import MISSING, NO_ANSWER, PASSES, SIDES, bare, score_in

FILE: Final = "table"
_OF_SETTING: Final = ("judge", "model", "platform", "prompt", "prompt_sha256", "decoding")
_TEXTS: Final = ("question", "a", "b", "answer")
_NOT_HERE: Final = (
    *("setting", "file", "a_text", "b_text", "candidates", "scores", "picked", "order", "right"),
)
_OF_ROW: Final = tuple(name for name in Row.__struct_fields__ if name not in _NOT_HERE)
FIELDS: Final = (*_OF_ROW, *_TEXTS, *_OF_SETTING)
_PLACES: Final = ("first", "second")
ITEM: Final = "item"
JUDGE, REPEAT = "judge", "repeat"
FIRST, VERDICT, GOLD, HUMANS = "first", "verdict", "gold", "humans"
_WORDS: Final = {  # the field that the others rest on comes first
    FIRST: ("a", "b"),
    VERDICT: ("a", "b", "tie", "unreadable"),
    GOLD: ("a", "b", "tie"),
    HUMANS: ("a", "b", "tie"),
}
_FORMS: Final = {  # by field, or by the end of its name
    "repeat": "a whole number: 0, 1, 2, ...",
    "length": "a whole number",
    "confidence": "a number from 0 to 1",
    "date": "a day: YYYY-MM-DD",
    "sha256": "a SHA-256: 64 hexadecimal digits",
}
_NUMBER: Final = re.compile(r"\s*[-+]?\d+(\.\d*)?\s*")
_LABELS: Final = frozenset([*SIDES, *PASSES, *NO_ANSWER, *_WORDS[VERDICT]])
_NO_SCORE: Final = "without a score, so without a verdict"
_NO_PLAIN_SCORE: Final = "with a score that is no plain number (8/10 is read as 8)"


class UnfitError(Exception):
    """A field of a line cannot be used."""

    def __init__(self, name: str, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.name, self.problem, self.remedy = name, problem, remedy


@dataclass(slots=True, kw_only=True)
class Work:
    """Conversion of a table so far; `column_choice` has the column of each field.

    `pairs` has the two answers of each item in the order in which they were met first, and
    `exchanged` says whether any was met in the other. `askings`
    counts, where nothing names an item but its texts, how often the same was asked. `notes` has the
    lines that could not be used whole, by what is said of them.
    """

    request: Request
    causes: Causes
    column_choice: ColumnChoice = field(default_factory=ColumnChoice)
    constants: dict[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    settings: dict[str, Setting] = field(default_factory=dict)
    keys: dict[tuple[str, ...], str] = field(default_factory=dict)
    pairs: set[tuple[str, str, str]] = field(default_factory=set)
    exchanged: bool = False
    askings: Counter[tuple[object, ...]] | None = None
    notes: dict[str, list[int]] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    @property
    def known_labels(self) -> set[str]:
        """The words that a verdict may be, in lower case."""
        return {*_LABELS, *map(str.lower, self.request.labels)}

    @property
    def has_texts(self) -> bool:
        """Return whether the table holds the answers, or their digests."""
        return bool({"a", "a_sha256"} & {*self.column_choice.columns, *self.constants})

    def column(self, name: str) -> str:
        """Return the column that a field of a verdict comes from, or its name."""
        text = name.removesuffix("_sha256").removesuffix("_length")
        return self.column_choice.columns.get(name) or self.column_choice.columns.get(text, name)


def add(line: int, values: Mapping[str, str], work: Work) -> None:
    """Add a line's verdict to a conversion, or note why it is none."""
    try:
        row = _row(line, values, work)
    except msgspec.ValidationError as error:
        name = misread(str(error), "", "").where[1:]
        form = _FORMS.get(name) or _FORMS.get(name.rpartition("_")[2], "a number")
        remedy = f"write {form}, or leave the cell empty"
        work.causes.add(line, work.column(name), f"{values.get(name)!r} is not {form}", remedy)
    except UnfitError as error:
        work.causes.add(line, work.column(error.name), error.problem, error.remedy)
    else:
        work.rows.append(row)
        work.lines.append(line)


def _row(line: int, values: Mapping[str, str], work: Work) -> Row:
    """Return the verdict of a line.

    Raises: UnfitError or ValidationError of the first field that cannot be used.
    """
    for name in ("item", "judge"):
        if not values.get(name, name):
            raise UnfitError(name, "is empty", f"say of each verdict its {name}")
    # The same name stands in many lines: once in memory.
    verdict: dict[str, Any] = {
        name: _read(name, values[name])
        for name in _OF_ROW
        if name not in _WORDS
        and values.get(name)
        and not (name in NUMBERS and values[name].strip().lower() in MISSING)
    }
    if any(isinstance(verdict.get(name), float) for name in SCORES):
        work.notes.setdefault(_NO_PLAIN_SCORE, []).append(line)
    for name in _TEXTS:
        for key, value in _text(name, values, texts=work.request.texts).items():
            if verdict.setdefault(key, value) not in (value, str(value)):
                raise UnfitError(key, f"is not that of {name}", f"leave out {key}, or {name}")
    present = [name in verdict for name in SCORES if name in values]
    # Who says what an empty verdict means says it of a missing score as well.
    is_scored = all(present) if "" in work.labels else any(present)
    verdict |= words_of(values, work.labels, scored=bool(present) and is_scored)
    if any(present) and not all(present) and VERDICT not in verdict:
        work.notes.setdefault(_NO_SCORE, []).append(line)
    verdict |= {"file": FILE, "setting": _setting(values, work)}
    return msgspec.convert(_numbered(_named(verdict, work), work), Row, strict=False)


def _numbered(verdict: dict[str, Any], work: Work) -> dict[str, Any]:
    """Return a verdict with the number of its asking, where its texts alone tell a repeat."""
    if work.askings is None:
        return verdict
    asking = tuple(verdict.get(name) for name in ("item", "setting", FIRST))
    work.askings[asking] += 1
    return verdict | ({REPEAT: work.askings[asking] - 1} if work.askings[asking] > 1 else {})


def _named(verdict: dict[str, Any], work: Work) -> dict[str, Any]:
    """Return a verdict under the name of its item, which is a question with two answers.

    A column `item` names it. Any other column names the question, of which there may be several
    pairs of answers. A pair that was met before with its sides exchanged is turned round.
    """
    is_item = work.column(ITEM) == work.request.columns.get(ITEM, ITEM)
    is_named = work.has_texts and is_item and ITEM in verdict
    texts = [verdict.get(name) for name in ("question_sha256", "a_sha256", "b_sha256")]
    parts = [verdict.get(name) for name in ("subset", "item", "question_sha256") if name in verdict]
    question = "/".join(map(str, parts or [digest("/".join(sorted(map(str, texts))))]))
    if not work.has_texts:
        for side in "ab":
            if by := verdict.get(f"{side}_by"):
                verdict.setdefault(f"{side}_sha256", intern(digest(f"{question}/{by}")))
    a, b = (verdict.get(f"{side}_sha256", "") for side in "ab")
    if (question, b, a) in work.pairs:
        work.exchanged = True
        verdict, a, b = _turned(verdict), b, a
    elif b and b != FAILS:
        work.pairs.add((question, a, b))
    if is_named:
        return verdict
    verdict.setdefault("question_sha256", intern(digest(question)))
    named = verdict.get(ITEM, question if len(question) < len(a) else question[:12])
    return verdict | {"item": intern(f"{named}/{a[:12]}/{b[:12]}")}


def _turned(verdict: Mapping[str, Any]) -> dict[str, Any]:
    """Return a verdict with its two sides exchanged."""
    opposite = {"a": "b", "b": "a"}
    sides = {
        f"{opposite[name[0]]}{name[1:]}" if name[:2] in ("a_", "b_") else name: value
        for name, value in verdict.items()
    }
    labels = {
        name: opposite.get(sides[name], sides[name])
        for name in (FIRST, VERDICT, GOLD)
        if name in sides
    }
    people = tuple(opposite.get(label, label) for label in sides.get(HUMANS, ()))
    return sides | labels | ({HUMANS: people} if people else {})


def _read(name: str, cell: str) -> str | float:
    """Return a cell as the field has it; a score may be `8/10`."""
    cell = decimal(cell) if name in NUMBERS else cell
    if name == HUMAN_SCORE and ";" in cell:
        return fmean(float(_read(name, part.strip())) for part in cell.split(";"))
    if name not in (*SCORES, HUMAN_SCORE) or _NUMBER.fullmatch(cell):
        return intern(day_of(cell) if name == "date" else cell)
    score = score_in(cell)
    if score is None:
        problem = f"{cell!r} is no number"
        raise UnfitError(name, problem, "write a number, as 8 or 8/10, or leave the cell empty")
    return score


def _text(name: str, values: Mapping[str, str], *, texts: bool) -> dict[str, Any]:
    """Return the fields of a text: its digest and length, and itself where that is allowed.

    An empty cell is an empty text; a text without a column is none.
    """
    if name not in values:
        return {}
    text = values[name]
    fields: dict[str, Any] = {f"{name}_sha256": intern(digest(text))}
    if name != "question":
        fields[f"{name}_length"] = len(text)
    return fields | ({f"{name}_text": text} if texts and name in ("a", "b") else {})


def words_of(
    values: Mapping[str, str], labels: Mapping[str, str], *, scored: bool
) -> dict[str, Any]:
    """Return the labels of a line in our words, which name candidates and not places.

    An empty cell is no label, unless the user says what an empty verdict is.

    Raises: UnfitError for a label that is none of our words, or a place that is nobody's.
    """
    fields: dict[str, Any] = {}
    authors = {values[by]: side for side in "ab" if values.get(by := f"{side}_by")}
    sides = authors if len(authors) > 1 or "b_by" not in values else {}
    for name in _WORDS:
        cell = values.get(name, "").strip()
        if name != VERDICT and cell.lower() in MISSING and cell.lower() not in labels:
            continue
        if not cell and (name != VERDICT or scored):
            continue
        if not cell and "" not in labels:
            remedy = f"say what an empty cell means: --label '=WORD', {_listed(name, labels)}"
            raise UnfitError(name, "is empty, and there is no score beside it", remedy)
        cells = _apart(cell, labels) if name == HUMANS else [cell]
        meanings = [_word(name, label, labels, sides) for label in cells]
        if meanings:
            fields[name] = tuple(meanings) if name == HUMANS else meanings[0]
        if name == FIRST:
            places = _WORDS[name] if meanings[0] == "a" else ("b", "a")
            sides |= zip(_PLACES, places, strict=True)
    return fields


def _word(name: str, label: str, labels: Mapping[str, str], sides: Mapping[str, str]) -> str:
    meaning = sides.get(label) or labels.get(label) or labels.get(bare(label), bare(label))
    meaning = sides.get(meaning, meaning)
    if meaning in _WORDS[name]:
        return meaning
    if name == VERDICT and meaning in NO_ANSWER:
        return "unreadable"
    if meaning in _PLACES:
        problem = "is a place, and no column `first` says who was shown there"
        raise UnfitError(name, problem, "name that column by --map first=COLUMN")
    remedy = f"say what it means: --label '{label}=WORD', {_listed(name, labels)}"
    if label.replace(".", "", 1).isdigit():
        remedy = f"a column of scores is a_score: --map a_score=COLUMN. Else {remedy}"
    raise UnfitError(name, f"{label!r} is no label", remedy)


def _listed(name: str, labels: Mapping[str, str]) -> str:
    choices = [*_WORDS[name]]
    if "pass" in labels:  # verdicts of one answer
        choices[:2] = "pass", "fail"
    return f"where WORD is one of {', '.join(choices)}"


def _apart(cell: str, labels: Mapping[str, str]) -> list[str]:
    """Return the labels of a cell: apart by semicolons, or by blanks where none of them has one."""
    parts = [part.strip() for part in cell.split(";") if part.strip()]
    known_labels = {*labels, *_WORDS[HUMANS]}  # a label may hold a semicolon, or a blank
    if {cell, cell.lower()} & known_labels:
        return [cell]
    split = [word for part in parts for word in ([part] if part in labels else part.split())]
    return split if {*split} <= known_labels or len(parts) > 1 else parts


def _setting(values: Mapping[str, str], work: Work) -> str:
    """Return the key of a line's setting, which is new if it differs from all before."""
    fields = tuple(values.get(name) or UNKNOWN for name in _OF_SETTING)
    if fields not in work.keys:
        judge, model, platform, prompt, sha256, decoding = fields
        key = judge if prompt == UNKNOWN else f"{judge}/{prompt}"
        if key in work.settings:
            key = f"{key}#{len(work.settings) + 1}"
        work.settings[key] = Setting(
            judge=Judge(name=judge, model=model, platform=platform),
            prompt=Prompt(name=prompt, sha256=sha256),
            decoding=_decoding(decoding),
            date=UNKNOWN,
        )
        work.keys[fields] = key
    return work.keys[fields]


def _decoding(text: str) -> dict[str, Any] | str:
    if text == UNKNOWN:
        return UNKNOWN
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError as error:
        problem = f"is no JSON object: {error}"
        raise UnfitError("decoding", problem, 'write it as {"temperature": 0}') from None
