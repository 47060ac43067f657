"""Bringing replies that exist already into an evaluation's archive.

A bundle is a table, or a folder of tables. Its rows are raw replies (`reply`, beside the
identifiers and `judge_model`), or records themselves: of this protocol, or of another rubric
through the evaluation's mapping.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import Any, Final

from epc.errors import Finding, MalformedError, UsageError
from epc.judge.mapping import RubricMapping
from epc.judge.samples import NAMES, Sample, Unit
from epc.records.judging.archive import Archive, Given, begin, complete
from epc.records.judging.documents import RunLog, is_complete, load_plan
from epc.records.judging.evaluation_set import EvaluationSet
from epc.records.judging.prompts import load_mapping
from epc.records.judging.tables import rows_of
from epc.records.typed import parse

_SHOWN: Final = 3  # examples of rows that fit nothing
_LOOKED_AT: Final = 2_000  # samples, for the nearest one


@dataclass(slots=True)
class Unmatched:
    """Rows that are about no sample of the set: the user's to mend, and no judge's failure."""

    units: EvaluationSet
    rows: int = 0
    of: int = 0
    findings: list[Finding] = field(default_factory=list)

    def see(self, where: str, sample: Sample) -> None:
        """Count a row, and keep it as an example if it is one of the first that fit nothing."""
        self.of += 1
        if self.units.row(sample) is not None:
            return
        self.rows += 1
        if len(self.findings) >= _SHOWN:
            return
        wanted = _in_words(sample)
        known = [_in_words(each) for each, _ in islice(self.units.samples(), _LOOKED_AT)]
        close = get_close_matches(wanted, known, n=1, cutoff=0) or known[:1]
        problem = f"is about no sample of the set: {wanted}"
        remedy = f"the nearest sample is {close[0]}" if close else "the set has no samples"
        self.findings.append(
            _finding(where, problem, f"{remedy}; mend the rows, the plan or the mapping")
        )

    @property
    def all(self) -> bool:
        """Whether no row fits: then ids differ, and no judge has failed."""
        return self.rows == self.of > 0


def import_replies(bundle: Path, folder: Path, *, now: str) -> tuple[RunLog | None, Unmatched]:
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
    unmatched = Unmatched(units)
    for where, sample, _ in _samples(bundle, mapping):
        times[sample.id] += 1
        unmatched.see(where, sample)
    if unmatched.all:
        return None, unmatched
    begin(folder, origin="import", now=now)
    archive = Archive(plan, units, mapping)
    with archive.written_to(folder):
        for _, sample, raw in _samples(bundle, mapping):
            archive.add(Given(sample=sample, raw=raw, again=times[sample.id] > 1))
    log = complete(folder, plan, totals=archive.totals(), spent={}, malformed=(0, 0), now=now)
    return log, unmatched


def _samples(bundle: Path, mapping: RubricMapping | None) -> Iterator[tuple[str, Sample, str]]:
    """Yield each row's place, the sample that it is about, and its raw reply."""
    for each in rows_of(bundle, at=mapping.rows if mapping else ""):
        row, where = each.value, f"{each.file}, {each.place}"
        if not isinstance(row, dict):
            raise MalformedError(_finding(where, "is no JSON object", "make it a row"))
        names: dict[str, Any]
        if isinstance(row.get("reply"), str):
            raw, names = row["reply"], row
        elif mapping is None:
            meta = row.get("meta")
            raw = json.dumps(row, ensure_ascii=False)
            names = meta if isinstance(meta, dict) else {}
        else:
            row = mapping.with_numbers(row) if each.is_text else row
            raw, names = json.dumps(row, ensure_ascii=False), mapping.identity(row, each.file)
        missing = [name for name in NAMES if not isinstance(names.get(name), str)]
        if missing:
            problem = f"does not say its {missing[0]}: it has {_keys(row)}"
            remedy = "add it, or map it (`fields`, `patterns`, `templates`, `constants`)"
            raise MalformedError(_finding(where, problem, remedy))
        yield where, parse(names, Unit).before(names["judge_model"]), raw


def _keys(row: dict[str, Any]) -> str:
    return ", ".join(repr(key)[:40] for key in list(row)[:10]) or "no fields"


def _in_words(sample: Sample) -> str:
    return ", ".join(f"{name} {getattr(sample, name)!r}" for name in NAMES)


def _finding(where: str, problem: str, remedy: str) -> Finding:
    return Finding(clause="JUDGE-6.3", where=where, problem=problem, remedy=remedy)
