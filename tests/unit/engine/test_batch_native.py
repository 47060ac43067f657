"""Batches in Anthropic's and Google's own protocol, against a real server that speaks them."""

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from batch_support import (
    AnthropicBatches,
    BatchProvider,
    GoogleBatches,
    served_by,
)
from endpoint_support import Endpoint, Reply, refusal, serving
from engine_support import asked_for, sitting
from native_support import ANTHROPIC, CANARY, GOOGLE, SECRETS, addresses

from epc.engine import batch, batch_native
from epc.engine.batch import BatchPendingError
from epc.engine.batch_native import batching_of
from epc.engine.batch_protocols import Batching
from epc.engine.catalog import open_model
from epc.engine.model import Completion, Prompt
from epc.errors import StoppedError, UsageError, WorldError
from epc.protocol.config import Decoding
from epc.records.validate import validate

# The SDKs are others' code: what they deprecate among themselves is no finding here.
pytestmark = [pytest.mark.extra, pytest.mark.filterwarnings("ignore::DeprecationWarning")]

Json = dict[str, Any]
PLAN = {
    name: asked_for(f"{name}/{model}", "mock/deterministic", exhaustive=True)
    for name, model in (("anthropic", "claude-test-4-5"), ("google", "gemini-2.5-flash"))
}
SERVERS: dict[str, Callable[[], BatchProvider]] = {
    "anthropic": AnthropicBatches,
    "google": GoogleBatches,
}


@pytest.fixture(autouse=True)
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "FIRST_LOOK_S", 0.01)


@pytest.fixture(params=list(PLAN))
def name(request: pytest.FixtureRequest) -> str:
    kind: str = request.param
    return kind


