"""The tables and pictures of the study: `rejections.csv`, `coverage.csv`, and three SVG files.

The same results give the same bytes. Colours are of the Okabe-Ito set, and every series has a
shape of its own besides.
"""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from epc.audit.candidate_tests import ADOPTED
from epc.audit.study import ALTERNATIVES, NULLS, REUSES, SEEDS, Coverage, Rejections
from epc.errors import WorldError
from epc.records import strict_json
from epc.spec.coupling import LEVEL

Json = dict[str, Any]

_VEGA_LITE: Final = "5.21"
_OUTER: Final = (0.93, 0.97)  # how far a nominal 95% interval may be off
_COLOURS: Final = ("#000000", "#E69F00", "#56B4E9", "#009E73", "#D55E00", "#CC79A7")
_SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
# The tests that are drawn; the others are in the table.
_DRAWN: Final = (
    ADOPTED,
    "table: likelihood ratio",
    "weights",
    "gamma: excess",
    "jsd: excess",
    "gamma: paired draws",
)
_FAMILIES: Final = {
    "domain-favourites": "a favourite in each domain",
    "one-domain": "a favourite in one domain",
    "scattered": "scattered preferences",
}


def write(
    rejections: Sequence[Rejections], covered: Sequence[Coverage], folder: Path
) -> list[Path]:
    """Write the study's tables and pictures into a folder and return the files.

    Raises: WorldError if the disk fails.
    """
    import vl_convert

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WorldError(f"cannot make {folder}: {error.strerror or error}") from error
    texts = {"rejections.csv": rejections_csv(rejections), "coverage.csv": coverage_csv(covered)}
    for name, specification in (
        ("power.svg", power_figure(rejections)),
        ("calibration.svg", calibration_figure(rejections)),
        ("coverage.svg", coverage_figure(covered)),
    ):
        svg = vl_convert.vegalite_to_svg(json.dumps(specification), vl_version=_VEGA_LITE)
        texts[name] = _described(svg, specification["description"])
    for name, text in texts.items():
        strict_json.write_text(folder / name, [text])
    return [folder / name for name in texts]


def _described(svg: str, description: str) -> str:
    """Return a picture that says its finding to those who cannot see it."""
    from xml.sax.saxutils import escape

    head, _, rest = svg.partition(">")
    return f'{head} role="img"><title>{escape(description)}</title>{rest}'


def rejections_csv(rows: Iterable[Rejections]) -> str:
    """Return the table of error rates and power."""
    return _csv(
        (
            "evaluator",
            "coupled",
            "seeds",
            "reuse",
            "test",
            "runs",
            "rejected",
            "rate",
            "low",
            "high",
        ),
        (
            (
                row.evaluator,
                "no" if row.evaluator in NULLS else "yes",
                row.seeds,
                row.reuse,
                row.test,
                row.runs,
                row.rejected,
                *(f"{share:.4f}" for share in (row.rate, *row.interval)),
            )
            for row in rows
        ),
    )


def coverage_csv(rows: Iterable[Coverage]) -> str:
    """Return the table of coverage."""
    return _csv(
        ("evaluator", "seeds", "interval", "runs", "covered", "rate", "truth", "mean_width"),
        (
            (
                row.evaluator,
                row.seeds,
                row.interval,
                row.runs,
                row.covered,
                *(f"{value:.4f}" for value in (row.rate, row.truth, row.width)),
            )
            for row in rows
        ),
    )


