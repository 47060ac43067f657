"""Shapes of sources that `epc observe import` reads."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from epc.errors import Finding, UsageError
from epc.records.layout import RAW
from epc.records.tables import kind_of
from epc.records.verdicts import column_rules, inspect, promptfoo, recipes, table, traces
from epc.records.verdicts.checking import CLAUSE, problems
from epc.records.verdicts.columns import Verdicts, columns_of
from epc.records.verdicts.converting import ColumnChoice, Conversion, Request, Shape
from epc.records.verdicts.parquet import METADATA
from epc.records.verdicts.types import Fault, Header, ImportOptions
from epc.records.verdicts.verdict_file import present, read, write

# What people bring; published sources have a recipe each.
_SHAPES: Final = {
    "csv": Shape(table.EXPECTED, (), table.convert, states=column_rules.FIELDS),
    "inspect": Shape(inspect.EXPECTED, inspect.FAULTS, inspect.convert),
    "promptfoo": Shape(promptfoo.EXPECTED, promptfoo.FAULTS, promptfoo.convert),
    **traces.SHAPES,
}
_VERDICTS: Final = "verdict file"
# What stands in a log or an export, and in no table: all marks of one of the groups.
_MARKS: Final[dict[str, tuple[tuple[bytes, ...], ...]]] = {
    "inspect": ((b'"eval"', b'"version"'),),
    "promptfoo": ((b'"evalId"',),),
    "mlflow": ((b'"assessments"', b'"trace_id"'), (b'"assessment_name"',)),
    "langsmith": ((b'"feedback_source"',),),
    "phoenix": ((b'"annotator_kind"',),),
    "deepeval": ((b'"metricsData"',),),
    "langfuse": (
        (b'"source": "EVAL"',),
        (b'"source":"EVAL"',),
        (b'"source": "ANNOTATION"',),
        (b'"source":"ANNOTATION"',),
    ),
    "otlp": ((b'"resourceSpans"',), (b'"resourceLogs"',)),
}
_OF_RUNS: Final = (b'"weights"', b'"protocol_version"')
_OPENING: Final = 2**16
# Parts of a request by their options, and those that act on what is no table.
_OPTIONS: Final = {
    "columns": "--map",
    "labels": "--label",
    "constants": "--set",
    "ignored": "--ignore",
    "rows": "--rows",
    "scales": "--scale",
}
_OF_EXPORT: Final = ("labels", "constants")
_ACTING: Final[dict[str, tuple[str, ...]]] = {
    _VERDICTS: (),
    "inspect": ("labels",),
    "promptfoo": (),
}


def names() -> list[str]:
    """Return every shape that can be read here."""
    return [*_SHAPES, *recipes.names()]


def expected_of(shape: str) -> str:
    """Return in words how a shape lays verdicts out."""
    return _SHAPES[shape].expected if shape in _SHAPES else recipes.facts_of(shape).expected


def known_faults(shape: str) -> tuple[Fault, ...]:
    """Return what is known to be wrong with the source that a shape is of.

    Raises: UsageError if its recipe is not here.
    """
    if shape in _SHAPES:
        return _SHAPES[shape].faults
    return recipes.facts_of(shape).faults


def faults_of(shape: str, models: Collection[str]) -> list[Fault]:
    """Return the known faults of these judges' verdicts.

    Raises: UsageError if its recipe is not here.
    """
    return [f for f in known_faults(shape) if not f.models or {*f.models} & {*models}]


def convert(shape: str, source: Path, request: Request) -> Conversion:
    """Return a source's verdicts, or findings that show what was expected.

    Raises: UsageError if no recipe is here at all; WorldError if one fails.
    """
    states = _SHAPES[shape].states if shape in _SHAPES else ()
    if (request.columns and shape != "csv") or (request.constants and not states):
        problem = f"{shape} has no columns, so --map and --set say nothing of it"
        finding = Finding(CLAUSE, "--shape", problem, "leave them out, or name the shape csv")
        return Conversion(findings=[finding])
    if shape != "csv" and shape in names():
        _require_acting(source, shape, request)
    if shape in _SHAPES:
        done = _SHAPES[shape].convert(source, request)
    elif shape in recipes.names() or not recipes.names():
        done = recipes.run(shape, source, request)
    else:
        listed = "".join(f"\n  {name}: {expected_of(name)}" for name in names())
        problem = f"there is no shape {shape!r}"
        remedy = f"name one of these, or map a table's columns with csv:{listed}"
        finding = Finding(clause=CLAUSE, where="--shape", problem=problem, remedy=remedy)
        return Conversion(findings=[finding])
    if done.header is None:
        return done
    files = sorted(file.path for file in done.header.files.values()) if source.is_dir() else ()
    options = ImportOptions(
        shape=shape,
        files=files,
        columns=request.columns,
        labels=request.labels,
        constants=request.constants or None,
        ignored=request.ignored or None,
        rows=request.rows or None,
        scales=request.scales or None,
    )
    used = {use.column for use in done.column_choice.uses}
    renamed = {
        name: column
        for name, column in done.column_choice.columns.items()
        if name != column and (name in column_rules.SEVERAL or column in used)
    }
    options = replace(options, columns={**request.columns, **renamed})
    return replace(done, header=replace(done.header, made=options))


@dataclass(frozen=True, slots=True, kw_only=True)
class Votes:
    """A file of verdicts as people have it: its verdicts by column, or why there are none.

    `shape` is what it was taken for, `conversion` is there unless it is a verdict file already.
    """

    shape: str
    header: Header | None
    verdicts: Verdicts | None
    findings: Sequence[Finding]
    conversion: Conversion | None = None

    @property
    def column_choice(self) -> ColumnChoice:
        """The choice of its columns."""
        return self.conversion.column_choice if self.conversion else ColumnChoice()


def shape_of(path: Path) -> str:
    """Return what a file of verdicts is, by its content: a verdict file, a log, or a table.

    Raises: WorldError if it cannot be read.
    """
    path = _first_of(path)
    kind = kind_of(path)
    if kind == "json lines":
        with path.open("rb") as file:
            if b'"schema_version"' in file.readline():
                return _VERDICTS
    if kind in ("json", "json lines") or path.suffix == ".json":
        return _log_of(path) or "csv"
    if kind == "parquet":
        return _VERDICTS if METADATA in path.read_bytes()[-_OPENING:] else "csv"
    return "csv"


def _log_of(path: Path) -> str:
    """Return the program whose log or export a file is by its first bytes, or nothing."""
    with path.open("rb") as file:
        text = file.read(_OPENING)
    for name, groups in _MARKS.items():
        if any(all(mark in text for mark in marks) for marks in groups):
            return name
    return ""


def _first_of(path: Path) -> Path:
    """Return a file, or the first document of a folder, if there is one."""
    return min(path.glob("*.json"), default=path) if path.is_dir() else path


def is_votes(path: Path) -> bool:
    """Return whether a path is a file of verdicts, or a folder of logs: no run and no weights.

    Raises: WorldError if it cannot be read.
    """
    if (first := _first_of(path)).is_dir() or path.name in RAW.values():
        return False
    if first != path:
        return bool(_log_of(first))
    if path.suffix != ".json" or _log_of(path):
        return True
    with path.open("rb") as file:
        text = file.read(_OPENING)
    if not text.strip():
        return True
    has_keys = b"{" in text and b'"' in text
    return has_keys and not any(mark in text for mark in _OF_RUNS)


def _require_effect(path: Path, shape: str, request: Request) -> None:
    """Refuse options that say nothing of a verdict file or a log.

    Raises: UsageError with what to do.
    """
    if shape != "csv" and (shape == _VERDICTS or not request.columns):
        _require_acting(path, shape, request)


def _require_acting(path: Path, shape: str, request: Request) -> None:
    """Refuse options that say nothing of what is no table.

    Raises: UsageError with what to do.
    """
    acting = _ACTING.get(shape, _OF_EXPORT if shape in _SHAPES else ())
    for name, option in _OPTIONS.items():
        if getattr(request, name) and name not in acting:
            kind = "verdict file" if shape == _VERDICTS else f"source of the shape {shape}"
            kind = f"log of {shape}" if shape in _SHAPES else kind
            raise UsageError(
                f"{option}: {path.name} is a {kind}, of which it says nothing\n  fix: leave it out"
            )


def opened(path: Path, request: Request) -> Votes:
    """Return the verdicts of a verdict file, a log, or a table of people's.

    Raises: WorldError if it cannot be read; MalformedError if it is no table.
    """
    shape = shape_of(path)
    _require_effect(path, shape, request)
    if shape == _VERDICTS:
        header, verdicts, findings = read(path)
        return Votes(shape=shape, header=header, verdicts=verdicts, findings=findings)
    if request.columns:  # who names columns gives a table
        shape = "csv"
    done = convert(shape, path, request)
    if done.header is None:
        return Votes(
            shape=shape, header=None, verdicts=None, findings=done.findings, conversion=done
        )
    verdicts = columns_of(done.rows)
    findings = [*problems(path.name, done.header, verdicts, done.place)]
    if not done.column_choice.taken:
        judges = len({setting.judge.name for setting in done.header.settings.values()})
        by = "1 judge" if judges == 1 else f"{judges} judges"
        summary = f"{len(verdicts):,} verdicts of {by}, from {shape}"
        done = replace(done, column_choice=ColumnChoice(taken=summary))
    return Votes(
        shape=shape, header=done.header, verdicts=verdicts, findings=findings, conversion=done
    )


def write_converted(shape: str, source: Path, request: Request, out: Path) -> Conversion:
    """Write a source's verdicts to a file, and return them; with a finding nothing is written.

    Raises: as `convert` and `write`.
    """
    done = convert(shape, source, request)
    if done.header is None:
        return done
    verdicts = columns_of(done.rows)
    findings = [*done.findings, *problems(out.name, done.header, verdicts, done.place)]
    if not findings:
        write(out, done.header, done.rows, present(done.header, verdicts))
    return replace(done, findings=findings)
