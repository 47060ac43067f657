"""Documents as values, there and back: parsed once, then read by attribute.

A class follows its schema: a field without a default is a required key, one whose default is None
an optional key, which is absent and never null. A test compares each class with its schema.
"""

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import date
from functools import cache
from typing import Any, TypeVar

import msgspec

Json = dict[str, Any]
T = TypeVar("T")


def parse(document: Any, kind: type[T]) -> T:
    """Return the value of a document. Keys that the class does not know are left out.

    Raises: ValueError, which names the place, if a key is missing or a value of another kind.
    """
    return msgspec.convert(document, kind)


def as_json(value: Any) -> Any:
    """Return the plain JSON that a value was parsed from, keys in canonical order."""
    if is_dataclass(value):
        kind: Any = type(value)
        keys = ((name, getattr(value, name), optional) for name, optional in _keys(kind))
        return {name: as_json(v) for name, v, optional in keys if not (optional and v is None)}
    if isinstance(value, Mapping):
        return {key: as_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    return value.isoformat() if isinstance(value, date) else value


@cache
def _keys(kind: Any) -> tuple[tuple[str, bool], ...]:
    """Return the keys of a class, sorted, and which of them are optional."""
    return tuple(sorted((field.name, field.default is not MISSING) for field in fields(kind)))
