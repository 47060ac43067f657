"""Auto-J's outputs as verdicts (Reading R77)."""

from pathlib import Path
from typing import Any

import msgspec
from observed_sources_support import write
from recipes.auto_j import convert

from epc.records.observed.converting import Conversion, Request, digest

TEST, OUTPUTS = "data/test/testdata_pairwise.jsonl", "data/outputs"


def pair(label: int) -> dict[str, Any]:
    said = {"response 1": "one", "response 2": "two"}
    return {"scenario": "email", "label": label, "prompt": "write", **said}


def converted(folder: Path, *, plain: list[int], turned: list[int]) -> Conversion:
    files = {
        TEST: [pair(0), pair(2)],
        f"{OUTPUTS}/pairwise_example_output.jsonl": [{"output": n} for n in plain],
        f"{OUTPUTS}/pairwise_exchange_example_output.jsonl": [{"output": n} for n in turned],
    }
    return convert(write(folder, files), Request())


def test_reading_r77_auto_j_says_a_place_in_both_orders_and_persons_a_candidate(
    tmp_path: Path,
) -> None:
    found = converted(tmp_path, plain=[0, 2], turned=[0, 1])

    assert found.header is not None
    assert found.header.source.name == "Auto-J"
    rows = [msgspec.to_builtins(row) for row in found.rows]
    told = [(r["item"], r["first"], r["verdict"], tuple(r["humans"])) for r in rows]
    assert sorted(told) == [
        ("pair/0", "a", "a", ("a",)),
        ("pair/0", "b", "b", ("a",)),
        ("pair/1", "a", "tie", ("tie",)),
        ("pair/1", "b", "a", ("tie",)),
    ]
    assert {row["a_sha256"] for row in rows} == {digest("one")}


def test_reading_r77_auto_j_files_of_unequal_length_belong_to_nothing(tmp_path: Path) -> None:
    found = converted(tmp_path, plain=[0], turned=[0, 1])

    assert found.header is None
    assert any("files of 2, 1 lines" in str(finding) for finding in found.findings)


def test_reading_r77_auto_j_a_folder_without_its_files_is_refused(tmp_path: Path) -> None:
    found = convert(tmp_path, Request())

    assert (found.header, list(found.rows)) == (None, [])
