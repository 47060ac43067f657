"""Which models may be replaced under their names (Reading R76)."""

from typing import Any

import pytest
from engine_support import Told

from epc.engine.canary import is_of_canary, may_be_swapped
from epc.engine.model import Identity


def model(endpoint: str, *, method: str = "prompt", pinned: bool = False) -> Any:
    told: Any = Told(pinned=pinned)
    told.identity = Identity(model="m", version=None, endpoint=endpoint)
    told.method = method
    return told


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (model("https://x"), True),
        (model("https://x", pinned=True), False),
        (model("file", method="recorded"), False),
        (model("mock"), False),
        (model("embedded", method="score"), False),
    ],
)
def test_a_provider_s_model_without_pinned_weights_may_be_swapped(
    asked: Any, *, expected: bool
) -> None:
    assert may_be_swapped(asked) == expected


def test_calls_of_the_panel_are_known_by_their_occasion() -> None:
    assert is_of_canary({"occasion": "canary/0/start/1"})
    assert not is_of_canary({"occasion": "retry/1"})
    assert not is_of_canary({"occasion": None})
