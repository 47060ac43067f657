"""Choices among labels with a confidence, beside the right label (Reading R77)."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from observed_sources_support import fields, rows, write
from recipes import judge_audit

from epc.records.verdicts.converting import Request

LABELS = "examples/s/labels.jsonl"


Lines = list[dict[str, Any]]


def digest_of(labels: Lines) -> str:
    return sha256("".join(f"{json.dumps(line)}\n" for line in labels).encode()).hexdigest()


def labelled(state: str, label: str, **made: str) -> dict[str, Any]:
    question = {
        "name": "intent",
        "options": ["pay", "none"],
        "descriptions": {"none": "asks for nothing"},
    }
    return {"state": state, "questions": [question], "labels": {"intent": label}, "_meta": made}


def run(labels: Lines, *judgments: dict[str, Any], digest: str = "", **judge: Any) -> Lines:
    return [
        {
            "idx": -1,
            "run": {
                "timestamp_utc": "2026-10-01T23:00:00+00:00",
                "judge": {"name": "llm", "model": "gemini-3.6-flash", **judge},
                "dataset": {"path": LABELS, "sha256": digest or digest_of(labels)},
            },
        },
        *({"idx": idx, "judgments": [judgment]} for idx, judgment in enumerate(judgments)),
    ]


def said(decision: str, confidence: float | None = 0.5, **raw: Any) -> dict[str, Any]:
    return {"question": "intent", "decision": decision, "confidence": confidence, "raw": raw}


def test_reading_r77_judge_audit_a_template_is_the_item_and_no_answer_is_unreadable(
    tmp_path: Path,
) -> None:
    labels = [
        {"idx": -1, "dataset": {}},
        labelled("Pay now", "pay", template="t1"),
        labelled("Pay then", "pay", template="t1"),
        labelled("Pay  NOW", "none"),
        labelled("pay now", "none"),
    ]
    judged = run(labels, said("pay"), said("", None), said("none"), said("pay"))
    files = {LABELS: labels, "docs/runs/v05/s/llm-x.ckpt.jsonl": judged}

    actual_rows = rows(judge_audit.convert, tmp_path, files)

    assert fields(actual_rows, "item", "label", "gold_label", "confidence", "date") == [
        ("s/0", "pay", "pay", 0.5, "2026-10-01"),
        ("s/1", None, "pay", None, "2026-10-01"),
        ("s/2", "none", "none", 0.5, "2026-10-01"),
        ("s/3", "pay", "none", 0.5, "2026-10-01"),
    ]
    assert [row.get("verdict") for row in actual_rows] == [None, "unreadable", None, None]
    questions = [row["question_sha256"] for row in actual_rows]
    assert questions[0] == questions[1]
    assert questions[2] == questions[3] != questions[0], "one text up to case and white space"


def test_reading_r77_judge_audit_a_copied_description_is_the_option_before_samples_vote(
    tmp_path: Path,
) -> None:
    labels = [labelled("x", "none"), labelled("y", "none")]
    copied = "none: asks for nothing"
    judged = run(labels, said(copied, 1.0), said("none: something else", 1.0))
    votes = run(labels, said("pay", 0.4, votes={"pay": 2, "none": 1, copied: 2}), samples=5)
    files = {
        LABELS: labels,
        "docs/runs/v05/s/llm-x.ckpt.jsonl": judged,
        "docs/runs/v05/s/llm-x-sc5.ckpt.jsonl": votes,
    }

    actual_rows = rows(judge_audit.convert, tmp_path, files)

    assert sorted(fields(actual_rows, "setting", "label", "confidence")) == [
        ("gemini-3.6-flash/s", "none", 1.0),
        ("gemini-3.6-flash/s", "none: something else", 1.0),
        ("gemini-3.6-flash/s/5-samples", "none", 0.6),
    ]


def test_reading_r77_judge_audit_runs_of_other_labels_are_a_finding(tmp_path: Path) -> None:
    labels = [labelled("x", "none")]
    files = {
        LABELS: labels,
        "docs/runs/v05/s/llm-x.ckpt.jsonl": run(labels, said("pay"), digest="0" * 64),
    }

    (finding,) = judge_audit.convert(write(tmp_path, files), Request()).findings

    assert "has not the SHA-256" in finding.problem
