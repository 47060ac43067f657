"""Where an evaluation set comes from: a table, a folder of outputs, or an EPC run's answers."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from epc.core.results import Json
from epc.errors import Finding, MalformedError, UsageError
from epc.judge.samples import Unit
from epc.records import strict_json
from epc.records.judging.evaluation_set import Entry
from epc.records.judging.layout import LONGEST_LINE
from epc.records.judging.single import content_of
from epc.records.layout import MANIFEST, RAW
from epc.records.recompute import load_manifest
from epc.records.schemas import findings as schema_findings
from epc.spec.epc_v1 import PHASE
from epc.spec.judge_v1 import IDENTIFIERS

TASKS: Final = "tasks.json"  # in a folder of outputs: question id to task
_CLAUSE: Final = "JUDGE-7.1"
_LEVELS: Final = 3


def entries_of(source: Path) -> list[Entry]:
    """Return what is to be evaluated.

    A folder with a manifest is an EPC run, any other folder holds outputs, and a file is a table:
    CSV, or JSON Lines if it is named so.

    Raises: UsageError or MalformedError if the source cannot be used; WorldError if not read.
    """
    if source.is_dir():
        entries = list(_run(source) if (source / MANIFEST).exists() else _folder(source))
    else:
        rows = _json_rows(source) if source.suffix in {".jsonl", ".ndjson"} else _csv_rows(source)
        entries = [_table_entry(source, where, row) for where, row in rows]
    if not entries:
        raise UsageError(f"{source} holds no outputs to evaluate")
    return entries


# ------------------------------------------------------------------------------------ a table


def _csv_rows(path: Path) -> Iterator[tuple[str, Json]]:
    text = _text(path)
    csv.field_size_limit(strict_json.MAX_DOCUMENT_BYTES)
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        for number, row in enumerate(reader, 2):
            yield f"row {number}", {key: value for key, value in row.items() if value is not None}
    except csv.Error as error:
        raise MalformedError(_finding(f"{path.name}: {error}", "write it as CSV")) from None


def _json_rows(path: Path) -> Iterator[tuple[str, Json]]:
    for index, value, problems in strict_json.read_lines(path, "rows", longest=LONGEST_LINE):
        if problems:
            raise MalformedError(problems[0])
        yield f"row {index + 1}", value


def _table_entry(table: Path, where: str, row: Json) -> Entry:
    """Return the entry of a row: its output stands in it, or in a file that it names."""
    if problems := schema_findings("judge_table_row", row, where=f"/{where}", clause="JUDGE-0"):
        raise MalformedError(problems[0])
    if "output" in row and "output_file" in row:
        problem = f"{where} has an output and an output_file"
        raise MalformedError(_finding(problem, "keep one of the two columns"))
    if "output" in row:
        output: str = row["output"]
    else:
        output = _text(_inside(table.parent, row["output_file"]))
    return Entry(unit=_unit(row), output=strict_json.storable(output), task=row.get("task") or None)


def _inside(folder: Path, name: str) -> Path:
    """Return a file below a folder; a table from elsewhere must not reach what is ours."""
    try:
        path = (folder / name).resolve()
        inside = path.is_relative_to(folder.resolve()) and path.is_file()
    except (OSError, ValueError):  # a NUL, a name that is too long, a loop of links
        inside = False
    if not inside:
        problem = f"the output_file {name[:200]!r} is no file beside the table"
        raise MalformedError(_finding(problem, "name files below the table's folder"))
    return path


# ------------------------------------------------------------------------- a folder of outputs


def _folder(root: Path) -> Iterator[Entry]:
    """Yield the files TARGET/QUESTION/VARIANT.EXT; a target may be several folders deep."""
    tasks = _tasks(root)
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        if path.is_symlink():
            raise MalformedError(_finding(f"{path} is a link", "put the output itself there"))
        if not path.is_file() or path == root / TASKS:
            continue
        if len(parts) < _LEVELS:
            problem = f"{path} is not TARGET/QUESTION/VARIANT.EXT below {root}"
            raise MalformedError(_finding(problem, "sort the outputs so, or write a table"))
        *target, question, _ = parts
        unit = Unit(
            question_id=question,
            prompt_variant=path.stem,
            target_model="/".join(target),
            output_id=path.relative_to(root).as_posix(),
        )
        yield Entry(unit=_printable(unit), output=_text(path), task=tasks.get(question))


def _tasks(root: Path) -> dict[str, str]:
    if not (root / TASKS).exists():
        return {}
    value, problems = strict_json.read(root / TASKS)
    if problems:
        raise MalformedError(problems[0])
    if not isinstance(value, dict) or not all(isinstance(task, str) for task in value.values()):
        problem = f"{TASKS} is no object of tasks by question"
        raise MalformedError(_finding(problem, 'write {"Q1": "the task", ...}'))
    return value


def _printable(unit: Unit) -> Unit:
    """File names may be no Unicode text; identifiers must be."""
    values = {name: strict_json.storable(getattr(unit, name)) for name in IDENTIFIERS}
    return Unit(**values)


# --------------------------------------------------------------------------------- an EPC run


def _run(folder: Path) -> Iterator[Entry]:
    """Yield a run's answers: task as question, strategy as variant, executor as target.

    Where a run asked for the same answer in several rounds, the first round's is taken.
    """
    manifest = load_manifest(folder)
    if manifest["executor"] is None:
        raise UsageError(f"{folder} has recorded verdicts: there are no answers to judge")
    answers = {call["id"]: call["answer"] for call in _rows(folder, "calls")}
    seen: set[tuple[str, int, str]] = set()
    for trial in _rows(folder, "trials"):
        domain = PHASE[trial["phase"]].domain
        for strategy, call in (
            (trial["strategy"], trial["response"]),
            (manifest["config"]["baseline"], trial["baseline"]),
        ):
            cell = (domain, trial["task"], strategy)
            if cell in seen:
                continue
            seen.add(cell)
            if call not in answers:
                raise MalformedError(_finding(f"{folder} has no call {call}", "validate the run"))
            unit = Unit(
                question_id=f"{domain}-{trial['task']}",
                prompt_variant=strategy,
                target_model=manifest["executor"]["model"],
                output_id=call,
            )
            task = manifest["tasks"][domain][trial["task"]]
            yield Entry(unit=unit, output=answers[call], task=task)


def _rows(folder: Path, name: str) -> Iterator[Json]:
    schema = {"trials": "trial", "calls": "call"}[name]
    for index, value, problems in strict_json.read_lines(folder / RAW[name], name):
        where = f"/{name}/{index}"
        if found := problems or schema_findings(schema, value, where=where, clause="EPC-2.8"):
            raise MalformedError(found[0])
        yield value


# ------------------------------------------------------------------------------------ helpers


def _unit(row: Json) -> Unit:
    return Unit(**{name: row[name] for name in IDENTIFIERS})


def _text(path: Path) -> str:
    try:
        return content_of(path).decode("utf-8")
    except UnicodeDecodeError as error:
        problem = f"{path} is not UTF-8 at byte {error.start}"
        raise MalformedError(_finding(problem, "save it as UTF-8")) from None


def _finding(problem: str, remedy: str) -> Finding:
    return Finding(clause=_CLAUSE, where="", problem=problem, remedy=remedy)
