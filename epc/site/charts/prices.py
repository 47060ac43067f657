"""What each dollar buys: how often judges are right, by the price of 1,000 questions."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import log
from typing import Final

from markupsafe import Markup

from epc.analysis.choosing import Choices
from epc.site.charts.forest import ticks_of
from epc.site.escaping import shown

_TALL, _FOOT = 240, 30  # pixels: the picture, and its scale below
_LEFT, _RIGHT = 6, 97  # percent of the width
_NARROW: Final = 20  # percent on the left, where no name fits before a dot
_DOLLARS: Final = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500)
Dot = tuple[float, float]  # dollars, right of 100

_PICTURE: Final = Markup(
    '<svg class="epc-prices" width="100%" height="{}" role="img" aria-label="{}">{}</svg>'
)


def price_chart(choices: Choices, domain: str) -> Markup:
    """Return the picture of the judges whose price is known; nothing where there are none."""
    lines: dict[str, list[Dot]] = {}
    for number, way in enumerate(choices.ways):
        if len(way.models) == 1 and way.usd is not None:
            dot = (way.usd, 100 * choices.domains[domain].right[number])
            lines.setdefault(way.models[0], []).append(dot)
    if not lines:
        return Markup()
    words = "; ".join(
        f"{model}: {', '.join(f'{right:.1f} for ${usd:.2f}' for usd, right in sorted(dots))}"
        for model, dots in lines.items()
    )
    marks = "".join(_marks({model: sorted(dots) for model, dots in lines.items()}))
    return _PICTURE.format(_TALL + _FOOT, shown(f"Right of 100 by price. {words}"), Markup(marks))  # noqa: S704  (our own marks; names are shown)


def _marks(lines: dict[str, Sequence[Dot]]) -> Iterator[str]:
    every = [dot for dots in lines.values() for dot in dots]
    cheapest, dearest = min(usd for usd, _ in every), max(usd for usd, _ in every)
    ticks = ticks_of(min(right for _, right in every), max(right for _, right in every))

    def x(usd: float) -> float:
        spread = log(dearest / cheapest) or 1.0
        return _LEFT + 2 + (_RIGHT - _LEFT - 2) * log(usd / cheapest) / spread

    def y(right: float) -> float:
        return _TALL - 8 - (_TALL - 28) * (right - ticks[0]) / (ticks[-1] - ticks[0])

    highest = max(lines, key=lambda model: lines[model][-1][1])
    for tick in ticks:
        yield f'<line x1="{_LEFT}%" x2="100%" y1="{y(tick):.1f}" y2="{y(tick):.1f}"></line>'
        yield f'<text x="0" y="{y(tick) + 4:.1f}">{tick:g}</text>'
    for usd in _DOLLARS:
        if cheapest <= usd <= dearest:
            yield f'<text x="{x(usd):.1f}%" y="{_TALL + 20}" text-anchor="middle">${usd:g}</text>'
    for model, dots in lines.items():
        for (usd, right), (dearer, more) in pairwise(dots):
            yield (
                f'<line class="epc-reach" x1="{x(usd):.1f}%" x2="{x(dearer):.1f}%" '
                f'y1="{y(right):.1f}" y2="{y(more):.1f}"></line>'
            )
        for usd, right in dots:
            yield f'<circle cx="{x(usd):.1f}%" cy="{y(right):.1f}" r="5"></circle>'
        usd, right = dots[0]
        below = x(usd) < _NARROW or model == highest
        up, anchor = (20, "start") if below else (-10, "end")
        place = f'x="{x(usd):.1f}%" y="{y(right) + up:.1f}" text-anchor="{anchor}"'
        yield f'<text class="epc-named" {place}>{shown(model)}</text>'