@pytest.fixture
def provider(name: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[BatchProvider]:
    with served_by(SERVERS[name]) as served:
        for variable, value in {**SECRETS, **addresses(served.url)}.items():
            monkeypatch.setenv(variable, value)
        yield served


def collected(folder: Path) -> Json:
    return sitting(folder, batches=True)


@pytest.mark.parametrize("lost", ["reply", "reply behind others"])
def test_a_batch_whose_id_was_lost_is_found_again_and_not_paid_twice(
    tmp_path: Path, name: str, provider: BatchProvider, lost: str
) -> None:
    run = tmp_path / "run"
    path = "/v1/messages/batches"
    if name == "google":
        path = "/v1beta/models/gemini-2.5-flash:batchGenerateContent"
    provider.lost = [path]
    with pytest.raises(WorldError, match="POST "):
        sitting(run, PLAN[name], batches=True)
    if lost == "reply behind others":
        provider.page = 1
        first, requests = next(iter(provider.files.items()))
        provider.files[first.replace("0", "1")] = requests[:100]
        if isinstance(provider, GoogleBatches):
            provider.names["batches/1"] = "another"

    collected(run)

    assert len(provider.files) == (1 if lost == "reply" else 2)
    assert validate(run).ok


@pytest.mark.parametrize("name", ["anthropic"])
def test_an_anthropic_batch_that_is_under_way_is_not_ordered_again(
    tmp_path: Path, name: str, provider: BatchProvider
) -> None:
    run = tmp_path / "run"
    provider.lost = ["/v1/messages/batches"]
    with pytest.raises(WorldError):
        sitting(run, PLAN[name], batches=True)
    provider.standings = [{"processing_status": "in_progress"}]

    with pytest.raises(BatchPendingError, match="msgbatch_0 may be this run's: it tells when"):
        collected(run)
    collected(run)

    assert provider.sizes == [176]


def test_reading_r4_a_request_without_a_candidate_is_answered_in_a_batch_too() -> None:
    line = {"response": {"candidates": [], "usageMetadata": {"promptTokenCount": 21}}}
    protocol = batching_of(open_model(GOOGLE))
    assert protocol is not None

    answer = protocol.answer(line)

    assert (answer.text, answer.finish_reason) == ("", "no_choice")


@pytest.mark.parametrize("name", ["google"])
@pytest.mark.parametrize(
    ("state", "code", "final"),
    [
        ("CANCELLED", 3, False),
        ("EXPIRED", 3, False),
        ("FAILED", 3, True),
        ("FAILED", 16, True),  # the key
        ("FAILED", 99, True),  # no code that is known
        ("FAILED", 8, False),  # too many at once: HTTP 429
        ("FAILED", 13, False),  # HTTP 500
        ("FAILED", 14, False),  # HTTP 503
        ("FAILED", 4, False),  # HTTP 504
    ],
)
def test_a_google_batch_that_failed_as_a_whole_says_why(
    tmp_path: Path, name: str, provider: GoogleBatches, state: str, code: int, *, final: bool
) -> None:
    with pytest.raises(BatchPendingError, match="submitted 176 comparisons as batch batches/0"):
        sitting(tmp_path, PLAN[name], batches=True)
    provider.status = {"state": f"BATCH_STATE_{state}"}
    provider.error = {"code": code, "message": "no such model"}

    with pytest.raises(WorldError if final else StoppedError) as stopped:
        collected(tmp_path)

    assert f"  176 x the batch {state.lower()}: {code}: no such model" in str(stopped.value)


def test_an_order_that_is_refused_leaves_nothing_under_way(
    tmp_path: Path, name: str, provider: BatchProvider
) -> None:
    provider.instead["/v1"] = refusal(403, "not with this key")

    with pytest.raises(WorldError, match=r"HTTP 403: .*not with this key"):
        sitting(tmp_path / "run", PLAN[name], batches=True)

    assert not (tmp_path / "run" / "batch.json").exists()


def test_a_level_of_reasoning_is_refused_before_anything_is_sent(
    tmp_path: Path, name: str, provider: BatchProvider
) -> None:
    decoding = {"evaluator": {"reasoning": "low"}}
    request = asked_for(
        PLAN[name].evaluator, "mock/deterministic", exhaustive=True, decoding=decoding
    )

    with pytest.raises(UsageError, match=r"--batch cannot ask .* to reason \(low\): leave one"):
        sitting(tmp_path / "run", request, batches=True)

    assert provider.sizes == []


# ------------------------------------------------------ the same as one by one, through Inspect


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with serving() as server:
        for variable, value in {**SECRETS, **addresses(server.url)}.items():
            monkeypatch.setenv(variable, value)
        yield server


def protocol_of(name: str) -> Batching:
    protocol = batching_of(open_model(name))
    assert protocol is not None
    return protocol


def asked_live(name: str, endpoint: Endpoint, decoding: Decoding, answer: Json) -> Completion:
    """Return what a model answers where the endpoint says so, one call."""
    endpoint.behave = lambda _: Reply(body=json.dumps(answer).encode())

    async def once() -> Completion:
        model = open_model(name)
        try:
            return await model.complete(Prompt(text="Is it?"), decoding)
        finally:
            await model.close()

    return asyncio.run(once())


PLAIN = Decoding(temperature=0.0, max_tokens=10)
ALL = Decoding(temperature=0.0, max_tokens=7, top_p=0.5, stop=("END",))


@pytest.mark.parametrize(
    ("model", "decoding"),
    [
        ("anthropic/claude-sonnet-4-5", PLAIN),
        ("anthropic/claude-sonnet-4-5", ALL),
        ("google/gemini-2.5-flash", PLAIN),
        ("google/gemini-2.0-flash", ALL),
        ("google/gemini-2.5-flash", ALL),
        ("google/gemini-2.5-pro", ALL),
        ("google/gemini-3-flash-preview", ALL),
        ("google/gemma-3-27b-it", ALL),
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_epc_2_6_b_a_request_in_a_batch_is_the_one_that_is_sent_live(
    endpoint: Endpoint, model: str, decoding: Decoding
) -> None:
    own = model.startswith("anthropic/")
    asked_live(model, endpoint, decoding, MESSAGE if own else RESPONSE)

    request = protocol_of(model).request("n", "Is it?", decoding)

    sent = dict(endpoint.received[-1].body)
    if own:  # what says nothing: no stream, no tools
        assert (sent.pop("stream"), sent.pop("tools")) == (False, [])
    assert request["params" if own else "request"] == sent


TEXT = {"type": "text", "text": "B"}
MESSAGE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-test-4-5-2026",
    "content": [TEXT],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 21, "output_tokens": 3},
}
USAGE = {"promptTokenCount": 21, "candidatesTokenCount": 3, "totalTokenCount": 24}
CANDIDATE = {"content": {"role": "model", "parts": [{"text": "B"}]}, "finishReason": "STOP"}
RESPONSE = {"candidates": [CANDIDATE], "usageMetadata": USAGE, "modelVersion": "gemini-001"}


@pytest.mark.parametrize(
    ("model", "answer"),
    [
        (ANTHROPIC, MESSAGE),
        (ANTHROPIC, {**MESSAGE, "stop_reason": "max_tokens"}),
        (ANTHROPIC, {**MESSAGE, "stop_reason": "refusal", "content": []}),
        (GOOGLE, RESPONSE),
        (GOOGLE, {**RESPONSE, "candidates": [{**CANDIDATE, "finishReason": "MAX_TOKENS"}]}),
        (GOOGLE, {**RESPONSE, "candidates": [{"finishReason": "SAFETY"}]}),
        (GOOGLE, {**RESPONSE, "candidates": [], "promptFeedback": {"blockReason": "SAFETY"}}),
    ],
)
def test_an_answer_in_a_batch_is_read_as_one_that_comes_live(
    endpoint: Endpoint, model: str, answer: Json
) -> None:
    live = asked_live(model, endpoint, Decoding(temperature=0.0, max_tokens=10), answer)

    if model == ANTHROPIC:
        line: Json = {"result": {"type": "succeeded", "message": answer}}
    else:
        line = {"response": answer}
    batched = protocol_of(model).answer(line)

    facts = ("text", "served_model", "finish_reason", "tokens_in", "tokens_out", "reasoning")
    for fact in facts:
        assert getattr(batched, fact) == getattr(live, fact), fact


def test_reading_r79_thinking_in_a_batch_is_kept_beside_the_answer_without_secrets(
    endpoint: Endpoint,
) -> None:
    thought = {"type": "thinking", "thinking": f"Hm, {CANARY}.", "signature": "s"}
    message = {**MESSAGE, "content": [thought, TEXT]}
    parts = [{"text": f"Hm, {CANARY}.", "thought": True}, {"text": "B"}]
    candidate = {**CANDIDATE, "content": {"role": "model", "parts": parts}}
    usage = {**USAGE, "thoughtsTokenCount": 40}
    response = {**RESPONSE, "candidates": [candidate], "usageMetadata": usage}

    own = protocol_of(ANTHROPIC).answer({"result": {"type": "succeeded", "message": message}})
    other = protocol_of(GOOGLE).answer({"response": response})

    for answer in (own, other):
        assert answer.text == "B"
        assert answer.reasoning.startswith("Hm, [")
        assert CANARY not in f"{answer.reasoning} {answer.reply}"
    assert (other.tokens_out, other.reasoning_tokens) == (43, 40)


def test_a_batch_holds_what_its_provider_documents() -> None:
    """ai.google.dev says 20 MB inline, docs.anthropic.com 100,000 requests or 256 MB."""
    google, anthropic = batch_native.GoogleBatching, batch_native.AnthropicBatching

    assert google.most_bytes == 20 * 10**6
    assert (anthropic.most_requests, anthropic.most_bytes) == (100_000, 256 * 10**6)
