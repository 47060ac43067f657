"""Sources of an evaluation set, and of replies that exist already."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import Any, Final

from epc import json_text
from epc.errors import Finding, MalformedError, UsageError, refuse
from epc.judge.mapping import RubricMapping
from epc.judge.samples import NAMES, Sample, Unit
from epc.protocol.prompt import executor_prompt
from epc.protocol.results import Json
from epc.records import strict_json
from epc.records.findings import Findings
from epc.records.judging.archive import Archive, RawReply, begin, complete
from epc.records.judging.documents import RunLog, is_complete, load_plan
from epc.records.judging.evaluation_set import Entry, EvaluationSet
from epc.records.judging.prompts import load_mapping
from epc.records.layout import MANIFEST
from epc.records.manifest import Manifest
from epc.records.recompute import load_manifest
from epc.records.rows import Call, T, Trial, read_typed
from epc.records.schemas import findings as schema_findings
from epc.records.strict_json import text_of
from epc.records.tables import rows_of
from epc.records.typed import parse
from epc.spec.domains import Domain
from epc.spec.judge_v1 import IDENTIFIERS

TASKS: Final = "tasks.json"  # in a folder of outputs: question id to task
_CLAUSE: Final = "JUDGE-7.1"
_LEVELS: Final = 3

_OUTPUT: Final = "output (or output_file)"
Cell = tuple[Domain, int, str]  # where an answer belongs: the task by number, the strategy by name


def entries_of(source: Path) -> list[Entry]:
    """Return what is to be evaluated.

    A folder with a manifest is an EPC run, any other folder holds outputs, and a file is a table:
    CSV, JSON, JSON Lines or Parquet.

    Raises: UsageError or MalformedError if the source cannot be used; WorldError if not read.
    """
    if source.is_dir():
        entries = list(_run(source) if (source / MANIFEST).exists() else _folder(source))
    else:
        rows = rows_of(source, clause=_CLAUSE)
        entries = [_table_entry(source, row.place, row.value) for row in rows]
    if not entries:
        empty = source.is_file() and not source.read_bytes().strip()
        problem = "is empty" if empty else "holds no outputs to evaluate"
        raise UsageError(f"{source} {problem}")
    return entries


# ------------------------------------------------------------------------------------ a table


def _table_entry(table: Path, where: str, row: Json) -> Entry:
    """Return the entry of a row: its output stands in it, or in a file that it names."""
    if problems := schema_findings("judge_table_row", row, where=f"/{where}", clause="JUDGE-0"):
        if isinstance(row, dict) and (missing := _missing(row)):
            problem = f"{where} has no {', '.join(missing)}, but {', '.join(row)}"
            remedy = f"name the columns {', '.join([*IDENTIFIERS, _OUTPUT])}; others are left alone"
            raise MalformedError(_finding(problem, remedy, where=table.name))
        raise MalformedError(problems[0])
    if "output" in row and "output_file" in row:
        problem = f"{where} has an output and an output_file"
        raise MalformedError(_finding(problem, "keep one of the two columns"))
    if "output" in row:
        output: str = row["output"]
    else:
        output = text_of(_inside(table.parent, row["output_file"]), _CLAUSE)
    output = json_text.storable(output)
    return Entry(unit=parse(row, Unit), output=output, task=row.get("task") or None)


def _missing(row: Json) -> list[str]:
    missing = [name for name in IDENTIFIERS if name not in row]
    if "output" in row or "output_file" in row:
        return missing
    return [*missing, _OUTPUT]


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
        yield Entry(unit=_printable(unit), output=text_of(path, _CLAUSE), task=tasks.get(question))


def _tasks(root: Path) -> dict[str, str]:
    if not (root / TASKS).exists():
        return {}
    value, problems = strict_json.read(root / TASKS)
    refuse(problems)
    if not isinstance(value, dict) or not all(isinstance(task, str) for task in value.values()):
        problem = f"{TASKS} is no object of tasks by question"
        raise MalformedError(_finding(problem, 'write {"Q1": "the task", ...}'))
    return value


def _printable(unit: Unit) -> Unit:
    """File names may be no Unicode text; identifiers must be."""
    values = {name: json_text.storable(getattr(unit, name)) for name in IDENTIFIERS}
    return Unit(**values)


# --------------------------------------------------------------------------------- an EPC run


def _run(folder: Path) -> Iterator[Entry]:
    """Yield a run's answers: task as question, strategy as variant, executor as target.

    A run that reuses its answers has one a cell, whether or not a round drew it. Where the same
    answer was asked for in several rounds, the first round's is taken.
    """
    manifest = load_manifest(folder)
    if manifest.executor is None:
        raise UsageError(f"{folder} has recorded verdicts: there are no answers to judge")
    calls = {call.id: call for call in _rows(folder, Call)}
    if manifest.reuses:
        cells = _asked_once(manifest, manifest.executor.prompt_template, calls)
    else:
        cells = _asked_in_rounds(manifest, folder)
    visited: set[Cell] = set()
    for cell, name in cells:
        if cell in visited:
            continue
        visited.add(cell)
        if name is None or name not in calls:
            raise MalformedError(_finding(f"{folder} has no call {name}", "validate the run"))
        domain, task, strategy = cell
        unit = Unit(
            question_id=f"{domain}-{task}",
            prompt_variant=strategy,
            target_model=manifest.executor.model,
            output_id=name,
        )
        yield Entry(unit=unit, output=calls[name].answer, task=manifest.tasks[domain][task])


def _asked_once(
    manifest: Manifest, template: str, calls: Mapping[str, Call]
) -> Iterator[tuple[Cell, str | None]]:
    """Yield the cells that were answered, each with its call: equal prompts share one answer."""
    named = {
        call.prompt: name
        for name, call in calls.items()
        if call.role == "executor" and call.occasion is None
    }
    for domain, tasks in manifest.tasks.items():
        for task, text in enumerate(tasks):
            for strategy in manifest.strategies:
                prompt = executor_prompt(
                    strategy_prompt=strategy.prompt, task=text, template=template
                )
                if prompt in named:
                    yield (domain, task, strategy.name), named[prompt]


def _asked_in_rounds(manifest: Manifest, folder: Path) -> Iterator[tuple[Cell, str | None]]:
    """Yield both cells of every round, each with its call."""
    for trial in _rows(folder, Trial):
        domain, task = manifest.domains.phase[trial.phase].domain, trial.task
        yield (domain, task, trial.strategy), trial.response
        yield (domain, task, manifest.config.baseline), trial.baseline


def _rows(folder: Path, kind: type[T]) -> Iterator[T]:
    """Yield the rows of a raw file.

    Raises: MalformedError at the first that cannot be used.
    """
    findings = Findings()
    for _, row in read_typed(folder, kind, findings, clause="EPC-2.8"):
        if len(findings):
            break
        yield row
    refuse(findings.as_list())


# ------------------------------------------------------------------------------------ helpers


def _finding(problem: str, remedy: str, *, where: str = "") -> Finding:
    return Finding(clause=_CLAUSE, where=where, problem=problem, remedy=remedy)


_SHOWN: Final = 3  # examples of rows that fit nothing
_LOOKED_AT: Final = 2_000  # samples, for the nearest one


@dataclass(slots=True)
class UnmatchedRows:
    """Rows that are about no sample of the set: the user's to mend, and no judge's failure."""

    units: EvaluationSet
    rows: int = 0
    total: int = 0
    findings: list[Finding] = field(default_factory=list)

    def see(self, where: str, sample: Sample) -> None:
        """Count a row, and keep it as an example if it is one of the first that fit nothing."""
        self.total += 1
        if self.units.row(sample) is not None:
            return
        self.rows += 1
        if len(self.findings) >= _SHOWN:
            return
        wanted = _in_words(sample)
        examples = [_in_words(example) for example, _ in islice(self.units.samples(), _LOOKED_AT)]
        close = get_close_matches(wanted, examples, n=1, cutoff=0) or examples[:1]
        problem = f"is about no sample of the set: {wanted}"
        remedy = f"the nearest sample is {close[0]}" if close else "the set has no samples"
        self.findings.append(
            _unfit(where, problem, f"{remedy}; mend the rows, the plan or the mapping")
        )

    @property
    def no_row_fits(self) -> bool:
        """Return whether no row fits: then ids differ, and no judge has failed."""
        return self.rows == self.total > 0


def import_replies(bundle: Path, folder: Path, *, now: str) -> tuple[RunLog | None, UnmatchedRows]:
    """Archive the replies of a bundle as the judgments of a planned evaluation.

    Returns the run log, and which rows fit no sample of the set: these are archived as such and
    counted apart. If none fits, nothing is written and there is no log. Two passes, so that memory
    does not grow with the replies.

    Raises: UsageError if the evaluation is judged already; MalformedError if a row cannot be
    read, or does not say whom it is from and about; WorldError if the disk fails.
    """
    plan = load_plan(folder)
    if plan.prompts:
        raise UsageError(f"{folder} was planned to be run: plan with --recorded to import")
    if is_complete(folder):
        raise UsageError(f"{folder} holds judgments already: plan another folder")
    mapping, units = load_mapping(folder, plan), EvaluationSet(folder, plan)
    times: Counter[str] = Counter()
    unmatched = UnmatchedRows(units)
    for where, sample, _ in _samples(bundle, mapping):
        times[sample.id] += 1
        unmatched.see(where, sample)
    if unmatched.no_row_fits:
        return None, unmatched
    begin(folder, origin="import", now=now)
    archive = Archive(plan, units, mapping)
    with archive.written_to(folder):
        for _, sample, raw in _samples(bundle, mapping):
            archive.add(RawReply(sample=sample, raw=raw, is_repeated=times[sample.id] > 1))
    log = complete(folder, plan, totals=archive.totals(), spent={}, malformed=(0, 0), now=now)
    return log, unmatched


def _samples(bundle: Path, mapping: RubricMapping | None) -> Iterator[tuple[str, Sample, str]]:
    """Yield each row's place, the sample that it is about, and its raw reply."""
    for table_row in rows_of(bundle, rows_pointer=mapping.rows if mapping else ""):
        row, where = table_row.value, f"{table_row.file}, {table_row.place}"
        if not isinstance(row, dict):
            raise MalformedError(_unfit(where, "is no JSON object", "make it a row"))
        names: dict[str, Any]
        if isinstance(row.get("reply"), str):
            raw, names = row["reply"], row
        elif mapping is None:
            meta = row.get("meta")
            raw = json.dumps(row, ensure_ascii=False)
            names = meta if isinstance(meta, dict) else {}
        else:
            row = mapping.with_numbers(row) if table_row.is_text else row
            raw, names = json.dumps(row, ensure_ascii=False), mapping.identity(row, table_row.file)
        missing = [name for name in NAMES if not isinstance(names.get(name), str)]
        if missing:
            problem = f"does not say its {missing[0]}: it has {_keys(row)}"
            remedy = "add it, or map it (`fields`, `patterns`, `templates`, `constants`)"
            raise MalformedError(_unfit(where, problem, remedy))
        yield where, parse(names, Unit).before(names["judge_model"]), raw


def _keys(row: dict[str, Any]) -> str:
    return ", ".join(repr(key)[:40] for key in list(row)[:10]) or "no fields"


def _in_words(sample: Sample) -> str:
    return ", ".join(f"{name} {getattr(sample, name)!r}" for name in NAMES)


def _unfit(where: str, problem: str, remedy: str) -> Finding:
    return Finding(clause="JUDGE-6.3", where=where, problem=problem, remedy=remedy)
