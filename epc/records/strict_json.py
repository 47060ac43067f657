"""JSON files read strictly and written canonically, and when two values agree (EPC-2.8)."""

import json
import os
import tempfile
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import isclose
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Any, BinaryIO, Final

import msgspec

from epc.errors import Finding, MalformedError, UsageError, able_to
from epc.json_text import (
    MAX_DOCUMENT_BYTES,
    Reader,
    decode,
    finding,
    is_number,
    parse,
    pointer,
)
from epc.spec.epc_v1 import AGREEMENT

MAX_LINE_BYTES: Final = 4 * 2**20
_BUFFER_BYTES: Final = 2**20  # of a file that is written: thousands of lines go to disk at once
_UNFINISHED: Final = ".unfinished"  # how a file's name ends while it is written
_LINE: Final = json.JSONEncoder(
    sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":")
)


def read(path: Path) -> tuple[Any, list[Finding]]:
    """Return a file's JSON value and every problem found in it, in bounded memory.

    Raises: WorldError if the file cannot be read.
    """
    content, problems = read_text(path)
    return (None, problems) if problems else parse(content)


def read_text(path: Path) -> tuple[str, list[Finding]]:
    """Return a small file's text, or why it is not to be read.

    Only a regular file, and of it no more than the bound: a device has no end, whatever its size.

    Raises: WorldError if the file cannot be read.
    """
    with able_to("read", path):
        mode = path.stat().st_mode
        if S_ISDIR(mode):
            return "", [finding("", f"{path.name} is a directory", "name a file")]
        if not S_ISREG(mode):
            return "", [finding("", f"{path.name} is no regular file", "name a file")]
        with path.open("rb") as file:
            content = file.read(MAX_DOCUMENT_BYTES + 1)
        if len(content) > MAX_DOCUMENT_BYTES:
            size = max(len(content), path.stat().st_size)
            problem = f"{path.name} has {size:,} bytes, expected at most {MAX_DOCUMENT_BYTES:,}"
            return "", [finding("", problem, "keep trials out of the manifest")]
    return decode(content)


def content_of(path: Path) -> bytes:
    """Return the bytes of a file of at most the size of a document.

    Raises: UsageError if it is larger; WorldError if it cannot be read.
    """
    limit = MAX_DOCUMENT_BYTES
    with able_to("read", path), path.open("rb") as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise UsageError(f"{path} is larger than {limit:,} bytes: no judge reads or writes so much")
    return content


def text_of(path: Path, clause: str) -> str:
    """Return a file's text.

    Raises: MalformedError if it is not UTF-8; WorldError if the disk refuses.
    """
    try:
        return content_of(path).decode("utf-8")
    except UnicodeDecodeError as error:
        problem = f"{path} is not UTF-8 at byte {error.start}"
        remedy = "save it as UTF-8"
        raise MalformedError(
            Finding(clause=clause, where="", problem=problem, remedy=remedy)
        ) from None


def read_lines(
    path: Path, name: str, *, longest: int = MAX_LINE_BYTES, foreign: bool = False
) -> Iterator[tuple[int, Any, list[Finding]]]:
    """Yield each line of a JSON Lines file: its index from 0, its value, its problems.

    A line of more than `longest` bytes is reported, not read. Pointers begin with `/name/index`.
    A file that others wrote (`foreign`) may have a byte order mark, blank lines, and NaN for null.

    Raises: WorldError if the file cannot be read.
    """
    reader = Reader(foreign=foreign)
    with able_to("read", path):
        if path.exists() and not path.is_file():
            problem = f"{path.name} is no regular file"
            yield 0, None, [finding(f"/{name}", problem, "name a file")]
            return
        with path.open("rb") as file:
            for index in range(10**12):
                line = file.readline(longest + 1)
                if not line:
                    return
                if foreign:
                    line = line if index else line.removeprefix(BOM_UTF8)
                    if not line.strip():
                        continue
                where = f"/{name}/{index}"
                if len(line) > longest:
                    problem = f"the line is longer than {longest:,} bytes"
                    yield index, None, [finding(where, problem, "one JSON object a line")]
                    return
                text, problems = decode(line)
                value, further = (None, []) if problems else reader.parse(text)
                defect = (*problems, *further)
                yield index, value, [replace(fault, where=where + fault.where) for fault in defect]


