"""Checking an archive again: each record from its raw reply and its call, every total and file.

Beside that, which of its files are given away.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from epc.digests import sha256
from epc.errors import Finding, MalformedError
from epc.json_text import pointer
from epc.judge.check import unjudged
from epc.judge.mapping import RubricMapping
from epc.protocol.results import Json
from epc.records.calls import check_call
from epc.records.findings import CheckResult, Findings
from epc.records.judging.archive import RawReply, described, judgement, record_of
from epc.records.judging.competence import departures, parts
from epc.records.judging.documents import (
    INVALID,
    LABELS,
    MAPPING,
    PLAN,
    PROMPT_MANIFEST,
    README,
    RUN_LOG,
    SAMPLES,
    Plan,
    PlannedSet,
    Record,
    RunLog,
    Tally,
    calls_of,
    is_complete,
    load_plan,
    load_run_log,
    records,
    records_path,
    role_of,
)
from epc.records.judging.evaluation_set import EvaluationSet, output_path
from epc.records.judging.labels import departures as departures_of_labels
from epc.records.judging.prompts import load_mapping, load_prompts, prompt_path
from epc.records.layout import CALLS, CallNames, digest
from epc.records.strict_json import contradictions
from epc.records.typed import as_json, parse
from epc.records.usage import Usage
from epc.spec.judge_v1 import METHODS, Method

_CLAUSE: Final = "JUDGE-7.4"
_ASKED: Final = "JUDGE-7.3"


@dataclass(frozen=True, slots=True)
class _Call:
    role: str
    answer: str  # its SHA-256: answers are long, and only compared
    answered_at: str


class NamedCalls:
    """Calls of calls.jsonl by name, each held against its own reply and the plan."""

    def __init__(self, folder: Path, plan: Plan, findings: Findings) -> None:
        names = {
            role_of(judge.model): CallNames(role_of(judge.model), judge.identity, judge.decoding)
            for judge in plan.judges
            if judge.identity is not None and judge.decoding is not None
        }
        noted = Findings()
        self.usage = Usage()
        self._calls: dict[str, _Call] = {}
        for index, call in calls_of(folder, noted):
            check_call(call, names, f"/calls/{index}", noted)
            self.usage.add(call)
            self._calls[call.id] = _Call(call.role, sha256(call.answer), call.answered_at or "")
        findings.extend(replace(finding, clause=_ASKED) for finding in noted.as_list())

    def answered(self, record: Record) -> bool:
        """Return whether a record's calls are its judge's, and the last gave its reply that day."""
        calls = [self._calls.get(name) for name in record.calls]
        role = role_of(record.sample.judge_model)
        if any(call is None or call.role != role for call in calls):
            return False
        last = calls[-1] if calls else None
        return (
            last is not None
            and last.answer == sha256(record.raw or "")
            and last.answered_at.startswith(record.date or "")
        )


def published(folder: Path, plan: Plan) -> list[str]:
    """Return all that is given away of an evaluation, beside plan and run log.

    Beside what it needs, that is what tested its judge and what people said of its outputs.

    Raises: MalformedError if the samples cannot be used.
    """
    labels = [LABELS] if (folder / LABELS).is_file() else []
    tests = [
        (part / name).relative_to(folder).as_posix()
        for part in parts(folder)
        if is_complete(part)
        for name in (PLAN, RUN_LOG, *needed(part, load_plan(part)))
    ]
    return sorted([*needed(folder, plan), *tests, *labels])


def needed(folder: Path, plan: Plan) -> list[str]:
    """Return their paths in the folder, beside those of plan and run log.

    They follow from the plan, so whatever else lies in the folder is none of them.

    Raises: MalformedError if the samples cannot be used.
    """
    outputs = {row.output_sha256 for row in EvaluationSet(folder, plan).rows}
    paths = [
        folder / SAMPLES,
        folder / CALLS,
        folder / PROMPT_MANIFEST,
        folder / INVALID / README,
        *(output_path(folder, digest) for digest in outputs),
        *(prompt_path(folder, prompt.id) for prompt in plan.prompts.values()),
        *(records_path(folder, valid=v, method=m) for v in (True, False) for m in METHODS),
    ]
    if plan.mapping:
        paths.append(folder / MAPPING)
    return sorted({path.relative_to(folder).as_posix() for path in paths})


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveCheck(CheckResult):
    """Findings of checking an archive, and its totals as counted from the records."""

    totals: Json


def recheck(folder: Path) -> ArchiveCheck:
    """Return every way in which an archive departs from its raw replies and its plan.

    Raises: UsageError or MalformedError if the folder is no complete evaluation.
    """
    plan, log = load_plan(folder), load_run_log(folder)
    findings = Findings()
    _files(folder, plan, log, findings)
    tallies: dict[Method, Tally] = {method: Tally() for method in METHODS}
    basis = _Basis(
        plan=plan,
        units=EvaluationSet(folder, plan),
        mapping=load_mapping(folder, plan),
        times=Counter(record.id for _, record in records(folder)),
        calls=NamedCalls(folder, plan, findings),
    )
    for index, used in enumerate(log.judges):
        spent = basis.calls.usage.by_role[role_of(used.model)].as_json()
        for place, problem in contradictions(spent, {key: as_json(used)[key] for key in spent}):
            findings.add("JUDGE-8", f"/judges/{index}{place}", problem, "restore log and calls")
    for where, record in records(folder, findings):
        for place, problem in basis.departures(record):
            findings.add(_ASKED, where + place, problem, "archive it again")
        tallies[record.sample.method].add(record)
    for sample, _ in basis.units.samples():
        if sample.id not in basis.times:
            problem = f"sample {sample.id} of the set has no record"
            findings.add("JUDGE-7.1", "", problem, "archive the evaluation again")
    totals = as_json({method: tally.totals() for method, tally in tallies.items()})
    for place, problem in contradictions(totals, as_json(log.totals)):
        findings.add(_CLAUSE, f"/totals{place}", problem, "archive the evaluation again")
    findings.extend(departures_of_labels(folder))
    for part in filter(is_complete, parts(folder)):
        findings.extend(_of_part(folder, part))
    return ArchiveCheck(path=str(folder), findings=findings.as_list(), totals=totals)


def _of_part(folder: Path, part: Path) -> Iterator[Finding]:
    """Yield what is wrong with an evaluation that tests a judge of the set."""
    where = f"/{part.relative_to(folder).as_posix()}"
    for key, problem in departures(folder, part):
        remedy = "remove the folder, and ask `epc judge competence` again"
        yield Finding(clause=_CLAUSE, where=where + pointer(key), problem=problem, remedy=remedy)
    yield from (replace(f, where=where + f.where) for f in recheck(part).findings)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Basis:
    """Basis of a record's check: set, mapping, how often a sample has a record, its calls."""

    plan: Plan
    units: EvaluationSet
    mapping: RubricMapping | None
    times: Counter[str]
    calls: NamedCalls

    def departures(self, record: Record) -> Iterator[tuple[str, str]]:
        """Yield each place of a record that does not follow from its raw reply."""
        sample, came = record.sample, None
        if record.raw is not None:
            is_repeated, calls = self.times[record.id] > 1, record.calls
            came = RawReply(
                sample=sample,
                raw=record.raw,
                calls=calls,
                is_repeated=is_repeated,
                date=record.date,
            )
        units = self.units
        checked = judgement(came, units, self.mapping) if came else unjudged(units.rules)
        expected = record_of(self.plan, units, sample, checked, came)
        yield from contradictions(as_json(expected), as_json(record))
        if (record.calls or record.date) and not self.calls.answered(record):
            problem = "calls.jsonl has no such answer of this judge to this record's prompt"
            yield "/calls", f"{problem}{f' on {record.date}' if record.date else ''}"


def _files(folder: Path, plan: Plan, log: RunLog, findings: Findings) -> None:
    """Compare the files with what plan and log say of them."""
    samples_digest = digest(folder / SAMPLES)
    if parse(samples_digest, PlannedSet) != plan.samples:
        problem = f"{SAMPLES} is not what was planned"
        findings.add("JUDGE-7.1", "/samples", problem, "restore the file, or plan again")
    try:
        load_prompts(folder, plan)
    except MalformedError as error:
        findings.extend([error.finding])
    descriptions, files = described(folder), log.files
    for name in sorted(descriptions.keys() | files.keys()):
        if descriptions.get(name) != files.get(name):
            problem = f"{name} is not the file that the run log describes"
            where = pointer("files", name)
            findings.add(_CLAUSE, where, problem, "restore the file, or archive it again")
