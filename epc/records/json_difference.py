"""When two computations of one thing agree (EPC-2.8)."""

from collections.abc import Iterator
from math import isclose
from typing import Any, Final

from epc.protocol.results import Json
from epc.spec.epc_v1 import AGREEMENT

_PLAIN: Final = frozenset({float, int, str, bool, type(None)})


def disagreements(expected: Any, actual: Any) -> list[str]:
    """Return the places, as JSON Pointers, where two JSON values differ.

    Numbers agree within 1e-12; a key that only one side has is a difference; true is not 1.

    Source: EPC-2.8 ("identical gamma and JSD values on fixed input sequences").
    """
    return list(_differences(expected, actual, ""))


def _differences(expected: Any, actual: Any, where: str) -> Iterator[str]:
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key in sorted(_unsettled(expected, actual)):
            if key in expected and key in actual:
                yield from _differences(expected[key], actual[key], _below(where, key))
            else:
                yield _below(where, key)
    elif isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        for index, (left, right) in enumerate(zip(expected, actual, strict=True)):
            if type(left) not in _PLAIN or type(left) is not type(right) or left != right:
                yield from _differences(left, right, f"{where}/{index}")
    elif _is_number(expected) and _is_number(actual):
        if not isclose(expected, actual, rel_tol=0, abs_tol=AGREEMENT):
            yield where
    elif type(expected) is not type(actual) or expected != actual:
        yield where


def _unsettled(expected: Json, actual: Json) -> list[str]:
    """Return the keys whose values are not plainly the same: of thousands, few are not."""
    if expected.keys() != actual.keys():
        return [*(expected.keys() | actual.keys())]
    return [
        key
        for key, left in expected.items()
        if type(left) not in _PLAIN or type(left) is not type(actual[key]) or left != actual[key]
    ]


def _below(where: str, key: str) -> str:
    return f"{where}/{key.replace('~', '~0').replace('/', '~1')}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
