"""Weights as a chat model: who answers, and what an answer holds."""

import time
from typing import Any

import pytest

from epc.engine.local import runtime
from epc.engine.local.models import Labels, Local

CHUNKS: list[dict[str, Any]] = [
    {"choices": [{"delta": {"content": "A"}, "finish_reason": None}]},
    {
        "choices": [
            {
                "delta": {},
                "finish_reason": "stop",
                "logprobs": {"content": [{"token": "A", "logprob": -0.1}]},
            }
        ]
    },
    {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 1}},
]


def test_the_identity_names_the_weights_their_runtime_and_what_else_decides() -> None:
    identity = runtime.identity_of("smollm2-135m", score="listed")

    assert (identity.model, identity.endpoint) == ("local/smollm2-135m", "embedded")
    assert identity.version == "SmolLM2-135M-Instruct.Q4_1.gguf b179c9523d0e"
    assert identity.details is not None
    assert set(identity.details) == {"weights", "runtime", "system_prompt", "score"}


def test_every_role_shares_one_runtime() -> None:
    assert Local("smollm2-135m")._runtime is Labels("smollm2-135m-labels")._runtime


def test_an_answer_has_its_text_its_end_and_its_tokens() -> None:
    done = runtime.completion("m", CHUNKS, time.monotonic() - 5, runtime.text(CHUNKS))

    assert (done.text, done.served_model, done.finish_reason) == ("A", "m", "stop")
    assert (done.tokens_in, done.tokens_out) == (7, 1)
    assert done.latency_s == pytest.approx(5, abs=1)
    assert runtime.steps(CHUNKS) == [{"token": "A", "logprob": -0.1}]
    assert runtime.ending(CHUNKS[:1]) is None
