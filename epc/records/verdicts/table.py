"""A table of verdicts: CSV, JSON, JSON Lines, Excel or Parquet, its columns mapped to fields."""

import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final

from epc.digests import file_sha256
from epc.errors import Finding, MalformedError, UsageError
from epc.printable import shortened
from epc.records.findings import SHOWN, Causes
from epc.records.verdicts.aliases import (
    ALSO,
    plain,
)
from epc.records.verdicts.cells import Cells, read
from epc.records.verdicts.checking import CLAUSE
from epc.records.verdicts.column_rules import (
    FIELDS,
    MOST_COMMANDS,
    NOT_KNOWN,
    SEVERAL,
    Ask,
    Choice,
    choose,
    split_columns,
)
from epc.records.verdicts.columns import VerdictRows
from epc.records.verdicts.converting import ColumnChoice, ColumnUse, Conversion, Request
from epc.records.verdicts.table_rows import EXCHANGED, FILE, Built, verdicts_of
from epc.records.verdicts.types import Header, SourceFile

__all__ = ["EXCHANGED", "EXPECTED", "command_of", "convert", "stated_in", "texts_on"]

_EXAMPLES: Final = 3
_DEEPEST: Final = 3  # of questions that follow each other
EXPECTED: Final = (
    "a table (CSV, TSV, JSON, JSON Lines, Excel, Parquet) whose first line names the columns: "
    "item, judge, the texts a and b (or who wrote them, a_by and b_by), verdict (a, b, tie, "
    "unreadable; first or second beside a column first; of one answer pass or fail) or a_score "
    "and b_score. Map other names by --map FIELD=COLUMN and other labels by --label VALUE=WORD; "
    f"--set FIELD=VALUE states what no column does. Fields: {', '.join(FIELDS)}"
)
_NO_TABLE: Final = (
    "give a table whose first line names columns such as question, answer_a, answer_b and verdict; "
    "--map FIELD=COLUMN names those of another name"
)
_ASKED_AGAIN: Final = "the texts of an earlier one: the same question, asked again"
_KINDS: Final[Mapping[str, str]] = {
    "pass": "pass/fail verdicts",
    "pair": "verdicts on pairs",
    "label": "choices among labels",
    "score": "scores",
}


def convert(source: Path, request: Request) -> Conversion:
    """Return the rows of a table as verdicts; those that cannot be read are left out and counted.

    Raises: UsageError if the request names what the table does not have; WorldError if the file
    cannot be read; MalformedError if it is no table.
    """
    causes = Causes(source.name, CLAUSE)
    cells = read(source, CLAUSE, causes, rows=request.rows, texts=request.texts)
    if causes:
        return Conversion(findings=causes.findings())
    if finding := _unusable(source, cells, request):
        return Conversion(findings=[finding])
    chosen_cells, choice = choose(cells, request)
    if choice.asks:
        findings = [_question(source, cells, ask) for ask in choice.asks]
        return Conversion(
            findings=findings, column_choice=_choice_of(chosen_cells, choice, None, ())
        )
    built = verdicts_of(chosen_cells, choice, request)
    column_choice = _choice_of(chosen_cells, choice, built, _notes(cells, built))
    if built.asks:
        findings = [_question(source, cells, ask) for ask in built.asks]
        return Conversion(findings=findings, column_choice=column_choice)
    if findings := _refused(source, cells, built):
        return Conversion(findings=findings, column_choice=column_choice)
    columns, lines = column_choice.columns, built.verdicts.lines
    return Conversion(
        header=Header(
            schema_version=1,
            source=request.source(name=source.name),
            files={FILE: SourceFile(path=source.name, sha256=file_sha256(source))},
            settings=built.settings,
            identity="text" if choice.has("a", "a_sha256") else "name",
            scale=built.scale,
        ),
        rows=VerdictRows(built.verdicts, built.texts),
        place=lambda row, name: f"{source.name}:{lines[row]}/{_column(columns, name)}",
        column_choice=column_choice,
    )


