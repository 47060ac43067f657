"""Runs that something stops, or somebody edits meanwhile, and what resuming makes of them."""

import json
import signal
from pathlib import Path

import pytest
from endpoint_support import Endpoint, HoldsAfter, answering
from engine_support import PATIENCE_S, epc, epc_under_way, read_rows, wait_until
from run_support import HOSTED, hosted

SMALL = ("--seeds", "0-1", "--rounds", "4")


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_run_that_is_told_to_end_says_how_to_go_on_and_loses_nothing(
    tmp_path: Path, endpoint: Endpoint, how: signal.Signals
) -> None:
    run, env = tmp_path / "run", hosted(endpoint.url)
    endpoint.behave = hold = HoldsAfter(9)
    with epc_under_way("run", *HOSTED, *SMALL, "--out", run, env=env) as running:
        wait_until(hold.reached.is_set)
        wait_until(lambda: len(read_rows(run / "journal.jsonl")) == 9)
        running.send_signal(how)
        _, stderr = running.communicate(timeout=PATIENCE_S)
    hold.go_on.set()

    assert running.returncode == 4
    assert f"epc: stopped; nothing answered is lost\n  next: epc resume {run}" in stderr
    kept_prompts = {row["prompt"] for row in read_rows(run / "journal.jsonl")}
    endpoint.received.clear()
    endpoint.behave = answering
    assert epc("resume", run, env=env).returncode == 0
    assert not kept_prompts & endpoint.prompts.keys()


def test_what_a_killed_writer_left_goes_when_its_run_is_resumed(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    run, env = tmp_path / "run", hosted(endpoint.url)
    small = epc("run", *HOSTED, *SMALL, "--max-calls", "9", "--out", run, env=env)
    assert small.returncode == 4
    # As `written_whole` calls it until it has its place; a file of the user's stays.
    (run / ".calls.jsonl.k3x9_2ab.unfinished").write_bytes(b'{"id":')
    (run / ".mine").write_text("notes")

    assert epc("resume", run, env=env).returncode == 0

    assert [path.name for path in run.glob(".*")] == [".mine"]


def test_epc_2_5_d_an_edited_line_of_the_journal_is_reported_asked_again_and_on_record(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    run, env = tmp_path / "run", hosted(endpoint.url)
    stopped = epc("run", *HOSTED, *SMALL, "--max-calls", "30", "--out", run, env=env)
    assert stopped.returncode == 4
    journal = run / "journal.jsonl"
    rows = read_rows(journal)
    judged = next(row for row in rows if row["role"] == "evaluator")
    other = {"A": "B", "B": "A"}[judged["answer"]]
    lines = journal.read_text("utf-8").splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if judged["id"] in line)
    before = lines[at]
    lines[at] = before.replace(f'"answer":"{judged["answer"]}"', f'"answer":"{other}"')
    assert lines[at] != before
    journal.write_text("".join(lines), "utf-8")
    endpoint.received.clear()

    done = epc("resume", run, env=env)

    assert done.returncode == 0, done.stderr
    assert "WARNING: 1 lines of the journal are damaged" in done.stderr
    assert endpoint.prompts[judged["prompt"]] == 1
    assert not endpoint.prompts.keys() & {row["prompt"] for row in rows if row != judged}
    held_answers = {row["id"]: row["answer"] for row in read_rows(run / "calls.jsonl")}
    assert held_answers[judged["id"]] == judged["answer"]
    manifest = json.loads((run / "manifest.json").read_bytes())
    assert manifest["provenance"]["journal_damage"] == 1
    validated = epc("validate", run)
    assert validated.returncode == 0
    assert "/provenance/journal_damage: warning: 1 lines of the journal" in validated.stdout
