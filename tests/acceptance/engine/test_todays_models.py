"""Models that reason, refuse a field or spell things their own way: whole runs of the program.

How each provider behaves is in `tests/lab`; here is what takes more than one run to show.
"""

import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from endpoint_support import (
    Endpoint,
    HoldsAfter,
    Received,
    Reply,
    answering,
    completion,
    refusal,
    serving,
)
from engine_support import environment, epc, files_that_hold, read_rows

SMALL = ("--seeds", "0-1", "--rounds", "3", "--no-cache", "--no-canary")
CANARY = "sk-canary-0123456789abcdef"
FREE = ("--temperature", "none", "--executor-temperature", "none")
Behaviour = Callable[[Received], Reply]


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving() as server:
        yield server


def models(provider: str) -> tuple[str, ...]:
    return ("--evaluator", f"{provider}/judge", "--executor", f"{provider}/writer")


def at(provider: str, url: str) -> dict[str, str]:
    prefix = provider.upper().replace("-", "_")
    return environment(**{f"{prefix}_BASE_URL": url, f"{prefix}_API_KEY": CANARY})


def bad_request(message: str, *, param: str | None, code: str | None, status: int = 400) -> Reply:
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    return Reply(status=status, body=json.dumps({"error": error}).encode())


NO_MAX_TOKENS = bad_request(
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
    "'max_completion_tokens' instead.",
    param="max_tokens",
    code="unsupported_parameter",
)
NO_TEMPERATURE = bad_request(
    "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) "
    "value is supported.",
    param="temperature",
    code="unsupported_value",
)


def said(received: Received) -> str:
    return str(json.loads(answering(received).body)["choices"][0]["message"]["content"])


def message(content: Any, finish: str = "stop", tokens: int = 0, **more: Any) -> Reply:
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": content, **more},
        "finish_reason": finish,
    }
    usage: dict[str, Any] = {"prompt_tokens": 21, "completion_tokens": 3 + tokens}
    if tokens:
        usage["completion_tokens_details"] = {"reasoning_tokens": tokens}
    return completion(None, choices=[choice], usage=usage)


def like_o3(received: Received) -> Reply:
    """Answer as OpenAI documents for o3 and GPT-5: one field refused at a time, then reasoning."""
    if "max_tokens" in received.body:
        return NO_MAX_TOKENS
    if received.body.get("temperature", 1) != 1:
        return NO_TEMPERATURE
    return message(said(received), tokens=64)


def manifest_of(run: Path) -> Any:
    return json.loads((run / "manifest.json").read_bytes())


# ------------------------------------------------------------------------- fields that are refused


def test_o3_and_gpt_5_are_measured_as_openai(tmp_path: Path, endpoint: Endpoint) -> None:
    endpoint.behave = like_o3
    run, env = tmp_path / "run", at("openai", endpoint.url)
    asked = (*FREE, "--max-tokens", "500", "--reasoning", "low", "--executor-reasoning", "minimal")

    done = epc("run", *models("openai"), *SMALL, *asked, "--out", run, env=env)

    assert done.returncode == 0, done.stderr
    for row in endpoint.received:
        evaluates = row.prompt.startswith("Evaluate.")
        assert set(row.body) == {"model", "messages", "max_completion_tokens", "reasoning_effort"}
        assert row.body["max_completion_tokens"] == (500 if evaluates else 400)
        assert row.body["reasoning_effort"] == ("low" if evaluates else "minimal")
    manifest = manifest_of(run)
    assert manifest["evaluator"]["decoding"]["reasoning"] == "low"
    assert manifest["executor"]["decoding"]["reasoning"] == "minimal"
    assert manifest["protocol_version"] == "EPC-v1.0-AltPrompt+AltRounds"
    calls = manifest["provenance"]["calls"]
    assert manifest["provenance"]["reasoning"] == {
        role: {"calls": calls[role], "tokens": 64 * calls[role]} for role in calls
    }
    rows = read_rows(run / "calls.jsonl")
    assert {row["reasoning_tokens"] for row in rows} == {64}
    assert not any("limit_field" in row for row in rows)
    found = epc("validate", run)
    assert found.returncode == 0
    warned = f"{calls['evaluator']} of {calls['evaluator']} verdicts came after reasoning"
    assert f"/provenance/reasoning/evaluator: warning: {warned}" in found.stdout


# ----------------------------------------------------------------------------------- --reasoning


