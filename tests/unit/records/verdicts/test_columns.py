"""Verdicts by column: what was said comes out of the codes again, and what was not stays absent."""

from math import nan
from typing import Any

import msgspec
import pytest

from epc.records.verdicts.columns import Column, Verdicts, columns_of, joined
from epc.records.verdicts.converting import digest
from epc.records.verdicts.types import Row


def row(item: str, **further_fields: Any) -> Row:
    pair = {"a_sha256": digest("a"), "a_length": 1, "b_sha256": digest("b"), "b_length": 2}
    return msgspec.convert(
        {"item": item, "setting": "j", "file": "f", **pair, **further_fields}, Row
    )


def column_values(column: Column) -> list[Any]:
    """Return a column's values, None where there is none."""
    return [column.names[code] if code >= 0 else None for code in column.codes.tolist()]


FIRST = [row("1", verdict="a", gold="a"), row("2", a_score=0.5), row("1", verdict="b")]
SECOND = [row("3", verdict="b", gold="b", repeat=2), row("1", verdict="tie")]


@pytest.fixture
def both() -> Verdicts:
    return joined([columns_of(FIRST), columns_of(SECOND)])


def test_a_column_holds_each_value_once_in_the_order_of_the_lines() -> None:
    verdicts = columns_of(FIRST)

    assert len(verdicts) == 3
    assert verdicts.lines.tolist() == [2, 3, 4]  # the first line is the header's
    assert (verdicts.item.names, verdicts.item.codes.tolist()) == (["1", "2"], [0, 1, 0])
    assert (verdicts.verdict.names, verdicts.verdict.codes.tolist()) == (["a", "b"], [0, -1, 1])


def test_what_is_absent_is_no_number_and_has_no_place_in_a_list_of_words() -> None:
    verdicts = columns_of(FIRST)

    assert verdicts.a_score.as_numbers().tolist() == pytest.approx([nan, 0.5, nan], nan_ok=True)
    assert verdicts.verdict.as_places("ab").tolist() == [0, -1, 1]
    assert verdicts.verdict.as_places("b").tolist() == [-1, -1, 0]  # a is no such word


def test_two_files_joined_say_what_each_said(both: Verdicts) -> None:
    assert len(both) == 5
    assert both.lines.tolist() == [2, 3, 4, 2, 3]
    assert column_values(both.item) == ["1", "2", "1", "3", "1"]
    assert column_values(both.verdict) == ["a", None, "b", "b", "tie"]
    assert both.verdict.names == ["a", "b", "tie"]
    assert both.item.names == ["1", "2", "3"]


def test_what_a_file_does_not_state_is_absent_when_it_is_joined(both: Verdicts) -> None:
    assert both.gold.codes.tolist() == [0, -1, -1, 1, -1]
    assert both.a_score.codes.tolist() == [-1, 0, -1, -1, -1]
    assert both.repeat.codes.tolist() == [-1, -1, -1, 0, -1]
    assert both.date.codes.tolist() == [-1] * 5
    assert both.repeat.as_numbers().tolist()[3] == 2


def test_more_verdicts_than_a_batch_holds_keep_their_lines() -> None:
    verdicts = columns_of([*FIRST * 7000, row("4", verdict="tie")])

    assert verdicts.lines.tolist() == [*range(2, 21_003)]
    assert column_values(verdicts.item)[-4:] == ["1", "2", "1", "4"]


def test_verdicts_are_chosen_by_their_settings() -> None:
    verdicts = columns_of([row("1"), row("2", setting="k"), row("3", setting="l"), row("4")])

    assert verdicts.are_of(["k", "l", "nobody"]).tolist() == [False, True, True, False]
    assert column_values(verdicts[verdicts.are_of({"j"})].item) == ["1", "4"]
