"""Which models of a run can write, and whose provider takes batches."""

from types import SimpleNamespace
from typing import Any

import pytest
from engine_support import Told, role

from epc.engine import session
from epc.engine.session import _batched, require_role, writes
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


def test_roles_whose_provider_takes_batches_are_sent_in_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    takes, does_not = Told(name="p/takes"), Told(name="p/not")
    monkeypatch.setattr(session, "batching_of", lambda of: "batches" if of is takes else None)

    def batched(executor: Told | None, evaluator: Told) -> list[str]:
        questions: Any = SimpleNamespace(
            executor=None if executor is None else role("executor", executor),
            evaluator=role("evaluator", evaluator),
        )
        return [each.name for each in _batched(questions)]

    assert batched(None, takes) == ["evaluator"]
    assert batched(takes, does_not) == ["executor"]
    assert batched(takes, takes) == ["executor", "evaluator"]
    assert batched(None, does_not) == []
