"""Every folder of examples/valid and examples/invalid is a test: dropping one in adds the case.

A folder of examples/invalid holds expected.json: the places, with their clauses, at which
`epc validate` must find something. It may find more.
"""

import json
import shutil
from pathlib import Path

import pytest
from records_support import places

from epc.records.recompute import rewrite
from epc.records.validate import validate

EXAMPLES = Path(__file__).parent / "examples"
VALID = sorted((EXAMPLES / "valid").iterdir())
INVALID = sorted((EXAMPLES / "invalid").iterdir())


def name(folder: Path) -> str:
    return folder.name


@pytest.mark.parametrize("folder", VALID, ids=name)
def test_epc_2_8_a_valid_example_is_valid(folder: Path) -> None:
    report = validate(folder)

    assert places(report) == set()
    assert report.ok


@pytest.mark.parametrize("name", ["deterministic", "recorded"])
def test_a_record_of_the_first_schema_version_recomputes_and_is_written_as_todays(
    tmp_path: Path, name: str
) -> None:
    run = shutil.copytree(EXAMPLES / "valid" / name, tmp_path / name)
    before = json.loads((run / "manifest.json").read_bytes())
    assert "schema_version" not in before

    rewritten = rewrite(run, write=True)

    assert (rewritten.changed, bool(rewritten.written)) == ([], True)
    after = json.loads((run / "manifest.json").read_bytes())
    assert after["schema_version"] == 2
    assert after["results"]["per_seed"] == before["results"]["per_seed"]
    assert validate(run).ok


@pytest.mark.parametrize("folder", INVALID, ids=name)
def test_epc_2_8_an_invalid_example_is_invalid_where_it_says(folder: Path) -> None:
    expected = json.loads((folder / "expected.json").read_text("utf-8"))
    assert expected

    report = validate(folder)

    assert not report.ok
    assert places(report) >= {(entry["where"], entry["clause"]) for entry in expected}
