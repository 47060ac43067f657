"""When two computations of one thing agree (EPC-2.8)."""

from collections.abc import Iterator
from math import isclose
from typing import Any

from epc.spec.epc_v1 import AGREEMENT


def disagreements(expected: Any, given: Any) -> list[str]:
    """Return the places, as JSON Pointers, where two JSON values differ.

    Numbers agree within 1e-12; a key that only one side has is a difference; true is not 1.

    Source: EPC-2.8 ("identical gamma and JSD values on fixed input sequences").
    """
    return list(_differences(expected, given, ""))


def _differences(expected: Any, given: Any, where: str) -> Iterator[str]:
    if isinstance(expected, dict) and isinstance(given, dict):
        for key in sorted(expected.keys() | given.keys()):
            place = f"{where}/{key.replace('~', '~0').replace('/', '~1')}"
            if key in expected and key in given:
                yield from _differences(expected[key], given[key], place)
            else:
                yield place
    elif isinstance(expected, list) and isinstance(given, list) and len(expected) == len(given):
        for index, (left, right) in enumerate(zip(expected, given, strict=True)):
            yield from _differences(left, right, f"{where}/{index}")
    elif _is_number(expected) and _is_number(given):
        if not isclose(expected, given, rel_tol=0, abs_tol=AGREEMENT):
            yield where
    elif type(expected) is not type(given) or expected != given:
        yield where


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
