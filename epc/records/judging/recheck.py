"""Checking a whole archive again: every record from its raw reply, every total, every file."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from epc.errors import Finding, MalformedError
from epc.json_text import pointer
from epc.judge.check import unjudged
from epc.judge.mapping import RubricMapping
from epc.protocol.results import Json
from epc.records.canary import check_canary
from epc.records.findings import Checked, Findings
from epc.records.json_difference import contradictions
from epc.records.judging.archive import Given, judgement, record_of
from epc.records.judging.asked import NamedCalls
from epc.records.judging.competence import departures, parts
from epc.records.judging.documents import Plan, Planned, Record, RunLog, Tally
from epc.records.judging.evaluation_set import EvaluationSet
from epc.records.judging.labels import departures as departures_of_labels
from epc.records.judging.layout import (
    LONGEST_LINE,
    SAMPLES,
    is_complete,
    load_plan,
    load_run_log,
    records_path,
)
from epc.records.judging.prompts import load_mapping, load_prompts
from epc.records.judging.run_log import described
from epc.records.layout import digest
from epc.records.schemas import checked_lines
from epc.records.typed import as_json, parse
from epc.spec.judge_v1 import METHODS, Method

_CLAUSE: Final = "JUDGE-7.4"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rechecked(Checked):
    """What checking an archive found, and its totals as counted from the records."""

    totals: Json


def recheck(folder: Path) -> Rechecked:
    """Return every way in which an archive departs from its raw replies and its plan.

    Raises: UsageError or MalformedError if the folder is no complete evaluation.
    """
    plan, log = load_plan(folder), load_run_log(folder)
    findings = Findings()
    _files(folder, plan, log, findings)
    for judge, canary in (log.canary or {}).items():
        check_canary(canary, findings, where=f"/canary{pointer(judge)}")
    tallies: dict[Method, Tally] = {method: Tally() for method in METHODS}
    basis = _Basis(
        plan=plan,
        units=EvaluationSet(folder, plan),
        mapping=load_mapping(folder, plan),
        times=Counter(record.id for _, record in records(folder)),
        asked=NamedCalls(folder, plan),
    )
    for where, record in records(folder, findings):
        for place, problem in basis.departures(record):
            findings.add("JUDGE-7.3", where + place, problem, "archive it again")
        tallies[record.sample.method].add(record)
    for sample, _ in basis.units.samples():
        if sample.id not in basis.times:
            problem = f"sample {sample.id} of the set has no record"
            findings.add("JUDGE-7.1", "", problem, "archive the evaluation again")
    stated = as_json(log.totals)
    totals = as_json({method: tally.totals() for method, tally in tallies.items()})
    if totals != stated:
        problem = f"the run log's totals are {stated}, the records give {totals}"
        findings.add("JUDGE-7.4", "/totals", problem, "archive the evaluation again")
    findings.extend(departures_of_labels(folder))
    for part in filter(is_complete, parts(folder)):
        findings.extend(_of_part(folder, part))
    return Rechecked(path=str(folder), findings=findings.kept(), totals=totals)


def _of_part(folder: Path, part: Path) -> Iterator[Finding]:
    """Yield what is wrong with an evaluation that tests a judge of the set."""
    where = f"/{part.relative_to(folder).as_posix()}"
    for key, problem in departures(folder, part):
        remedy = "remove the folder, and ask `epc judge competence` again"
        yield Finding(clause=_CLAUSE, where=where + pointer(key), problem=problem, remedy=remedy)
    yield from (replace(f, where=where + f.where) for f in recheck(part).findings)


def records(folder: Path, findings: Findings | None = None) -> Iterator[tuple[str, Record]]:
    """Yield every usable record of an archive with its place, noting what is wrong with others."""
    noted = Findings() if findings is None else findings
    for method in METHODS:
        for valid in (True, False):
            path = records_path(folder, valid=valid, method=method)
            if not path.is_file():
                continue
            name = path.parent.relative_to(folder).as_posix()
            lines = checked_lines(path, name, "judge_record", clause=_CLAUSE, longest=LONGEST_LINE)
            for where, value, problems in lines:
                noted.extend(problems)
                if problems:
                    continue
                record = parse(value, Record)
                if (record.valid, record.sample.method) != (valid, method):
                    noted.add(_CLAUSE, where, f"stands under {name}", "move it where it belongs")
                yield where, record


@dataclass(frozen=True, slots=True, kw_only=True)
class _Basis:
    """What a record is compared with: set, mapping, how often a sample has a record, its calls."""

    plan: Plan
    units: EvaluationSet
    mapping: RubricMapping | None
    times: Counter[str]
    asked: NamedCalls

    def departures(self, record: Record) -> Iterator[tuple[str, str]]:
        """Yield each place of a record that does not follow from its raw reply."""
        sample, came = record.sample, None
        if record.raw is not None:
            again, calls = self.times[record.id] > 1, record.calls
            came = Given(sample=sample, raw=record.raw, calls=calls, again=again, date=record.date)
        units = self.units
        checked = judgement(came, units, self.mapping) if came else unjudged(units.rules)
        expected = record_of(self.plan, units, sample, checked, came)
        yield from contradictions(expected, as_json(record))
        if (record.calls or record.date) and not self.asked.answered(record):
            problem = "calls.jsonl has no such answer of this judge to this record's prompt"
            yield "/calls", f"{problem}{f' on {record.date}' if record.date else ''}"


def _files(folder: Path, plan: Plan, log: RunLog, findings: Findings) -> None:
    """Compare the files with what plan and log say of them."""
    samples_digest = digest(folder / SAMPLES)
    if parse(samples_digest, Planned) != plan.samples:
        problem = f"{SAMPLES} is not what was planned"
        findings.add("JUDGE-7.1", "/samples", problem, "restore the file, or plan again")
    try:
        load_prompts(folder, plan)
    except MalformedError as error:
        findings.extend([error.finding])
    there, files = described(folder), log.files
    for name in sorted(there.keys() | files.keys()):
        if there.get(name) != files.get(name):
            problem = f"{name} is not the file that the run log describes"
            where = pointer("files", name)
            findings.add(_CLAUSE, where, problem, "restore the file, or archive it again")
