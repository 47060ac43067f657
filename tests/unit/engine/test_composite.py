"""What a wrapper may be put round (Reading R80)."""

from types import SimpleNamespace
from typing import Any

import pytest
from engine_support import Told

from epc.engine.catalog import open_model
from epc.engine.composite import _require_fit, every_model
from epc.errors import UsageError


def part(kind: str) -> Any:
    return SimpleNamespace(kind=kind, band=0.1)


def model(method: str = "prompt", **further_fields: Any) -> Any:
    told: Any = Told()
    told.method = method
    for name, value in further_fields.items():
        setattr(told, name, value)
    return told


@pytest.mark.parametrize(
    ("kind", "fits"),
    [
        ("band", model("score", states_scores=True)),
        ("balanced", model("prompt")),
    ],
)
def test_reading_r80_a_wrapper_is_put_round_what_it_can_use(kind: str, fits: Any) -> None:
    _require_fit(part(kind), fits)


@pytest.mark.parametrize(
    ("kind", "unfit", "says"),
    [
        ("band", model("prompt"), "states no scores"),
        ("balanced", model("score", states_scores=True), "scores each answer by itself"),
        ("balanced", model("likelihood", states_scores=True), "scores each answer by itself"),
    ],
)
def test_reading_r80_a_wrapper_that_its_model_has_nothing_for_is_refused(
    kind: str, unfit: Any, says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        _require_fit(part(kind), unfit)


def test_reading_r80_recorded_verdicts_are_no_member_and_their_file_is_not_read() -> None:
    with pytest.raises(UsageError, match="recorded verdicts cannot be asked in another way"):
        open_model("panel:mock/judge,mock/deterministic,recorded:there-is-no-such-file.csv")


def test_models_that_are_no_wrappers_stand_for_themselves() -> None:
    plain = Told()

    assert every_model([plain]) == [plain]
