"""The picture that matters on a page: figures with their intervals on one scale, as wide as it is.

Letters keep their size whatever the width, because places are shares of the width: what is read at
a desk can be read on a phone. It is drawn here, without a renderer.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Final

from markupsafe import Markup

from epc.site.escaping import as_markup
from epc.statistics.intervals import Interval

_MOST_TICKS: Final = 5
_STEPS: Final = (1, 2, 5, 10)
_EDGE: Final = 2  # percent of the width, left free on both sides for a dot
TALL: Final = 24  # pixels of a line


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Figure in a picture: its value, its interval, and the noise that it must be told from.

    `once` is what it was with one asking, where it is of several.
    """

    label: str
    value: float
    interval: Interval | None
    noise: Interval | None = None
    once: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """Figures of one unit. `lines` are values that matter, `reach` what the scale covers at least.

    `text` writes a value.
    """

    title: str
    marks: Sequence[Mark]
    text: Callable[[float], str]
    lines: Sequence[float] = ()
    reach: Sequence[float] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Forest:
    """A picture of one panel or several, with how to read it."""

    title: str
    note: str
    panels: Sequence[Panel]


_FIGURE: Final = Markup(
    '<figure class="epc-forest" id="picture-result" data-search-exclude>{title}'
    '<div role="img" aria-label="{words}">{panels}</div>{note}</figure>'
)
_TITLE: Final = Markup("<figcaption>{}</figcaption>")
_NOTE: Final = Markup('<p class="epc-reading">{}</p>')
_PANEL: Final = Markup('<p class="epc-panel">{}</p>')
_ROW: Final = Markup('<div class="epc-row"><span>{}</span>{}<b>{}</b></div>')
_BASE: Final = f'<line class="epc-base" x1="0" x2="100%" y1="{TALL // 2}" y2="{TALL // 2}"></line>'
_SVG: Final = Markup('<svg class="{}" width="100%" height="{}" {}>{}</svg>')
_HIDDEN: Final = Markup('aria-hidden="true"')
_NAMED: Final = Markup('role="img" aria-label="{}"')


def drawn(forest: Forest | None) -> Markup:
    """Return a picture as markup; nothing where there is none."""
    if forest is None:
        return Markup()
    alternative = "; ".join(
        f"{panel.title or forest.title}: "
        f"{', '.join(f'{m.label} {_figure_text(m, panel)}' for m in panel.marks)}"
        for panel in forest.panels
    )
    note = " ".join(filter(None, (forest.note, _begins(forest))))
    return _FIGURE.format(
        title=_TITLE.format(as_markup(forest.title)) if forest.title else "",
        words=as_markup(alternative),
        panels=Markup().join(map(_panel, forest.panels)),
        note=_NOTE.format(as_markup(note)) if note else "",
    )


def _begins(forest: Forest) -> str:
    """Return where a scale begins that does not begin at zero."""
    starts = dict.fromkeys(ticks[0] for ticks in map(_ticks, forest.panels) if ticks[0] > 0)
    begins = " and ".join(f"{start:g}" for start in starts)
    the = "Scales begin" if len(starts) > 1 else "The scale begins"
    return f"{the} at {begins}." if starts else ""


def _figure_text(mark: Mark, panel: Panel) -> str:
    if mark.interval is None:
        return f"{panel.text(mark.value)} (no interval)"
    low, high = map(panel.text, mark.interval)
    return f"{panel.text(mark.value)} [{low}, {high}]"


def _ticks(panel: Panel) -> list[float]:
    values = [*panel.lines, *panel.reach, *(value for m in panel.marks for value in _values(m))]
    return ticks_of(min(values), max(values))


