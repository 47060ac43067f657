"""What can be offered of a run."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from epc.errors import UsageError
from epc.registry.kinds import measured


def offered(monkeypatch: pytest.MonkeyPatch, **report: Any) -> Any:
    whole = {"ok": True, "findings": [], "manifest": SimpleNamespace(raw={"trials": 1}), **report}
    monkeypatch.setattr(measured, "validate", lambda _: SimpleNamespace(**whole))
    audit = SimpleNamespace(as_json=dict)
    monkeypatch.setattr(measured, "audit_checked", lambda _: audit)
    monkeypatch.setattr(measured, "measured_offer", lambda *_, **__: "offered")
    nobody: Any = None
    return measured.offered(Path("run"), nobody)


def test_a_valid_run_with_its_raw_files_is_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    assert offered(monkeypatch) == "offered"


@pytest.mark.parametrize(
    ("report", "says"),
    [
        ({"ok": False, "findings": ["x"]}, "is not valid: 1 findings"),
        ({"manifest": None}, "is not valid"),
        ({"manifest": SimpleNamespace(raw=None)}, "has no raw files"),
        ({"manifest": SimpleNamespace(raw={})}, "has no raw files"),
    ],
)
def test_a_run_that_nobody_could_recompute_is_refused(
    report: dict[str, Any], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match=says):
        offered(monkeypatch, **report)
