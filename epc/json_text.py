"""JSON text, read strictly: the pure half, which every layer may use.

Admits one reading only: UTF-8, no duplicate keys, no NaN or Infinity, no number that overflows a
double, no lone surrogates, bounded size and depth. All problems of a text are reported at once,
each with its JSON Pointer.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Any, Final, TypeGuard

from msgspec import Struct

from epc.errors import Finding

MAX_DOCUMENT_BYTES: Final = 64 * 2**20
MAX_DEPTH: Final = 64
_CLAUSE: Final = "RFC 8259"
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def is_number(value: Any) -> TypeGuard[int | float]:
    """Return whether a value is a JSON number; true is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


class _Bad(Struct, frozen=True):
    """Stands in a parsed document where a value cannot be used."""

    problem: str


class _Duplicated(dict[str, Any]):
    """An object whose text repeats a key."""

    repeated: tuple[str, ...] = ()


class Reader:
    """Strict parser; `suspicious` is set while parsing, so that clean text is walked once.

    Where others wrote the text (`foreign`), NaN is null: that is how many programs write nothing.
    """

    def __init__(self, *, foreign: bool = False) -> None:
        self.suspicious, self._foreign = False, foreign
        self._decoder = json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_constant=self._constant,
            parse_float=self._float,
            parse_int=self._int,
        )

    def parse(self, text: str) -> tuple[Any, list[Finding]]:
        """Return the value of a JSON text and every problem found in it."""
        self.suspicious = "\\u" in text
        try:
            value = self._decoder.decode(text)
        except json.JSONDecodeError as error:
            place = f"line {error.lineno} column {error.colno}"
            return None, [finding("", f"not JSON at {place}: {error.msg}", "repair the syntax")]
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

    def _constant(self, name: str) -> _Bad | None:
        if self._foreign and name == "NaN":
            return None
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
    return Reader().parse(text)


def decode(content: bytes) -> tuple[str, list[Finding]]:
    """Return the text of UTF-8 bytes, or where they stop being UTF-8."""
    if len(content) > MAX_DOCUMENT_BYTES:
        size_text = f"more than {MAX_DOCUMENT_BYTES:,} bytes"
        return "", [finding("", size_text, "split the document")]
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        return "", [finding("", f"not UTF-8 at byte {error.start}", "save it as UTF-8")]
    if not text.strip():
        return "", [finding("", "is empty", "write the document, or remove the file")]
    return text, []


def storable(text: str) -> str:
    """Return a model's text with what is no Unicode text (lone surrogates) replaced by U+FFFD."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def lines_of(text: str) -> list[str]:
    """Return the lines of a JSON Lines text, or of any whose line breaks are line feeds alone.

    `str.splitlines` breaks at U+2028, U+0085 and others, too, which may stand in a JSON string.
    """
    return text.removesuffix("\n").split("\n") if text else []


def pointer(*parts: str | int) -> str:
    """Return the JSON Pointer (RFC 6901) of a place."""
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in parts)


def parts_of(where: str) -> list[str]:
    """Return the parts of a JSON Pointer, as `pointer` joins them."""
    return [part.replace("~1", "/").replace("~0", "~") for part in where.split("/")[1:]]


def _walk(value: Any, where: str = "") -> Iterator[Finding]:
    if isinstance(value, _Bad):
        yield finding(where, value.problem, "write a finite number, or null")
    elif isinstance(value, str):
        if not value.isascii() and _SURROGATE.search(value):
            yield finding(where, "a lone surrogate is no Unicode text", "replace it by U+FFFD")
    elif isinstance(value, dict):
        if isinstance(value, _Duplicated):
            for name in value.repeated:
                problem = f"the key {name!r} appears twice"
                yield finding(f"{where}{pointer(name)}", problem, "keep one of them")
        for name, item in value.items():
            yield from _walk(name, where)
            yield from _walk(item, f"{where}{pointer(name)}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _walk(item, f"{where}/{index}")


def _depth(value: Any) -> int:
    """Return how deeply a value is nested, or one more than the most, level by level."""
    depth, level = 0, [value]
    while level and depth <= MAX_DEPTH:
        depth += 1
        nested = [item for item in level if isinstance(item, dict | list)]
        inner = (item.values() if isinstance(item, dict) else item for item in nested)
        level = list(chain.from_iterable(inner))
    return depth


def _too_deep(where: str) -> Finding:
    return finding(where, f"nested more than {MAX_DEPTH} deep", "flatten the document")


def finding(where: str, problem: str, remedy: str) -> Finding:
    """Return a finding about the text itself."""
    # A key that is a lone surrogate is part of a pointer, and a pointer must be printable.
    return Finding(clause=_CLAUSE, where=storable(where), problem=problem, remedy=remedy)
