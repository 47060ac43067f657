"""When two computations of one thing agree (EPC-2.8)."""

from collections.abc import Iterator
from math import isclose
from typing import Any, Final

from epc.json_text import pointer
from epc.spec.epc_v1 import AGREEMENT

_MAX_SHOWN: Final = 60  # characters of a value


def disagreements(expected: Any, actual: Any) -> list[str]:
    """Return the places, as JSON Pointers, where two JSON values differ.

    Numbers agree within 1e-12; a key that only one side has is a difference; true is not 1.

    Source: EPC-2.8 ("identical gamma and JSD values on fixed input sequences").
    """
    return list(_differences(expected, actual, ""))


def contradictions(again: Any, stated: Any) -> Iterator[tuple[str, str]]:
    """Yield each place where a document does not say what was computed again, and what both say."""
    for where in disagreements(again, stated):
        yield where, f"says {_at(stated, where)}, recomputed {_at(again, where)}"


def _at(value: Any, where: str) -> str:
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
    elif _is_number(expected) and _is_number(actual):
        if not isclose(expected, actual, rel_tol=0, abs_tol=AGREEMENT):
            yield where
    elif type(expected) is not type(actual) or expected != actual:
        yield where


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
