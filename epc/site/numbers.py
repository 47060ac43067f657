"""Numbers on a page: rounded for the eye, with the very digits of the API beside them.

`<data value="...">` holds the number as JSON writes it, which is what the API, the CSV and the
command line's JSON hold; its text is what the command line's table prints.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from math import isfinite
from typing import Any, Final

from markupsafe import Markup

from epc.analysis.quotable import QuotableFigure
from epc.printable import inert
from epc.records import csv_tables
from epc.statistics.figures import Figure, number_text

_JSON: Final = json.JSONEncoder(allow_nan=False)
_END: Final = "\r\n"  # of a line of CSV
_NONE: Final = Markup('<span class="epc-none">none</span>')


def digits(value: float) -> str:
    """Return a number as JSON writes it."""
    if type(value) is int or (type(value) is float and isfinite(value)):
        return repr(value)  # as the encoder does; it takes four times as long
    return _JSON.encode(value)


def csv_line(values: Iterable[Any]) -> str:
    """Return a row of CSV (RFC 4180), without its end: numbers as JSON has them, no formulas."""
    cells = [digits(v) if isinstance(v, int | float) else inert(v) for v in values]
    # A line's end within a value is quoted.
    return csv_tables.csv_text([cells], _END).removesuffix(_END)


def number(value: float | None) -> Markup:
    """Return a number to three places."""
    return _data(value, lambda figure: f"{figure:.3f}")


def signed(value: float | None) -> Markup:
    """Return a difference to three places, with its sign."""
    return _data(value, lambda figure: number_text(figure, "+.3f"))


def share(value: float | None) -> Markup:
    """Return a share as a percentage."""
    return _data(value, lambda figure: f"{100 * figure:.1f}%")


def hundred(figure: Figure | QuotableFigure) -> Markup:
    """Return a share as so many of 100, with its interval in whole ones."""
    among = Markup()
    if figure.ci95 and figure.ci95[1] is not None:
        low, high = 100 * figure.ci95[0], 100 * figure.ci95[1]
        among = Markup(' <span class="epc-interval">[{}, {}]</span>').format(
            f"{low:.0f}", f"{high:.0f}"
        )
    return _data(figure.value, lambda value: f"{100 * value:.1f}") + among


def points(value: float | None) -> Markup:
    """Return a difference of win rates in points, with its sign."""
    return _data(value, lambda figure: number_text(figure, "+.1p"))


def integer(value: float | None) -> Markup:
    """Return a count."""
    return _data(value, lambda figure: f"{figure:,}")


def interval(
    bounds: Sequence[float] | None, bound_text: Callable[[float], Markup] = number
) -> Markup:
    """Return an interval; in words where the numbers allow none."""
    if not bounds:
        return Markup('<span class="epc-none">no interval</span>')
    low, high = bounds
    return Markup(f"[{bound_text(low)}, {bound_text(high)}]")  # noqa: S704  (both are markup)


def _data(value: Any, text: Callable[[Any], str]) -> Markup:
    if value is None:
        return _NONE
    # Digits and what formats them have nothing to escape, and a site has a million of them.
    return Markup(f'<data value="{digits(value)}">{text(value)}</data>')  # noqa: S704  (as above)
