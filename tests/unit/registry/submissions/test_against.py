"""A submission held against what is known: where its evaluator was asked."""

from types import SimpleNamespace
from typing import Any

import pytest

from epc.records.manifest import ModelIdentity
from epc.registry.submissions.against import _is_named, placed_on


def evaluator(model: str, endpoint: str) -> ModelIdentity:
    return ModelIdentity(model=model, version=None, endpoint=endpoint, gateway=None, details={})


@pytest.mark.parametrize(
    ("asked", "platform", "findings"),
    [
        (evaluator("openai/gpt-4o", "https://api.openai.com/v1"), "openai", 0),
        (evaluator("openai/gpt-4o", "https://api.openai.com/v1"), "anthropic", 1),
        (evaluator("mock/coin-flip", "https://api.openai.com/v1"), "anthropic", 0),
    ],
)
def test_an_evaluator_was_asked_on_the_stated_platform(
    asked: ModelIdentity, platform: str, findings: int
) -> None:
    statement: Any = SimpleNamespace(platform=platform)

    assert len(list(placed_on(asked, statement))) == findings


@pytest.mark.parametrize(
    ("model", "expected"),
    [("m-1", True), ("p/M-1", True), ("a/b/m-latest", True), ("m-1/x", False), ("m", False)],
)
def test_a_model_is_named_with_or_without_what_stands_before_a_slash(
    model: str, *, expected: bool
) -> None:
    life: Any = SimpleNamespace(model="m-1", aliases=("m-latest",))

    assert _is_named(model, life) == expected
