"""The report of a comparison as a page: the word, what was compared, the differences, the rest."""

from collections.abc import Iterator
from pathlib import PurePath

from epc.analysis.compare import Comparison
from epc.report import comparison_text
from epc.report.charts.differences import differences_chart
from epc.report.page.markup import (
    Markup,
    drawn,
    element,
    facts,
    folded,
    listed,
    page,
    sentence,
    table,
)
from epc.report.page.run import findings

_AGAIN = """\
epc compare A B               # the same in the terminal
epc compare A B --html FILE   # this page"""


def comparison_page(comparison: Comparison) -> str:
    """Return the report of a comparison as one HTML document."""
    word, _, explanation = comparison_text.heading(comparison).partition(", ")
    chart = differences_chart(comparison.metrics)
    models = dict.fromkeys(side["evaluator"] for side in (comparison.left, comparison.right))
    return page(
        f"Comparison: {word.lower()}",
        element(
            "header",
            element("p", "Comparison of two measurements"),
            element("h1", " and ".join(models)),
        ),
        element(
            "section",
            element("strong", word.lower()),
            element("p", sentence(explanation)),
            class_=f"word {comparison.verdict}",
        ),
        element("div", *_cards(comparison), class_="cards"),
        element(
            "section",
            element("h2", "Verdicts, pair by pair"),
            listed(comparison_text.verdicts(comparison)),
        ),
        element("div", *([drawn(chart)] if chart else []), class_="pictures"),
        *_details(comparison),
    )


def _cards(comparison: Comparison) -> Iterator[Markup]:
    for name, head in (("A", comparison.left), ("B", comparison.right)):
        yield element(
            "section",
            element("h2", name),
            facts(
                [
                    ("record", PurePath(head["path"]).name),
                    ("evaluator", head["evaluator"]),
                    ("measured", head["measurement_date"]),
                    ("seeds", f"{head['seeds']}"),
                ]
            ),
            class_="card",
        )


def _details(comparison: Comparison) -> Iterator[Markup]:
    count = len(comparison.findings)
    none = sentence(comparison_text.LIKE)
    yield folded(f"Like for like ({count} findings)", findings(comparison.findings, none=none))
    yield folded(
        "Figures",
        table(comparison_text.figures(comparison.metrics), name="Figures"),
        element("p", comparison_text.no_interval(comparison.metrics)),
        listed(comparison_text.by_the_paper(comparison)),
    )
    yield folded(
        "What would have been enough (power 90%)", facts(comparison_text.enough(comparison))
    )
    yield folded("Compute it again", element("pre", _AGAIN))
