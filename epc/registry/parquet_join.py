"""One Parquet file from several of one schema, none of whose values is read.

A Parquet file is the magic word, its row groups, and a footer that says where each of them begins.
So files are joined by putting their row groups one behind the other, and moving the places that
their footers name. A footer is a Thrift struct in the compact protocol, which tells the kind of all
that is in it; here it is read and written field by field, whatever the fields mean.

Source: parquet.thrift and the Thrift compact protocol, for the numbers of the fields.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

Struct = dict[int, tuple[int, Any]]  # by a field's number its kind and its value

_MAGIC: Final = b"PAR1"
_END: Final = 8  # bytes behind a footer: its length, and the magic word
_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _STRUCT = *range(1, 10), 12
_INTEGERS: Final = (_I16, _I32, _I64)
_MORE: Final = 128  # of a byte of a number: there is another one behind it
_LONG: Final = 15  # of a list's size: it stands behind
# Fields of the footer, of a row group, of a column in it, and of what is said of that.
_ROWS, _GROUPS = 3, 4
_COLUMNS, _OFFSET, _ORDINAL = 1, 5, 7
_SAID, _PLACES_OF_COLUMN = 3, (2, 4, 6)
_PLACES_SAID: Final = (9, 10, 11, 14)


def join(parts: Sequence[Path], out: Path) -> None:
    """Write the rows of Parquet files, at least one and all of one schema, to one file.

    Raises: OSError if the disk fails; ValueError if one is no Parquet file.
    """
    whole: Struct = {}
    with out.open("wb") as file:
        file.write(_MAGIC)
        for part in parts:
            content = part.read_bytes()
            if content[: len(_MAGIC)] != _MAGIC or content[-len(_MAGIC) :] != _MAGIC:
                raise ValueError(f"{part} is no Parquet file")
            length = int.from_bytes(content[-_END : -len(_MAGIC)], "little")
            footer = parsed(content[-_END - length : -_END])
            _move(footer, file.tell() - len(_MAGIC))
            file.write(content[len(_MAGIC) : -_END - length])
            whole = _together(whole, footer) if whole else footer
        footer_text = serialised(whole)
        file.write(footer_text + len(footer_text).to_bytes(4, "little") + _MAGIC)


def _together(one: Struct, other: Struct) -> Struct:
    kind, (each, groups) = one[_GROUPS]
    rows = (_I64, one[_ROWS][1] + other[_ROWS][1])
    return one | {_ROWS: rows, _GROUPS: (kind, (each, [*groups, *other[_GROUPS][1][1]]))}


def _move(footer: Struct, by: int) -> None:
    """Move all places that a footer names."""
    for group in footer[_GROUPS][1][1]:
        group.pop(_ORDINAL, None)  # may be left out, and is another one now
        _move_in(group, (_OFFSET,), by)
        for column in group[_COLUMNS][1][1]:
            _move_in(column, _PLACES_OF_COLUMN, by)
            _move_in(column[_SAID][1], _PLACES_SAID, by)


def _move_in(struct: Struct, fields: Sequence[int], by: int) -> None:
    for field in fields:
        kind, place = struct.get(field, (0, 0))
        if place:  # 0 is no place: the magic word is there
            struct[field] = (kind, place + by)


def parsed(text: bytes) -> Struct:
    """Return the struct that a text begins with.

    Raises: ValueError at a kind that no footer has; IndexError if the text ends before it.
    """
    return _Reader(text).struct()


class _Reader:
    """A text that is read from left to right."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.at = 0

    def struct(self) -> Struct:
        found: Struct = {}
        field = 0
        while head := self._byte():
            step, kind = divmod(head, 16)
            field = field + step if step else self._integer()
            found[field] = (kind, None if kind in (_TRUE, _FALSE) else self._value(kind))
        return found

    def _value(self, kind: int) -> Any:
        if kind in _INTEGERS:
            return self._integer()
        if kind == _STRUCT:
            return self.struct()
        if kind == _LIST:
            size, each = divmod(self._byte(), 16)
            size = self._number() if size == _LONG else size
            return each, [self._value(each) for _ in range(size)]
        sizes = {_TRUE: 1, _FALSE: 1, _BYTE: 1, _DOUBLE: 8}
        if kind not in sizes and kind != _BINARY:
            raise ValueError(f"kind {kind} of a Thrift field")
        size = self._number() if kind == _BINARY else sizes[kind]
        self.at += size
        return self.text[self.at - size : self.at]

    def _byte(self) -> int:
        self.at += 1
        return self.text[self.at - 1]

    def _number(self) -> int:
        number = shift = 0
        while (byte := self._byte()) >= _MORE:
            number |= (byte - _MORE) << shift
            shift += 7
        return number | byte << shift

    def _integer(self) -> int:
        number = self._number()
        return number >> 1 ^ -(number & 1)


def serialised(struct: Struct) -> bytes:
    """Return the text of a struct, as `parsed` reads it."""
    parts, before = [], 0
    for field, (kind, value) in sorted(struct.items()):
        step = field - before
        is_short = 0 < step <= _LONG
        parts.append(bytes([step << 4 | kind]) if is_short else bytes([kind]) + _integer(field))
        parts.append(b"" if kind in (_TRUE, _FALSE) else _text(kind, value))
        before = field
    return b"".join(parts) + b"\0"


def _text(kind: int, value: Any) -> bytes:
    if kind in _INTEGERS:
        return _integer(value)
    if kind == _STRUCT:
        return serialised(value)
    if kind == _LIST:
        each, items = value
        size = len(items)
        head = bytes([min(size, _LONG) << 4 | each]) + (_number(size) if size >= _LONG else b"")
        return head + b"".join(_text(each, item) for item in items)
    return _number(len(value)) + bytes(value) if kind == _BINARY else bytes(value)


def _number(value: int) -> bytes:
    parts = bytearray()
    while value >= _MORE:
        parts.append(value % _MORE + _MORE)
        value //= _MORE
    return bytes([*parts, value])


def _integer(value: int) -> bytes:
    return _number(value << 1 if value >= 0 else (-value << 1) - 1)
