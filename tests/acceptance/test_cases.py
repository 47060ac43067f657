"""Every folder of examples/cases is a test: an input that people have, and what is right for it.

A folder holds the input and a case.json:

- `why`: where people get such an input, and what is right for it;
- `command`: what a user types beside the input; `{registry}` stands for this repository;
- `exit`: the exit code; `day`: the day it is run on, if that matters;
- `says`: texts that stand in the output, one after the other;
- `never`: texts that stand neither in the output nor in a file that the command wrote;
- `files`: what the command wrote, by name: null for nothing, else the lines of JSON, with no
  field that is named here being another than in the file.
"""

import json
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
from commands_support import run
from registry_support import ROOT

CASES = sorted((Path(__file__).parent / "examples" / "cases").iterdir())
DAY = "2026-11-25"


def name(folder: Path) -> str:
    return folder.name


def named(expected: Any, value: Any) -> Any:
    """Return of a value what the expected one names, so that both can be compared."""
    if isinstance(expected, dict) and isinstance(value, dict):
        return {key: named(expected[key], value.get(key)) for key in expected}
    if isinstance(expected, list) and isinstance(value, list) and len(expected) == len(value):
        return [named(*pair) for pair in zip(expected, value, strict=True)]
    return value


@pytest.mark.parametrize("folder", CASES, ids=name)
def test_an_input_that_people_have_gives_what_is_right(folder: Path, tmp_path: Path) -> None:
    case = json.loads((folder / "case.json").read_text("utf-8"))
    assert case.keys() <= {"why", "command", "exit", "day", "says", "never", "files"}
    here = Path(shutil.copytree(folder, tmp_path / "here"))
    (here / "case.json").unlink()
    inputs = set(here.rglob("*"))
    program, *expected_text = shlex.split(case["command"].replace("{registry}", str(ROOT)))
    assert program == "epc"

    done = run(here, *expected_text, at=f"{case.get('day', DAY)}T12:00")

    output = done.stdout + done.stderr
    assert done.returncode == case["exit"], output
    at = 0
    for text in case.get("says", ()):
        assert text in output[at:], output
        at = output.index(text, at) + len(text)
    written = [path for path in here.rglob("*") if path.is_file() and path not in inputs]
    for text in case.get("never", ()):
        assert text not in output
        assert not [path for path in written if text.encode() in path.read_bytes()]
    for path, expected in case.get("files", {}).items():
        if expected is None:
            assert not (here / path).exists()
        else:
            values = [json.loads(line) for line in (here / path).read_text("utf-8").splitlines()]
            assert named(expected, values) == expected
