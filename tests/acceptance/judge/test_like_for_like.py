"""`epc judge report` states neither leniency as self-preference nor another mapping as drift."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from engine_support import epc
from judge_support import grid, record_for, reply_row, table_row, write_rows

JUDGES = ("lab/a", "lab/b", "lab/c")
LENIENT, PLAIN = (2, 2, 2, 2), (1, 1, 1, 1)
# Marks from 1 to 5. A mark of 3 or 4 is worth 1 and 2 where one is lenient, 0 and 1 where harsh.
CUTS = {"lenient": [2, 4], "harsh": [4, 5]}
DIMENSIONS = {
    "FORMAT_COMPLIANCE": "form",
    "INSTRUCTION_COMPLIANCE": "orders",
    "SEMANTIC_FIDELITY": "sense",
    "COMPLETENESS": "whole",
}


def rubric(folder: Path, name: str) -> Path:
    path = folder / f"{name}.json"
    path.write_text(
        json.dumps(
            {
                "id": name,
                "description": "Four marks from 1 to 5.",
                "scale": {"lowest": 1, "highest": 5},
                "cuts": CUTS[name],
                "dimensions": {
                    ours: {"from": [theirs], "rule": "mean"} for ours, theirs in DIMENSIONS.items()
                },
                "fields": {"scores": "/marks"},
            }
        ),
        "utf-8",
    )
    return path


def in_marks(row: dict[str, Any], mark: int) -> dict[str, Any]:
    """Return a reply about a row that gives every dimension one mark."""
    reply = record_for(row, "lab/a")
    del reply["scores"], reply["verdict"]
    return {**reply, "marks": dict.fromkeys(DIMENSIONS.values(), mark)}


def imported(folder: Path, table: Path, bundle: Path, *arguments: str | Path) -> None:
    planned = epc("judge", "plan", table, "--recorded", "--out", folder, *arguments)
    assert planned.returncode == 0, planned.stdout + planned.stderr
    done = epc("judge", "import", bundle, folder)
    assert done.returncode == 0, done.stderr


def test_reading_r24_leniency_is_not_called_self_preference(tmp_path: Path) -> None:
    """Three judges, 90 outputs: A gives every output one more a dimension, nobody favours himself.

    A's own outputs are scored 8 by A and 4 by the others, and so is every other output: the
    difference in differences is 0 for all three, and so the report says in every form.
    """
    questions = [f"{number:02}" for number in range(30)]
    rows = grid(questions, "A", JUDGES)
    replies = [
        reply_row(row, judge, record_for(row, judge, LENIENT if judge == "lab/a" else PLAIN))
        for row in rows
        for judge in JUDGES
    ]
    table = write_rows(tmp_path / "outputs.jsonl", rows)
    bundle = write_rows(tmp_path / "replies.jsonl", replies)
    judges = [word for judge in JUDGES for word in ("--judge", judge)]
    imported(tmp_path / "e", table, bundle, *judges)

    results = {
        form: epc("judge", "report", tmp_path / "e", "--format", form)
        for form in ("text", "json", "csv")
    }

    assert {done.returncode for done in results.values()} == {0}
    (evaluation,) = json.loads(results["json"].stdout)["evaluations"]
    assert [
        (row["judge"], row["own"], row["others"], row["mean"], row["ci95"])
        for row in evaluation["self_preference"]
    ] == [(judge, 30, 60, 0, [0, 0]) for judge in JUDGES]
    for judge in JUDGES:
        assert re.search(rf"{judge} +30 +60 +0.00 \[0.00, 0.00\]", results["text"].stdout)
        assert (
            f"self_preference,judge_model,{judge},self_preference,30,0.0,0.0,0.0"
            in results["csv"].stdout
        )
    assert evaluation["self_judging"]["all"]["samples"] == len(rows) == 90
    (pair,) = [p for p in evaluation["agreement"]["pairs"] if p["judges"] == ["lab/a", "lab/b"]]
    # On c's outputs A scores 8 and B 4: what is stated is that they differ, by -4.
    assert (pair["outputs"], pair["mean_difference"]["mean"]) == (30, -4)


@pytest.fixture
def marked(tmp_path: Path) -> tuple[Path, Path]:
    """Return a table and replies in a rubric of five marks, half of them 3 and half 4."""
    rows = grid("1234", "AB")
    marks = (3, 4)
    replies = [
        reply_row(row, "lab/a", json.dumps(in_marks(row, marks[i % 2])))
        for i, row in enumerate(rows)
    ]
    table = write_rows(tmp_path / "outputs.jsonl", rows)
    return table, write_rows(tmp_path / "replies.jsonl", replies)


def test_reading_r27_the_same_raw_replies_under_a_harsher_mapping_are_no_drift(
    tmp_path: Path, marked: tuple[Path, Path]
) -> None:
    for name in CUTS:
        arguments = ("--judge", "lab/a", "--mapping", rubric(tmp_path, name))
        imported(tmp_path / name, *marked, *arguments)
    folders = (tmp_path / "lenient", tmp_path / "harsh")

    results = {
        form: epc("judge", "report", *folders, "--format", form) for form in ("text", "json", "csv")
    }

    assert {done.returncode for done in results.values()} == {1}
    report = json.loads(results["json"].stdout)
    means = [e["primary"]["all"]["overall_score"]["mean"] for e in report["evaluations"]]
    assert sorted(means) == [2, 6]  # the replies are read, and differ by their mapping alone
    assert report["drift"] == []
    (finding,) = report["findings"]
    assert (finding["clause"], finding["severity"]) == ("Reading R27", "error")
    assert "lab/a (cross_judge): no drift is stated" in finding["problem"]
    assert finding["problem"].endswith(": another mapping")
    assert "another mapping" in results["text"].stdout
    assert "mean shift" not in results["text"].stdout
    sections = {row["section"] for row in csv.DictReader(io.StringIO(results["csv"].stdout))}
    assert "drift" not in sections
    assert "another mapping" in results["csv"].stderr


def test_reading_r27_the_same_mapping_twice_is_stated(
    tmp_path: Path, marked: tuple[Path, Path]
) -> None:
    mapping = rubric(tmp_path, "lenient")
    table, bundle = marked
    # The judge said the same a month later, in words of its own: else it were one answer (R76).
    later_path = tmp_path / "later.jsonl"
    later_path.write_text(bundle.read_text("utf-8").replace(", ", ",  "), "utf-8")
    for name, replies in (("july", bundle), ("august", later_path)):
        arguments = ("--judge", "lab/a", "--mapping", mapping)
        imported(tmp_path / name, table, replies, *arguments)

    done = epc("judge", "report", tmp_path / "july", tmp_path / "august", "--format", "json")

    assert done.returncode == 0
    report = json.loads(done.stdout)
    assert report["findings"] == []
    (row,) = report["drift"]
    assert (row["outputs"], row["mean_difference"]["mean"]) == (8, 0)


@pytest.mark.parametrize("differing", ["another decoding", "another prompt"])
def test_reading_r27_every_condition_that_differs_is_named(tmp_path: Path, differing: str) -> None:
    from importlib.resources import files

    text = (files("epc.spec") / "judge_prompts" / "judge-v1.txt").read_text("utf-8")
    (tmp_path / "stern.txt").write_text(f"Be stern.\n{text}", "utf-8")
    table = write_rows(tmp_path / "outputs.jsonl", [table_row("Q1", "A", "m/x")])
    for name in ("july", "august"):
        further_arguments = (
            ("--prompt", "stern.txt") if (name, differing) == ("august", "another prompt") else ()
        )
        arguments = (
            "judge",
            "plan",
            table,
            "--judge",
            "mock/judge",
            "--out",
            name,
            *further_arguments,
        )
        assert epc(*arguments, cwd=tmp_path).returncode == 0
        if (name, differing) == ("august", "another decoding"):
            # A mock decodes nothing, so that `judge plan` sets no other decoding for it.
            plan = tmp_path / name / "judge.json"
            plan.write_text(plan.read_text().replace('"max_tokens": 1200', '"max_tokens": 900'))
        assert epc("judge", "run", name, cwd=tmp_path).returncode == 0

    done = epc("judge", "report", "july", "august", cwd=tmp_path)

    assert done.returncode == 1
    printed_text = f"mock/judge (cross_judge): no drift is stated from july to august: {differing}"
    assert printed_text in done.stdout
