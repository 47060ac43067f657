"""What `epc observe report` measures beside places and gold, as a user meets it (Reading R77)."""

import json
from pathlib import Path
from typing import Any

import pytest
from records_support import epc

from epc.records.observed.reading import read
from epc.second.observed import disagreements

# Two judges and three persons on four pairs.
PERSONS = """item,judge,prompt,a,b,verdict,humans
1,j,p,yes,no,a,a a b
2,j,p,yes,no,a,a b b
3,j,p,yes,no,tie,tie tie tie
4,j,p,yes,no,b,a b tie
1,k,p,yes,no,a,
2,k,p,yes,no,b,
3,k,p,yes,no,a,
4,k,p,yes,no,b,
"""


def reported(folder: Path, table: str, *more: str) -> tuple[dict[str, Any], str]:
    """Return the report on a table as JSON and text; the second computation must agree."""
    (folder / "t.csv").write_text(table)
    file = folder / "t.jsonl"
    done = epc("observe", "import", folder / "t.csv", "--shape", "csv", "--out", file)
    assert done.returncode == 0, done.stdout
    said = epc("observe", "report", file, *more, "--format", "json")
    document: dict[str, Any] = json.loads(said.stdout)
    header, verdicts, found = read(file)
    assert header
    assert verdicts
    assert not found
    assert list(disagreements(document, header, verdicts)) == []
    return document, epc("observe", "report", file, *more).stdout.decode()


def values(figures: dict[str, Any]) -> dict[str, float]:
    return {name: round(each["value"], 6) for name, each in figures.items()}


def test_reading_r77_agreement_with_persons_stands_beside_that_of_a_person(tmp_path: Path) -> None:
    document, text = reported(tmp_path, PERSONS)

    found = {k: v for k, v in values(document["groups"][0]["figures"]).items() if "humans" in k}
    assert found == {
        "humans_mean": 0.583333,  # (2/3 + 1/3 + 1 + 1/3) / 4
        "humans_mean_ceiling": 0.416667,  # (1/3 + 1/3 + 1 + 0) / 4
        "humans_majority": 0.666667,  # item 4 has none
        "humans_kappa": 0.5,  # seen 2/3, by chance 2/9 + 1/9
        "humans_others": 0.8,  # right about 1 of 1, 0 of 1 and 3 of 3 persons left out
        "humans_others_ceiling": 0.6,
    }
    assert "humans_mean_ceiling: the ceiling: a person as another person\n  j/p  0.417" in text
    assert "not stated of 1 of 2 settings: humans_mean: no verdict has a person's choice" in text


def test_reading_r77_two_judges_of_the_same_items_and_prompt_are_compared(tmp_path: Path) -> None:
    document, text = reported(tmp_path, PERSONS)
    apart, lacking = reported(tmp_path, PERSONS.replace("k,p", "k,q"))

    (pair,) = document["pairs"]
    assert pair["settings"] == ["j/p", "k/p"]
    assert values(pair["figures"]) == {"agreement": 0.5, "kappa": 0.2}  # by chance .375
    assert "\n  j/p and k/p  0.200 [" in text
    assert apart["pairs"] == []
    assert "not stated: agreement between judges: no two were asked the same" in lacking


@pytest.mark.parametrize("column", ["verdict", "settings"])
def test_reading_r77_a_figure_that_was_changed_is_found_by_the_second_computation(
    column: str, tmp_path: Path
) -> None:
    document, _ = reported(tmp_path, PERSONS)
    header, verdicts, _ = read(tmp_path / "t.jsonl")
    assert header
    assert verdicts
    if column == "verdict":
        document["groups"][0]["figures"]["ties"]["ci95"] = [0.1, 0.9]
    else:
        document["groups"][0]["figures"]["invented"] = {"value": 1}

    found = [each.where for each in disagreements(document, header, verdicts)]

    assert found[0].startswith("/groups/0/figures/" + ("ties" if column == "verdict" else "inv"))
