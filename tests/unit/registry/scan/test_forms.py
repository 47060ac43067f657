"""A scan as SARIF, for code scanning: what fails, what ends soon, and where each name stands."""

from dataclasses import replace
from datetime import date

import pytest

from epc.registry.expiry import unknown
from epc.registry.scan.forms import sarif
from epc.registry.scan.scan import Place, Scan, ScanEntry

AS_OF = date(2026, 4, 1)
STATE = unknown("gpt-z", AS_OF, "no such name")
NAMED = ScanEntry(
    name="gpt-z",
    states=(STATE,),
    replacements=(),
    invalidates=(),
    broken=(),
    places=(Place(path="a b/c.py", line=3, column=7), Place(path="d.py", line=1, column=1)),
)


def scan(*named: ScanEntry) -> Scan:
    return Scan(as_of=AS_OF, rules=(), files=2, skipped={}, kinds={}, named=named)


@pytest.mark.parametrize(
    ("named", "rule", "level"),
    [
        (replace(NAMED, broken=("unknown", "expired")), "unknown", "error"),
        (replace(NAMED, broken=("expired",)), "expired", "error"),
        (replace(NAMED, states=(STATE, replace(STATE, status="expiring"))), "expiring", "warning"),
    ],
)
def test_a_name_is_told_at_each_of_its_places_under_the_first_rule_that_it_breaks(
    named: ScanEntry, rule: str, level: str
) -> None:
    (run,) = sarif(scan(named, NAMED))["runs"]

    assert run["tool"]["driver"]["rules"] == [{"id": rule}]
    assert [(result["ruleId"], result["level"]) for result in run["results"]] == [(rule, level)] * 2
    places = [result["locations"][0]["physicalLocation"] for result in run["results"]]
    assert [
        (
            place["artifactLocation"]["uri"],
            place["region"]["startLine"],
            place["region"]["startColumn"],
        )
        for place in places
    ] == [("a%20b/c.py", 3, 7), ("d.py", 1, 1)]


def test_a_name_that_neither_fails_nor_ends_soon_is_not_told() -> None:
    (run,) = sarif(scan(NAMED))["runs"]

    assert (run["results"], run["tool"]["driver"]["rules"]) == ([], [])