def stated_in(source: Path) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Yield what each line of a table states, its verdict in our words, with its line.

    Raises: MalformedError of the first row that cannot be used; WorldError if the file cannot be
    read.
    """
    causes = Causes(source, CLAUSE)
    cells = read(source, CLAUSE, causes)
    for finding in causes.findings():
        raise MalformedError(finding)
    chosen_cells, choice = choose(cells, Request())
    if not len(cells) and cells.columns:
        return
    for ask in choice.asks:
        raise MalformedError(_question(source, cells, ask))
    built = verdicts_of(chosen_cells, choice, Request())
    for reason, (line, *further) in (*built.left_out.items(), *cells.ragged.items()):
        if reason.startswith("name no "):
            continue  # whoever needs the name says which
        says = reason if further else _singular([line], reason)
        raise MalformedError(Finding(CLAUSE, f"{source}:{line}", says, "mend the row"))
    fields = {name: columns[0] for name, columns in choice.columns.items()}
    rows = zip(*(chosen_cells.cells(column) for column in fields.values()), strict=True)
    verdict = built.verdicts.verdict
    codes = dict(zip(built.verdicts.lines.tolist(), verdict.codes.tolist(), strict=True))
    for line, row in zip(chosen_cells.lines.tolist(), rows, strict=True):
        code = codes.get(line, -1)
        word = {"verdict": verdict.names[code]} if code >= 0 else {}
        yield line, {**choice.constants, **dict(zip(fields, row, strict=True)), **word}


def texts_on(
    source: Path, columns: Sequence[str], lines: Collection[int], *, rows: str = ""
) -> dict[int, tuple[str, ...]]:
    """Return the whole texts of columns on some lines of a table; a reader keeps digests alone.

    `rows` is the path of a document's list of rows.

    Raises: WorldError if the file cannot be read.
    """
    cells = read(source, CLAUSE, Causes(source.name, CLAUSE), rows=rows, texts=True)
    texts = zip(*(cells.cells(column) for column in columns), strict=True)
    numbered = zip(cells.lines.tolist(), texts, strict=True)
    return {line: row for line, row in numbered if line in lines}


# What cannot be read ------------------------------------------------------------------------------


def _unusable(source: Path, cells: Cells, request: Request) -> Finding | None:
    """Return why a file is no table of verdicts at all, or that it holds several."""
    if cells.lists:
        commands = [
            command_of(source, cells.columns, replace(request, rows=name)) for name in cells.lists
        ]
        problem = f"holds several lists of rows: {', '.join(cells.lists)}"
        if cells.lists == [""]:
            raise UsageError(f"--rows {request.rows}: {source.name} has no such list of rows")
        if request.rows:
            raise UsageError(
                f"--rows {request.rows}: no such list\n  fix: name one of {', '.join(cells.lists)}"
            )
        return Finding(CLAUSE, source.name, problem, _listed(commands))
    if not cells.columns:
        return Finding(CLAUSE, source.name, "is empty", _NO_TABLE)
    named = {alias for name, also in ALSO.items() for alias in (name, *also.split())} | {*FIELDS}
    is_known = bool(named & {*map(plain, cells.columns)}) or request.columns or request.constants
    if not is_known and not _may_judge(choose(cells, request)[1]):
        examples = ", ".join(map(repr, [*cells.columns][:SHOWN]))
        problem = f"is no table of verdicts: no column is known in {examples}"
        return Finding(CLAUSE, f"{source.name}:1", problem, _NO_TABLE)
    if not len(cells):
        return Finding(CLAUSE, source.name, "holds no verdict", f"expected {EXPECTED}")
    return None


def _may_judge(choice: Choice) -> bool:
    """Return whether a table has what a judge said, or columns that may hold it."""
    return choice.has("verdict", "a_score") or any(ask.requests for ask in choice.asks)


def _refused(source: Path, cells: Cells, built: Built) -> list[Finding]:
    """Return a finding for each reason of a table of which more than half cannot be read."""
    reasons = {**built.left_out, **cells.ragged}
    total = built.rows + sum(map(len, cells.ragged.values()))
    if 2 * sum(map(len, reasons.values())) <= total:
        return []
    summary = f"more than half of {total:,} rows cannot be read"
    return [
        Finding(
            CLAUSE,
            f"{source.name}:{lines[0]}",
            f"{summary}: {_counted(lines)} {_singular(lines, reason)}",
            "mend these rows, or name other columns by --map FIELD=COLUMN",
        )
        for reason, lines in reasons.items()
    ]


# Questions ----------------------------------------------------------------------------------------


def _question(source: Path, cells: Cells, ask: Ask) -> Finding:
    """Return a question as a finding, with commands that work."""
    answers = (answer for request in ask.requests for answer in _answers(cells, request))
    commands = [
        command_of(source, cells.columns, answer) for answer in islice(answers, MOST_COMMANDS)
    ]
    remedy = _listed([*dict.fromkeys(commands)]) if commands else ask.fix or f"expected {EXPECTED}"
    return Finding(CLAUSE, f"{source.name}:1", ask.problem, remedy)


def _answers(cells: Cells, request: Request, depth: int = 0) -> Iterator[Request]:
    """Yield the request if a table can be read by it, or the first that answers what it asks."""
    try:
        chosen_cells, choice = choose(cells, request)
        if not choice.asks:
            built = verdicts_of(chosen_cells, choice, request)
            left = sum(map(len, built.left_out.values()))
            if not built.asks:
                if 2 * left <= built.rows:
                    yield request
                return
            choice.asks = built.asks
    except UsageError:
        return
    if depth < _DEEPEST:
        further = (
            answer
            for next_request in choice.asks[0].requests
            for answer in _answers(cells, next_request, depth + 1)
        )
        yield from islice(further, 1)


def command_of(source: Path, present: Collection[str], request: Request) -> str:
    """Return the command that gives a request of a table with these columns."""
    arguments = ["epc", "audit", str(source)]
    for name, text in request.columns.items():
        columns = split_columns(text, present) if name in SEVERAL else [text]
        arguments += [word for column in columns for word in ("--map", f"{name}={column}")]
    for option, pairs in (("--label", request.labels), ("--set", request.constants)):
        arguments += [word for name, value in pairs.items() for word in (option, f"{name}={value}")]
    arguments += [word for name in request.ignored for word in ("--ignore", name)]
    arguments += ["--rows", request.rows] if request.rows else []
    for scorer, scale in request.scales.items():
        arguments += ["--scale", f"{scorer}={scale}" if scorer else scale]
    return shlex.join(arguments)


def _listed(commands: Sequence[str]) -> str:
    return "\n   or: ".join(commands)


# What a table was taken for -----------------------------------------------------------------------


def _choice_of(
    cells: Cells, choice: Choice, built: Built | None, notes: Sequence[str]
) -> ColumnChoice:
    field_of = {column: name for name, listed in choice.columns.items() for column in listed}
    field_of |= dict.fromkeys(choice.one_hot, "verdict")
    uses = [
        ColumnUse(
            column=column,
            taken_for=field_of.get(column),
            why=choice.why.get(column, "")
            if column in field_of
            else choice.refused.get(column, NOT_KNOWN),
            values=[*islice(cells.counts(column), _EXAMPLES)],
        )
        for column in cells.columns
        if " | " not in column
    ]
    return ColumnChoice(
        taken=_taken(choice, built) if built else "",
        uses=uses,
        columns={name: ", ".join(listed) for name, listed in choice.columns.items()},
        constants=choice.constants | _exchanged(choice, built),
        unused=[use.column for use in uses if use.taken_for is None],
        assumed=[*choice.assumed, *(built.assumed if built else ()), *_again(built)],
        notes=[*notes],
    )


def _exchanged(choice: Choice, built: Built | None) -> dict[str, str]:
    """Return what was shown first where exchanged rows alone say it: answer a, as it stands."""
    is_known = not built or EXCHANGED not in built.assumed or choice.has("first", "swapped")
    return {} if is_known or choice.orders else {"first": "a"}


def _again(built: Built | None) -> Iterator[str]:
    if built and built.repeated:
        rows = "rows repeat" if built.repeated > 1 else "row repeats"
        yield f"{built.repeated:,} {rows} {_ASKED_AGAIN}"


def _taken(choice: Choice, built: Built) -> str:
    """Return in ten words what a table was taken for."""
    judges = len({setting.judge.name for setting in built.settings.values()})
    kind = _KINDS[choice.kind]
    if choice.kind == "score" and choice.has("b_score"):
        kind = "scores of pairs"
    reference = ""
    if choice.has("humans", "human_score"):
        reference = f" beside people's {'scores' if choice.has('human_score') else 'labels'}"
    elif choice.has("gold"):
        reference = " beside labels"
    by = "1 judge" if judges == 1 else f"{judges} judges"
    return f"{len(built.verdicts):,} {kind} of {by}{reference}"


def _notes(cells: Cells, built: Built) -> list[str]:
    left_out = {**built.left_out, **cells.ragged}
    notes = [f"read: {note}" for note in cells.notes]
    notes += [f"{_noted(note, lines)}" for note, lines in built.notes.items()]
    notes += [
        f"left out: {_counted(lines)} {_singular(lines, reason)}: {_lines(lines)}"
        for reason, lines in left_out.items()
    ]
    if built.scale and built.scale.outside:
        low, high, count = built.scale.low, built.scale.high, built.scale.outside
        lie = "1 score lies" if count == 1 else f"{count:,} scores lie"
        notes.append(f"{lie} outside the scale from {low:g} to {high:g}: left out as unreadable")
    return notes


def _noted(note: str, lines: Sequence[int]) -> str:
    return f"{_counted(lines)} {note}: {_lines(lines, SHOWN)}"


def _counted(lines: Sequence[int]) -> str:
    return "1 row" if len(lines) == 1 else f"{len(lines):,} rows"


def _singular(lines: Sequence[int], reason: str) -> str:
    verb, _, remainder = reason.partition(" ")
    of_one = {"have": "has", "name": "names"}.get(verb, verb)
    return f"{of_one} {remainder}" if len(lines) == 1 else reason


def _lines(lines: Sequence[int], limit: int = _EXAMPLES) -> str:
    places = "line" if len(lines) == 1 else "lines"
    return f"{places} {shortened(lines, limit)}"


def _column(columns: Mapping[str, str], name: str) -> str:
    """Return the column that a field of a verdict comes from, or its name."""
    text = name.removesuffix("_sha256").removesuffix("_length")
    return columns.get(name) or columns.get(text, name)
