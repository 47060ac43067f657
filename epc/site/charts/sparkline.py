"""Gamma on its noise band, small enough for a line of a table; drawn here, without a renderer."""

from collections.abc import Iterator
from math import sqrt
from typing import Final

from markupsafe import Markup

from epc.report.charts.chart import BAND, FIRST, INK, MUTED
from epc.simulation.noise import Band
from epc.site.escaping import shown
from epc.site.pages import Direction, Row, bands_of
from epc.spec.reference import STRATEGIES

_WIDTH, _HEIGHT, _MARGIN = 132, 14, 4  # pixels
_MIDDLE: Final = _HEIGHT / 2
_MOST: Final = sqrt(len(STRATEGIES))  # the largest gamma there is; all rows share the scale


def spark(row: Row) -> Markup:
    """Return a picture of a row's one figure, with its interval; its numbers are its name."""
    direction = row.leading
    if direction is None:
        return Markup()
    # The run's own noise floor, else a coin flip's.
    band = direction.noise or (bands_of(row.snapshot, None) or {}).get("gamma")
    return Markup(
        '<svg class="epc-spark" role="img" aria-label="{}" width="{}" height="{}" '
        'viewBox="0 0 {} {}">{}</svg>'
    ).format(
        shown(_words(direction, band)),
        _WIDTH,
        _HEIGHT,
        _WIDTH,
        _HEIGHT,
        Markup().join(_line(direction, band)),
    )


def _line(direction: Direction, band: Band | None) -> Iterator[Markup]:
    if band:
        low, high = _x(band.low), _x(band.high)
        yield _mark("rect", x=low, y=_MIDDLE - 5, width=high - low, height=10, fill=BAND)
        at = _x(band.mean)
        yield _mark("line", x1=at, x2=at, y1=_MIDDLE - 5, y2=_MIDDLE + 5, stroke=MUTED)
    if direction.gamma.interval:
        low, high = map(_x, direction.gamma.interval)
        yield _mark("line", x1=low, x2=high, y1=_MIDDLE, y2=_MIDDLE, stroke=INK)
    at = _x(direction.gamma.mean)
    yield _mark("circle", cx=at, cy=_MIDDLE, r=3, fill=FIRST)


def _mark(name: str, **attributes: float | str) -> Markup:
    """Return one mark, lengths to a tenth of a pixel; it is all our own, with nothing to escape."""
    pairs = "".join(
        f' {key}="{value if isinstance(value, str) else f"{value:.1f}"}"'
        for key, value in attributes.items()
    )
    return Markup(f"<{name}{pairs}></{name}>")  # noqa: S704  (our own, as said above)


def _x(gamma: float) -> float:
    share = min(max(gamma / _MOST, 0), 1)
    return _MARGIN + share * (_WIDTH - 2 * _MARGIN)


def _words(direction: Direction, band: Band | None) -> str:
    text = f"{direction.title}: gamma {direction.gamma}, {direction.gamma.reading}"
    if not band:
        return text
    noise = "noise floor" if direction.noise else "a coin flip"
    return f"{text}; {noise} {band.mean:.2f}, from {band.low:.2f} to {band.high:.2f}"
