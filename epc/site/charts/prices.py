"""Pictures of what each dollar and each further asking buys: how often judges are right."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import log
from typing import Final

from markupsafe import Markup

from epc.records.choices import ALL, Choices
from epc.site.charts.forest import ticks_of
from epc.site.escaping import as_markup
from epc.statistics.figures import Figure

_TALL: Final = 240  # pixels of the picture, without its scale
_LINE: Final = 18  # pixels of one line of the scale
_LEFT, _RIGHT = 6, 94  # percent of the width
_NARROW: Final = 20  # percent on the left, where no name fits before a dot
_DOLLARS: Final = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500)

_PICTURE: Final = Markup(
    '<svg class="epc-prices" width="100%" height="{}" role="img" aria-label="{}">{}</svg>'
)


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class _Dot:
    """A judge asked so often, or for so many dollars, and the share on which it is right."""

    amount: float
    right: float
    figure: Figure

    def __str__(self) -> str:
        return f"{self.figure:.1c}"


def price_chart(choices: Choices, domain: str) -> Markup:
    """Return the picture of the judges whose price is known; nothing where there are none."""
    lines: dict[str, list[_Dot]] = {}
    for number, way in enumerate(choices.ways):
        if len(way.models) == 1 and way.usd is not None:
            right = choices.domains[domain].right[number]
            dot = _Dot(amount=way.usd, right=right, figure=Figure(value=right, ci95=None))
            lines.setdefault(way.models[0], []).append(dot)
    alternative = "; ".join(
        f"{model}: {', '.join(f'{dot} for ${dot.amount:.2f}' for dot in sorted(dots))}"
        for model, dots in lines.items()
    )
    scale = {usd: [f"${usd:g}"] for usd in _DOLLARS}
    return _picture(f"Right of 100 by price. {alternative}", lines, scale)


def asking_chart(choices: Choices | None, judge: str) -> Markup:
    """Return what asking a judge more often changes; nothing where it was asked in one way only."""
    dots, scale = [], {}
    for number, way in enumerate(choices.ways if choices else ()):
        if choices and way.models == (judge,):
            figure = choices.figure(choices.domains[ALL], number)
            dots.append(
                _Dot(amount=way.askings, right=choices.domains[ALL].right[number], figure=figure)
            )
            scale[float(way.askings)] = [
                f"{way.askings}",
                *([f"${way.usd:.2f}"] if way.usd else []),
            ]
    if len(dots) == 1:
        return Markup()
    alternative = "; ".join(f"{' for '.join(scale[dot.amount])}: {dot}" for dot in sorted(dots))
    return _picture(f"Right of 100 by the number of askings. {alternative}", {"": dots}, scale)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Frame:
    """Scale of dots: `start` to `end` across, by their logarithm, and `ticks` upwards."""

    start: float
    end: float
    ticks: list[float]

    def x(self, amount: float) -> str:
        return f"{self._across(amount):.1f}%"

    def y(self, right: float) -> float:
        low, high = self.ticks[0], self.ticks[-1]
        return _TALL - 8 - (_TALL - 28) * (100 * right - low) / (high - low)

    def line(self, name: str, a: tuple[float, float], b: tuple[float, float]) -> str:
        return (
            f'<line class="{name}" x1="{self.x(a[0])}" x2="{self.x(b[0])}" '
            f'y1="{self.y(a[1]):.1f}" y2="{self.y(b[1]):.1f}"></line>'
        )

    def scale(self, below: Mapping[float, list[str]]) -> Iterator[str]:
        """Yield the lines behind all, and what is written beside and below them."""
        for tick in self.ticks:
            point = self.y(tick / 100)
            yield f'<line x1="{_LEFT}%" x2="100%" y1="{point:.1f}" y2="{point:.1f}"></line>'
            yield f'<text x="0" y="{point + 4:.1f}">{tick:g}</text>'
        for point, texts in below.items():
            for number, text in enumerate(texts if self.start <= point <= self.end else (), 1):
                place = f'x="{self.x(point)}" y="{_TALL + _LINE * number}"'
                yield f'<text {place} text-anchor="middle">{text}</text>'

    def dots(self, dots: list[_Dot]) -> Iterator[str]:
        """Yield one line of dots, each over its interval."""
        for dot in dots:
            if dot.figure.ci95:
                low, high = dot.figure.ci95
                yield self.line("epc-band", (dot.amount, low), (dot.amount, high))
        for start_dot, end_dot in pairwise(dots):
            yield self.line(
                "epc-reach", (start_dot.amount, start_dot.right), (end_dot.amount, end_dot.right)
            )
        for dot in dots:
            yield f'<circle cx="{self.x(dot.amount)}" cy="{self.y(dot.right):.1f}" r="5"></circle>'

    def name(self, name: str, dot: _Dot, *, highest: bool) -> str:
        """Return a name beside the first dot of its line, where it hides no other line."""
        below = self._across(dot.amount) < _NARROW or highest
        up, anchor = (20, "start") if below else (-10, "end")
        place = f'x="{self.x(dot.amount)}" y="{self.y(dot.right) + up:.1f}" text-anchor="{anchor}"'
        return f'<text class="epc-named" {place}>{as_markup(name)}</text>'

    def _across(self, amount: float) -> float:
        share = log(amount / self.start) / (log(self.end / self.start) or 1.0)
        return _LEFT + 2 + (_RIGHT - _LEFT - 2) * share


def _picture(
    alternative: str, lines: Mapping[str, list[_Dot]], below: Mapping[float, list[str]]
) -> Markup:
    """Return lines from dot to dot; `below` has what is written below each place, line by line."""
    all_dots = [dot for dots in lines.values() for dot in dots]
    if not all_dots:
        return Markup()
    places = [dot.amount for dot in all_dots]
    values = [100 * end for dot in all_dots for end in (dot.right, *(dot.figure.ci95 or ()))]
    frame = _Frame(start=min(places), end=max(places), ticks=ticks_of(min(values), max(values)))
    ordered = {name: sorted(dots) for name, dots in lines.items()}
    highest = max(ordered, key=lambda name: ordered[name][-1].right)
    marks = "".join(
        [
            *frame.scale(below),
            *(mark for dots in ordered.values() for mark in frame.dots(dots)),
            *(
                frame.name(name, dots[0], highest=name == highest)
                for name, dots in ordered.items()
                if name
            ),
        ]
    )
    tall = _TALL + _LINE * max(map(len, below.values())) + _LINE // 2
    return _PICTURE.format(tall, as_markup(alternative), Markup(marks))  # noqa: S704  (our own marks; names are shown)
