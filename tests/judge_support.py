"""What tests of the judge protocol share: the vectors, and a record that is right."""

import json
from dataclasses import asdict
from importlib.resources import files
from typing import Any

from epc.judge.check import Checked, check
from epc.judge.evidence import Output
from epc.judge.samples import Sample
from epc.spec.judge_v1 import DIMENSIONS, OVERALL

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


def judged(reply: Json | str | bytes, sample: Sample = SAMPLE, output: str = OUTPUT) -> Checked:
    """Return what a reply is worth."""
    raw = json.dumps(reply) if isinstance(reply, dict) else reply
    return check(raw, sample, Output.of(output))
