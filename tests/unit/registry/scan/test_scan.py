"""What a scan found, and which of it fails."""

from datetime import date

from epc.registry.scan.scan import Named, Place, Scan


def named(name: str, *broken: str) -> Named:
    place = Place(path="a.py", line=3, column=7)
    return Named(
        name=name, states=(), replacements=(), invalidates=(), broken=broken, places=(place,)
    )


def test_names_that_break_a_rule_fail() -> None:
    bad, good = named("old", "expired"), named("new")
    scan = Scan(as_of=date(2026, 7, 2), rules=(), files=1, skipped={}, kinds={}, named=(bad, good))

    assert scan.failing == (bad,)
    assert [each["fails"] for each in scan.as_json()["names"]] == [["expired"], []]
    assert str(bad.places[0]) == "a.py:3:7"
