"""Table of a file's columns: what each was taken for, and why (Reading R101)."""

from collections.abc import Sequence
from typing import Any, Final, Literal

from epc.records.typed import as_json
from epc.records.verdicts.converting import ColumnChoice, ColumnUse
from epc.report.document import Listed, Part, Section, Table, printed, sentence

_MEANT: Final = {
    "item": "the question",
    "question": "the question's text",
    "judge": "who judged",
    "a": "answer a",
    "b": "answer b",
    "a_by": "who wrote answer a",
    "b_by": "who wrote answer b",
    "first": "the answer that was shown first",
    "swapped": "whether b was shown first",
    "verdict": "what the judge chose",
    "humans": "what people chose",
    "human_score": "the score that people gave",
    "gold": "what is right",
    "a_score": "the score of answer a",
    "b_score": "the score of answer b",
    "a_length": "how long answer a is",
    "b_length": "how long answer b is",
    "subset": "the domain",
    "group": "which questions belong together",
    "repeat": "which repeat of a question it is",
    "prompt": "the judge's prompt",
    "answer": "the judge's answer",
    "model": "the judge's model",
}
_HEAD: Final = ("column", "taken for", "why", "values")
_WIDEST: Final = 14
_TITLE: Final = "What the columns were taken for"
_OTHERWISE: Final = "another meaning: --map FIELD=COLUMN; none: --ignore COLUMN"


def columns_text(uses: Sequence[ColumnUse]) -> str:
    """Return the printed table of columns."""
    return printed(_parts(ColumnChoice(uses=uses), "open")) if uses else ""


def columns_section(column_choice: ColumnChoice, state: Literal["folded", "open"]) -> list[Part]:
    """Return the table of columns as a section, with what no column states."""
    return [*_parts(column_choice, state)] if column_choice.uses else []


def taken_as_json(column_choice: ColumnChoice) -> dict[str, Any]:
    """Return what a file was taken for, as JSON has it: in words, and column by column."""
    document: dict[str, Any] = as_json(column_choice)
    return {"columns": document.pop("uses", []), "taken": document}


def _parts(column_choice: ColumnChoice, state: Literal["folded", "open"]) -> list[Part]:
    rows = [_row(use) for use in column_choice.uses]
    rows += [
        ("(all rows)", _meant(name), "", value) for name, value in column_choice.constants.items()
    ]
    table = Table("columns", [_HEAD, *rows])
    assumed = [Listed([*map(sentence, column_choice.assumed)])] if column_choice.assumed else []
    return [Section(f"{_TITLE} ({_OTHERWISE})", [table, *assumed], state)]


def _row(use: ColumnUse) -> tuple[str, str, str, str]:
    meaning = "not used" if use.taken_for is None else _meant(use.taken_for)
    return use.column, meaning, use.why, ", ".join(map(_cut, use.values))


def _meant(name: str) -> str:
    return f"{name}: {_MEANT[name]}" if name in _MEANT else name


def _cut(value: str) -> str:
    line = " ".join(value.split())
    return line if len(line) <= _WIDEST else f"{line[: _WIDEST - 3]}..."
