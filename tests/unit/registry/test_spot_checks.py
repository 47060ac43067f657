"""Spot checks that were published stay, each under the first twelve digits of its digest."""

from hashlib import sha256
from pathlib import Path

import pytest
from registry_support import Checkout

from epc.records.findings import Findings
from epc.records.strict_json import dumps_line
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
