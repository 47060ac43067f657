"""What a scan found, and which of it fails."""

from collections import Counter
from datetime import date
from pathlib import Path

import pytest
from registry_support import Checkout, generation_record, life_record

from epc.answers.scanning import scan
from epc.registry.names import Meaning, Names
from epc.registry.reading import of_folder
from epc.registry.scan.files import Files
from epc.registry.scan.scan import Place, Scan, ScanEntry


def named(name: str, *broken: str) -> ScanEntry:
    place = Place(path="a.py", line=3, column=7)
    return ScanEntry(
        name=name, states=(), replacements=(), invalidates=(), broken=broken, places=(place,)
    )


def test_names_that_break_a_rule_fail() -> None:
    bad, good = named("old", "expired"), named("new")
    scan = Scan(as_of=date(2026, 7, 2), rules=(), files=1, skipped={}, kinds={}, named=(bad, good))

    assert scan.failing == (bad,)
    assert [name["fails"] for name in scan.as_json()["names"]] == [["expired"], []]
    assert str(bad.places[0]) == "a.py:3:7"


@pytest.mark.parametrize("many", [100, 1_000])
def test_an_unknown_name_is_looked_up_a_fixed_number_of_times_wherever_it_stands(
    many: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not seconds, which a busy machine makes: how often each name is asked about."""
    checkout = Checkout(tmp_path / "registry")
    checkout.evaluator(generation_record("gpt-4o", life_record(model="gpt-4o")))
    unknown = [f"gpt-4o-{number}" for number in range(many)]
    (tmp_path / "a.py").write_text("".join(f"'{name}', '{name}'\n" for name in unknown * 3))
    counts: dict[str, Counter[str]] = {"meaning": Counter(), "near": Counter()}
    meaning, near = Names.meaning, Names.near

    def counted_meaning(self: Names, text: str) -> Meaning:
        counts["meaning"][text] += 1
        return meaning(self, text)

    def counted_near(self: Names, text: str) -> list[str]:
        counts["near"][text] += 1
        return near(self, text)

    monkeypatch.setattr(Names, "meaning", counted_meaning)
    monkeypatch.setattr(Names, "near", counted_near)
    registry = of_folder(checkout.folder)
    actual_scan = scan(
        registry, Files(paths=[tmp_path / "a.py"]), rules=(), ignore=(), as_of=date(2026, 7, 2)
    )

    assert {
        scan_entry.name: len(scan_entry.places) for scan_entry in actual_scan.named
    } == dict.fromkeys(unknown, 6)
    assert counts["near"] == Counter(unknown)
    assert max(counts["meaning"].values()) <= 6
    assert counts["meaning"].keys() == set(unknown)
