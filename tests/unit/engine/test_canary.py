"""Which models may be replaced under their names (Reading R76)."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from engine_support import Told

from epc.engine import canary
from epc.engine.canary import CanaryWatch, SwappedError, is_of_canary, may_be_swapped
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


@pytest.mark.parametrize(
    ("departed", "panel", "anyway", "refused"),
    [
        (False, 0, False, False),
        (False, 0, True, False),
        (True, 0, False, True),
        (True, 0, True, False),
        (True, 1, False, False),  # another panel than the one that is looked at
    ],
)
def test_an_evaluator_that_departed_is_refused_unless_the_run_is_to_go_on_anyway(
    panel: int, monkeypatch: pytest.MonkeyPatch, *, departed: bool, anyway: bool, refused: bool
) -> None:
    look = SimpleNamespace(panel=0, departed=departed)
    monkeypatch.setattr(canary, "canary", lambda *_: SimpleNamespace(looks=[look]))
    monkeypatch.setattr(canary, "in_words", lambda _: "it departed")
    nobody: Any = None
    watch = CanaryWatch(run=Path("run"), caller=nobody, questions=())

    if refused:
        with pytest.raises(SwappedError, match="it departed; nothing more was asked"):
            watch._require_same(panel, anyway=anyway)
    else:
        watch._require_same(panel, anyway=anyway)
