"""The words of a command, or of a report, in one file for all of its cases: `tests/golden/`.

A test gives each case its name and hands over what was printed. `pytest --rewrite-golden` writes
what is printed now; the change is then read in git. What a figure must be is tested elsewhere, by
hand: here it stands among words, as a reader sees it.
"""

from collections.abc import Callable, Mapping
from difflib import unified_diff
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "golden"
REWRITE = "--rewrite-golden"
Golden = Callable[[str, Mapping[str, str]], None]


def golden_of(config: pytest.Config) -> Golden:
    """Return what holds the words of all cases of a name against their file."""

    def hold(name: str, cases: Mapping[str, str]) -> None:
        path = FOLDER / f"{name}.txt"
        expected_text = "\n".join(f"=== {case}\n{text.rstrip()}\n" for case, text in cases.items())
        if config.getoption(REWRITE):
            path.write_text(expected_text, "utf-8")
        before = path.read_text("utf-8") if path.exists() else ""
        diff = unified_diff(
            before.splitlines(), expected_text.splitlines(), path.name, "now", lineterm=""
        )
        if expected_text != before:
            pytest.fail("\n".join([*diff, f"if it is meant so: pytest {REWRITE}"]), pytrace=False)

    return hold
