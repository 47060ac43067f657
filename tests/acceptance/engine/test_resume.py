"""Runs that are cut short (killed, stopped, refused, out of disk) and go on with `epc resume`."""

import random
import resource
import subprocess
from pathlib import Path

import pytest
from endpoint_support import FailsAfter, HoldsAfter, refusal, serving
from engine_support import (
    RAW_FILES,
    environment,
    epc,
    epc_under_way,
    read_rows,
    same_files,
    wait_until,
)
from program_support import PROGRAM
from run_support import (
    HOSTED,
    MOCKS,
    RUN_FILES,
    hosted,
    journal_rows,
    lines,
    without_latency,
)


def test_a_hosted_run_killed_at_random_moments_asks_nothing_twice(tmp_path: Path) -> None:
    plan = ("run", *HOSTED, "--seeds", "0-1", "--rounds", "4", "--format", "json")
    run = tmp_path / "killed"
    with serving() as endpoint:
        env = hosted(endpoint.url)
        whole_result = epc(*plan, "--out", tmp_path / "whole", env=env)
        assert whole_result.returncode == 0, whole_result.stderr
        prompts = endpoint.prompts
        assert set(prompts.values()) == {1}  # memo: each prompt once
        endpoint.received.clear()

        hold = HoldsAfter(random.Random(3).randrange(10, 25))
        endpoint.behave = hold
        with epc_under_way(*plan, "--out", run, env=env) as running:
            wait_until(hold.reached.is_set)
            wait_until(lambda: journal_rows(run) > 0)
            running.kill()
            running.wait()
        hold.go_on.set()
        answered = {row["prompt"] for row in read_rows(run / "journal.jsonl")}
        endpoint.received.clear()
        resumed = epc("resume", run, "--format", "json", env=env)

        assert resumed.returncode == 0, resumed.stderr
        assert answered
        assert not answered & set(endpoint.prompts)
        assert answered | set(endpoint.prompts) == set(prompts)
    same_files(tmp_path / "whole", run, ("trials.jsonl", "weights.jsonl", "run.json"))
    assert without_latency(tmp_path / "whole") == without_latency(run)
    assert resumed.stdout == whole_result.stdout


@pytest.mark.parametrize(
    ("status", "message"),
    [(401, "check the key in OPENAI_API_KEY"), (503, "HTTP 503: overloaded (8 attempts)")],
)
def test_reading_r4_a_failing_endpoint_leaves_no_data_and_a_run_to_finish(
    tmp_path: Path, status: int, message: str
) -> None:
    plan = ("run", *HOSTED, "--seeds", "0-1", "--rounds", "3")
    run = tmp_path / "run"
    with serving() as endpoint:
        env = hosted(endpoint.url)
        assert epc(*plan, "--out", tmp_path / "whole", env=env).returncode == 0
        endpoint.received.clear()

        endpoint.behave = FailsAfter(12, refusal(status, "overloaded", Retry_After="0.01"))
        failed = epc(*plan, "--out", run, env=env)

        assert failed.returncode == 4
        assert failed.stdout == ""
        assert message in failed.stderr
        assert lines(failed.stderr)[-1] == f"  next: epc resume {run}"
        assert {path.name for path in run.iterdir()} == {"run.json", "journal.jsonl"}
        answered = {row["prompt"] for row in read_rows(run / "journal.jsonl")}
        assert 0 < len(answered) <= 12

        endpoint.behave = FailsAfter(10**6, refusal(500))
        endpoint.received.clear()
        resumed = epc("resume", run, env=env)
        assert resumed.returncode == 0
        assert not answered & set(endpoint.prompts)
    same_files(tmp_path / "whole", run, ("trials.jsonl", "weights.jsonl", "run.json"))
    assert without_latency(tmp_path / "whole") == without_latency(run)