def test_reading_r79_no_reasoning_is_the_protocol_s_own_and_any_is_an_alt_prompt(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    env, tags, names = at("openai", endpoint.url), {}, {}
    for level in (None, "none", "low"):
        run = tmp_path / str(level)
        asked = () if level is None else ("--reasoning", level)
        done = epc("run", *models("openai"), *SMALL, *asked, "--out", run, env=env)
        assert done.returncode == 0, done.stderr
        tags[level] = manifest_of(run)["protocol_version"]
        rows = read_rows(run / "calls.jsonl")
        names[level] = {row["id"] for row in rows if row["role"] == "evaluator"}

    assert tags == {
        None: "EPC-v1.0-AltRounds",
        "none": "EPC-v1.0-AltRounds",
        "low": "EPC-v1.0-AltPrompt+AltRounds",
    }
    assert not names[None] & names["none"]  # what was asked for is part of a call's identity
    assert not names["none"] & names["low"]


# ---------------------------------------------------------------------------------------- --body


def test_what_the_user_adds_to_a_request_is_sent_and_recorded(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    run, env = tmp_path / "run", at("openrouter", endpoint.url)
    routing = '{"only": ["openai"], "allow_fallbacks": false}'

    done = epc(
        "run",
        *models("openrouter"),
        *SMALL,
        "--out",
        run,
        "--body",
        f"provider={routing}",
        "--body",
        "top_k=1",
        "--executor-body",
        "seed=7",
        env=env,
    )

    assert done.returncode == 0, done.stderr
    body = {"provider": {"only": ["openai"], "allow_fallbacks": False}, "top_k": 1}
    for row in endpoint.received:
        added = body if row.prompt.startswith("Evaluate.") else {"seed": 7}
        assert {**row.body, **added} == row.body
    manifest = manifest_of(run)
    assert manifest["evaluator"]["decoding"]["body"] == body
    assert manifest["executor"]["decoding"]["body"] == {"seed": 7}
    assert manifest["protocol_version"] == "EPC-v1.0-AltPrompt+AltRounds"
    assert epc("validate", run).returncode == 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (f'user="x{CANARY}x"', "--body user holds the value of OPENAI_API_KEY"),
        (f'extra={{"{CANARY}": 1}}', "holds the value of OPENAI_API_KEY"),
        ('extra={"headers": {"Authorization": "abc"}}', "looks like a credential"),
        ('note="of sk-0123456789abcdefghij"', "--body note looks like a credential"),
        ('note="Bearer 0123456789abcdef"', "--body note looks like a credential"),
        ('proxy="https://me:hunter2x@host/"', "--body proxy looks like a credential"),
        ("temperature=1", "use --temperature"),
        ("max_completion_tokens=5", "use --max-tokens"),
        ("messages=[]", "the protocol sets it"),
        ("top_k=", "is no JSON"),
        ("top_k=NaN", "is no JSON"),
        ("1x=1", "expected KEY=JSON"),
    ],
)
def test_no_secret_and_nothing_of_the_protocol_s_gets_into_a_request(
    tmp_path: Path, endpoint: Endpoint, given: str, said: str
) -> None:
    run = tmp_path / "run"

    refused = epc(
        "run",
        *models("openai"),
        *SMALL,
        "--body",
        given,
        "--out",
        run,
        env=at("openai", endpoint.url),
    )

    assert refused.returncode == 2, refused.stderr
    assert said in refused.stderr
    assert CANARY not in refused.stderr
    assert not endpoint.received
    assert not files_that_hold(tmp_path, CANARY)


# --------------------------------------------------------------------- failing before any answer


def failed_in(seconds_more: float, *arguments: str | Path, env: dict[str, str]) -> Any:
    """Run what fails, and hold its time against the same command that sends nothing."""
    began = time.monotonic()
    assert epc(*arguments, "--dry-run", env=env).returncode == 0
    start_s = time.monotonic() - began
    began = time.monotonic()
    failed = epc(*arguments, env=env)
    assert time.monotonic() - began < 2 * start_s + seconds_more
    return failed


EARLY: dict[str, tuple[Reply, str]] = {
    "a wrong key": (refusal(401, "Incorrect API key"), "check the key in OPENAI_API_KEY"),
    "a wrong name": (refusal(404, "The model `judge` does not exist"), "there is no such model"),
    **{
        f"a redirect by {status}": (
            Reply(status=status, headers={"Location": "https://elsewhere.example/v1"}),
            "set OPENAI_BASE_URL to where it leads",
        )
        for status in (301, 302, 307, 308)
    },
    "a web page": (
        Reply(body=b"<!doctype html><title>Chat</title>", headers={"Content-Type": "text/html"}),
        "a web page is all that answers there: http",
    ),
    "a limit of a day": (
        refusal(429, "slow down", Retry_After="86400"),
        "HTTP 429: slow down; it is to be asked again in 86,400 s (1 attempt",
    ),
    "an outage of a day": (
        refusal(503, "maintenance", Retry_After="86400"),
        "HTTP 503: maintenance; it is to be asked again in 86,400 s",
    ),
}


