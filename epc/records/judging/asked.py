"""The calls of an evaluation: those that its records refer to, and those still needed."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from epc.digests import sha256
from epc.records.findings import Findings
from epc.records.judging.competence import parts
from epc.records.judging.documents import Plan, Record
from epc.records.judging.evaluation_set import EvaluationSet, output_path
from epc.records.judging.layout import (
    INVALID,
    LABELS,
    LONGEST_LINE,
    MAPPING,
    PLAN,
    PROMPT_MANIFEST,
    README,
    RUN_LOG,
    SAMPLES,
    is_complete,
    load_plan,
    records_path,
    role_of,
)
from epc.records.judging.prompts import prompt_path
from epc.records.layout import CALLS, CallNames
from epc.records.replies import contradictions
from epc.records.rows import Call, read_typed
from epc.spec.judge_v1 import METHODS


@dataclass(frozen=True, slots=True)
class _Call:
    role: str
    answer: str  # its SHA-256: answers are long, and only compared
    at: str


class NamedCalls:
    """What calls.jsonl holds, of calls that carry their own name.

    A call's name is the digest of what was asked of whom, and its reply is read again, so a call
    that was edited is no call of the evaluation any more, and a record that refers to it is found.
    """

    def __init__(self, folder: Path, plan: Plan) -> None:
        names = {
            role_of(judge.model): CallNames(role_of(judge.model), judge.identity, judge.decoding)
            for judge in plan.judges
            if judge.identity is not None and judge.decoding is not None
        }
        self._calls: dict[str, _Call] = {}
        for call in calls_of(folder):
            if call.role in names and names[call.role].name(call.prompt, call.occasion) == call.id:
                self._calls[call.id] = _Call(call.role, sha256(call.answer), call.answered_at or "")

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
            and last.at.startswith(record.date or "")
        )


def calls_of(folder: Path) -> Iterator[Call]:
    """Yield the usable calls of an evaluation that say what their replies say.

    An evaluation of imported replies has none.
    """
    if (folder / CALLS).is_file():
        for _, call in read_typed(
            folder, Call, Findings(), clause="JUDGE-7.3", longest=LONGEST_LINE
        ):
            if not any(contradictions(call)):
                yield call


def published(folder: Path, plan: Plan) -> list[str]:
    """Return all that is given away of an evaluation, beside plan and run log.

    Beside what it needs, that is what tested its judge and what people said of its outputs.

    Raises: MalformedError if the samples cannot be used.
    """
    labels = [LABELS] if (folder / LABELS).is_file() else []
    return sorted([*needed(folder, plan), *_of_competence(folder), *labels])


def _of_competence(folder: Path) -> list[str]:
    """Return the paths of every complete evaluation that tests a judge of the set."""
    return sorted(
        (part / name).relative_to(folder).as_posix()
        for part in parts(folder)
        if is_complete(part)
        for name in (PLAN, RUN_LOG, *needed(part, load_plan(part)))
    )


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
