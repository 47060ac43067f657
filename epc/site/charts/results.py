"""The picture that matters of each kind of snapshot: what its result box says, with its noise."""

from collections.abc import Iterator
from math import sqrt
from typing import Final

from markupsafe import Markup

from epc.printable import begun
from epc.protocol.results import Json
from epc.registry.figures import Figure, rank
from epc.registry.kinds.table import KINDS
from epc.report.figure_names import in_words
from epc.simulation.training import Band
from epc.site.charts.forest import TALL, Forest, Mark, Panel, line, place, svg
from epc.site.escaping import as_markup
from epc.site.pages import Direction, Row, bands_of
from epc.spec.coupling import MARGIN
from epc.spec.domains import Pair
from epc.spec.judge_v1 import VERDICTS
from epc.spec.reference import STRATEGIES
from epc.statistics.figures import number_text
from epc.statistics.intervals import Interval

_LARGEST: Final = sqrt(len(STRATEGIES))  # gamma: all rows of a table share the scale
_MOST: Final = 10  # settings in a picture; all stand in the tables
_CROSSING: Final = (
    "Dot: the estimate, with its 95% interval over tasks. Grey: chance alone. "
    "Dashed: no regret, and 2 points, the word's margin."
)
_NOISE: Final = (
    "Dot: the mean over seeds, with its 95% interval where one is known. Grey: where single seeds "
    "lie without any coupling."
)
_SHARES: Final = "Dot: the share, with its 95% interval."
_STATED: Final = "Dot: the figure as it was {}, with the 95% interval that its numbers allow."


def result_chart(row: Row, coin: Band | None) -> Forest | None:
    """Return the picture of a snapshot; None where nothing of it can be drawn.

    `coin` is gamma's spread where a coin flip judges, None if nobody knows it for this setting.
    """
    if row.about == "judgments":
        return None if row.failed else _judged(row.snapshot.figures)
    if KINDS[row.snapshot.kind].verdict_file:
        return _recorded(row)
    crossing = [direction for direction in row.directions if direction.into]
    if crossing:
        return _crossing(crossing)
    if row.directions and not row.failed:
        return _gammas(row.directions, coin)
    return None


def stated_chart(figures: tuple[Figure, ...], origin_phrase: str) -> Forest | None:
    """Return the picture of shares and indices without gamma; `origin_phrase` is how they arose."""
    if not figures:
        return None
    gains = figures[0].name.startswith("loop/")
    panels: dict[str, list[Mark]] = {}
    for figure in figures:
        label, _, start = in_words(figure.name).partition(": ")
        if not gains:
            label, start = in_words(figure.name), ""
        mark = Mark(label=label, value=figure.mean, interval=figure.interval)
        panels.setdefault(start and f"From a {start} start", []).append(mark)
    return Forest(
        title=f"What was {origin_phrase}",
        note=_STATED.format(origin_phrase),
        panels=[
            Panel(
                title=title, marks=marks, text=lambda value: number_text(value, "+.3f"), lines=(0,)
            )
            if gains
            else Panel(title=title, marks=marks, text=_number, reach=(0, 1))
            for title, marks in panels.items()
        ],
    )


def _crossing(directions: list[Direction]) -> Forest:
    return Forest(
        title="What training in one domain first does in the other",
        note=_CROSSING,
        panels=[
            Panel(
                title="Choices redirected, of 100",
                marks=list(_redirected(directions)),
                text=lambda value: f"{value:.0f}",
                reach=(0,),
            ),
            Panel(
                title="Transfer regret, in points of win rate",
                marks=list(_regrets(directions)),
                text=lambda value: number_text(value, "+.1f"),
                lines=(0, 100 * MARGIN),
            ),
        ],
    )


def _redirected(directions: list[Direction]) -> Iterator[Mark]:
    for direction in directions:
        if into := direction.into:
            yield Mark(
                label=_first(direction),
                value=100 * into.redirected,
                interval=_hundred(into.redirected_ci95),
                noise=(0, 100 * into.chance),
            )


