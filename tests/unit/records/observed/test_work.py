"""What every recipe states of its source (Reading R77)."""

from pathlib import Path

import pytest

from epc.records.observed.converting import Request
from epc.records.observed.work import Work


@pytest.mark.parametrize(
    ("name", "text", "licence"),
    [
        ("LICENSE.md", "# MIT License\n", "MIT"),
        ("LICENSE.txt", "Apache License\n", "Apache-2.0"),
        ("LICENSE.md", "# Terms\n", "unknown"),
    ],
)
def test_reading_r77_a_licence_is_that_of_the_file_under_any_of_its_names(
    name: str, text: str, licence: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    work = Work(source=tmp_path, request=Request(), expected="rows")
    work.add("x:1", item="1", setting="j", file="f", a_sha256="0" * 64, a_score=1.0)

    header = work.done(name="s").header

    assert header is not None
    assert header.source.licence == licence
