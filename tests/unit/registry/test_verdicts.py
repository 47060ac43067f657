"""A judge's part of a verdict file, as it is published or as people read it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from registry_support import ROOT

from epc.errors import UsageError
from epc.registry import verdicts
from epc.registry.verdicts import cut_to, document_of, read_faults, rebuilt_header


def test_a_part_is_published_as_a_table_unless_it_is_to_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[bool] = []

    def write(folder: Path, judge: str, *parts: Any, plain: bool) -> None:
        written.append(plain)

    monkeypatch.setattr(verdicts, "sound", lambda _: (None, None))
    monkeypatch.setattr(verdicts, "cut", lambda *_: (None, None))
    monkeypatch.setattr(verdicts, "_write", write)
    monkeypatch.setattr(verdicts, "is_free", lambda _: True)

    assert cut_to(tmp_path / "v", "j", tmp_path) == tmp_path
    cut_to(tmp_path / "v", "j", tmp_path, plain=True)
    assert written == [False, True]


def test_known_faults_have_a_name_and_say_something(tmp_path: Path) -> None:
    file = tmp_path / "faults.json"
    file.write_text('[{"id": "x", "says": "y"}]')

    assert [(fault.id, fault.says) for fault in read_faults(file)] == [("x", "y")]
    for wrong in ('[{"id": "x"}]', "{}", "no"):
        file.write_text(wrong)
        with pytest.raises(UsageError, match="is no list of"):
            read_faults(file)


STATED = document_of(ROOT / "snapshots" / "v1.2-claude-sonnet-4-6").header


def test_reading_r77_a_smaller_count_is_that_of_files_that_are_not_read_again() -> None:
    assert STATED.left_out == {"answers of a trial run on two pairs": 4}
    assert rebuilt_header(replace(STATED, left_out={}), STATED) == STATED


def test_reading_r77_a_larger_count_or_another_one_is_a_difference() -> None:
    for count in ({"answers of a trial run on two pairs": 5}, {"answers of somebody": 1}):
        assert rebuilt_header(replace(STATED, left_out=count), STATED) != STATED
