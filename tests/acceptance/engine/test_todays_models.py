"""Models that reason, refuse a field or spell things their own way: whole runs of the program.

How each provider behaves is in `tests/lab`; here is what takes more than one run to show.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from endpoint_support import (
    Endpoint,
    Received,
    Reply,
    answering,
    completion,
)
from engine_support import epc, files_that_hold, read_rows
from run_support import CANARY, models, provider_environment

SMALL = ("--seeds", "0-1", "--rounds", "3")
FREE = ("--temperature", "none", "--executor-temperature", "none")
Behaviour = Callable[[Received], Reply]


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


def reply_text(received: Received) -> str:
    return str(json.loads(answering(received).body)["choices"][0]["message"]["content"])


def message(content: Any, finish: str = "stop", tokens: int = 0, **further_fields: Any) -> Reply:
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": content, **further_fields},
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
    return message(reply_text(received), tokens=64)


def manifest_of(run: Path) -> Any:
    return json.loads((run / "manifest.json").read_bytes())


def test_o3_and_gpt_5_are_measured_as_openai(tmp_path: Path, endpoint: Endpoint) -> None:
    endpoint.behave = like_o3
    run, env = tmp_path / "run", provider_environment("openai", endpoint.url)
    arguments = (
        *FREE,
        "--max-tokens",
        "500",
        "--reasoning",
        "low",
        "--executor-reasoning",
        "minimal",
    )

    done = epc("run", *models("openai"), *SMALL, *arguments, "--out", run, env=env)

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
    result = epc("validate", run)
    assert result.returncode == 0
    warned = f"{calls['evaluator']} of {calls['evaluator']} verdicts came after reasoning"
    assert f"/provenance/reasoning/evaluator: warning: {warned}" in result.stdout


def test_reading_r79_no_reasoning_is_the_protocol_s_own_and_any_is_an_alt_prompt(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    env, tags, names = provider_environment("openai", endpoint.url), {}, {}
    for level in (None, "none", "low"):
        run = tmp_path / str(level)
        arguments = () if level is None else ("--reasoning", level)
        done = epc("run", *models("openai"), *SMALL, *arguments, "--out", run, env=env)
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


def test_what_the_user_adds_to_a_request_is_sent_and_recorded(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    run, env = tmp_path / "run", provider_environment("openrouter", endpoint.url)
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
        env=provider_environment("openai", endpoint.url),
    )

    assert refused.returncode == 2, refused.stderr
    assert said in refused.stderr
    assert CANARY not in refused.stderr
    assert not endpoint.received
    assert not files_that_hold(tmp_path, CANARY)
