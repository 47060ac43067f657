"""Cuts of two real sources of lists, against a count by pandas that shares nothing (Reading R77).

`lists/composo` (MIT) and `lists/themis` (Apache-2.0) are 26 questions of the sources' files.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from oracle.observed import disagreements
from records_support import epc
from studies.lists_of_four import differences

from epc.analysis.verdicts import measure
from epc.records.typed import as_json
from epc.records.verdicts.verdict_file import read

LISTS = Path(__file__).parent / "lists"
EXPECTED = {"composo": 150, "themis": 40}  # values at the least


@pytest.fixture(scope="module", params=EXPECTED)
def imported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("lists") / f"{request.param}.parquet"
    done = epc("observe", "import", LISTS / request.param, "--shape", request.param, "--out", out)
    assert done.returncode == 0, done.stdout
    return out


def reported(file: Path) -> Any:
    return json.loads(epc("observe", "report", file, "--format=json").stdout)


def test_reading_r77_a_count_by_pandas_agrees(imported: Path) -> None:
    shape = imported.stem

    count, wrong = differences(shape, LISTS / shape, reported(imported))

    assert wrong == []
    assert count > EXPECTED[shape]


def test_reading_r77_the_second_computation_agrees_with_every_interval(imported: Path) -> None:
    header, verdicts, _ = read(imported)
    assert header
    assert verdicts

    report = as_json(measure(header, verdicts))

    assert [*disagreements(report, header, verdicts)] == []


def test_reading_r77_lists_come_back_to_the_byte_and_are_sound(imported: Path) -> None:
    lines, again = (imported.with_suffix(suffix) for suffix in (".jsonl", ".again.parquet"))
    epc("observe", "export", imported, "--to", "jsonl", "--out", lines)
    epc("observe", "export", lines, "--to", "parquet", "--out", again)

    assert again.read_bytes() == imported.read_bytes()
    assert [epc("observe", "check", file).returncode for file in (imported, lines)] == [0, 0]
    assert reported(lines) == reported(imported)


def test_reading_r26_questions_without_a_verdict_widen_the_bounds(tmp_path: Path) -> None:
    """One of 26 questions is in no file of gpt-5.4-nano."""
    out = tmp_path / "composo.parquet"
    epc("observe", "import", LISTS / "composo", "--shape", "composo", "--out", out)

    groups = {group["settings"][0]: group for group in reported(out)["groups"]}
    best = groups["gpt-5.4-nano/base"]["figures"]["best/1"]

    assert best["n"] == 25
    low, high = best["bounds"]
    assert low == pytest.approx(best["value"] * 25 / 26)
    assert high >= low + 1 / 26
    assert [*groups["gpt-5.4/base"]["by_subset"]] == ["Math", "Safety"]  # 3 of Precise IF: too few
