"""`epc run` as users meet it: what it prints, writes and refuses."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from endpoint_support import FailsAfter, refusal, serving
from engine_support import (
    environment,
    epc,
    files_that_hold,
    read_rows,
)
from run_support import (
    CANARY,
    COIN,
    HOSTED,
    MOCKS,
    RUN_FILES,
)


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
    assert {path.name for path in (tmp_path / "run").iterdir()} == {*RUN_FILES}
    assert epc("validate", tmp_path / "run").returncode == 0


def test_json_on_stdout_is_the_manifest_s_summary_and_what_is_known_of_quality(
    tmp_path: Path,
) -> None:
    run = tmp_path / "run"

    done = epc("run", *MOCKS, "--seeds", "0,3", "--rounds", "3", "--out", run, "--format", "json")
    repeated_result = epc("resume", run, "--format", "json")

    manifest = json.loads((run / "manifest.json").read_text("utf-8"))
    assert done.returncode == 0
    document = json.loads(done.stdout)
    assert document.pop("quality")["measured"] is False
    assert document == manifest["results"]["summary"]
    assert repeated_result.returncode == 0
    assert repeated_result.stdout == done.stdout
    assert repeated_result.stderr == f"{run} is complete\n"


def test_without_out_the_folder_is_named_after_day_and_evaluator(tmp_path: Path) -> None:
    for _ in range(2):
        assert epc("run", *MOCKS, "--seeds", "0", "--rounds", "1", cwd=tmp_path).returncode == 0

    assert {path.name for path in (tmp_path / "runs").iterdir()} == {
        "2026-07-02-deterministic",
        "2026-07-02-deterministic-2",
    }


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
                text = f"not with {request.headers['authorization']} or {CANARY} at {address}"
                return reply if reply.status == 200 else refusal(status, text, Retry_After="0.01")

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
        ((*MOCKS, "--seeds", "9-3"), "'9-3': 9 is after 3: write 3-9"),
        ((*MOCKS, "--seeds", "0-4294967296"), "seeds end at 4294967295"),
        ((*MOCKS, "--seeds", "0-100000"), "at most 100,000 seeds a run"),
        ((*MOCKS, "--seeds", "1.5"), "is no seed or span"),
        ((*MOCKS, "--rounds", "-1"), "is not in the range"),
        ((*MOCKS, "--rounds", "many"), "'many' is not a valid whole number"),
        ((*MOCKS, "--reuse", "always"), "is not one of"),
        ((*MOCKS, "--exhaustive", "--reuse", "none"), "--exhaustive reuses every answer"),
        ((*COIN, "--reuse", "memo"), "mock/coin-flip answers each round afresh"),
        ((*COIN, "--exhaustive"), "mock/coin-flip answers each round afresh"),
        (("--evaluator", "mock/fair", "--executor", "mock/deterministic"), "the mocks are"),
        (
            ("--evaluator", "gpt-4o", "--executor", "mock/deterministic"),
            "did you mean openai/gpt-4o? See `epc models list`",
        ),
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
        (
            ("--evaluator", "recorded:bad.csv"),
            "bad.csv:1: no column is certain to hold what a judge said",
        ),
        (
            ("--evaluator", "recorded:odd.csv"),
            "odd.csv:21: has 'X' in verdict, which is no label: --label 'X'=WORD says what it",
        ),
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
    (tmp_path / "bad.csv").write_text(header + "s,text,t,X\n")
    (tmp_path / "odd.csv").write_text(header + 19 * "s,text,t,A\n" + "s,text,t,X\n")

    with pytest.raises(SystemExit) as ended:
        main(["run", *args, "--out", "out"])

    output = capsys.readouterr()
    assert ended.value.code == 2
    assert message in " ".join(output.err.split())
    assert output.out == ""
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


@pytest.mark.own_process
def test_the_program_is_the_same_whatever_it_is_called(tmp_path: Path) -> None:
    script = Path(sys.executable).with_name("epc")
    assert os.access(script, os.X_OK)

    as_module = epc("--version")

    assert as_module.returncode == 0
    assert as_module.stdout.startswith("epc ")
