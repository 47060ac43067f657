"""What makes a file a spot check of what is published."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from epc.errors import UsageError
from epc.registry import spot_checks

HOLDS = {"seed": "c0", "pairs": ("p",), "agreement": "all", "model": "openai/m", "direct": True}


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({}, ""),
        ({"seed": "c1"}, "c1 drew it, and c0 published it"),
        ({"pairs": ("q",)}, "its pairs are not those that this commit draws"),
        ({"agreement": "none"}, "its figures are not those of its answers"),
        ({"model": "openai/n"}, "openai/n was asked, and openai/m is the evaluator's name"),
        ({"direct": False}, "it was not asked at the address"),
    ],
)
def test_a_report_is_a_spot_check_where_everything_fits(
    changed: dict[str, Any], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spot_checks, "draw", lambda *_: ("p",))
    monkeypatch.setattr(spot_checks, "judged", lambda *_: "all")
    monkeypatch.setattr(spot_checks, "is_direct", lambda *_: True)
    given = {**HOLDS, **changed}
    model = given.pop("model")
    report: Any = SimpleNamespace(**given, answers=(), asked=SimpleNamespace(model=model))
    publication: Any = SimpleNamespace(commit="c0", asked={}, name="openai/m", snapshot=None)

    assert spot_checks._refused(report, publication).startswith(why)
    assert bool(spot_checks._refused(report, publication)) == bool(why)


@pytest.mark.parametrize(("content", "says"), [("no json", "line 1"), ("{}", "tag")])
def test_what_is_no_spot_check_says_why(tmp_path: Path, content: str, says: str) -> None:
    report = tmp_path / "report.json"
    report.write_text(content)

    with pytest.raises(UsageError, match=f"is no spot check: .*{says}"):
        spot_checks._read(report)
