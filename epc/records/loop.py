"""The files of an optimiser's run: its log, the plan of the checks, the checks, the ledger.

A log has a line for every item that was scored, as `epc.loop.record` writes it or as a table of
somebody's own; checks have a line for every score on an item that the optimiser never saw.
Reading R93 says what each may hold.

Over 400 lines: what reads a file stands beside what writes it.
"""

import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, is_dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Struct

from epc.digests import file_sha256, sha256
from epc.errors import Finding, MalformedError, UsageError, able_to, refuse
from epc.printable import inert
from epc.records.csv_tables import csv_text, decimal, table_of
from epc.records.findings import Causes
from epc.records.strict_json import dumps_line, read, read_lines, write, write_text
from epc.records.typed import as_json, parse, written
from epc.records.verdicts.scales import known_scale
from epc.records.verdicts.types import Scale
from epc.records.verdicts.verdict_words import MISSING

CLAUSE: Final = "Reading R93"
GOLD: Final = "gold"  # the judge of a label
EXECUTED: Final = "executed.jsonl"
LEDGER: Final = "loop.ledger.jsonl"
_LOG, _PLAN, _CHECKS, _KEPT = ".loop.jsonl", ".plan.json", ".checks.jsonl", ".kept.jsonl"
MARGIN: Final = 0.05  # of right answers, where a plan has none (Reading R102)
_DIGITS: Final = 12
_TABLES: Final = (".csv", ".tsv")
_SCORE: Final = "score"
_NONE: Final = frozenset(("", *MISSING))  # what a table has for a score that could not be read
_TEXTS: Final = ("text", "input", "question", "prompt")  # where an item has its text, in order
_NAMES: Final = ("item", "id")  # where it has its name
_SORTED: Final = json.JSONEncoder(sort_keys=True, default=lambda value: plain(value))  # noqa: PLW0108  (it stands below)
Name = str | int
T = TypeVar("T", bound=Struct)
S = TypeVar("S", "_ReadLine", "Check")


class LogLine(Struct, frozen=True, kw_only=True):
    """A line of a log: what the optimiser's metric gave a candidate's output for an item.

    `output` is an identifier or a digest. `text` is the digest of the item's text.
    """

    candidate: Name
    item: Name
    score: float | bool
    output: Name | None = None
    judge: str = ""
    split: str | None = None
    seq: int | None = None
    batch: int | None = None
    text: str | None = None


class _ReadLine(LogLine, frozen=True, kw_only=True):
    """A line of a log as it stands in a file, where a score may be missing."""

    score: float | bool | None  # type: ignore[assignment]


class Check(Struct, frozen=True, kw_only=True):
    """A line of the checks: a judge's score, or a label where the judge is `gold`.

    A score that could not be read is null. `plan` is the digest of the plan that drew the item.
    """

    candidate: Name
    item: Name
    judge: str
    score: float | bool | None
    output: Name | None = None
    asking: int = 0
    plan: str | None = None
    time: str | None = msgspec.field(name="at", default=None)
    text: str | None = None


class StoredValue(Struct, frozen=True, kw_only=True):
    """A value that an identifier stands for: a candidate, an item, an output."""

    kind: str
    id: str
    value: Any


class PlannedJudge(Struct, frozen=True, kw_only=True):
    """A judge of the plan, as it is asked, and the platform that it is asked on."""

    model: str
    platform: str


class LoggedOutput(Struct, frozen=True, kw_only=True):
    """An output of the log that its judge is to score again."""

    candidate: str
    item: str
    output: str


class LoopPlan(Struct, frozen=True, kw_only=True):
    """Plan of what will be checked, drawn before anything was looked at.

    `log` and `texts` are digests: of the log, and of every test item's text. `gold` are the items
    that get labels, `gold_twice` those that get two. `repeats` are logged outputs that judge A is
    asked about again, which shows whether it changed. `margin` is the loss of right answers that
    gold has to exclude, as a share.
    """

    time: str
    log: str
    seed: str
    final: str
    draw_seed: int
    judge: PlannedJudge
    test: tuple[str, ...]
    texts: Mapping[str, str]
    gold: tuple[str, ...]
    gold_twice: tuple[str, ...]
    repeats: tuple[LoggedOutput, ...] = msgspec.field(name="again")
    judge_b: PlannedJudge | None = None
    margin: float = msgspec.field(default_factory=lambda: MARGIN)  # a factory: always written
    schema_version: int = written(1)


