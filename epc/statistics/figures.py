"""A number with its 95% interval, and the one way in which it is written."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct, field

from epc.statistics.intervals import Interval

NO_INTERVAL: Final = "(no interval)"
ONE_SEED: Final = "(one seed)"
TOO_FEW: Final = "(too few items)"
TOO_FEW_DIFFER: Final = "(too few differ)"


class Figure(Struct, frozen=True, kw_only=True):
    """A number and its 95% interval; either is None where the observations bear none."""

    value: float | None
    ci95: Interval | None

    def __format__(self, form: str) -> str:
        return self.text(form)

    def text(self, form: str = ".3f", absent: str = "") -> str:
        """Return what `figure_text` makes of it."""
        return figure_text(self.value, self.ci95, form, absent)


class Mean(Figure, frozen=True, kw_only=True):
    """A figure whose number documents call `mean`."""

    value: float | None = field(name="mean")


class ClusteredFigure(Figure, frozen=True, kw_only=True):
    """A figure of recorded verdicts: `n` observations in so many clusters.

    `items` counts clusters, which are questions. `bounds` are the shares if all that is not known
    counted as wrong, and as right.
    """

    value: float
    n: int
    items: int
    bounds: Interval | None = None


class HeldOut(Struct, frozen=True, kw_only=True):
    """Rows that a judge decides from confidences that other rows chose, and those it gets wrong."""

    n: int
    wrong: int
    share_wrong: ClusteredFigure | None


class Alone(Struct, frozen=True, kw_only=True):
    """The confidence from which a judge may decide alone, with a share of wrong choices shown.

    Without a `threshold` no confidence is shown to keep it.
    """

    wanted: float
    threshold: float | None
    kept: ClusteredFigure | None = None
    held_out: HeldOut | None = None


def figure_text(
    value: float | None,
    interval: Sequence[float | None] | None,
    form: str = ".3f",
    absent: str = "",
) -> str:
    """Return a number with its interval in brackets: `0.412 [0.380, 0.445]`; `-` without one.

    `form` is a format: `.3f`, with a sign `+.3f`, a share in percent `.1%`, in points `+.1p`, or of
    a hundred `.0c`, as a table's title has it. `absent` stands for an interval that there is not.
    """
    if value is None and interval is None:
        return "-"
    number = "-" if value is None else number_text(value, form)
    points = " points" * form.endswith("p")
    return f"{number}{points} {interval_text(interval, form, absent)}".rstrip()


def interval_text(
    interval: Sequence[float | None] | None, form: str = ".3f", absent: str = ""
) -> str:
    """Return an interval's ends in brackets, or `absent`; an open upper end is `or more`."""
    if interval is None:
        return absent
    return f"[{', '.join('or more' if e is None else _number(e, form) for e in interval)}]"


def spread_text(middle: float, low: float, high: float) -> str:
    """Return a mean and where most of what it is a mean of lies: `1.138 (0.50 to 1.86)`."""
    return f"{middle:.3f} ({range_text((low, high), '.2f')})"


in_percent: Final = "{:.1%}".format
to_two_places: Final = "{:.2f}".format


def range_text(ends: Sequence[float] | None, form: str) -> str:
    """Return two ends of what is no interval of a figure, such as bounds: `12.0% to 15.0%`."""
    return " to ".join(_number(end, form) for end in ends or ())


def number_text(value: float, form: str) -> str:
    """Return a number in a format of `figure_text`; what rounds to zero has no minus.

    At an interval's end the minus tells on which side of zero it lies, so there it stays.
    """
    if form.endswith(("f", "%", "p", "c")):
        form = f"+z{form[1:]}" if form.startswith("+") else f"z{form}"
    return _number(value, form)


def _number(value: float, form: str) -> str:
    return f"{100 * value:{form[:-1]}f}" if form[-1:] in "pc" else format(value, form)
