"""The study of learning rules: its tables, its picture of rates, and the whole of it as JSON."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from operator import attrgetter
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

from studies.learning_rules.rules import LEVELLED, NULLS, OTHERS, RATES, Cell, Loop, Said, Truth

from epc.errors import able_to
from epc.protocol.results import Json
from epc.records import strict_json
from epc.report.picture import SCHEMA, svg
from epc.statistics.intervals import share_interval

_FIGURES: Final = {"regret": "transfer regret", "pci": "PCI"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """Results of the study."""

    truths: Sequence[Truth]
    grid: Sequence[Cell]
    said: Sequence[Said]
    recorded: Sequence[Loop]


def as_json(study: Study) -> Json:
    """Return the study as plain JSON."""
    return {
        "judges": [asdict(truth) for truth in study.truths],
        "rates": [asdict(cell) for cell in study.grid],
        "differs": [
            {**asdict(row), "ci95": share_interval(row.any_differs, row.runs)} for row in study.said
        ],
        "recorded": [{**asdict(loop), "differs": loop.differs} for loop in study.recorded],
    }


def write(study: Study, folder: Path) -> list[Path]:
    """Write the study, its tables and its picture into a folder and return the files.

    Raises: WorldError if the disk fails.
    """
    figure = rates_figure(study.grid)
    head, _, rest = svg(figure).partition(">")
    title = escape(str(figure["description"]))  # for those who cannot see the picture
    texts = {
        "learning-rules.json": json.dumps(as_json(study), indent=1, sort_keys=True) + "\n",
        "learning-rates.svg": f'{head} role="img"><title>{title}</title>{rest}',
    }
    with able_to("make", folder):
        folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        strict_json.write_text(folder / name, [text])
    return [folder / name for name in texts]


def markdown(study: Study) -> str:
    """Return the study's tables."""
    parts = [_judges(study.truths), _differs(study.said), *_rates(study.grid)]
    if study.recorded:
        parts.insert(1, _recorded(study.recorded))
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _judges(truths: Sequence[Truth]) -> list[str]:
    return _table(
        ("judge", "rule", "regret", "gain", "regret / gain", "redirected"),
        (
            (
                truth.judge,
                truth.rule,
                _points(truth.regret),
                _points(truth.gain),
                f"{truth.regret / truth.gain:.2f}" if truth.judge not in NULLS else "-",
                f"{truth.redirected:.1%}",
            )
            for truth in truths
        ),
    )


def _recorded(rows: Sequence[Loop]) -> list[str]:
    return _table(
        ("recorded judge", "rule", "regret", "95% for the domain", "gain", "less the protocol's"),
        (
            (
                loop.judge,
                loop.rule,
                _points(loop.regret),
                _span(loop.ci95),
                _points(loop.gain),
                "-" if loop.apart is None else f"{_points(loop.apart)}, {_span(loop.apart_ci95)}",
            )
            for loop in rows
        ),
    )


def _differs(rows: Sequence[Said]) -> list[str]:
    return _table(
        ("judge", "tasks a domain", "judges", *(rule.name for rule in OTHERS), "any", "95%"),
        (
            (
                f"{row.judge} ({'level' if row.judge in NULLS else 'power'})",
                row.tasks,
                row.runs,
                *(f"{row.differ[rule.name] / row.runs:.0%}" for rule in OTHERS),
                f"{row.any_differs / row.runs:.0%}",
                _shares(row),
            )
            for row in sorted(rows, key=lambda row: (LEVELLED.index(row.judge), row.tasks))
        ),
    )


def _shares(row: Said) -> str:
    interval = share_interval(row.any_differs, row.runs)
    return "-" if interval is None else f"{interval[0]:.0%} to {interval[1]:.0%}"


def _rates(grid: Sequence[Cell]) -> Iterator[list[str]]:
    """Yield a table of a figure for each judge: wins' rates downwards, losses' across."""
    for judge in dict.fromkeys(cell.judge for cell in grid):
        for name, title in _FIGURES.items():
            if name == "regret" and judge in NULLS:
                continue  # 0 at any rates: nothing crosses
            figures = {
                (cell.alpha_win, cell.alpha_lose): getattr(cell, name)
                for cell in grid
                if cell.judge == judge
            }
            yield _table(
                (f"{title}, {judge}: win", *(f"lose {rate}" for rate in RATES)),
                ((win, *(f"{figures[win, lose]:.3f}" for lose in RATES)) for win in RATES),
            )


def rates_figure(grid: Sequence[Cell]) -> Json:
    """Return the specification of the picture: regret and PCI by both rates."""
    cells = [cell for cell in grid if cell.judge not in NULLS]
    values = [
        {
            "win": cell.alpha_win,
            "lose": cell.alpha_lose,
            "what": title,
            "value": getattr(cell, name),
        }
        for cell in cells
        for name, title in _FIGURES.items()
    ]
    regret = attrgetter("regret")
    low, high = min(cells, key=regret), max(cells, key=regret)
    axes = {
        "x": {"field": "lose", "type": "ordinal", "title": "alpha_lose"},
        "y": {"field": "win", "type": "ordinal", "title": "alpha_win", "sort": "descending"},
    }
    value = {"field": "value", "type": "quantitative"}
    colour = value | {"legend": None, "scale": {"range": ["#FFFFFF", "#56B4E9"]}}
    text = value | {"format": ".2f"}
    cell = {
        "width": 240,
        "height": 200,
        "layer": [
            {"mark": "rect", "encoding": axes | {"color": colour}},
            {"mark": {"type": "text", "color": "#000000"}, "encoding": axes | {"text": text}},
        ],
    }
    return {
        "$schema": SCHEMA,
        "description": (
            f"Transfer regret of {cells[0].judge} rises from {low.regret:.2f} at rates "
            f"{low.alpha_win} and {low.alpha_lose} to {high.regret:.2f} at {high.alpha_win} and "
            f"{high.alpha_lose}; PCI rises with it."
        ),
        "background": "white",
        "data": {"values": values},
        "facet": {"column": {"field": "what", "type": "nominal", "header": {"title": None}}},
        "spec": cell,
        "resolve": {"scale": {"color": "independent"}},
        "config": {"font": "sans-serif"},
    }


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(map(str, line)) + " |" for line in lines]


def _points(value: float) -> str:
    return f"{round(value, 3) + 0.0:.3f}"  # no minus before a zero


def _span(interval: tuple[float, float] | None) -> str:
    return "-" if interval is None else f"{_points(interval[0])} to {_points(interval[1])}"
