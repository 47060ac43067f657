"""JSON read strictly and written canonically.

Reading admits one reading only: UTF-8, no duplicate keys, no NaN or Infinity, no number that
overflows a double, no lone surrogates, bounded size and depth. All problems of a document are
reported at once, each with its JSON Pointer. Writing sorts keys and round-trips every float.
"""

import json
import math
import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from epc.errors import Finding, WorldError

MAX_DOCUMENT_BYTES: Final = 64 * 2**20
MAX_LINE_BYTES: Final = 4 * 2**20
MAX_DEPTH: Final = 64
_CLAUSE: Final = "RFC 8259"
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_LINE: Final = json.JSONEncoder(
    sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":")
)


@dataclass(frozen=True, slots=True)
class _Bad:
    """Stands in a parsed document where a value cannot be used."""

    problem: str


class _Duplicated(dict[str, Any]):
    """An object whose text repeats a key."""

    repeated: tuple[str, ...] = ()


class _Reader:
    """One strict parser; `suspicious` is set while parsing, so that clean text is walked once."""

    def __init__(self) -> None:
        self.suspicious = False
        self._decoder = json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_constant=self._constant,
            parse_float=self._float,
            parse_int=self._int,
        )

    def parse(self, text: str) -> tuple[Any, list[Finding]]:
        self.suspicious = "\\u" in text
        try:
            value = self._decoder.decode(text)
        except json.JSONDecodeError as error:
            place = f"line {error.lineno} column {error.colno}"
            return None, [_finding("", f"not JSON at {place}: {error.msg}", "repair the syntax")]
        except RecursionError:
            return None, [_too_deep("")]
        # Before the walk, which is recursive. Few brackets cannot nest deeply.
        if text.count("{") + text.count("[") > MAX_DEPTH and _depth(value) > MAX_DEPTH:
            return None, [_too_deep("")]
        return value, list(_walk(value)) if self.suspicious else []

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) == len(pairs):
            return value
        self.suspicious = True
        counts = Counter(name for name, _ in pairs)
        marked = _Duplicated(value)
        marked.repeated = tuple(name for name, count in counts.items() if count > 1)
        return marked

    def _constant(self, name: str) -> _Bad:
        self.suspicious = True
        return _Bad(f"{name} is not a JSON number")

    def _float(self, text: str) -> float | _Bad:
        value = float(text)
        if math.isfinite(value):
            return value
        self.suspicious = True
        return _Bad(f"{text[:40]} overflows a double")

    def _int(self, text: str) -> int | _Bad:
        if len(text.lstrip("-")) <= 19:  # noqa: PLR2004  (what a signed 64-bit integer can need)
            return int(text)
        self.suspicious = True
        return _Bad(f"{text[:40]} is too large for an integer here")


def parse(text: str) -> tuple[Any, list[Finding]]:
    """Return the value of a JSON text and every problem found in it.

    The value can be used only if there are no problems.
    """
    return _Reader().parse(text)


def read(path: Path) -> tuple[Any, list[Finding]]:
    """Return a file's JSON value and every problem found in it, in bounded memory.

    Raises: WorldError if the file cannot be read.
    """
    content, problems = read_text(path)
    return (None, problems) if problems else parse(content)


def read_text(path: Path) -> tuple[str, list[Finding]]:
    """Return a small file's text, or why it is not to be read."""
    try:
        if path.is_dir():
            return "", [_finding("", f"{path.name} is a directory", "name a file")]
        size = path.stat().st_size
        if size > MAX_DOCUMENT_BYTES:
            found = f"{path.name} has {size:,} bytes, expected at most {MAX_DOCUMENT_BYTES:,}"
            return "", [_finding("", found, "keep trials out of the manifest")]
        content = path.read_bytes()
    except OSError as error:
        raise WorldError(f"cannot read {path}: {error.strerror or error}") from error
    return decode(content)