class LedgerLine(Struct, frozen=True, kw_only=True):
    """A line of the ledger: items that were looked at, and the scores that a gate decided on."""

    time: str = msgspec.field(name="at")
    by: str
    items: tuple[str, ...]
    texts: tuple[str, ...] = ()
    decided: str | None = None


class Execution(Struct, frozen=True, kw_only=True):
    """A candidate's output for an item, and its scores; `output` is the value's digest."""

    candidate: str
    item: str
    output: str
    value: Any
    prompt: str | None
    score: float | None
    gold: float | None
    time: str = msgspec.field(name="at")


class Label(Struct, frozen=True, kw_only=True):
    """A line of the file of labels: an output, and whether it is right."""

    item: Name
    output: Name
    asking: int
    score: float | None = None
    text: str = ""


class ItemScore(Struct, frozen=True, kw_only=True):
    """A line of a run that is compared with another: an item's score, and whose output it is of."""

    item: Name
    score: float | bool
    output: Name | None = None
    judge: str = ""


class Log(Struct, frozen=True, kw_only=True):
    """An optimiser's log, its lines in their order.

    `unread` are items of which some candidate's score could not be read: no line is of these.
    """

    name: str
    sha256: str
    rows: list[LogLine]
    unread: frozenset[str] = frozenset()


def digest(value: Any) -> str:
    """Return the first 12 digits of the SHA-256 of a value's sorted JSON."""
    return sha256(_SORTED.encode(value))[:_DIGITS]


def plain(value: Any) -> Any:
    """Return the JSON of a value that a program passes round: an example, a prediction, a row."""
    if callable(convert := getattr(value, "toDict", None)):
        return convert()
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return getattr(value, "__dict__", None) or str(value)


def text_digest(item: Any) -> str:
    """Return the digest of an item's text, however it is spaced and whatever stands beside it."""
    value = item if isinstance(item, str | dict) else plain(item)
    if isinstance(value, Mapping):
        texts = (value[name] for name in _TEXTS if isinstance(value.get(name), str))
        contents = {name: part for name, part in value.items() if name not in _NAMES}
        value = next(texts, None) or _SORTED.encode(contents)
    return sha256(" ".join(str(value).split()).casefold())[:_DIGITS]


def name_and_text(item: Any) -> tuple[str, str]:
    """Return an item's name and its text's digest; the name is its own `item` or `id`, or that."""
    text, value = text_digest(item), item if isinstance(item, str | dict) else plain(item)
    named = value if isinstance(value, Mapping) else {}
    return next((str(named[name]) for name in _NAMES if name in named), text), text


def loop_paths(log: Path) -> tuple[Path, Path, Path]:
    """Return where a log's plan, its checks and what its identifiers stand for are."""
    stem = log.name.removesuffix(_LOG) if log.name.endswith(_LOG) else log.stem
    plan, checks, values = (log.with_name(f"{stem}{end}") for end in (_PLAN, _CHECKS, _KEPT))
    return plan, checks, values


def read_log(path: Path) -> Log:
    """Return a log: JSON Lines, or a table (CSV) with candidate, item, score and split.

    An item of which a score is missing, or outside the scale of the others, as -1 for none, is left
    out for every candidate: they are compared on the same items.

    Raises: MalformedError at the first line that is none; WorldError if the disk refuses.
    """
    lines = _on_scales(_rows(path, _ReadLine))
    unread = frozenset(str(line.item) for line in lines if line.score is None)
    rows: list[LogLine] = [line for line in lines if str(line.item) not in unread]
    if not rows:
        problem = "holds no score" if path.read_bytes().strip() else "is empty"
        refuse([Finding(CLAUSE, str(path), problem, "name the log of an optimiser's run")])
    if all(row.seq is not None for row in rows):
        rows.sort(key=lambda row: row.seq or 0)
    return Log(name=path.name, sha256=file_sha256(path), rows=rows, unread=unread)


