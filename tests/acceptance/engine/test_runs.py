"""`epc run` and `epc resume` as users meet them: whole, and in processes cut short at will.

Over 400 lines, because the kills, signals and limits of a run share how they are brought about.
"""

import json
import os
import random
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from endpoint_support import FailsAfter, HoldsAfter, refusal, serving
from engine_support import (
    PATIENCE_S,
    RAW_FILES,
    environment,
    epc,
    epc_under_way,
    files_that_hold,
    read_rows,
    same_files,
    wait_until,
)
from program_support import PROGRAM

MOCKS = ("--evaluator", "mock/deterministic", "--executor", "mock/deterministic")
COIN = ("--evaluator", "mock/coin-flip", "--executor", "mock/deterministic")
HOSTED = (
    *("--evaluator", "openai/judge-0806", "--executor", "openai/writer-0806"),
    "--no-canary",
)
FILES = (*RAW_FILES, "manifest.json", "run.json")
CANARY = "sk-canary-0123456789abcdef"


def hosted_environment(url: str) -> dict[str, str]:
    return environment(OPENAI_BASE_URL=url, OPENAI_API_KEY=CANARY)


def journal_rows(folder: Path) -> int:
    path = folder / "journal.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def without_latency(folder: Path) -> list[dict[str, Any]]:
    return [{**call, "latency_s": 0} for call in read_rows(folder / "calls.jsonl")]


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


@pytest.mark.own_process
def test_a_run_prints_its_table_and_leaves_a_valid_folder(tmp_path: Path) -> None:
    done = epc(
        *("run", *COIN, "--seeds", "0-2", "--rounds", "4", "--out", "run"),
        env=environment(PYTHONPROFILEIMPORTTIME="1"),
        cwd=tmp_path,
    )

    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert loaded >= {"epc.engine.measure", "numpy"}
    # What only other commands need, or other options, costs a run nothing.
    assert not loaded & {"vl_convert", "yaml", "rich", "xllamacpp", "sklearn", "platformdirs"}
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("EPC-v1.0-AltRounds, measured 2026-07-02\n")
    assert "evaluator  mock/coin-flip (prompt, mock)" in done.stdout
    assert "manifest run/manifest.json" in done.stderr
    assert "picture  `epc show run` draws it" in done.stderr
    assert {path.name for path in (tmp_path / "run").iterdir()} == {*FILES}
    assert epc("validate", tmp_path / "run").returncode == 0


def test_json_on_stdout_is_exactly_the_manifest_s_summary(tmp_path: Path) -> None:
    run = tmp_path / "run"

    done = epc("run", *MOCKS, "--seeds", "0,3", "--rounds", "3", "--out", run, "--format", "json")
    again = epc("resume", run, "--format", "json")

    manifest = json.loads((run / "manifest.json").read_text("utf-8"))
    assert done.returncode == 0
    assert json.loads(done.stdout) == manifest["results"]["summary"]
    assert again.returncode == 0
    assert again.stdout == done.stdout
    assert again.stderr == f"{run} is complete\n"


def test_without_out_the_folder_is_named_after_day_and_evaluator(tmp_path: Path) -> None:
    for _ in range(2):
        assert epc("run", *MOCKS, "--seeds", "0", "--rounds", "1", cwd=tmp_path).returncode == 0

    assert {path.name for path in (tmp_path / "runs").iterdir()} == {
        "2026-07-02-deterministic",
        "2026-07-02-deterministic-2",
    }


@pytest.mark.own_process
def test_two_processes_write_the_same_bytes(tmp_path: Path) -> None:
    for seed in ("0", "1"):
        done = epc(
            *("run", *COIN, "--seeds", "0-3", "--rounds", "6", "--out", tmp_path / seed),
            env=environment(PYTHONHASHSEED=seed),
        )
        assert done.returncode == 0

    same_files(tmp_path / "0", tmp_path / "1", FILES)


def test_a_mock_run_killed_at_random_moments_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    plan = (*COIN, "--seeds", "0-7", "--rounds", "12")  # 1,152 calls
    assert epc("run", *plan, "--out", tmp_path / "whole").returncode == 0
    run = tmp_path / "killed"
    moments = sorted(random.Random(2).sample(range(1, 800), 3))

    command: tuple[str | Path, ...] = ("run", *plan, "--out", run)
    for moment in moments:
        with epc_under_way(*command) as running:
            wait_until(lambda least=moment: journal_rows(run) >= least)  # type: ignore[misc]  # mypy infers no lambda with defaults
            running.kill()
            assert running.wait() == -signal.SIGKILL
        assert not (run / "manifest.json").exists()
        command = ("resume", run)
    resumed = epc("resume", run)

    assert resumed.returncode == 0, resumed.stderr
    same_files(tmp_path / "whole", run, FILES)
    assert not (run / "journal.jsonl").exists()


