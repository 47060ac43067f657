"""Documents as values, there and back: parsed once, then read by attribute.

A class follows its schema: a field without a default is a required key, one with a default an
optional key, which is absent where it has the default. A test compares each class with its schema.
"""

from collections.abc import Mapping
from dataclasses import MISSING, field, fields, is_dataclass
from datetime import date
from functools import cache
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")


def parse(document: Any, kind: type[T]) -> T:
    """Return the value of a document. Keys that the class does not know are left out.

    Raises: ValueError, which names the place, if a key is missing or a value of another kind.
    """
    try:
        return msgspec.convert(document, kind)
    except msgspec.ValidationError:  # to JSON Schema 5.0 is an integer
        return msgspec.convert(_with_integers(document), kind)


def as_json(value: Any) -> Any:
    """Return the plain JSON that a value was parsed from, keys in canonical order."""
    if isinstance(value, msgspec.Struct) or is_dataclass(value):
        kind: Any = type(value)
        items = ((key, getattr(value, name), default) for key, name, default in _keys(kind))
        return {key: as_json(item) for key, item, default in items if item != default}
    if isinstance(value, Mapping):
        return {key: as_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    return value.isoformat() if isinstance(value, date) else value


def written(absent: Any) -> Any:
    """Return the field of an optional key that is written always; absent, it has this value."""
    return field(default_factory=lambda: absent)


@cache
def _keys(kind: Any) -> list[tuple[str, str, Any]]:
    """Return the sorted keys of a class, with the field of each and its default, if it has one."""
    if issubclass(kind, msgspec.Struct):
        return sorted(
            (
                key.encode_name,
                key.name,
                MISSING if key.default is msgspec.NODEFAULT else key.default,
            )
            for key in msgspec.structs.fields(kind)
        )
    return sorted(
        ((key.name, key.name, key.default) for key in fields(kind)), key=lambda key: key[0]
    )


def _with_integers(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_integers(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_with_integers(part) for part in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
