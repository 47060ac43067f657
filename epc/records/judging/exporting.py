"""The record objects of JUDGE-5 of an archive, with their true judge, target, method and day.

A judge that was asked blind copied placeholders into `meta`. What is archived beside its reply says
who it was, whom it judged, how and when; scores, verdict and evidence stay as the judge gave them.
"""

from collections.abc import Iterator
from pathlib import Path

from epc.judge.mapping import RubricMapping
from epc.judge.reply import Json, items, read_reply
from epc.records.judging.documents import Record, RunLog, load_plan, load_run_log, records
from epc.records.judging.evaluation_set import EvaluationSet
from epc.records.judging.prompts import load_mapping
from epc.spec.judge_v1 import EVIDENCE_KEYS, OVERALL


def objects(folder: Path) -> Iterator[Json | None]:
    """Yield the record object of each valid evaluation; None where no file says its day.

    Raises: UsageError if the evaluation is not complete; MalformedError if it was damaged.
    """
    log, plan = load_run_log(folder), load_plan(folder)
    mapping, units = load_mapping(folder, plan), EvaluationSet(folder, plan)
    for _, record in records(folder):
        if record.valid:
            day = record.date or _one_day(log)
            yield _object(record, day, mapping, units) if day else None


def _one_day(log: RunLog) -> str | None:
    """Return the day of an evaluation that began and ended on one; imported replies are of any."""
    began, ended = ((log.time.get(end) or "")[:10] for end in ("from", "to"))
    return began if began and began == ended and log.origin == "run" else None


def _object(record: Record, day: str, mapping: RubricMapping | None, units: EvaluationSet) -> Json:
    _, reply, _ = read_reply(record.raw or "")
    reply = reply or {}
    if mapping is not None:
        reply, _ = mapping.convert(reply, units.for_judge(record.sample))
    scores = dict(record.scores or {})
    evidence = [
        {key: item[key] for key in EVIDENCE_KEYS}
        for item in items(reply, "evidence")
        if isinstance(item, dict)
    ]
    notes = {key: text for key in ("notes",) if isinstance(text := reply.get(key), str)}
    return {
        "meta": {**record.sample.as_json(), "timestamp": day},
        "scores": {**scores, OVERALL: sum(scores.values())},
        "verdict": record.verdict if mapping is not None else record.judge_verdict,
        "flags": items(reply, "flags"),
        "evidence": evidence,
        **notes,
    }
