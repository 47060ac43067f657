"""Providers with protocols of their own, as a loopback endpoint answers them."""

import json
from collections.abc import Callable
from typing import Any, Final

from endpoint_support import Received, Reply
from engine_support import a_or_b, digest

ANTHROPIC, GOOGLE, BEDROCK = "anthropic/claude-test-4-5", "google/gemini-2.5-flash", "bedrock/nova"
CANARY: Final = "sk-canary-0123456789abcdef"
SECRETS: Final = {
    "ANTHROPIC_API_KEY": CANARY,
    "GOOGLE_API_KEY": CANARY,
    "AWS_BEARER_TOKEN_BEDROCK": CANARY,
    "AWS_DEFAULT_REGION": "us-east-1",
}


def addresses(url: str) -> dict[str, str]:
    """Return the environment that sends every such provider to one place."""
    where = url.removesuffix("/v1")
    return {f"{name}_BASE_URL": where for name in ("ANTHROPIC", "GOOGLE", "BEDROCK")}


def says(received: Received) -> str:
    """Return an answer that depends on the prompt alone."""
    verdict = received.prompt.startswith("Evaluate.")
    return a_or_b(received.prompt) if verdict else f"Answer {digest(received.prompt)[:12]}."


def native(text: str, received: Received) -> Reply:
    """Return a whole answer in the protocol of the request."""
    if received.path.startswith("/v1/messages"):
        return _json(
            {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "model": "claude-test-4-5-20260101",
                "content": [{"type": "text", "text": text}],
                "stop_reason": "end_turn",
                "stop_sequence": None,
                "usage": {"input_tokens": 21, "output_tokens": 3},
            }
        )
    if received.path.endswith(":generateContent"):
        return google([{"content": {"role": "model", "parts": [{"text": text}]}}])
    usage = {"inputTokens": 21, "outputTokens": 3, "totalTokens": 24}
    message = {"role": "assistant", "content": [{"text": text}]}
    reply = {"output": {"message": message}, "stopReason": "end_turn", "usage": usage}
    return _json({**reply, "metrics": {"latencyMs": 5}})


def google(candidates: list[dict[str, Any]], **further_fields: Any) -> Reply:
    """Return a reply as Gemini's API words it."""
    usage = {"promptTokenCount": 21, "candidatesTokenCount": 3, "totalTokenCount": 24}
    whole = [{"finishReason": "STOP", "index": 0, **candidate} for candidate in candidates]
    reply = {"candidates": whole, "usageMetadata": usage, "modelVersion": "gemini-2.5-flash-001"}
    return _json({**reply, **further_fields})


def refused(status: int, message: str, **headers: str) -> Callable[[Received], Reply]:
    """Return a behaviour that refuses in the protocol of each request."""
    given = {name.replace("_", "-"): value for name, value in headers.items()}

    def behave(received: Received) -> Reply:
        if received.path.startswith("/v1/messages"):
            body: Any = {"type": "error", "error": {"type": "some_error", "message": message}}
        elif received.path.endswith(":generateContent"):
            body = {"error": {"code": status, "message": message, "status": "SOME"}}
        else:
            body = {"message": message}
        return Reply(status=status, body=json.dumps(body).encode(), headers=given)

    return behave


def _json(value: Any) -> Reply:
    return Reply(body=json.dumps(value).encode())
