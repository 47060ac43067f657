"""Runs that fail before any answer, and those that only look as if they did."""

import json
import re
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from endpoint_support import (
    Endpoint,
    HoldsAfter,
    Received,
    Reply,
    answering,
    refusal,
    serving,
)
from engine_support import environment, epc, read_rows
from run_support import models, provider_environment

SMALL = ("--seeds", "0-1", "--rounds", "3")


EARLY: dict[str, tuple[Reply, str]] = {
    "a redirect": (
        Reply(status=308, headers={"Location": "https://elsewhere.example/v1"}),
        "set OPENAI_BASE_URL to where it leads",
    ),
    "a limit of a day": (
        refusal(429, "slow down", Retry_After="86400"),
        "HTTP 429: slow down; it is to be asked again in 86,400 s (1 attempt",
    ),
    "an outage of a day": (
        refusal(503, "maintenance", Retry_After="86400"),
        "HTTP 503: maintenance; it is to be asked again in 86,400 s (1 attempt",
    ),
}


@pytest.mark.parametrize("what", EARLY)
def test_what_cannot_pass_ends_a_run_at_once_and_leaves_no_folder(
    tmp_path: Path, endpoint: Endpoint, what: str
) -> None:
    reply, text = EARLY[what]
    endpoint.behave = lambda _: reply
    run, env = tmp_path / "run", provider_environment("openai", endpoint.url)

    failed = epc("run", *models("openai"), *SMALL, "--out", run, env=env)

    assert failed.returncode == 3
    assert text in failed.stderr
    assert set(endpoint.prompts.values()) == {1}, "nothing is asked again"
    assert "nothing was answered, and no run folder is left" in failed.stderr
    assert not run.exists()


def test_nothing_listening_ends_a_run_with_one_clear_line(tmp_path: Path) -> None:
    with serving() as gone:
        url = gone.url
    run, env = tmp_path / "run", provider_environment("vllm", url)

    failed = epc("run", *models("vllm"), *SMALL, "--out", run, env=env)

    assert failed.returncode == 3
    assert f": nothing listens there: {url}\n" in failed.stderr
    assert "  fix: start the server, or set VLLM_BASE_URL to its address" in failed.stderr
    assert "Client" not in failed.stderr  # no library's own name of the error
    assert not run.exists()


@pytest.mark.parametrize(
    ("provider", "given_by"),
    [("deepseek", "FIRST_DEADLINE_S"), ("vllm", "OWN_DEADLINE_S"), ("vllm", "--timeout")],
)
def test_a_server_that_never_answers_is_given_up_when_its_time_is_up(
    tmp_path: Path,
    endpoint: Endpoint,
    monkeypatch: pytest.MonkeyPatch,
    provider: str,
    given_by: str,
) -> None:
    more = (given_by, "0.3") if given_by.startswith("--") else ()
    if not more:
        monkeypatch.setattr(f"epc.engine.asking.{given_by}", 0.3)
    hangs, run = HoldsAfter(0), tmp_path / "run"
    endpoint.behave = hangs

    arguments = (*models(provider), *SMALL, *more)
    failed = epc("run", *arguments, "--out", run, env=provider_environment(provider, endpoint.url))
    hangs.go_on.set()

    assert failed.returncode == 3
    text = f": connected, no answer within 0.3 s: {endpoint.url}\n"
    assert f"{provider}/judge{text}" in failed.stderr or f"{provider}/writer{text}" in failed.stderr
    assert "`--timeout S` waits S seconds for a slow one" in failed.stderr
    sent = len(endpoint.received)
    assert sent
    lost = re.search(r"(\d+) lost answers? that may be billed", failed.stderr)
    assert lost, failed.stderr
    assert int(lost[1]) == sent
    assert "no run folder is left" in failed.stderr
    assert not run.exists()


def test_a_provider_that_is_slow_after_its_first_answer_is_waited_for(
    tmp_path: Path, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Calls that were under way when the first answer came have the usual deadline."""
    monkeypatch.setattr("epc.engine.asking.FIRST_DEADLINE_S", 0.5)
    first = threading.Lock()

    def slow(row: Received) -> Reply:
        if not first.acquire(blocking=False):
            time.sleep(0.8)
        return answering(row)

    endpoint.behave = slow

    done = epc(
        *("run", *models("deepseek"), "--seeds", "0", "--rounds", "1"),
        *("--out", tmp_path / "run"),
        env=provider_environment("deepseek", endpoint.url),
    )

    assert done.returncode == 0, done.stderr


def test_a_server_of_ones_own_that_works_through_its_queue_is_not_dead(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    """The last call in the queue waits for longer than the deadline, and is asked once."""
    slot = threading.Lock()

    def one_by_one(row: Received) -> Reply:
        with slot:
            time.sleep(0.03)
        return answering(row)

    endpoint.behave = one_by_one
    run = tmp_path / "run"
    arguments = ("--seeds", "0-9", "--rounds", "1")
    sent_arguments = (*models("vllm"), *arguments, "--timeout", "0.8")

    done = epc("run", *sent_arguments, "--out", run, env=provider_environment("vllm", endpoint.url))

    assert done.returncode == 0, done.stderr
    latencies = [row["latency_s"] for row in read_rows(run / "calls.jsonl")]
    assert max(latencies) > 0.8
    assert json.loads((run / "manifest.json").read_bytes())["provenance"]["retries"] == 0


def test_doctor_waits_for_a_slow_server_as_long_as_it_is_told(endpoint: Endpoint) -> None:
    hangs = HoldsAfter(0)
    endpoint.behave = hangs

    failed = epc(
        "doctor", "vllm/judge", "--timeout", "0.2", env=provider_environment("vllm", endpoint.url)
    )
    hangs.go_on.set()

    assert failed.returncode == 3
    assert "no answer within 0.2 s" in failed.stderr


def test_a_time_limit_that_an_outage_uses_up_shows_the_last_error(
    tmp_path: Path, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Both calls are begun at one moment, however long the machine takes over it.
    moment = time.monotonic()
    monkeypatch.setattr("epc.engine.budget.time", SimpleNamespace(monotonic=lambda: moment))
    endpoint.behave = lambda _: refusal(503, "overloaded")
    run = tmp_path / "run"

    limited = ("--max-time", "1", "--out", str(run))
    stopped = epc(
        "run", *models("openai"), *SMALL, *limited, env=provider_environment("openai", endpoint.url)
    )

    assert stopped.returncode == 4
    assert "stopped at --max-time 1 s, with calls that got no answer\n" in stopped.stderr
    assert "\n  last error: HTTP 503: overloaded\n" in stopped.stderr


@pytest.mark.parametrize(
    ("evaluator", "executor", "said"),
    [
        ("mock/deterministic", "local/smolm2-135m", "did you mean local/smollm2-135m"),
        ("mock/determinstic", "local/smollm2-135m", "did you mean mock/deterministic?"),
        ("opnai/gpt-4o", "local/smollm2-135m", "did you mean openai?"),
    ],
)
def test_a_name_that_is_no_model_s_downloads_nothing_and_says_what_is_near(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, evaluator: str, executor: str, said: str
) -> None:
    fetched: list[object] = []
    monkeypatch.setattr("epc.engine.local.fetching.fetch", fetched.append)
    arguments = ("--evaluator", evaluator, "--executor", executor, "--out", tmp_path / "run")

    for more in ((), ("--dry-run",)):
        done = epc("run", *arguments, *more, env=environment(EPC_CACHE_DIR=str(tmp_path / "none")))
        assert (done.returncode, fetched) == (2, [])
        assert said in done.stderr
    assert list(tmp_path.iterdir()) == []