def test_a_hosted_run_killed_at_random_moments_asks_nothing_twice(tmp_path: Path) -> None:
    plan = ("run", *HOSTED, "--seeds", "0-1", "--rounds", "4", "--format", "json")
    run = tmp_path / "killed"
    with serving() as endpoint:
        env = hosted_environment(endpoint.url)
        whole = epc(*plan, "--no-cache", "--out", tmp_path / "whole", env=env)
        assert whole.returncode == 0, whole.stderr
        asked = endpoint.prompts
        assert set(asked.values()) == {1}  # memo: each prompt once
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
        assert answered | set(endpoint.prompts) == set(asked)
    same_files(tmp_path / "whole", run, ("trials.jsonl", "weights.jsonl", "run.json"))
    assert without_latency(tmp_path / "whole") == without_latency(run)
    assert resumed.stdout == whole.stdout


def test_ctrl_c_stops_with_4_and_says_how_to_go_on(tmp_path: Path) -> None:
    run = tmp_path / "run"
    plan = ("run", *HOSTED, "--seeds", "0", "--rounds", "3", "--out", run)
    with serving() as endpoint:
        env = hosted_environment(endpoint.url)
        endpoint.behave = hold = HoldsAfter(4)
        with epc_under_way(*plan, env=env) as running:
            wait_until(hold.reached.is_set)
            wait_until(lambda: journal_rows(run) > 0)
            running.send_signal(signal.SIGINT)
            stdout, stderr = running.communicate(timeout=PATIENCE_S)
        hold.go_on.set()
        resumed = epc("resume", run, env=env)

    assert running.returncode == 4
    assert stdout == ""
    assert lines(stderr)[-2:] == [
        "epc: stopped; nothing answered is lost",
        f"  next: epc resume {run}",
    ]
    # What was begun, its stages as far as they were drawn, the cost, and the two above.
    assert 5 <= len(lines(stderr)) <= 6, stderr
    assert lines(stderr)[-3].startswith("spent    ")
    assert resumed.returncode == 0
    assert epc("validate", run).returncode == 0


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
        env = hosted_environment(endpoint.url)
        assert epc(*plan, "--no-cache", "--out", tmp_path / "whole", env=env).returncode == 0
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


