"""EPC-2.8: what counts as a difference between two results, and where it is said to be."""

import pytest

from epc.records.strict_json import disagreements


@pytest.mark.parametrize(
    ("expected", "given", "places"),
    [
        ({"a": 0.5}, {"a": 0.5}, []),
        ({"a": 0.5}, {"a": 0.5 + 9e-13}, []),
        ({"a": 0.5}, {"a": 0.5 + 2e-12}, ["/a"]),
        ({"a": 1}, {"a": 1.0}, []),
        ({"a": 1}, {"a": True}, ["/a"]),
        ({"a": 0.0}, {"a": False}, ["/a"]),
        ({"a": 0}, {"a": None}, ["/a"]),
        ({"a": None}, {}, ["/a"]),
        ({}, {"a": None}, ["/a"]),
        ({"b": 1, "a": 1}, {"b": 2, "a": 2}, ["/a", "/b"]),
        ({"a/b": {"c~": "x"}}, {"a/b": {"c~": "y"}}, ["/a~1b/c~0"]),
        ([1, [2, 3]], [1, [2, 4]], ["/1/1"]),
        ([1, 2], [1], [""]),
        ([True], [1], ["/0"]),
        ({"a": [0.1]}, {"a": {"0": 0.1}}, ["/a"]),
        ({"a": float("nan")}, {"a": float("nan")}, ["/a"]),
    ],
)
def test_epc_2_8_differences_are_listed_by_place(
    expected: object, given: object, places: list[str]
) -> None:
    assert disagreements(expected, given) == places