@pytest.mark.parametrize("what", EARLY)
def test_what_cannot_pass_ends_a_run_within_3_s_and_leaves_no_folder(
    tmp_path: Path, endpoint: Endpoint, what: str
) -> None:
    reply, said = EARLY[what]
    endpoint.behave = lambda _: reply
    run, env = tmp_path / "run", at("openai", endpoint.url)

    failed = failed_in(3, "run", *models("openai"), *SMALL, "--out", run, env=env)

    assert failed.returncode == 3
    assert said in failed.stderr
    assert "nothing was answered, and no run folder is left" in failed.stderr
    assert not run.exists()


def test_nothing_listening_ends_a_run_within_3_s_with_one_clear_line(tmp_path: Path) -> None:
    with serving() as gone:
        url = gone.url
    run, env = tmp_path / "run", at("vllm", url)

    failed = failed_in(3, "run", *models("vllm"), *SMALL, "--out", run, env=env)

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

    asked = (*models(provider), *SMALL, *more)
    failed = epc("run", *asked, "--out", run, env=at(provider, endpoint.url))
    hangs.go_on.set()

    assert failed.returncode == 3
    said = f": connected, no answer within 0.3 s: {endpoint.url}\n"
    assert f"{provider}/judge{said}" in failed.stderr or f"{provider}/writer{said}" in failed.stderr
    assert "`--timeout S` waits S seconds for a slow one" in failed.stderr
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
        *("run", *models("deepseek"), "--seeds", "0", "--rounds", "1", "--no-canary"),
        *("--out", tmp_path / "run"),
        env=at("deepseek", endpoint.url),
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
    many = ("--seeds", "0-9", "--rounds", "1", "--no-cache", "--no-canary")
    asked = (*models("vllm"), *many, "--timeout", "0.8")

    done = epc("run", *asked, "--out", run, env=at("vllm", endpoint.url))

    assert done.returncode == 0, done.stderr
    latencies = [row["latency_s"] for row in read_rows(run / "calls.jsonl")]
    assert max(latencies) > 0.8
    assert json.loads((run / "manifest.json").read_bytes())["provenance"]["retries"] == 0


def test_doctor_waits_for_a_slow_server_as_long_as_it_is_told(endpoint: Endpoint) -> None:
    hangs = HoldsAfter(0)
    endpoint.behave = hangs

    failed = epc("doctor", "vllm/judge", "--timeout", "0.2", env=at("vllm", endpoint.url))
    hangs.go_on.set()

    assert failed.returncode == 3
    assert "no answer within 0.2 s" in failed.stderr


def test_a_time_limit_that_an_outage_uses_up_shows_the_last_error(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    endpoint.behave = lambda _: refusal(503, "overloaded")
    run = tmp_path / "run"

    limited = ("--max-time", "1", "--out", str(run))
    stopped = epc("run", *models("openai"), *SMALL, *limited, env=at("openai", endpoint.url))

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
    monkeypatch.setattr(
        "epc.engine.local.weights.Weights.fetch", lambda weights, _: fetched.append(weights)
    )
    asked = ("--evaluator", evaluator, "--executor", executor, "--out", tmp_path / "run")

    for more in ((), ("--dry-run",)):
        done = epc("run", *asked, *more, env=environment(EPC_CACHE_DIR=str(tmp_path / "none")))
        assert (done.returncode, fetched) == (2, [])
        assert said in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_outage_after_the_first_answer_is_retried_and_keeps_the_folder(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    run, env = tmp_path / "run", at("openai", endpoint.url)
    seen: list[Received] = []

    def fails_later(row: Received) -> Reply:
        seen.append(row)
        return refusal(401, "revoked") if len(seen) > 10 else answering(row)

    endpoint.behave = fails_later
    stopped = epc("run", *models("openai"), *SMALL, "--concurrency", "1", "--out", run, env=env)
    endpoint.behave = answering
    done = epc("resume", run, env=env)

    assert stopped.returncode == 4
    assert f"next: epc resume {run}" in stopped.stderr
    assert done.returncode == 0, done.stderr