def decode(content: bytes) -> tuple[str, list[Finding]]:
    """Return the text of UTF-8 bytes, or where they stop being UTF-8."""
    if len(content) > MAX_DOCUMENT_BYTES:
        found = f"more than {MAX_DOCUMENT_BYTES:,} bytes"
        return "", [_finding("", found, "split the document")]
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        return "", [_finding("", f"not UTF-8 at byte {error.start}", "save it as UTF-8")]
    if not text.strip():
        return "", [_finding("", "nothing in it", "write the document, or remove the file")]
    return text, []


def read_lines(path: Path, name: str) -> Iterator[tuple[int, Any, list[Finding]]]:
    """Yield each line of a JSON Lines file: its index from 0, its value, its problems.

    A line longer than `MAX_LINE_BYTES` is reported, not read. Pointers begin with `/name/index`.

    Raises: WorldError if the file cannot be read.
    """
    reader = _Reader()
    try:
        with path.open("rb") as file:
            for index in range(10**12):
                line = file.readline(MAX_LINE_BYTES + 1)
                if not line:
                    return
                where = f"/{name}/{index}"
                if len(line) > MAX_LINE_BYTES:
                    problem = f"the line is longer than {MAX_LINE_BYTES:,} bytes"
                    yield index, None, [_finding(where, problem, "one JSON object a line")]
                    return
                text, problems = decode(line)
                value, more = (None, []) if problems else reader.parse(text)
                yield index, value, [_under(where, found) for found in (*problems, *more)]
    except OSError as error:
        raise WorldError(f"cannot read {path}: {error.strerror or error}") from error


def dumps(value: Any) -> str:
    """Return the canonical text of a document: sorted keys, indented, one final newline."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False, indent=2)
    return f"{text}\n"


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
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.writelines(parts)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).chmod(0o644)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise WorldError(f"cannot write {path}: {error.strerror or error}") from error


def storable(text: str) -> str:
    """Return a model's text with what is no Unicode text (lone surrogates) replaced by U+FFFD."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def pointer(*parts: str | int) -> str:
    """Return the JSON Pointer (RFC 6901) of a place."""
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in parts)


def _walk(value: Any, where: str = "") -> Iterator[Finding]:
    if isinstance(value, _Bad):
        yield _finding(where, value.problem, "write a finite number, or null")
    elif isinstance(value, str):
        if not value.isascii() and _SURROGATE.search(value):
            yield _finding(where, "a lone surrogate is no Unicode text", "replace it by U+FFFD")
    elif isinstance(value, dict):
        if isinstance(value, _Duplicated):
            for name in value.repeated:
                problem = f"the key {name!r} stands twice"
                yield _finding(f"{where}{pointer(name)}", problem, "keep one of them")
        for name, item in value.items():
            yield from _walk(name, where)
            yield from _walk(item, f"{where}{pointer(name)}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _walk(item, f"{where}/{index}")


def _depth(value: Any) -> int:
    """Return how deeply a value is nested, without recursion."""
    deepest, open_values = 0, [(value, 1)]
    while open_values:
        item, level = open_values.pop()
        deepest = max(deepest, level)
        if level > MAX_DEPTH:
            break
        inner = item.values() if isinstance(item, dict) else item
        if isinstance(item, dict | list):
            open_values.extend((child, level + 1) for child in inner)
    return deepest


def _under(where: str, finding: Finding) -> Finding:
    return Finding(
        clause=finding.clause,
        where=where + finding.where,
        problem=finding.problem,
        remedy=finding.remedy,
    )


def _too_deep(where: str) -> Finding:
    return _finding(where, f"nested more than {MAX_DEPTH} deep", "flatten the document")


def _finding(where: str, problem: str, remedy: str) -> Finding:
    # A key that is a lone surrogate is part of a pointer, and a pointer must be printable.
    return Finding(clause=_CLAUSE, where=storable(where), problem=problem, remedy=remedy)
