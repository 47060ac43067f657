"""Sums that are rounded once, whatever the machine (ADR 3)."""

from collections.abc import Iterable
from math import fsum


def sum_of_squares(values: Iterable[float]) -> float:
    """Return the sum of the values' squares, correctly rounded in its sum.

    A square is a product: `x**2` is the C library's `pow`, which rounds one in 1,200 another way.
    """
    return fsum(x * x for x in values)
