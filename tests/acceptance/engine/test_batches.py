"""What a user sees of batches and decodings: how a run is asked for in other ways."""

import json
from pathlib import Path
from typing import Any

import pytest
from batch_support import batch_provider
from endpoint_support import Endpoint
from engine_support import (
    epc,
    epc_under_way,
    same_files,
    wait_until,
)
from run_support import (
    COIN,
    HOSTED,
    MOCKS,
    hosted,
)

SMALL = ("--seeds", "0-1", "--rounds", "4")


def test_batches_are_submitted_and_collected_by_the_program(tmp_path: Path) -> None:
    run, plan = tmp_path / "run", ("run", *HOSTED, *SMALL, "--exhaustive")
    with batch_provider() as provider:
        env = hosted(provider.url)
        live = epc(*plan, "--no-cache", "--out", tmp_path / "live", env=env)
        chats = provider.chats
        collect = ("run", "--batch", "collect", "--no-cache", "--out", run)

        first = epc(*plan, "--no-cache", "--batch", "submit", "--out", run, env=env)
        provider.status = {"status": "in_progress", "request_counts": {"completed": 3}}
        waiting = epc(*collect, env=env)
        provider.status = {"status": "completed"}
        second = epc(*collect, env=env)
        done = epc(*collect, env=env)

        assert provider.chats == chats
    assert [r.returncode for r in (live, first, waiting, second, done)] == [0, 4, 4, 4, 0]
    assert "submitted 176 answers as batch batch-0: collect them later" in first.stderr
    assert "batch batch-0 is in_progress: 3 of 176 done" in waiting.stderr
    assert "submitted 176 comparisons as batch batch-1" in second.stderr
    assert first.stderr.splitlines()[-1] == f"  next: epc resume {run}"
    assert done.stdout == live.stdout
    same_files(tmp_path / "live", run, ("trials.jsonl", "weights.jsonl", "run.json"))
    assert epc("validate", run).returncode == 0


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((*HOSTED, "--batch", "submit"), "--batch sends whole waves: add --exhaustive"),
        (
            (*MOCKS, "--exhaustive", "--batch", "submit"),
            "--batch is for providers that take batches",
        ),
        (("--batch", "collect"), "--batch collect needs --out"),
        ((*COIN, "--recheck", "3"), "--recheck asks again what was reused"),
    ],
)
def test_what_does_not_fit_together_is_2_and_leaves_nothing(
    tmp_path: Path, args: tuple[str, ...], message: str
) -> None:
    env = hosted("http://127.0.0.1:9/v1")

    done = epc("run", *args, cwd=tmp_path, env=env)

    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", ["/v1/files", "/v1/batches"])
def test_a_kill_between_an_order_and_its_note_pays_for_no_batch_twice(
    tmp_path: Path, path: str
) -> None:
    run = tmp_path / "run"
    with batch_provider() as provider:
        env = {**hosted(provider.url), "EPC_CACHE_DIR": str(tmp_path / "cache")}
        provider.hang = path
        submit = ("run", *HOSTED, "--exhaustive", "--seeds", "0", "--batch", "submit", "--out", run)
        with epc_under_way(*submit, env=env) as running:
            wait_until(provider.hung.is_set)
            running.kill()
            running.wait()
        provider.hang = None
        provider.let_go.set()
        collect = ("run", "--batch", "collect", "--out", run)
        codes = [epc(*collect, env=env).returncode for _ in range(3)]

        assert provider.sizes == [176, 176]
        assert codes == ([4, 4, 0] if path == "/v1/files" else [4, 0, 0])
        assert epc("validate", run, env=env).returncode == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--temperature", "0.7", "--reuse", "memo"),
            "the evaluator decodes at temperature 0.7, not at 0, so its answers cannot be reused",
        ),
        (("--temperature", "0.7", "--exhaustive"), "the evaluator decodes at temperature 0.7"),
        (("--executor-temperature", "1", "--exhaustive"), "the executor decodes at temperature 1,"),
        (("--temperature", "none", "--exhaustive"), "at its provider's own temperature, not at 0"),
        (("--temperature", "-1"), "is no temperature from 0 to 2, nor 'none'"),
        (("--temperature", "warm"), "is no temperature from 0 to 2, nor 'none'"),
        (("--temperature", "nan"), "is no temperature from 0 to 2, nor 'none'"),
    ],
)
def test_reading_r16_reuse_at_another_temperature_than_0_is_refused(
    tmp_path: Path, endpoint: Endpoint, options: tuple[str, ...], message: str
) -> None:
    done = epc("run", *HOSTED, *options, "--out", tmp_path / "run", env=hosted(endpoint.url))

    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())
    assert endpoint.received == []
    assert not (tmp_path / "run").exists()


def test_epc_2_6_b_another_decoding_is_sent_recorded_and_tagged(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    run = tmp_path / "run"
    asked = ("--temperature", "0.7", "--top-p", "0.9", "--max-tokens", "3")
    theirs = ("--executor-temperature", "none", "--executor-max-tokens", "50")
    small = ("--seeds", "0", "--rounds", "1", "--max-calls", "5")

    first = epc("run", *HOSTED, *asked, *theirs, *small, "--out", run, env=hosted(endpoint.url))
    done = epc("resume", run, env=hosted(endpoint.url))

    assert (first.returncode, done.returncode) == (4, 0)
    manifest = json.loads((run / "manifest.json").read_bytes())
    assert manifest["config"]["reuse"] == "none"
    assert manifest["protocol_version"] == "EPC-v1.0-AltPrompt+AltRounds"
    rest: dict[str, Any] = {"stop": [], "constraint": None}
    evaluator = {"temperature": 0.7, "top_p": 0.9, "max_tokens": 3, **rest}
    executor = {"temperature": None, "top_p": None, "max_tokens": 50, **rest}
    assert manifest["evaluator"]["decoding"] == evaluator
    assert manifest["executor"]["decoding"] == executor
    assert len(endpoint.received) == 12  # three a round: nothing is reused
    for request in endpoint.received:
        said = executor if request.body["model"] == "writer-0806" else evaluator
        sent = {key: value for key, value in said.items() if value}
        sent["max_completion_tokens"] = sent.pop("max_tokens")
        assert request.body == {**request.body, **sent}
        assert set(request.body) == {"model", "messages", *sent}
    assert epc("validate", run).returncode == 0


def test_what_decodes_nothing_takes_no_decoding(tmp_path: Path) -> None:
    done = epc("run", *MOCKS, "--temperature", "0.5", "--out", tmp_path / "run")

    assert done.returncode == 2
    assert "mock/deterministic decodes nothing: leave its decoding out" in done.stderr