def dumps(value: Any) -> str:
    """Return the canonical text of a document: sorted keys, indented, one final newline."""
    # Python's own encoder indents in Python, letter by letter: three times as slow.
    return f"{msgspec.json.format(_LINE.encode(value), indent=2)}\n"


def dumps_line(value: Any) -> str:
    """Return the canonical line of a JSON Lines file."""
    return f"{_LINE.encode(value)}\n"


def dumps_part(value: str | None) -> str:
    """Return a text, or null, as it stands inside a canonical line."""
    return _LINE.encode(value)


def write(path: Path, value: Any) -> None:
    """Write a document canonically, whole or not at all."""
    write_text(path, [dumps(value)])


def write_text(path: Path, parts: Iterable[str]) -> None:
    """Write text whole or not at all: a crash leaves the old file or the new one."""
    write_bytes(path, (part.encode("utf-8") for part in parts))


def write_bytes(path: Path, parts: Iterable[bytes]) -> None:
    """Write bytes whole or not at all.

    Raises: WorldError if the disk refuses.
    """
    with written_whole(path) as file:
        file.writelines(parts)


def remove_unfinished(folder: Path, name: str = "") -> None:
    """Remove what killed writers left of files below a folder, or of the one of that name in it."""
    left = folder.glob(f".{name}.*{_UNFINISHED}") if name else folder.rglob(f".*{_UNFINISHED}")
    for path in left:
        path.unlink(missing_ok=True)


@contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """Yield a file that takes its place, whole and on disk, when the block ends without failing.

    Raises: WorldError if the disk refuses.
    """
    with able_to("write", path):
        handle, temporary = tempfile.mkstemp(
            dir=path.parent, prefix=f".{path.name}.", suffix=_UNFINISHED
        )
        try:
            with os.fdopen(handle, "wb", buffering=_BUFFER_BYTES) as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).chmod(0o644)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise


_MAX_SHOWN: Final = 60  # characters of a value


def disagreements(expected: Any, actual: Any) -> list[str]:
    """Return the places, as JSON Pointers, where two JSON values differ.

    Numbers agree within 1e-12; a key that only one side has is a difference; true is not 1.

    Source: EPC-2.8 ("identical gamma and JSD values on fixed input sequences").
    """
    return list(_differences(expected, actual, ""))


def contradictions(recomputation: Any, claim: Any) -> Iterator[tuple[str, str]]:
    """Yield each place where a document does not say what was computed again, and what both say."""
    for where in disagreements(recomputation, claim):
        yield where, f"says {_excerpt(claim, where)}, recomputed {_excerpt(recomputation, where)}"


def _excerpt(value: Any, where: str) -> str:
    for part in where.split("/")[1:]:
        if isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        elif isinstance(value, dict) and part in value:
            value = value[part]
        else:
            return "nothing"
    return repr(value)[:_MAX_SHOWN]


def _differences(expected: Any, actual: Any, where: str) -> Iterator[str]:
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key in sorted(expected.keys() | actual.keys()):
            if key in expected and key in actual:
                yield from _differences(expected[key], actual[key], where + pointer(key))
            else:
                yield where + pointer(key)
    elif isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        for index, (left, right) in enumerate(zip(expected, actual, strict=True)):
            yield from _differences(left, right, f"{where}/{index}")
    elif is_number(expected) and is_number(actual):
        if not isclose(expected, actual, rel_tol=0, abs_tol=AGREEMENT):
            yield where
    elif type(expected) is not type(actual) or expected != actual:
        yield where