@pytest.mark.parametrize(
    ("provider", "sent"),
    [("openai", f"Bearer {CANARY}"), ("vllm", "Basic dXNlcjpodW50ZXIyLWNhbmFyeQ==")],
)
def test_no_secret_is_in_any_file_or_line(tmp_path: Path, provider: str, sent: str) -> None:
    run = tmp_path / "run"
    names = ("--evaluator", f"{provider}/judge-0806", "--executor", f"{provider}/writer-0806")
    secrets = [CANARY, "hunter2-canary", "dXNlcjpodW50ZXIyLWNhbmFyeQ"]  # base64 of user:password
    with serving() as endpoint:
        address = endpoint.url.replace("://", "://user:hunter2-canary@")
        env = environment(OPENAI_BASE_URL=address, VLLM_BASE_URL=address, OPENAI_API_KEY=CANARY)
        shown = []
        for status in (401, 429):
            endpoint.behave = FailsAfter(6, refusal(status))
            real = endpoint.behave

            def echoing(request: Any, status: int = status, real: Any = real) -> Any:
                reply = real(request)
                said = f"not with {request.headers['authorization']} or {CANARY} at {address}"
                return reply if reply.status == 200 else refusal(status, said, Retry_After="0.01")

            endpoint.behave = echoing
            command: tuple[Any, ...] = ("run", *names, "--rounds", "2", "--out", run)
            shown.append(epc(*(("resume", run) if run.exists() else command), env=env))
        received = {request.headers["authorization"] for request in endpoint.received}
        endpoint.behave = FailsAfter(10**6, refusal(500))
        shown.extend((epc("resume", run, env=env), epc("doctor", env=env)))
        shown.append(epc("models", "list", env=env))

    assert [done.returncode for done in shown] == [4, 4, 0, 0, 0]
    assert received == {sent}
    assert "[OPENAI_API_KEY]" in shown[0].stderr
    answers = Path(os.environ["EPC_CACHE_DIR"]) / "answers"
    assert not list(answers.rglob("*.json"))  # no answer of a hosted model is kept elsewhere (R76)
    assert files_that_hold(run, *secrets) == []
    for done in shown:
        assert [s for s in secrets if s in done.stdout + done.stderr] == []
    manifest = json.loads((run / "manifest.json").read_text())
    assert manifest["evaluator"]["endpoint"] == endpoint.url


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--evaluator", "mock/coin-flip"), "name who writes with --executor"),
        (("--executor", "mock/deterministic"), "Missing option '--evaluator'"),
        ((*MOCKS, "--seeds", "one"), "'one' is no seed or span of seeds such as 0-29"),
        ((*MOCKS, "--seeds", ""), "'' is no seed or span"),
        ((*MOCKS, "--seeds", "-1"), "'-1' is no seed or span"),
        ((*MOCKS, "--seeds", "9-3"), "seeds rise from 0 to 4294967295"),
        ((*MOCKS, "--seeds", "0-4294967296"), "seeds rise from 0 to 4294967295"),
        ((*MOCKS, "--seeds", "0-100000"), "at most 100,000 seeds a run"),
        ((*MOCKS, "--seeds", "1.5"), "is no seed or span"),
        ((*MOCKS, "--rounds", "-1"), "is not in the range"),
        ((*MOCKS, "--rounds", "many"), "is not a valid integer"),
        ((*MOCKS, "--reuse", "always"), "is not one of"),
        ((*MOCKS, "--exhaustive", "--reuse", "none"), "--exhaustive reuses every answer"),
        ((*COIN, "--reuse", "memo"), "mock/coin-flip answers each round afresh"),
        ((*COIN, "--exhaustive"), "mock/coin-flip answers each round afresh"),
        (("--evaluator", "mock/fair", "--executor", "mock/deterministic"), "the mocks are"),
        (("--evaluator", "gpt-4o", "--executor", "mock/deterministic"), "see `epc models list`"),
        (("--evaluator", "acme/m", "--executor", "mock/deterministic"), "the providers are"),
        (("--evaluator", "local/m", "--executor", "mock/deterministic"), "embedded models are"),
        (HOSTED, "set OPENAI_API_KEY to your key for openai"),
        (
            ("--evaluator", "mock/deterministic", "--executor", "local/smollm2-135m-likelihood"),
            "writes no answers: name another --executor",
        ),
        (
            ("--evaluator", "recorded:v.csv", "--executor", "mock/deterministic"),
            "recorded verdicts need no executor: leave --executor out",
        ),
        (
            ("--evaluator", "mock/deterministic", "--executor", "recorded:v.csv"),
            "writes no answers: name another --executor",
        ),
        (("--evaluator", "recorded:none.csv"), "there is no file 'none.csv'"),
        (("--evaluator", "recorded:bad.csv"), "bad.csv:2: verdict 'C', expected A, B or tie"),
    ],
)
def test_misuse_is_2_with_the_reason_and_leaves_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    args: tuple[str, ...],
    message: str,
) -> None:
    from epc.cli import main

    monkeypatch.chdir(tmp_path)
    header = "strategy,domain,task,verdict\n"
    (tmp_path / "v.csv").write_text(header + "s,text,t,A\ns,visual,v,B\n")
    (tmp_path / "bad.csv").write_text(header + "s,text,t,C\n")

    with pytest.raises(SystemExit) as ended:
        main(["run", *args, "--out", "out"])

    shown = capsys.readouterr()
    assert ended.value.code == 2
    assert message in " ".join(shown.err.split())
    assert shown.out == ""
    assert not (tmp_path / "out").exists()


