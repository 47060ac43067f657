"""Helpers of the tests of the judge protocol: the vectors, and a record that is right."""

import asyncio
import json
from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from engine_support import DAY, read_rows, unwatched
from msgspec.structs import asdict

from epc.engine.budget import Limits
from epc.engine.judging.evaluate import Request, evaluate, open_evaluation, write_plan
from epc.judge.check import Judgement, check
from epc.judge.evidence import Output
from epc.judge.samples import Sample, Unit
from epc.records.judging.documents import records_path
from epc.records.judging.sources import entries_of, import_replies
from epc.records.typed import as_json
from epc.spec.judge_v1 import DIMENSIONS, IDENTIFIERS, METHODS, OVERALL, RULES, Method, Rules

Json = dict[str, Any]

SAMPLE = Sample(
    question_id="Q3",
    prompt_variant="A",
    target_model="vendor/writer-1",
    output_id="writer-1_Q3_A.txt",
    judge_model="vendor/judge-7",
    method="cross_judge",
)
OUTPUT = "# Plan\n\nStep 1: take a backup.\nStep 2: move one table at a time."


def vectors(name: str) -> list[Json]:
    """Return the cases of a file of the judge protocol's conformance vectors."""
    path = files("epc.spec") / "conformance" / "judge" / "v1" / f"{name}.json"
    cases: list[Json] = json.loads(path.read_text("utf-8"))["cases"]
    return cases


def record(sample: Sample = SAMPLE, quote: str = "Step 1: take a backup.") -> Json:
    """Return a record that follows the protocol to the letter, as new objects."""
    return {
        "meta": {**asdict(sample), "timestamp": "2026-07-02"},
        "scores": {**dict.fromkeys(DIMENSIONS, 2), OVERALL: 8},
        "verdict": "PASS",
        "flags": [],
        "evidence": [
            {"dimension": name, "quote": quote, "reason": "As asked."} for name in DIMENSIONS
        ],
    }


def judged(
    reply: Json | str | bytes, sample: Sample = SAMPLE, output: str = OUTPUT, rules: Rules = RULES
) -> Judgement:
    """Return what a reply is worth."""
    raw = json.dumps(reply) if isinstance(reply, dict) else reply
    return check(raw, sample, Output(output, rules))


def table_row(question: str, variant: str, target: str, **further_options: str) -> Json:
    """Return a row of a table of outputs."""
    return {
        "question_id": question,
        "prompt_variant": variant,
        "target_model": target,
        "output_id": f"{target}/{question}/{variant}.txt",
        "output": f"An answer of {target} to {question} under {variant}, in a few words.",
        **further_options,
    }


def write_rows(path: Path, rows: Iterable[Json]) -> Path:
    """Write rows as JSON Lines."""
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return path


def grid(
    questions: Sequence[str] = "12",
    variants: Sequence[str] = "AB",
    targets: Sequence[str] = ("m/x",),
) -> list[Json]:
    """Return a table whose cells are all filled."""
    return [table_row(f"Q{q}", v, t) for q in questions for v in variants for t in targets]


def planned(folder: Path, rows: Iterable[Json], judges: Sequence[str], **asked: Any) -> Json:
    """Plan an evaluation of a table's rows and return the plan."""
    methods: tuple[Method, ...] = asked.pop("methods", METHODS)
    table = write_rows(folder.with_suffix(".jsonl"), rows)
    request = Request(judges=judges, methods=methods, **asked)
    plan: Json = as_json(write_plan(entries_of(table), request, folder, now=DAY))
    return plan


def judged_by_models(folder: Path, *, limits: Limits | None = None) -> Json:
    """Have a planned evaluation judged, or go on with it, and return its run log."""
    evaluation = open_evaluation(folder)
    work = evaluate(evaluation, clock=lambda: DAY, watch=unwatched, limits=limits)
    log: Json = as_json(asyncio.run(work))
    return log


def record_for(row: Json, judge: str, scores: Sequence[int] = (2, 2, 2, 2)) -> Json:
    """Return a right record about a table's row."""
    sample = Unit(**{name: row[name] for name in IDENTIFIERS}).before(judge)
    built = record(sample, quote=" ".join(row["output"].split()[:4]))
    total = sum(scores)
    built["scores"] = {**dict(zip(DIMENSIONS, scores, strict=True)), OVERALL: total}
    built["verdict"] = "FAIL" if total <= 3 else "PASS" if total >= 7 else "PARTIAL"
    return built


def reply_row(row: Json, judge: str, reply: Json | str) -> Json:
    """Return a row of a bundle of raw replies."""
    raw = reply if isinstance(reply, str) else json.dumps(reply)
    return {**{name: row[name] for name in IDENTIFIERS}, "judge_model": judge, "reply": raw}


def imported(folder: Path, rows: Sequence[Json], replies: Iterable[Json], **asked: Any) -> Json:
    """Plan an evaluation for recorded replies, import them, and return the run log."""
    judges = asked.pop("judges", ("j/1", "j/2"))
    planned(folder, rows, judges, recorded=True, **asked)
    bundle = write_rows(folder.with_suffix(".replies.jsonl"), replies)
    log, _ = import_replies(bundle, folder, now="2026-07-02T00:00:00Z")
    document: Json = as_json(log)
    return document


def archived(folder: Path, *, valid: bool, method: str = "cross_judge") -> list[Json]:
    """Return the records that stand in one file of an archive."""
    return read_rows(records_path(folder, valid=valid, method=method))