def read_checks(path: Path) -> list[Check]:
    """Return checks, as `read_log` reads a log.

    A judge's score that lies outside the scale of its others, as -1 for none, is unreadable.

    Source: Reading R101.
    """
    return _on_scales(_rows(path, Check))


def _on_scales(rows: Sequence[S]) -> list[S]:
    """Return lines with null for what lies outside the scale of its judge's other scores."""
    scores: dict[str, set[float]] = {}
    for row in rows:
        if row.score is not None and row.judge != GOLD:
            scores.setdefault(row.judge, set()).add(float(row.score))
    scales = {judge: known_scale(values) for judge, values in scores.items()}
    return [_on_scale(row, scales.get(row.judge)) for row in rows]


def _on_scale(row: S, scale: Scale | None) -> S:
    if row.score is None or scale is None or scale.low <= row.score <= scale.high:
        return row
    return msgspec.structs.replace(row, score=None)


def is_log(path: Path) -> bool:
    """Return whether a file is a log rather than checks: by its name, else by having splits."""
    if path.name.endswith((_LOG, _CHECKS)):
        return path.name.endswith(_LOG)
    with able_to("read", path), path.open(encoding="utf-8", errors="replace") as file:
        return "split" in file.readline()


def read_scores(path: Path) -> dict[str, ItemScore]:
    """Return the scores of a run by item, as `read_log` reads a log.

    Raises: MalformedError if an item appears twice.
    """
    scores: dict[str, ItemScore] = {}
    for row in _rows(path, ItemScore):
        if scores.setdefault(str(row.item), row) is not row:
            problem = f"the item {row.item} appears twice"
            refuse([Finding("Reading R95", str(path), problem, "keep one score of each item")])
    return scores


def read_plan(path: Path) -> tuple[LoopPlan, str]:
    """Return a plan and its digest.

    Raises: MalformedError if it is none.
    """
    value, problems = read(path)
    refuse(problems)
    try:
        return parse(value, LoopPlan), file_sha256(path)
    except ValueError as error:
        finding = Finding(CLAUSE, str(path), str(error), "plan again: epc loop plan")
        raise MalformedError(finding) from None


def write_plan(path: Path, plan: LoopPlan) -> None:
    """Write a plan once.

    Raises: UsageError if there is one.
    """
    if path.exists():
        raise UsageError(f"{path} exists already\n  fix: check what it planned, or remove it")
    write(path, as_json(plan))


def read_kept(path: Path) -> dict[tuple[str, str], Any]:
    """Return what identifiers stand for, by kind and identifier; nothing where no file is."""
    rows = _rows(path, StoredValue) if path.exists() else []
    return {(row.kind, row.id): row.value for row in rows}


def read_ledger(log: Path) -> list[LedgerLine]:
    """Return which items the checks beside a log have used up."""
    path = log.with_name(LEDGER)
    return _rows(path, LedgerLine) if path.exists() else []


def spend(log: Path, spent: LedgerLine) -> None:
    """Note in the ledger that items were looked at, unless it says so already."""
    ledger = read_ledger(log)
    if not any(msgspec.structs.replace(row, time=spent.time) == spent for row in ledger):
        append(log.with_name(LEDGER), [spent])


def append(path: Path, rows: Iterable[Struct]) -> None:
    """Append lines to a file.

    Raises: WorldError if the disk refuses.
    """
    with able_to("write", path), path.open("a", encoding="utf-8") as file:
        file.writelines(dumps_line(as_json(row)) for row in rows)


def read_executed(folder: Path) -> dict[tuple[str, str], Execution]:
    """Return what was executed so far, by candidate and item."""
    path = folder / EXECUTED
    rows = _rows(path, Execution) if path.exists() else []
    return {(row.candidate, row.item): row for row in rows}


def write_lines(path: Path, rows: Iterable[Struct]) -> None:
    """Write a file of lines, whole or not at all."""
    write_text(path, (dumps_line(as_json(row)) for row in rows))


