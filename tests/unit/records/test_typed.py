"""Documents as values, and values as documents."""

from dataclasses import dataclass, field
from datetime import date
from typing import Any

import pytest

from epc.records.typed import as_json, parse, written


@dataclass(frozen=True, kw_only=True)
class Inner:
    count: int
    share: float = 0.5


@dataclass(frozen=True, kw_only=True)
class Outer:
    names: tuple[str, ...]
    inner: dict[str, Inner]
    day: date
    kept: str | None = written(None)
    note: str | None = None
    zeros: list[int] = field(default_factory=list)


DOCUMENT = {
    "names": ["b", "a"],
    "inner": {"x": {"count": 2}, "y": {"count": 3, "share": 0.25}},
    "day": "2026-07-02",
}
VALUE = Outer(
    names=("b", "a"),
    inner={"x": Inner(count=2), "y": Inner(count=3, share=0.25)},
    day=date(2026, 7, 2),
)


def test_a_document_is_parsed_into_values_and_comes_out_again() -> None:
    """What has its default is left out, but for what is written always."""
    assert parse(DOCUMENT, Outer) == VALUE
    assert as_json(VALUE) == {**DOCUMENT, "kept": None, "zeros": []}
    assert list(as_json(VALUE)) == ["day", "inner", "kept", "names", "zeros"]


@pytest.mark.parametrize(("count", "expected"), [(5, 5), (5.0, 5), (-3.0, -3)])
def test_a_whole_number_is_an_integer_however_it_is_written(count: Any, expected: int) -> None:
    document = {**DOCUMENT, "inner": {"x": {"count": count, "share": 1.0}}}

    found = parse(document, Outer).inner["x"]

    assert (found.count, type(found.count), found.share) == (expected, int, 1.0)


@pytest.mark.parametrize("count", [5.5, "5", None])
def test_another_kind_of_value_is_refused(count: Any) -> None:
    with pytest.raises(ValueError, match="count"):
        parse({**DOCUMENT, "inner": {"x": {"count": count}}}, Outer)


def test_plain_values_stay_as_they_are() -> None:
    value = {"a": [1, 2.5, (None, True)], "b": {"c": "text"}}

    assert as_json(value) == {"a": [1, 2.5, [None, True]], "b": {"c": "text"}}