def _panel(panel: Panel) -> Markup:
    ticks = _ticks(panel)
    start, end = ticks[0], ticks[-1]

    def x_of(value: float) -> str:
        return place((value - start) / (end - start))

    across = [*(("epc-tick", tick) for tick in ticks), *(("epc-at", x) for x in panel.lines)]
    behind = _BASE + "".join(
        f'<line class="{name}" x1="{x_of(x)}" x2="{x_of(x)}" y1="0" y2="{TALL}"></line>'
        for name, x in across
    )
    rows = Markup().join(
        _ROW.format(
            as_markup(mark.label),
            svg("epc-line", TALL, behind, *line(mark, x_of)),
            _figure(mark, panel),
        )
        for mark in panel.marks
    )
    scale = "".join(f'<text x="{x_of(tick)}" y="16">{tick:g}</text>' for tick in ticks)
    axis = _ROW.format("", svg("epc-axis", 20, scale), "")
    title = _PANEL.format(as_markup(panel.title)) if panel.title else Markup()
    return title + rows + axis


def bar(value: float, interval: Interval, reach: Interval) -> Markup:
    """Return one figure on a line from one end of its scale, for a row of a table."""
    start, end = reach

    def x_of(value: float) -> str:
        return place((value - start) / (end - start))

    mark = Mark(label="", value=value, interval=interval)
    base = f'<line class="epc-reach" x1="{x_of(start)}" x2="{x_of(value)}" y1="12" y2="12"></line>'
    return svg("epc-line", TALL, base, *line(mark, x_of))


def scale(reach: Interval) -> Markup:
    """Return the scale above such lines, in hundredths."""
    start, end = reach
    steps = [start + (end - start) * step / 3 for step in range(4)]
    texts = (
        f'<text x="{place(step / 3)}" y="12">{100 * value:.0f}</text>'
        for step, value in enumerate(steps)
    )
    return svg("epc-axis", 16, *texts)


def svg(name: str, height: int, *parts: str, alternative: str = "") -> Markup:
    """Return a picture as wide as the page; `alternative` says what it shows if nobody does."""
    label_attribute = _NAMED.format(alternative) if alternative else _HIDDEN
    return _SVG.format(name, height, label_attribute, Markup("".join(parts)))  # noqa: S704  (numbers in our own marks)


def place(share: float) -> str:
    """Return a share of a scale as a place across the picture."""
    return f"{_EDGE + (100 - 2 * _EDGE) * share:.1f}%"


def _figure(mark: Mark, panel: Panel) -> Markup:
    value, _, interval = _figure_text(mark, panel).partition(" ")
    return Markup('{} <span class="epc-interval">{}</span>').format(
        as_markup(value), as_markup(interval)
    )


def _values(mark: Mark) -> Iterator[float]:
    yield mark.value
    yield mark.value if mark.once is None else mark.once
    yield from mark.interval or ()
    yield from mark.noise or ()


def line(mark: Mark, x_of: Callable[[float], str]) -> Iterator[str]:
    """Yield a figure on its noise, with its interval; `x_of` says where a value lies across."""
    middle = TALL // 2
    if mark.noise:
        low, high = (float(x_of(value)[:-1]) for value in mark.noise)
        yield f'<rect x="{low:.1f}%" width="{high - low:.1f}%" y="1" height="{TALL - 2}"></rect>'
    if mark.interval:
        low_at, high_at = map(x_of, mark.interval)
        yield f'<line x1="{low_at}" x2="{high_at}" y1="{middle}" y2="{middle}"></line>'
    if mark.once is not None:
        yield f'<circle class="epc-once" cx="{x_of(mark.once)}" cy="{middle}" r="4.5"></circle>'
    yield f'<circle cx="{x_of(mark.value)}" cy="{middle}" r="5.5"></circle>'


def ticks_of(low: float, high: float) -> list[float]:
    """Return round numbers around a range, five at most."""
    if low == high:
        low, high = low - 1, high + 1
    rough = (high - low) / (_MOST_TICKS - 1)
    power = 10.0 ** floor(log10(rough))
    for step in (power * factor for factor in (*_STEPS, *(10 * factor for factor in _STEPS))):
        first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
        if last - first < _MOST_TICKS:
            break
    return [round(number * step, 12) for number in range(first, last + 1)]
