"""What a pull request touches."""

from pathlib import Path

import pytest

from epc.errors import UsageError
from epc.records.findings import Findings
from epc.registry.submissions.check import MOST_FOREIGN, foreign, read_changed

OWN = ["submissions/mine/manifest.json", "submissions/mine/submission.json"]


def touched(*paths: str) -> tuple[list[str], set[str], int]:
    findings = Findings()
    strangers, slugs = foreign(paths, findings)
    return strangers, slugs, len(findings)


@pytest.mark.parametrize(
    "other",
    [
        "README.md",
        "submissions/mine/notes.exe",
        "submissions/mine",
        "mine/submissions/manifest.json",
        "other/mine/submissions",
    ],
)
def test_whatever_else_is_touched_is_named(other: str) -> None:
    assert touched(*OWN, other) == ([other], {"mine"}, 1)


def test_of_very_many_strangers_a_hundred_are_named_and_all_are_counted() -> None:
    strangers, _, findings = touched(*OWN, *(f"x{n}" for n in range(MOST_FOREIGN + 1)))

    assert (len(strangers), findings) == (100, 101)


@pytest.mark.parametrize("content", [b"a\nb c\n", b"a\0b c\0"])
def test_a_list_is_by_line_or_by_nul(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "changed").write_bytes(content)

    assert read_changed(tmp_path / "changed") == ["a", "b c"]


def test_a_list_of_a_mebibyte_is_read_and_a_longer_one_is_not(tmp_path: Path) -> None:
    path = tmp_path / "changed"
    path.write_bytes(b"x" * 2**20)
    assert read_changed(path) == ["x" * 2**20]

    path.write_bytes(b"x" * (2**20 + 1))
    with pytest.raises(UsageError, match="1,048,576 bytes"):
        read_changed(path)