def _csv(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return text.getvalue()


def power_figure(rows: Sequence[Rejections]) -> Json:
    """Return the specification of the power curves."""
    values = [
        {
            "family": _FAMILIES[ALTERNATIVES[row.evaluator][0]],
            "strength": ALTERNATIVES[row.evaluator][1],
            "run": _run(row),
            "test": row.test,
            "rate": row.rate,
        }
        for row in rows
        if row.evaluator in ALTERNATIVES and row.test in _DRAWN
    ]
    return _figure(
        title="How often a test finds that domains differ",
        subtitle="dashed: 5%; a line is power only where its false alarms (other picture) are 5%",
        description=_power_text(rows),
        values=values,
        layer=[
            {"mark": {"type": "line", "strokeWidth": 2}, "encoding": _by_strength()},
            {"mark": {"type": "point", "filled": True, "size": 45}, "encoding": _by_strength()},
            {
                "mark": {"type": "rule", "strokeDash": [5, 4], "color": "#777777"},
                "encoding": {"y": {"datum": LEVEL}},
            },
        ],
        facet={"row": ("run", _runs()), "column": ("family", list(_FAMILIES.values()))},
        size=(190, 120),
    )


def _by_strength() -> Json:
    return {
        "x": {"field": "strength", "type": "quantitative", "title": "strength of the preference"},
        "y": {
            "field": "rate",
            "type": "quantitative",
            "title": "share of runs",
            "scale": {"domain": [0, 1]},
        },
        **_told_apart("test", _DRAWN),
    }


def calibration_figure(rows: Sequence[Rejections]) -> Json:
    """Return the specification of the false alarms where domains do not differ."""
    values = [
        {"evaluator": row.evaluator, "run": _run(row), "test": row.test, "rate": row.rate}
        for row in rows
        if row.evaluator in NULLS and row.test in _DRAWN
    ]
    return _figure(
        title="How often a test finds a difference that is not there",
        subtitle="dashed: the 5% that are allowed",
        description=_calibration_text(rows),
        values=values,
        layer=[
            {
                "mark": {"type": "point", "filled": True, "size": 50},
                "encoding": {
                    "x": {"field": "rate", "type": "quantitative", "title": "share of runs"},
                    "y": {
                        "field": "evaluator",
                        "type": "nominal",
                        "title": None,
                        "sort": list(NULLS),
                        "axis": {"labelLimit": 220},
                    },
                    **_told_apart("test", _DRAWN),
                },
            },
            {
                "mark": {"type": "rule", "strokeDash": [5, 4], "color": "#777777"},
                "encoding": {"x": {"datum": LEVEL}},
            },
        ],
        facet={"column": ("run", _runs())},
        size=(150, 170),
    )


def coverage_figure(rows: Sequence[Coverage]) -> Json:
    """Return the specification of the coverage of nominal 95% intervals."""
    names = list(dict.fromkeys(row.interval for row in rows))
    evaluators = list(dict.fromkeys(row.evaluator for row in rows))
    values = [
        {
            "evaluator": row.evaluator,
            "run": f"{row.seeds} seeds",
            "interval": row.interval,
            "rate": row.rate,
        }
        for row in rows
    ]
    return _figure(
        title="How often a 95% interval covers the truth",
        subtitle="grey: 93 to 97%",
        description=_coverage_text(rows),
        values=values,
        layer=[
            {
                "mark": {"type": "rect", "color": "#E5E5E5"},
                "encoding": {"x": {"datum": _OUTER[0]}, "x2": {"datum": _OUTER[1]}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 60},
                "encoding": {
                    "x": {
                        "field": "rate",
                        "type": "quantitative",
                        "title": "share of runs",
                        "scale": {"zero": False},
                    },
                    "y": {
                        "field": "evaluator",
                        "type": "nominal",
                        "title": None,
                        "sort": evaluators,
                        "axis": {"labelLimit": 240},
                    },
                    **_told_apart("interval", names),
                },
            },
        ],
        facet={"column": ("run", [f"{n} seeds" for n in SEEDS])},
        size=(230, 150),
    )


def _figure(
    *,
    title: str,
    subtitle: str,
    description: str,
    values: list[Json],
    layer: list[Json],
    facet: dict[str, tuple[str, list[str]]],
    size: tuple[int, int],
) -> Json:
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "description": description,
        "title": {
            "text": title,
            "subtitle": subtitle,
            "anchor": "start",
            "subtitleColor": "#444444",
        },
        "background": "white",
        "data": {"values": values},
        "facet": {
            side: {
                "field": field,
                "type": "nominal",
                "sort": order,
                "header": {"title": None},
            }
            for side, (field, order) in facet.items()
        },
        "spec": {"width": size[0], "height": size[1], "layer": layer},
        "config": {"view": {"stroke": "#BBBBBB"}, "font": "sans-serif"},
    }


def _told_apart(field: str, names: Sequence[str]) -> Json:
    """Return the channels that tell series apart: by colour and, for all readers, by shape."""
    domain = list(names)
    return {
        "color": {
            "field": field,
            "type": "nominal",
            "title": None,
            "scale": {"domain": domain, "range": list(_COLOURS[: len(domain)])},
        },
        "shape": {
            "field": field,
            "type": "nominal",
            "title": None,
            "scale": {"domain": domain, "range": list(_SHAPES[: len(domain)])},
        },
    }


def _run(row: Rejections) -> str:
    return f"{row.reuse}, {row.seeds} seeds"


def _runs() -> list[str]:
    return [f"{reuse}, {seeds} seeds" for reuse in REUSES for seeds in SEEDS]


def _power_text(rows: Sequence[Rejections]) -> str:
    """Return the finding: how often each test saw a fair difference in fresh runs of 30 seeds."""
    evaluator = "domain-favourites:high=0.7,low=0.4"
    rates = {
        row.test: row.rate
        for row in rows
        if (row.evaluator, row.seeds, row.reuse) == (evaluator, SEEDS[-1], "fresh")
    }
    told = ", ".join(f"{test} {rates[test]:.0%}" for test in _DRAWN if test in rates)
    return f"Power at {SEEDS[-1]} fresh seeds against {evaluator}: {told}."


def _calibration_text(rows: Sequence[Rejections]) -> str:
    rates = [row.rate for row in rows if row.evaluator in NULLS and row.test == ADOPTED]
    others = [row for row in rows if row.evaluator in NULLS and row.test != ADOPTED]
    worst = max(others, key=lambda row: row.rate)
    return (
        f"Where the domains do not differ the adopted test says so falsely in {min(rates):.1%} to "
        f"{max(rates):.1%} of runs; the worst of the others, {worst.test}, in {worst.rate:.0%}."
    )


def _coverage_text(rows: Sequence[Coverage]) -> str:
    spans = []
    for seeds in SEEDS:
        for name in dict.fromkeys(row.interval for row in rows):
            rates = [row.rate for row in rows if (row.seeds, row.interval) == (seeds, name)]
            spans.append(f"{name} {min(rates):.1%} to {max(rates):.1%} at {seeds} seeds")
    return f"Coverage of nominal 95% intervals: {'; '.join(spans)}."
