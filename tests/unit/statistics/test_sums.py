"""ADR 3: a sum of squares is rounded once, and a square is a product."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from epc.statistics.intervals import sum_of_squares


@given(st.lists(st.floats(2**-20, 2), max_size=12))
def test_adr_3_squares_are_rounded_as_products_are_and_their_sum_once(values: list[float]) -> None:
    squares = [float(Fraction(value) * Fraction(value)) for value in values]

    assert sum_of_squares(values) == float(sum(map(Fraction, squares), Fraction(0)))
