"""PandaLM's test set as verdicts (Reading R77): places become candidates."""

from pathlib import Path
from typing import Any

import msgspec
from observed_sources_support import pandalm
from recipes.pandalm import convert

from epc.records.observed.converting import Request, digest


def rows(folder: Path, judge: str) -> list[dict[str, Any]]:
    found = convert(pandalm(folder), Request())
    return [msgspec.to_builtins(row) for row in found.rows if row.setting == judge]


def test_reading_r77_candidate_a_stood_first_under_the_pairs_first_number(tmp_path: Path) -> None:
    """Numbers 0 and 1 are one pair, and 2 is its mirror."""
    told = [(r["item"], r["first"], r["verdict"]) for r in rows(tmp_path, "gpt-3.5-turbo")]

    assert told == [
        ("0", "a", "a"),
        ("0", "a", "a"),
        ("0", "b", "b"),
        ("3", "a", "unreadable"),
    ]


def test_reading_r77_persons_and_writers_turn_with_the_pair(tmp_path: Path) -> None:
    found = rows(tmp_path, "pandalm-7b")

    assert [row["verdict"] for row in found] == ["b", "b", "b", "tie"]
    assert {row["a_sha256"] for row in found[:3]} == {digest("short")}
    assert found[0]["humans"] == found[2]["humans"] == ("a", "a", "tie")
    assert [row["a_by"] for row in found[:3]] == ["x0", "x1", "y2"]
