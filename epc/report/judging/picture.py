"""The picture of an evaluation: what became of the samples, by judge and by variant.

One Vega-Lite specification. Bars are all samples of a group; their parts add up to them, invalid
evaluations included. The colours are of the Okabe-Ito set.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from epc.analysis.judging.results import Evaluation, Group, Report
from epc.protocol.results import Json
from epc.report.judging.text import report_title
from epc.report.picture import SCHEMA, render

_NAME: Final = "report"
_COLOURS: Final = {
    "PASS": "#009E73",
    "PARTIAL": "#E69F00",
    "FAIL": "#D55E00",
    "invalid": "#BBBBBB",
}
_AXES: Final = {"judge_model": "judge", "prompt_variant": "prompt variant"}
_MOST_BARS: Final = 40


def draw(report: Report, folder: Path) -> list[Path]:
    """Write the picture of a report's last evaluation into a folder and return the files.

    Raises: WorldError if the disk fails.
    """
    return render(specification(report.evaluations[-1]), folder, _NAME)


def specification(one: Evaluation) -> Json:
    """Return the Vega-Lite specification of an evaluation's picture."""
    sections = (
        (one.primary, "cross-judging"),
        (one.self_judging, "self-judging (diagnostic)"),
    )
    panels = [
        _panel(section.groups(axis), f"{title}, by {words}")
        for section, title in sections
        for axis, words in _AXES.items()
        if section.all.samples
    ]
    return {
        "$schema": SCHEMA,
        "description": alternative_text(one),
        "title": {
            "text": report_title(one),
            "subtitle": "share of all samples; invalid evaluations say nothing about the outputs",
            "anchor": "start",
            "subtitleColor": "#444444",
        },
        "background": "white",
        "vconcat": panels,
        "config": {"view": {"stroke": "#BBBBBB"}, "font": "sans-serif"},
    }


def alternative_text(one: Evaluation) -> str:
    """Return in words what the picture shows."""
    found = one.primary.all
    counts = ", ".join(f"{share.count} {name}" for name, share in found.verdicts.items())
    return f"Of {found.samples} cross-judged samples {counts}, {found.invalid.count} invalid."


def _panel(groups: Sequence[Group], title: str) -> Json:
    rows = [
        {"group": group.value, "outcome": name, "order": index, "count": _count(group, name)}
        for group in groups[:_MOST_BARS]
        for index, name in enumerate(_COLOURS)
    ]
    return {
        "title": {"text": title, "anchor": "start", "fontSize": 12},
        "width": 420,
        "height": {"step": 20},
        "data": {"values": rows},
        "mark": {"type": "bar"},
        "encoding": {
            "y": {"field": "group", "type": "nominal", "axis": {"title": None, "labelLimit": 260}},
            "x": {
                "field": "count",
                "type": "quantitative",
                "stack": "normalize",
                "axis": {"title": None, "format": "%"},
            },
            "order": {"field": "order", "type": "quantitative"},
            "color": {
                "field": "outcome",
                "type": "nominal",
                "scale": {"domain": list(_COLOURS), "range": list(_COLOURS.values())},
                "legend": {"title": None},
            },
        },
    }


def _count(group: Group, name: str) -> int:
    return (group.invalid if name == "invalid" else group.verdicts[name]).count
