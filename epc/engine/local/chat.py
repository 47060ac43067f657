"""The weights of the embedded model as a chat model: its template, and what its answers hold."""

import time
from typing import Final

from epc.engine.local.runtime import Runtime, describe, shared_runtime
from epc.engine.local.weights import SMOLLM2
from epc.engine.model import Completion, Identity
from epc.protocol.results import Json

# What the weights' chat template says where nobody else says anything.
SYSTEM_PROMPT: Final = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"


def identity_of(name: str, **details: object) -> Identity:
    """Return who answers: these weights under this runtime, and what more decides the answers."""
    return Identity(
        model=f"local/{name}",
        version=f"{SMOLLM2.name} {SMOLLM2.files[SMOLLM2.name][:12]}",
        endpoint="embedded",
        details={
            "weights": SMOLLM2.describe(),
            "runtime": describe(),
            "system_prompt": SYSTEM_PROMPT,
            **details,
        },
    )


def loaded() -> Runtime:
    """Return the runtime that every role with these weights shares."""
    return shared_runtime(SMOLLM2.path(SMOLLM2.name))


def messages(prompt: str) -> list[Json]:
    """Return a prompt as the weights' chat template wants it."""
    return [{"role": "system", "content": SYSTEM_PROMPT}, {"role": "user", "content": prompt}]


def text(chunks: list[Json]) -> str:
    """Return what was written."""
    return "".join(choice["delta"].get("content") or "" for choice in _choices(chunks))


def ending(chunks: list[Json]) -> str | None:
    """Return why it ended there."""
    return next((c["finish_reason"] for c in _choices(chunks) if c["finish_reason"]), None)


def completion(model: str, chunks: list[Json], began: float, text: str) -> Completion:
    """Return what the weights answered, begun at a time of `time.monotonic`."""
    usage: Json = next((chunk["usage"] for chunk in chunks if "usage" in chunk), {})
    return Completion(
        text=text,
        served_model=model,
        finish_reason=ending(chunks),
        tokens_in=usage.get("prompt_tokens"),
        tokens_out=usage.get("completion_tokens"),
        latency_s=round(time.monotonic() - began, 6),
    )


def steps(chunks: list[Json]) -> list[Json]:
    """Return the tokens of an answer with what the model thought of each."""
    return [
        step
        for choice in _choices(chunks)
        for step in (choice.get("logprobs") or {}).get("content") or []
    ]


def _choices(chunks: list[Json]) -> list[Json]:
    return [choice for chunk in chunks for choice in chunk["choices"]]
