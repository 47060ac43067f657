"""Numbers keep their digits on a page."""

import csv
import io
import json
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epc.site import numbers


class Data(HTMLParser):
    """The values of `data` elements, and the text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.values: list[str | None] = []
        self.words = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "data":
            self.values.append(dict(attrs)["value"])

    def handle_data(self, data: str) -> None:
        self.words += data


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_an_element_holds_the_very_digits_of_json(value: float) -> None:
    for one in (numbers.number, numbers.signed, numbers.share):
        (held_value,) = Data(one(value)).values
        assert held_value == json.dumps(value)


def test_three_places_for_the_eye() -> None:
    assert Data(numbers.number(1.138669519626382)).words == "1.139"
    assert Data(numbers.signed(0.0712)).words == "+0.071"
    assert Data(numbers.share(0.4943)).words == "49.4%"
    assert Data(numbers.integer(7200)).words == "7,200"


def test_what_is_not_there_is_said_in_words() -> None:
    assert Data(numbers.number(None)).words == "none"
    assert Data(numbers.interval(None)).words == "no interval"
    assert Data(numbers.interval([0.5, 1.25])).words == "[0.500, 1.250]"


@pytest.mark.parametrize("begins", ["=", "+", "-", "@", "\t", "\r"])
def test_a_table_holds_no_formula_and_numbers_stay_numbers(begins: str) -> None:
    line = numbers.csv_line([f"{begins}HYPERLINK(1)", -0.5, 3, None])

    (read,) = csv.reader(io.StringIO(line, newline=""))
    assert read == [f"'{begins}HYPERLINK(1)", "-0.5", "3", ""]
