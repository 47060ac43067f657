"""The store of raw files: folders in folders come back, and nothing leads out of one."""

import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epc.errors import MalformedError
from epc.registry.store import fetched, listed, md5, place_of, put


def reading(store: Path, path: str) -> bytes:
    return (store / path).read_bytes()


def test_files_in_folders_come_back_under_their_own_paths(tmp_path: Path) -> None:
    contents = {"a.jsonl": b"1\n", "outputs/b.txt": b"2\n", "x/y/records.jsonl": b""}
    pointer = put(tmp_path, contents)
    sums = {f"raw/{name}": hashlib.sha256(c).hexdigest() for name, c in contents.items()}

    assert dict(fetched(pointer, sums, lambda p: reading(tmp_path, p))) == contents


def pointing_at(paths: list[str]) -> tuple[str, bytes]:
    """Return a pointer and the list of files that it names."""
    content = json.dumps([{"md5": "0" * 32, "relpath": path} for path in paths]).encode()
    tail = f"  size: 1\n  nfiles: {len(paths)}\n  hash: md5\n  path: raw\n"
    return f"outs:\n- md5: {md5(content)}.dir\n{tail}", content


@pytest.mark.parametrize(
    "path",
    [
        *(
            "../a",
            "a/../../b",
            "/a",
            "a//b",
            "a/",
            "",
            ".",
            "..",
            "./a",
            ".git/config",
            "a/.hidden",
        ),
        *("a\\b", "C:a", "a b", "a\n", "a/\u2044b", "~/a", "-a"),
    ],
)
def test_a_path_that_is_none_of_a_published_file_is_refused(path: str) -> None:
    pointer, content = pointing_at([path])

    with pytest.raises(MalformedError) as refused:
        listed(pointer, lambda _: content)

    assert "names a file" in refused.value.finding.problem


@given(st.text(alphabet="ab./\\~:-_ \x00", max_size=12))
def test_whatever_path_is_taken_stays_below_its_folder(path: str) -> None:
    pointer, content = pointing_at([path])
    try:
        (taken_text,) = listed(pointer, lambda place: content)
    except MalformedError:
        return

    home = Path("/home/raw")
    assert (home / taken_text).resolve().is_relative_to(home)
    assert (home / taken_text).resolve() != home
    assert not any(part.startswith(".") for part in Path(taken_text).parts)
    assert place_of(md5(content)).startswith("files/md5/")
