"""Endpoints that send a key back: it is left nowhere (a measurement, its failures, its output)."""

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from endpoint_support import Endpoint, Received, Reply, completion
from engine_support import environment, epc, files_that_hold, read_rows

KEY = "sk-canary+0123456789/abcdef"
FORMS = (
    KEY,
    b64encode(KEY.encode()).decode().rstrip("="),
    urlsafe_b64encode(KEY.encode()).decode().rstrip("="),
    b64encode(f"Bearer {KEY}".encode()).decode(),
    quote(KEY),
    quote(KEY, safe=""),
    json.dumps(KEY)[1:-1],
)
PLAIN = "0123456789abcdef-in-an-address"
SOUGHT = (*FORMS, FORMS[3][12:-4])  # of the last the part that is the key's alone
RUN = (
    *("run", "--evaluator", "openai/judge", "--executor", "openai/writer"),
    *("--seeds", "0", "--rounds", "2"),
)


def environment_of(endpoint: Endpoint, folder: Path) -> dict[str, str]:
    cache = str(folder / "cache")
    return environment(OPENAI_BASE_URL=endpoint.url, OPENAI_API_KEY=KEY, EPC_CACHE_DIR=cache)


def everywhere(received: Received) -> Reply:
    """Answer with what was sent in the header, in every part of a reply and in every form."""
    sent = received.headers["authorization"]
    assert sent == f"Bearer {KEY}"
    inside = " ".join((sent, *FORMS))
    parts = [{"type": "text", "text": part} for part in ("A", inside, KEY[:9], KEY[9:])]
    choice = {
        "index": 0,
        "finish_reason": f"stop {KEY}",
        "message": {"role": "assistant", "content": parts, "reasoning_content": inside},
    }
    reply = completion(
        None,
        id=f"req-{KEY}",
        model=f"served-{KEY}",
        system_fingerprint=f"fp-{b64encode(KEY.encode()).decode()}",
        choices=[choice],
        **{KEY: quote(KEY, safe="")},
    )
    escaped = reply.body.replace(b"fp-", b"fp-\\u0073k-canary+0123456789\\/abcdef-")
    return Reply(body=escaped, headers={"x-request-id": sent, "openai-version": FORMS[1]})


def failing(received: Received) -> Reply:
    sent = received.headers["authorization"]
    body = json.dumps({"error": {"message": f"you sent {sent}, {' '.join(FORMS)}"}}).encode()
    return Reply(status=400, body=body, headers={"request-id": KEY})


def moved(received: Received) -> Reply:
    return Reply(status=302, headers={"location": f"http://{KEY}@elsewhere/"}, body=KEY.encode())


@pytest.mark.parametrize("behave", [everywhere, failing, moved])
def test_a_key_that_an_endpoint_echoes_is_left_nowhere(
    tmp_path: Path, endpoint: Endpoint, behave: Callable[[Received], Reply]
) -> None:
    endpoint.behave = behave

    done = epc(*RUN, "--out", tmp_path / "run", env=environment_of(endpoint, tmp_path))
    said = done.stdout + done.stderr
    if behave is everywhere:
        assert done.returncode == 1, done.stderr  # none of it is a verdict
        resumed = epc(
            "resume", tmp_path / "run", "--anyway", env=environment_of(endpoint, tmp_path)
        )
        said += resumed.stdout + resumed.stderr
        said += epc("show", tmp_path / "run", "--format", "json").stdout
        calls = read_rows(tmp_path / "run" / "calls.jsonl")
        assert {call["headers"]["x-request-id"] for call in calls} == {"Bearer [OPENAI_API_KEY]"}
        assert epc("validate", tmp_path / "run").returncode == 0
    else:
        assert done.returncode == 3

    assert endpoint.received
    assert files_that_hold(tmp_path, *SOUGHT) == []
    assert [form for form in SOUGHT if form in said] == []


def test_a_key_is_in_no_journal_of_a_run_that_was_stopped(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    endpoint.behave = everywhere
    run = tmp_path / "run"

    done = epc(*RUN, "--max-calls", "3", "--out", run, env=environment_of(endpoint, tmp_path))

    assert done.returncode == 4
    assert (run / "journal.jsonl").stat().st_size
    assert files_that_hold(tmp_path, *SOUGHT) == []
    assert [form for form in SOUGHT if form in done.stdout + done.stderr] == []


@pytest.mark.parametrize("end", [f"/{PLAIN}/v1", f"/v1?code={PLAIN}", f"/v1/token/{PLAIN[-8:]}"])
def test_a_secret_in_the_path_or_query_of_an_address_is_left_nowhere(
    tmp_path: Path, endpoint: Endpoint, end: str
) -> None:
    """It is sent with each request, and comes back in answers, errors and to the screen."""
    address = endpoint.url.removesuffix("/v1") + end
    cache = str(tmp_path / "cache")
    env = environment(OPENAI_BASE_URL=address, OPENAI_API_KEY=KEY, EPC_CACHE_DIR=cache)

    def echoing(received: Received) -> Reply:
        assert PLAIN[-8:] in received.path
        if len(endpoint.received) > 9:
            return Reply(status=400, body=f"no such path: {received.path}".encode())
        return completion(f"A {received.path}")

    endpoint.behave = echoing
    run = tmp_path / "run"

    done = epc(*RUN, "--out", run, env=env)
    repeated_result = epc("resume", run, env=env)
    checked = epc("doctor", env=env)

    assert (done.returncode, repeated_result.returncode) == (4, 4)
    assert "no such path" in done.stderr
    text = "".join(result.stdout + result.stderr for result in (done, repeated_result, checked))
    assert PLAIN[-8:] not in text
    assert files_that_hold(tmp_path, PLAIN[-8:]) == []
    assert len(read_rows(run / "journal.jsonl")) > 0


@pytest.mark.parametrize("key", ["\u201csk-canary\u201d", "sk-canary\r", "sk-c\u0430nary"])
def test_a_key_that_is_no_printable_ascii_is_named_as_that_before_anything_is_sent(
    tmp_path: Path, endpoint: Endpoint, key: str
) -> None:
    env = environment(OPENAI_BASE_URL=endpoint.url, OPENAI_API_KEY=key)

    done = epc(*RUN, "--out", tmp_path / "run", env=env)

    assert done.returncode == 2
    assert "epc: OPENAI_API_KEY is no key for openai: it holds a character" in done.stderr
    assert "not printable ASCII" in done.stderr
    assert key not in done.stderr
    assert endpoint.received == []
    assert "OPENAI_API_KEY is no key: it holds a character" in epc("doctor", env=env).stdout
