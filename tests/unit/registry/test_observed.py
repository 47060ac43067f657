"""A judge's part of a verdict file, as it is published or as people read it."""

from pathlib import Path
from typing import Any

import pytest

from epc.errors import UsageError
from epc.registry import observed
from epc.registry.observed import cut_to, read_faults


def test_a_part_is_published_as_a_table_unless_it_is_to_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[bool] = []

    def write(folder: Path, judge: str, *parts: Any, plain: bool) -> None:
        written.append(plain)

    monkeypatch.setattr(observed, "sound", lambda _: (None, None))
    monkeypatch.setattr(observed, "cut", lambda *_: (None, None))
    monkeypatch.setattr(observed, "_write", write)
    monkeypatch.setattr(observed, "is_free", lambda _: True)

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