def _regrets(directions: list[Direction]) -> Iterator[Mark]:
    for direction in directions:
        if into := direction.into:
            yield Mark(
                label=_first(direction),
                value=100 * into.regret,
                interval=_hundred(into.regret_ci95),
            )


def _first(direction: Direction) -> str:
    pair = Pair.parse(direction.name)
    return f"{pair.source} first, then {pair.target}"


def _hundred(interval: Interval | None) -> Interval | None:
    return (100 * interval[0], 100 * interval[1]) if interval else None


def _gammas(directions: tuple[Direction, ...], coin: Band | None) -> Forest:
    marks = [
        gamma_mark(f"{direction.title}: {direction.gamma.reading}", direction, coin)
        for direction in directions
    ]
    panel = Panel(title="", marks=marks, text=_number, reach=(0,))
    return Forest(title="Gamma, beside what it is without coupling", note=_NOISE, panels=[panel])


def gamma_mark(label: str, direction: Direction, coin: Band | None = None) -> Mark:
    """Return gamma of a direction beside its noise floor, or else beside a coin's spread."""
    band = direction.noise or coin
    return Mark(
        label=label,
        value=direction.gamma.mean,
        interval=direction.gamma.interval,
        noise=(band.low, band.high) if band else None,
    )


def _judged(figures: Json) -> Forest:
    shares = [(name, figures["verdict"][name]) for name in VERDICTS]
    parts = [(f"{name}, of valid evaluations", share) for name, share in shares]
    marks = [
        Mark(label=label, value=100 * share["mean"], interval=_hundred(share["ci95"]))
        for label, share in [*parts, ("invalid, of all samples", figures["invalid"])]
        if share["mean"] is not None
    ]
    panel = Panel(
        title="Share, in percent", marks=marks, text=lambda value: f"{value:.1f}%", reach=(0, 100)
    )
    return Forest(title="What the judge said", note=_SHARES, panels=[panel])


def _recorded(row: Row) -> Forest | None:
    groups = sorted(row.snapshot.figures["groups"], key=lambda group: -int(group["verdicts"]))
    name = min((name for group in groups for name in group["figures"]), key=rank, default=None)
    if name is None:
        return None
    figures = [(group["settings"][0], group["figures"].get(name)) for group in groups]
    marks = [
        Mark(label=setting, value=figure["value"], interval=figure["ci95"])
        for setting, figure in figures
        if figure
    ]
    limit_note = f" The {_MOST} settings with the most verdicts." if len(marks) > _MOST else ""
    figure_name = in_words(name)
    ranked = sorted(marks[:_MOST], key=lambda mark: -mark.value)
    reach = () if len(marks) > 1 else (0, 1)
    panel = Panel(title="", marks=ranked, text=_number, reach=reach)
    title = f"{begun(figure_name)}, by setting"
    return Forest(
        title=title, note=f"Dot: the figure, with its 95% interval.{limit_note}", panels=[panel]
    )


def _number(value: float) -> str:
    return f"{value:.3f}"


def spark(row: Row) -> Markup:
    """Return a picture of a row's one figure, for its line of a table; its numbers are its name."""
    direction = row.leading
    if direction is None:
        return Markup()
    # The run's own noise floor, else a coin flip's.
    band = direction.noise or (bands_of(row.snapshot, None) or {}).get("gamma")
    gamma = direction.gamma
    alternative = f"{direction.title}: gamma {gamma}, {gamma.reading}"
    if band:
        noise = "noise floor" if direction.noise else "a coin flip"
        alternative += f"; {noise} {band.mean:.2f}, from {band.low:.2f} to {band.high:.2f}"
    mark = Mark(
        label="",
        value=gamma.mean,
        interval=gamma.interval,
        noise=(band.low, band.high) if band else None,
    )

    def x_of(value: float) -> str:
        return place(min(max(value / _LARGEST, 0), 1))

    return svg("epc-line epc-spark", TALL, *line(mark, x_of), alternative=as_markup(alternative))
