"""Spot checks that were published stay, each under the first twelve digits of its digest."""

from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from registry_support import Checkout

from epc.errors import UsageError
from epc.records.findings import Findings
from epc.records.strict_json import dumps_line
from epc.registry import spot_checks
from epc.registry.spot_checks import check

CONTENT = b'{"a": "spot check"}\n'
DIGEST = sha256(CONTENT).hexdigest()
PLACE = f"snapshots/spot-checks/v1.0-Judge-1-{DIGEST[:12]}.json"
LINES = "snapshots/spot_checks.jsonl"
LINE = {
    "date": "2026-07-10",
    "tag": "v1.0-Judge-1",
    "by": "somebody",
    "pairs": 20,
    "agreed": 19,
    "p_value": 0.5,
    "verdict": "agrees",
    "sha256": DIGEST,
}


@pytest.fixture
def made(tmp_path: Path) -> Checkout:
    """Return a registry with one spot check, as it was published."""
    made = Checkout(tmp_path)
    (made.folder / PLACE).parent.mkdir()
    (made.folder / PLACE).write_bytes(CONTENT)
    (made.folder / LINES).write_text(dumps_line(LINE))
    made.init()
    return made


def found(made: Checkout) -> list[tuple[str, str]]:
    findings = Findings()
    check(made.folder, findings)
    return [(finding.where, finding.problem) for finding in findings.kept()]


def test_a_spot_check_that_lies_as_it_was_published_has_no_finding(made: Checkout) -> None:
    assert found(made) == []


def test_answers_that_were_changed_or_are_gone_are_named_by_their_file(made: Checkout) -> None:
    named = [(PLACE, "is missing or not as it was published")]
    (made.folder / PLACE).write_bytes(CONTENT + b" ")
    assert found(made) == named

    (made.folder / PLACE).unlink()

    assert found(made) == named


def test_a_line_that_is_no_spot_check_is_named_and_the_next_is_read(made: Checkout) -> None:
    (made.folder / LINES).write_text(dumps_line(LINE) + dumps_line({"date": 1}) + dumps_line(LINE))

    assert found(made) == [(f"{LINES}:2", "is no spot check")]


def test_a_line_that_was_published_and_is_gone_is_named(made: Checkout) -> None:
    (made.folder / LINES).write_text("")

    ((where, problem),) = found(made)

    assert where == LINES
    assert problem.startswith("this line was published and is gone: ")


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
        ({"by": "somebody"}, "somebody measured it; somebody else has to ask"),
    ],
)
def test_a_report_is_a_spot_check_where_everything_fits(
    changed: dict[str, Any], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spot_checks, "draw", lambda *_: ("p",))
    monkeypatch.setattr(spot_checks, "judged", lambda *_: "all")
    monkeypatch.setattr(spot_checks, "is_direct", lambda *_: True)
    given = {**HOLDS, "by": "another", **changed}
    by, model = given.pop("by"), given.pop("model")
    report: Any = SimpleNamespace(**given, answers=(), asked=SimpleNamespace(model=model))
    card = SimpleNamespace(contributor="somebody")
    publication: Any = SimpleNamespace(
        commit="c0", asked={}, name="openai/m", snapshot=SimpleNamespace(card=card)
    )

    assert spot_checks._refused(report, publication, by).startswith(why)
    assert bool(spot_checks._refused(report, publication, by)) == bool(why)


@pytest.mark.parametrize(("content", "says"), [("no json", "line 1"), ("{}", "tag")])
def test_what_is_no_spot_check_says_why(tmp_path: Path, content: str, says: str) -> None:
    report = tmp_path / "report.json"
    report.write_text(content)

    with pytest.raises(UsageError, match=f"is no spot check: .*{says}"):
        spot_checks._read(report)
