"""The models of a run that can write."""

from typing import Any

import pytest
from engine_support import Told

from epc.engine.session import require_role, writes
from epc.errors import UsageError


def model(*, method: str = "prompt", roles: frozenset[str] | None = None) -> Any:
    told: Any = Told()
    told.method = method
    if roles is not None:
        told.roles = roles
    return told


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (model(), True),
        (model(roles=frozenset({"evaluator", "executor"})), True),
        (model(roles=frozenset({"evaluator"})), False),
        (model(method="score"), False),
    ],
)
def test_a_model_writes_where_it_is_asked_by_a_prompt_and_can_be_an_executor(
    asked: Any, *, expected: bool
) -> None:
    assert writes(asked) == expected


def test_a_model_is_refused_a_role_that_it_does_not_have() -> None:
    judge = model(roles=frozenset({"evaluator"}))

    require_role("evaluator", judge)
    require_role("executor", None)
    with pytest.raises(UsageError, match="is no executor: name it as evaluator"):
        require_role("executor", judge)