def on_a_disk_with(size: int, *args: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the program where no file can grow beyond a size; coverage's own files could not."""
    env = {name: value for name, value in environment().items() if not name.startswith("COVERAGE")}
    limit = (size, size)
    return subprocess.run(
        [*PROGRAM, *map(str, args)],
        env=env,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit),
        text=True,
        encoding="utf-8",
        capture_output=True,
        check=False,
    )


def test_a_full_disk_is_3_and_the_run_goes_on_once_there_is_room(tmp_path: Path) -> None:
    plan = ("run", *MOCKS, "--seeds", "0-1", "--rounds", "5")
    assert epc(*plan, "--out", tmp_path / "whole").returncode == 0
    run = tmp_path / "run"

    full = on_a_disk_with(5000, *plan, "--out", run)
    repeated_result = on_a_disk_with(5000, "resume", run)

    for done in (full, repeated_result):
        assert done.returncode == 3
        assert done.stdout == ""
        assert lines(done.stderr)[-2:] == [
            f"epc: cannot write {run / 'journal.jsonl'}: File too large",
            f"  next: make room, then epc resume {run}",
        ]
    assert epc("resume", run).returncode == 0
    same_files(tmp_path / "whole", run, RUN_FILES)


def test_a_disk_that_fills_up_at_the_very_end_loses_nothing(tmp_path: Path) -> None:
    plan = ("run", *MOCKS, "--seeds", "0-5", "--rounds", "40", "--exhaustive")
    assert epc(*plan, "--out", tmp_path / "whole").returncode == 0
    run = tmp_path / "run"
    sizes = {name: (tmp_path / "whole" / name).stat().st_size for name in RAW_FILES}
    answers = (tmp_path / "whole" / "calls.jsonl").read_bytes().count(b"\n")
    journal = sizes["calls.jsonl"] + 40 * answers + 1000  # with checksums and heads
    assert sizes["trials.jsonl"] > journal  # which fits, they do not

    full = on_a_disk_with(journal, *plan, "--out", run)

    assert full.returncode == 3
    assert lines(full.stderr)[-2:] == [
        f"epc: cannot write {run / 'trials.jsonl'}: File too large",
        f"  next: make room, then epc resume {run}",
    ]
    assert {path.name for path in run.iterdir()} == {"run.json", "journal.jsonl"}
    assert epc("resume", run).returncode == 0
    same_files(tmp_path / "whole", run, RUN_FILES)


def test_a_run_is_resumed_with_its_own_models_only(tmp_path: Path) -> None:
    script, run = tmp_path / "script.json", tmp_path / "run"
    script.write_text('{"default": 1}')
    names = ("--evaluator", f"mock/scripted:{script}", "--executor", "openai/writer")
    with serving() as endpoint, serving() as other_endpoint:
        endpoint.behave = FailsAfter(3, refusal(401))
        env = hosted(endpoint.url)
        assert epc("run", *names, "--rounds", "2", "--out", run, env=env).returncode == 4

        moved = epc("resume", run, env=hosted(other_endpoint.url))
        script.write_text('{"default": 0}')
        changed = epc("resume", run, env=env)
        script.write_text('{"default": 1}')
        reduced_result = epc("resume", run, env=environment(OPENAI_BASE_URL=endpoint.url))

        assert other_endpoint.received == []
    assert [done.returncode for done in (moved, changed, reduced_result)] == [2, 2, 2]
    assert "the executor's endpoint is" in moved.stderr
    assert "the evaluator's details is" in changed.stderr
    assert "go on where it began, or start a new run" in changed.stderr
    assert "set OPENAI_API_KEY" in reduced_result.stderr


def test_a_folder_that_is_no_run_cannot_be_resumed(tmp_path: Path) -> None:
    empty = epc("resume", tmp_path)
    absent = epc("resume", tmp_path / "absent")

    assert (empty.returncode, absent.returncode) == (2, 2)
    assert f"epc: {tmp_path} is no run folder: it has no run.json" in empty.stderr
    assert "does not exist" in absent.stderr
