"""Tests of where an evaluation set comes from."""

import csv
import os
from pathlib import Path
from typing import Any

import pytest
from judge_support import table_row, write_rows
from records_support import make_run

from epc.errors import MalformedError, UsageError
from epc.judge.samples import gaps, repeats
from epc.records.judging.sources import entries_of


def write_csv(path: Path, rows: list[dict[str, Any]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_judge_0_a_table_gives_units_outputs_and_tasks(tmp_path: Path) -> None:
    rows = [table_row("Q1", "A", "m/x", task="Do, it.\nNow."), table_row("Q1", "B", "m/x", task="")]

    for table in (write_csv(tmp_path / "t.csv", rows), write_rows(tmp_path / "t.jsonl", rows)):
        entries = entries_of(table)

        assert [entry.unit.prompt_variant for entry in entries] == ["A", "B"]
        assert entries[0].output == rows[0]["output"]
        assert [entry.task for entry in entries] == ["Do, it.\nNow.", None]


def test_a_long_output_is_read_and_leaves_the_process_as_it_was(tmp_path: Path) -> None:
    usual, output = csv.field_size_limit(), "long " * 40_000
    row = table_row("Q1", "A", "m/x") | {"output": output}

    (entry,) = entries_of(write_csv(tmp_path / "t.csv", [row]))

    assert entry.output == output
    assert csv.field_size_limit() == usual < len(output)


def test_a_row_may_name_a_file_beside_the_table_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "secret.txt").write_text("key", "utf-8")
    (tmp_path / "data" / "a.txt").write_text("the answer", "utf-8")
    (tmp_path / "data" / "link.txt").symlink_to(tmp_path / "secret.txt")
    row = table_row("Q1", "A", "m/x")
    del row["output"]

    for name, fine in (
        ("a.txt", True),
        ("../secret.txt", False),
        (str(tmp_path / "secret.txt"), False),
        ("link.txt", False),
        ("no.txt", False),
        ("a\x00.txt", False),
        ("x" * 9999, False),
    ):
        table = write_rows(tmp_path / "data" / "t.jsonl", [{**row, "output_file": name}])
        if fine:
            assert entries_of(table)[0].output == "the answer"
        else:
            with pytest.raises(MalformedError, match="is no file beside the table"):
                entries_of(table)


@pytest.mark.parametrize(
    "row",
    [
        {"question_id": "Q1"},
        {**table_row("Q1", "A", "m"), "output_id": ""},
        {**table_row("Q1", "A", "m"), "output_file": "a.txt"},
        {**table_row("Q1", "A", "m"), "output": 3},
        [1],
    ],
)
def test_a_row_that_cannot_be_used_is_named(tmp_path: Path, row: Any) -> None:
    with pytest.raises(MalformedError, match="JUDGE-"):
        entries_of(write_rows(tmp_path / "t.jsonl", [row]))


def test_all_fields_that_a_row_lacks_are_named_at_once(tmp_path: Path) -> None:
    table = write_rows(tmp_path / "t.jsonl", [{"question_id": "Q1", "text": "hello"}])

    with pytest.raises(
        MalformedError, match="line 1 has no prompt_variant, target_model, output_id"
    ) as no:
        entries_of(table)

    assert "output (or output_file)" in str(no.value)


def test_an_empty_table_is_misuse(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is empty"):
        entries_of(write_rows(tmp_path / "t.jsonl", []))


def test_a_folder_is_target_question_variant(tmp_path: Path) -> None:
    root = tmp_path / "outputs"
    for target, question, variant in (("m/x", "Q1", "A"), ("m/x", "Q1", "B"), ("y", "Q1", "A")):
        (root / target / question).mkdir(parents=True, exist_ok=True)
        (root / target / question / f"{variant}.md").write_text(f"{target} {variant}", "utf-8")
    (root / "tasks.json").write_text('{"Q1": "Write."}', "utf-8")

    entries = entries_of(root)

    assert [(e.unit.target_model, e.unit.prompt_variant) for e in entries] == [
        ("m/x", "A"),
        ("m/x", "B"),
        ("y", "A"),
    ]
    assert {e.task for e in entries} == {"Write."}
    assert entries[0].unit.output_id == "m/x/Q1/A.md"


def test_a_folder_with_a_link_or_a_stray_file_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "outputs"
    (root / "m" / "Q1").mkdir(parents=True)
    (root / "m" / "stray.txt").write_text("x", "utf-8")
    with pytest.raises(MalformedError, match="TARGET/QUESTION/VARIANT"):
        entries_of(root)
    (root / "m" / "stray.txt").unlink()
    (root / "m" / "Q1" / "A.txt").symlink_to("/etc/hostname")
    with pytest.raises(MalformedError, match="is a link"):
        entries_of(root)


def test_file_names_that_are_no_text_become_identifiers_that_are(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/outputs/m/Q\xff"
    os.makedirs(folder)  # noqa: PTH103  (a name that pathlib has no literal for)
    with open(folder + b"/A.txt", "wb") as file:  # noqa: PTH123  (as above)
        file.write(b"text")

    (entry,) = entries_of(tmp_path / "outputs")

    assert entry.unit.question_id == "Q\ufffd"


@pytest.mark.parametrize(("seeds", "rounds"), [(30, 30), (1, 2)])
def test_judge_7_1_an_exhaustive_run_gives_every_answer_whether_a_round_drew_it_or_not(
    tmp_path: Path, seeds: int, rounds: int
) -> None:
    run = make_run(
        tmp_path / "run",
        evaluator="mock/deterministic",
        seeds=seeds,
        rounds=rounds,
        exhaustive=True,
    )

    entries = entries_of(run.folder)

    units = [entry.unit for entry in entries]
    assert len(units) == 11 * 16
    assert list(gaps(units)) == list(repeats(units)) == []
    assert {unit.target_model for unit in units} == {"mock/deterministic"}
    calls = {call["id"]: call for call in run.rows("calls")}
    for entry in entries:
        call = calls[entry.unit.output_id]
        assert entry.output == call["answer"]
        assert entry.task is not None
        assert entry.task in call["prompt"]
