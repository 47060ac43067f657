"""Bringing replies that exist already into an evaluation's archive.

A bundle is JSON Lines or a JSON array. Its rows are raw replies (`reply`, beside the identifiers
and `judge_model`), or records themselves: of this protocol, or of another rubric through the
evaluation's mapping.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from epc.errors import Finding, MalformedError, UsageError, WorldError
from epc.json_text import pointer
from epc.judge.mapping import RubricMapping
from epc.judge.samples import Sample, Unit
from epc.records import strict_json
from epc.records.judging import run_log
from epc.records.judging.archive import Archive, Given
from epc.records.judging.documents import RunLog
from epc.records.judging.evaluation_set import EvaluationSet
from epc.records.judging.layout import LONGEST_LINE, is_complete, load_plan
from epc.records.judging.mappings import load_mapping
from epc.records.typed import parse
from epc.spec.judge_v1 import IDENTIFIERS

_OPENING: Final = 1024  # bytes in which a bundle's first bracket stands
_NAMES: Final = (*IDENTIFIERS, "judge_model")


def import_replies(bundle: Path, folder: Path, *, now: str) -> RunLog:
    """Archive the replies of a bundle as the judgments of a planned evaluation.

    Returns the run log. Every row is archived: one that fits no sample of the set is kept as
    such and counted. Two passes, so that memory does not grow with the replies.

    Raises: UsageError if the evaluation is judged already; MalformedError if a row cannot be
    read or does not say whom it is from and about; WorldError if the disk fails.
    """
    plan = load_plan(folder)
    if plan.prompts:
        raise UsageError(f"{folder} was planned to be run: plan with --recorded to import")
    if is_complete(folder):
        raise UsageError(f"{folder} holds judgments already: plan another folder")
    mapping, units = load_mapping(folder, plan), EvaluationSet(folder, plan)
    times = Counter(sample.id for sample, _ in _samples(bundle, mapping))
    run_log.begin(folder, origin="import", now=now)
    archive = Archive(plan, units, mapping)
    with archive.written_to(folder):
        for sample, raw in _samples(bundle, mapping):
            archive.add(Given(sample=sample, raw=raw, again=times[sample.id] > 1))
    return run_log.complete(
        folder, plan, totals=archive.totals(), spent={}, malformed=(0, 0), now=now
    )


def _samples(bundle: Path, mapping: RubricMapping | None) -> Iterator[tuple[Sample, str]]:
    """Yield the sample that each row is about, and the row's raw reply."""
    for where, row in _rows(bundle):
        if not isinstance(row, dict):
            raise MalformedError(_finding(where, "is no JSON object", "make it a row"))
        said: Any = row
        if isinstance(row.get("reply"), str):
            raw = row["reply"]
        else:
            raw = json.dumps(row, ensure_ascii=False)
            said = row.get("meta") if mapping is None else mapping.identity(row)
        names: dict[str, Any] = said if isinstance(said, dict) else {}
        missing = [name for name in _NAMES if not isinstance(names.get(name), str)]
        if missing:
            problem = f"does not say its {missing[0]}"
            remedy = "add it, or map it (`fields`, `constants`)"
            raise MalformedError(_finding(where, problem, remedy))
        yield parse(names, Unit).before(names["judge_model"]), raw


def _rows(bundle: Path) -> Iterator[tuple[str, Any]]:
    """Yield the rows of a bundle with their places."""
    try:
        with bundle.open("rb") as file:
            is_array = file.read(_OPENING).lstrip()[:1] == b"["
    except OSError as error:
        raise WorldError(f"cannot read {bundle}: {error.strerror or error}") from error
    if not is_array:
        for index, value, problems in strict_json.read_lines(bundle, "rows", longest=LONGEST_LINE):
            if problems:
                raise MalformedError(problems[0])
            yield pointer("rows", index), value
        return
    value, problems = strict_json.read(bundle)
    if problems:
        raise MalformedError(problems[0])
    for index, row in enumerate(value):
        yield pointer(index), row


def _finding(where: str, problem: str, remedy: str) -> Finding:
    return Finding(clause="JUDGE-6.3", where=where, problem=problem, remedy=remedy)