def test_recorded_verdicts_run_from_their_file_alone(tmp_path: Path) -> None:
    rows = ["bold,text,t,A", "shy,text,t,B", "bold,visual,v,tie"]
    (tmp_path / "v.csv").write_text("\n".join(["strategy,domain,task,verdict", *rows]) + "\n")

    done = epc("run", "--evaluator", "recorded:v.csv", "--seeds", "0-1", cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    (run,) = (tmp_path / "runs").iterdir()
    trials = read_rows(run / "trials.jsonl")
    verdicts = {(t["phase"], t["strategy"]): t["verdict"] for t in trials}
    assert verdicts["text", "bold"] == "A"
    assert verdicts["text", "shy"] == "B"
    assert (verdicts["visual", "bold"], verdicts["visual", "shy"]) == ("tie", "missing")
    assert {(t["response"], t["baseline"]) for t in trials} == {(None, None)}
    assert epc("validate", run).returncode == 0


def test_a_folder_that_is_not_empty_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("keep")
    (tmp_path / "file").write_text("keep")

    full = epc("run", *MOCKS, "--out", tmp_path / "mine")
    file = epc("run", *MOCKS, "--out", tmp_path / "file")
    below = epc("run", *MOCKS, "--out", tmp_path / "file" / "run")

    assert [done.returncode for done in (full, file, below)] == [2, 2, 2]
    assert f"{tmp_path / 'mine'} is not empty: choose another --out" in full.stderr
    assert "is a file" in file.stderr
    assert f"cannot make {tmp_path / 'file' / 'run'}: Not a directory" in below.stderr
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["notes.txt"]
    assert (tmp_path / "file").read_text() == "keep"


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
    again = on_a_disk_with(5000, "resume", run)

    for done in (full, again):
        assert done.returncode == 3
        assert done.stdout == ""
        assert (
            lines(done.stderr)[-1] == f"epc: cannot write {run / 'journal.jsonl'}: File too large"
        )
    assert epc("resume", run).returncode == 0
    same_files(tmp_path / "whole", run, FILES)


def test_a_disk_that_fills_up_at_the_very_end_loses_nothing(tmp_path: Path) -> None:
    plan = ("run", *MOCKS, "--seeds", "0-5", "--rounds", "40", "--exhaustive")
    assert epc(*plan, "--out", tmp_path / "whole").returncode == 0
    run = tmp_path / "run"
    sizes = {name: (tmp_path / "whole" / name).stat().st_size for name in RAW_FILES}
    assert sizes["trials.jsonl"] > sizes["calls.jsonl"] + 1000  # the journal fits, they do not

    full = on_a_disk_with(sizes["calls.jsonl"] + 1000, *plan, "--out", run)

    assert full.returncode == 3
    assert lines(full.stderr)[-1] == f"epc: cannot write {run / 'trials.jsonl'}: File too large"
    assert {path.name for path in run.iterdir()} == {"run.json", "journal.jsonl"}
    assert epc("resume", run).returncode == 0
    same_files(tmp_path / "whole", run, FILES)


def test_a_run_is_resumed_with_its_own_models_only(tmp_path: Path) -> None:
    script, run = tmp_path / "script.json", tmp_path / "run"
    script.write_text('{"default": 1}')
    names = ("--evaluator", f"mock/scripted:{script}", "--executor", "openai/writer")
    with serving() as endpoint, serving() as other:
        endpoint.behave = FailsAfter(3, refusal(401))
        env = hosted_environment(endpoint.url)
        assert epc("run", *names, "--rounds", "2", "--out", run, env=env).returncode == 4

        moved = epc("resume", run, env=hosted_environment(other.url))
        script.write_text('{"default": 0}')
        changed = epc("resume", run, env=env)
        script.write_text('{"default": 1}')
        without = epc("resume", run, env=environment(OPENAI_BASE_URL=endpoint.url))

        assert other.received == []
    assert [done.returncode for done in (moved, changed, without)] == [2, 2, 2]
    assert "the executor's endpoint is" in moved.stderr
    assert "the evaluator's details is" in changed.stderr
    assert "go on where it began, or start a new run" in changed.stderr
    assert "set OPENAI_API_KEY" in without.stderr


def test_a_folder_that_is_no_run_cannot_be_resumed(tmp_path: Path) -> None:
    empty = epc("resume", tmp_path)
    absent = epc("resume", tmp_path / "absent")

    assert (empty.returncode, absent.returncode) == (2, 2)
    assert f"epc: {tmp_path} is no run folder: it has no run.json" in empty.stderr
    assert "does not exist" in absent.stderr


def test_a_journal_that_was_damaged_in_its_history_is_mended_and_the_record_says_so(
    tmp_path: Path,
) -> None:
    run, plan = tmp_path / "run", (*MOCKS, "--seeds", "0", "--rounds", "1")
    assert epc("run", *plan, "--out", tmp_path / "whole").returncode == 0
    assert epc("run", *plan, "--out", run).returncode == 0
    calls = (run / "calls.jsonl").read_bytes().splitlines(keepends=True)
    (run / "manifest.json").unlink()
    before = calls[0] + b"damaged\n" + calls[1]
    head = b'{"synced":%d}\n' % len(before)
    (run / "journal.jsonl").write_bytes(before + head + calls[2])

    done = epc("resume", run)

    assert done.returncode == 0
    assert done.stderr.count("WARNING: 1 lines of the journal are damaged") == 1
    assert (run / "journal.damaged").read_bytes() == b"damaged\n"
    same_files(tmp_path / "whole", run, RAW_FILES)
    assert json.loads((run / "manifest.json").read_bytes())["provenance"]["journal_damage"] == 1
    validated = epc("validate", run)
    assert validated.returncode == 0
    assert "/provenance/journal_damage: warning: 1 lines of the journal" in validated.stdout


@pytest.mark.own_process
def test_the_program_is_the_same_whatever_it_is_called(tmp_path: Path) -> None:
    script = Path(sys.executable).with_name("epc")
    assert os.access(script, os.X_OK)

    as_module = epc("--version")

    assert as_module.returncode == 0
    assert as_module.stdout.startswith("epc ")
