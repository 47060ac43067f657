"""What a scan found, and which of it fails."""

from collections import Counter
from datetime import date
from pathlib import Path

import pytest
from registry_support import Checkout, generation_record, life_record

from epc.registry.names import Meaning, Names
from epc.registry.reading import of_folder
from epc.registry.scan.files import Files
from epc.registry.scan.scan import Named, Place, Scan, scan


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


@pytest.mark.parametrize("many", [100, 1_000])
def test_an_unknown_name_is_looked_up_a_fixed_number_of_times_wherever_it_stands(
    many: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not seconds, which a busy machine makes: how often each name is asked about."""
    checkout = Checkout(tmp_path / "registry")
    checkout.evaluator(generation_record("gpt-4o", life_record(model="gpt-4o")))
    unknown = [f"gpt-4o-{number}" for number in range(many)]
    (tmp_path / "a.py").write_text("".join(f"'{name}', '{name}'\n" for name in unknown * 3))
    asked: dict[str, Counter[str]] = {"meaning": Counter(), "near": Counter()}
    meaning, near = Names.meaning, Names.near

    def counted_meaning(self: Names, text: str) -> Meaning:
        asked["meaning"][text] += 1
        return meaning(self, text)

    def counted_near(self: Names, text: str) -> list[str]:
        asked["near"][text] += 1
        return near(self, text)

    monkeypatch.setattr(Names, "meaning", counted_meaning)
    monkeypatch.setattr(Names, "near", counted_near)
    registry = of_folder(checkout.folder)
    found = scan(
        registry, Files(paths=[tmp_path / "a.py"]), rules=(), ignore=(), as_of=date(2026, 7, 2)
    )

    assert {each.name: len(each.places) for each in found.named} == dict.fromkeys(unknown, 6)
    assert asked["near"] == Counter(unknown)
    assert max(asked["meaning"].values()) <= 6
    assert asked["meaning"].keys() == set(unknown)