def labels_file(log: Path) -> Path:
    """Return the file beside a log into which people write labels."""
    return loop_paths(log)[1].with_suffix("").with_suffix(".labels.csv")


def read_labels(path: Path) -> list[Label]:
    """Return the labels of a file that have a score."""
    return [row for row in _rows(path, Label) if row.score is not None]


def write_labels(path: Path, rows: Iterable[Execution], twice: Container[str], salt: str) -> None:
    """Write the outputs that need a label, in an order that tells nothing of who wrote which."""
    outputs = {(row.item, row.output): row for row in rows}
    shuffled = sorted(outputs.values(), key=lambda row: sha256(f"{salt}{row.item}{row.output}"))
    lines = [(0, row) for row in shuffled]
    lines += [(1, row) for row in shuffled if row.item in twice]
    cells: list[tuple[object, ...]] = [("item", "output", "asking", "score", "text")]
    for asking, row in lines:
        text = row.value if isinstance(row.value, str) else _SORTED.encode(row.value)
        cells.append((row.item, row.output, asking, "", inert(text)))
    write_text(path, [csv_text(cells)])


def read_items(path: Path) -> dict[str, Any]:
    """Return test items by name: JSON Lines of texts or objects, or a table.

    Raises: MalformedError if two have one name.
    """
    items: dict[str, Any] = {}
    for place, item in _values(path):
        name, _ = name_and_text(item)
        if name in items:
            problem = f"the item {name} appears twice"
            refuse([Finding(CLAUSE, place, problem, "keep one of them")])
        items[name] = item
    return items


def _rows(path: Path, kind: type[T]) -> list[T]:
    """Return a file's lines, all at once where none is wrong."""
    if path.suffix not in _TABLES:
        try:
            with able_to("read", path):
                rows = msgspec.json.Decoder(kind).decode_lines(path.read_bytes())
            if all(_is_finite(row) for row in rows):
                return rows
        except (msgspec.DecodeError, UnicodeDecodeError):
            pass  # the slower way below says where
    causes, rows = Causes(path, CLAUSE), []
    values = _values(path)
    if kind in (Check, _ReadLine) and path.suffix in _TABLES:
        values = ((place, _with_score(value)) for place, value in values)
    for place, value in values:
        line = int(place.rpartition(":")[2])
        try:
            rows.append(msgspec.convert(value, kind, strict=path.suffix not in _TABLES))
        except msgspec.ValidationError as error:
            names = ", ".join(key.encode_name for key in msgspec.structs.fields(kind))
            hint = f"; this one has {', '.join(value)}: rename" if isinstance(value, dict) else ""
            problem, remedy = str(error), f"a line has {names}{hint}"
            if problem.endswith("`$.score`"):
                problem = f"the score {value.get(_SCORE)!r} is no number"
                remedy = "write a number, as 3.5, or leave the line out"
            causes.add(line, "", problem, remedy)
        else:
            if not _is_finite(rows[-1]):
                causes.add(line, "", "the score is no finite number", "leave the line out")
    refuse(causes.findings())
    return rows


def _with_score(value: dict[str, Any]) -> dict[str, Any]:
    """Return a table's line, with null for a score that could not be read."""
    is_absent = str(value.get(_SCORE, "")).strip().lower() in _NONE
    return {**value, _SCORE: None} if is_absent else value


def _values(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the place and value of every line of JSON Lines, or of a table."""
    if path.suffix in _TABLES:
        with table_of(path, CLAUSE) as table:
            for line, cells in table:
                filled = {name: cell for name, cell in cells.items() if cell}
                if _SCORE in filled:
                    filled |= {_SCORE: decimal(filled[_SCORE])}
                yield f"{path}:{line}", filled
        return
    for index, value, problems in read_lines(path, path.name, foreign=True):
        place = f"{path}:{index + 1}"
        refuse([replace(problem, where=place) for problem in problems])
        yield place, value


def _is_finite(row: object) -> bool:
    return isfinite(getattr(row, "score", None) or 0)
