"""The report of an evaluation as a page: who can be trusted on what, what was judged, the rest.

Names, outputs, quotes and reasons are other people's; here they are text.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import PurePath
from typing import Final

from epc.analysis.judging.evaluation import Evaluation, Report
from epc.analysis.judging.results import Agreement, Cited, Disagreement, Opinion, Statement, Trusted
from epc.report.charts.judges import judging_charts
from epc.report.judging.text import ON_TRUST, SAID
from epc.report.page.judging_tables import against_people, changes, competence, details
from epc.report.page.markup import (
    Markup,
    drawn,
    element,
    facts,
    folded,
    joined,
    listed,
    page,
    sentence,
    table,
)
from epc.spec.judge_v1 import DIMENSIONS, HIGHEST_OVERALL, OVERALL
from epc.statistics.figures import in_percent, to_two_places

_SCORES: Final = (OVERALL, *DIMENSIONS)
_AGAIN = """\
epc judge check .                 # every record again from its raw reply
epc judge report .                # the same in the terminal
epc judge report . --html FILE    # this page"""


def judging_page(report: Report) -> str:
    """Return the report of an evaluation as one HTML document: the last one's, where several are.

    What changed from one to the next stands below it.
    """
    one = report.evaluations[-1]
    samples = sum(total.samples for total in one.totals.values())
    counted = f"{len(one.judges)} judge{'s' * (len(one.judges) != 1)}"
    title = f"{samples:,} evaluations by {counted}"
    overall = one.primary.all
    sentence = f"Of {overall.samples:,} evaluations of others' outputs "
    sentence += ", ".join(f"{share.count:,} {name}" for name, share in overall.verdicts.items())
    return page(
        title,
        element(
            "header",
            element("p", f"{report.protocol}, {PurePath(one.name).name}"),
            element("h1", title),
        ),
        element(
            "section",
            element(
                "strong", f"{overall.valid:,} of {overall.samples:,} cross-judgments are valid"
            ),
            element("p", f"{sentence}, {overall.invalid.count:,} invalid."),
            class_="word inconclusive",
        ),
        listed(one.remarks),
        element("section", element("h2", "Who can be trusted on what"), *_trust(one.trust)),
        element("div", *map(drawn, judging_charts(one)), class_="pictures"),
        *_agreement(one),
        *competence(one.competence),
        *(against_people(one.labels) if one.labels else ()),
        *_disagreements(one.disagreements),
        *details(one),
        *changes(report),
        folded("Compute it again", element("pre", _AGAIN)),
    )


def _trust(rows: Sequence[Statement]) -> Iterator[Markup]:
    """Yield a table of words, what by whom, and below it the sentence behind each of them."""
    words = {(row.about, row.judge): _word(row.trusted) for row in rows}
    judges = list(dict.fromkeys(row.judge for row in rows))
    abouts = sorted({row.about for row in rows}, key=_order(rows))
    cells = ((about, *(words.get((about, judge), "-") for judge in judges)) for about in abouts)
    yield table([("on", *judges), *cells], name="Who can be trusted on what")
    yield element("p", f"Each word follows from a 95% interval. {sentence(ON_TRUST)}")
    for judge, ones in groupby(rows, key=lambda row: row.judge):
        sentences = (
            joined((f"{row.about}: ", _word(row.trusted), f". {row.sentence}")) for row in ones
        )
        yield folded(judge, listed(sentences), open_=True)


def _word(trusted: Trusted) -> Markup:
    return element("span", SAID[trusted], class_=trusted)


def _order(rows: Sequence[Statement]) -> Callable[[str], int]:
    """Return the place of what is stated: that of the judge of whom most is stated."""
    longest = max((list(ones) for _, ones in groupby(rows, lambda r: r.judge)), key=len, default=[])
    places = {row.about: index for index, row in enumerate(longest)}
    return lambda about: places.get(about, len(places))


def _agreement(one: Evaluation) -> Iterator[Markup]:
    if not one.readable.pairs:
        return
    alphas = ((name, *(side.alpha_text(name) for side in _sides(one))) for name in _SCORES)
    yield element(
        "section",
        element("h2", "Agreement of judges"),
        element(
            "p",
            "Weighted kappa of the overall score, with its interval and the number of outputs that "
            "both judged; above the diagonal over valid evaluations, below it over all that can be "
            "read.",
        ),
        table(_matrix(one), name="Agreement of judges"),
        element("p", "Krippendorff's alpha over all judges:"),
        table([("score", "valid", "readable"), *alphas], name="Krippendorff's alpha"),
    )
    head = ("judges", "over", "outputs", "same verdict", "mean abs. error", *_SCORES)
    yield folded(
        "Agreement, pair by pair", table([head, *_pairs(one)], name="Agreement, pair by pair")
    )


def _sides(one: Evaluation) -> tuple[Agreement, Agreement]:
    return one.agreement, one.readable


def _matrix(one: Evaluation) -> Iterator[tuple[str, ...]]:
    judges = sorted({judge for pair in one.readable.pairs for judge in pair.judges})
    valid, readable = ({pair.judges: pair.compared for pair in s.pairs} for s in _sides(one))
    yield ("", *judges)
    for row, first in enumerate(judges):
        cells = [first]
        for column, second in enumerate(judges):
            low, high = sorted((first, second))
            comparison = (valid if row < column else readable).get((low, high))
            if comparison is None:
                cells.append("" if row == column else "-")
            else:
                kappa = comparison.kappa_text(OVERALL)
                cells.append(f"{kappa}, {comparison.outputs:,}")
        yield tuple(cells)


def _pairs(one: Evaluation) -> Iterator[tuple[str, ...]]:
    for over, side in zip(("valid", "readable"), _sides(one), strict=True):
        for pair in side.pairs:
            comparison = pair.compared
            yield (
                " and ".join(pair.judges),
                over,
                f"{comparison.outputs:,}",
                in_percent(comparison.same_verdict),
                to_two_places(comparison.mean_absolute_error),
                *(comparison.kappa_text(name) for name in _SCORES),
            )


def _disagreements(rows: Sequence[Disagreement]) -> Iterator[Markup]:
    if not rows:
        return
    yield element("h2", "Where judges differ most")
    for row in rows:
        more = row.characters - len(row.shown)
        task = [("task", row.task)] if row.task else []
        yield element(
            "details",
            element("summary", f"{row.points} points apart: {row.output_id}"),
            facts(
                [
                    ("question", row.question_id),
                    ("variant", row.prompt_variant),
                    ("target", row.target_model),
                    *task,
                ]
            ),
            element("h3", "Output"),
            element("pre", row.shown),
            *([element("p", f"{more:,} more characters are left out.")] if more else []),
            element("div", *map(_opinion, row.opinions), class_="cards"),
        )


def _opinion(opinion: Opinion) -> Markup:
    state = "valid" if opinion.valid else f"invalid: {', '.join(opinion.flags)}"
    return element(
        "section",
        element("h3", opinion.judge),
        element("p", f"{opinion.overall_score} of {HIGHEST_OVERALL}, {opinion.verdict}, {state}"),
        facts((name, f"{opinion.scores[name]}") for name in DIMENSIONS if name in opinion.scores),
        listed(map(_cited, opinion.evidence)),
        class_="card",
    )


def _cited(each: Cited) -> Markup:
    quote = element("q", each.quote) if each.quote.strip() else element("span", "no quote")
    return element(
        "span", f"{each.dimension}, {each.kind}: ", quote, " ", element("em", each.reason)
    )
