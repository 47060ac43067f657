"""When a quote stands in an output."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epc.judge.evidence import Output, fold


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text(), st.integers(0, 50), st.integers(0, 50))
def test_judge_4_4_whatever_is_copied_is_found(text: str, start: int, length: int) -> None:
    assert Output(text).holds(text[start : start + length])


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("a b", True),
        ("a\n\tb", True),
        ("a\u2003b", True),
        ("ab", False),
        ("A b", False),
        ("'c' - \"d\"", True),
        ("\u2018c\u2019 \u2014 \u00abd\u00bb", True),
        ("'c' -- \"d\"", False),
        ("`c`", False),
    ],
)
def test_reading_r22_folds_white_space_and_marks_and_nothing_else(
    *, quote: str, found: bool
) -> None:
    assert Output("x a \r\n b \u2019c\u2019 \u2013 \u201cd\u201d x").holds(quote) is found
