"""The report of an evaluation as a page: who can be trusted on what, what was judged, the rest.

Names, outputs, quotes and reasons are other people's; here they are text.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import PurePath
from typing import Final

from epc.analysis.judging.competence_values import Competence
from epc.analysis.judging.disagreements import (
    ends_text,
    mean_text,
    percent_text,
    plain_text,
    share_text,
)
from epc.analysis.judging.results import (
    Against,
    Agreement,
    Cited,
    Disagreement,
    Drifted,
    Evaluation,
    Group,
    Labelled,
    Opinion,
    Report,
    Section,
    Statement,
    Trusted,
)
from epc.analysis.judging.shares import AXES
from epc.report.charts.judges import judging_charts
from epc.report.judging.competence import tables, title_of
from epc.report.judging.text import ON_TRUST, SAID, TITLES, against_cells
from epc.report.page.markup import (
    Content,
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
from epc.report.page.run import findings
from epc.spec.judge_v1 import DIMENSIONS, HIGHEST_OVERALL, OVERALL, SCALE, VERDICTS


def details(one: Evaluation) -> Iterator[Markup]:
    """Yield what was judged and every table, folded."""
    yield folded("What was judged", facts(_judged(one)))
    for section, title in (
        (one.primary, "Cross-judging: the primary statistics"),
        (one.self_judging, "Self-judging: diagnostic only"),
    ):
        if section.all.samples:
            yield folded(title, *_section(section, title))
    yield folded("Invalid replies by reason", *_invalid(one))
    kinds = one.evidence[0].kinds if one.evidence else ()
    shares = (
        (row.judge, f"{row.quotes:,}", *map(share_text, row.kinds.values())) for row in one.evidence
    )
    yield folded(
        "Evidence",
        table([("judge", "quotes", *kinds), *shares], name="Evidence"),
        element("p", "What the quotes of each judge are, of all that it gave (Reading R25)."),
    )
    if one.self_preference:
        own = (
            (row.judge, f"{row.own:,}", f"{row.others:,}", row.not_stated or mean_text(row))
            for row in one.self_preference
        )
        head = ("judge", "own outputs", "others' outputs", "points more, leniency left out")
        yield folded("Self-preference", table([head, *own], name="Self-preference"))


def competence(rows: Iterable[Competence]) -> Iterator[Markup]:
    """Yield what tests say of each judge."""
    for row in rows:
        content: list[Markup] = []
        for shown in tables(row):
            content += [table([shown.head, *shown.rows], name=shown.head[0]), listed(shown.notes)]
        yield folded(title_of(row), *content)


def against_people(labels: Labelled) -> Iterator[Markup]:
    """Yield how judges stand against people, and PASS shares put right by labels."""
    undecided = f", {labels.undecided:,} more without a majority" if labels.undecided else ""
    yield element("h2", "Against people")
    yield element("p", f"{labels.outputs:,} outputs labelled by {labels.labellers:,}{undecided}.")
    agreement = [
        *((" and ".join(pair.people), *against_cells(pair)) for pair in labels.between_people),
        *((judge.judge, *against_cells(judge)) for judge in labels.judges),
    ]
    head = ("who", "outputs", "same verdict", "mean abs. error", "weighted kappa")
    yield table([head, *agreement], name="Agreement with people")
    put_right = (
        (
            judge.judge,
            share_text(judge.passes.stated),
            percent_text(judge.passes.rogan_gladen),
            percent_text(judge.passes.prediction_powered),
        )
        for judge in labels.judges
    )
    columns = ("judge", "PASS as judged", "Rogan and Gladen", "prediction-powered")
    yield table([columns, *put_right], name="PASS shares put right")
    for judge in labels.judges:
        if judge.passes.no_interval is not None:
            yield element("p", f"{judge.judge}, no interval: {judge.passes.no_interval}.")
    alone = f"{labels.passes.count} of {labels.outputs}, {share_text(labels.passes)}"
    yield element("p", f"PASS by the labels alone: {alone}.")
    yield element("p", "Both take it that labelled outputs were drawn at random.")
    for judge in labels.judges:
        if judge.compared is not None:
            yield folded(f"Errors of {judge.judge}", _errors(judge))


def _errors(judge: Against) -> Markup:
    head = ("dimension", "people say", *(f"judge says {score}" for score in SCALE))
    rows = (
        (matrix.dimension, f"{people}", *(f"{n:,}" for n in row))
        for matrix in judge.errors
        for people, row in zip(SCALE, matrix.counts, strict=True)
    )
    return table([head, *rows], name=f"Errors of {judge.judge} by dimension")


def _judged(one: Evaluation) -> Iterator[tuple[str, Content]]:
    first, last = (one.time[end] or "unknown" for end in ("from", "to"))
    yield "judged", f"{first} to {last} ({one.origin})"
    for judge in one.judges:
        served = ", ".join(judge.served_models) or "not reported"
        yield "judge", f"{judge.model}: {judge.calls:,} calls, served by {served}"
    for method, prompt in one.prompts.items():
        yield "prompt", f"{prompt.id} ({method}), SHA-256 {prompt.sha256}"
    if one.constraint is not None:
        yield "replies", f"held to {one.constraint} by the provider"
    if one.mapping is not None:
        yield "rubric", f"mapped by {one.mapping.id}, SHA-256 {one.mapping.sha256}"
    for method, total in one.totals.items():
        counts = (total.samples, total.valid, total.invalid, total.not_judged, total.surplus)
        names = ("samples", "valid", "invalid", "not judged", "surplus")
        parts = (f"{count:,} {name}" for count, name in zip(counts, names, strict=True))
        yield method, ", ".join(parts)


def _section(section: Section, title: str) -> Iterator[Markup]:
    rows = [("all", section.all)]
    for axis in AXES:
        rows += [(f"{TITLES[axis]} {group.value}", group) for group in section.groups(axis)]
    head = ("", "samples", *VERDICTS, "invalid", "overall (0-8)")
    yield table([head, *(_group(*row) for row in rows)], name=title)
    overall = section.all
    if overall.valid:
        scored = (
            (name, mean_text(each), *(f"{count:,}" for count in each.counts.values()))
            for name, each in overall.dimensions.items()
        )
        yield table(
            [("dimension", "mean (0-2)", "0", "1", "2"), *scored], name=f"Dimensions, {title}"
        )
    if overall.invalid.count:
        bounds = (ends_text(ends, 100, "%", 1) for ends in overall.bounds.verdicts.values())
        worst = ("worst to best", *bounds, ends_text(overall.bounds.overall_score, 1, "", 2))
        yield element("p", "If all invalid evaluations were valid:")
        yield table([("", *VERDICTS, "overall (0-8)"), worst], name=f"Bounds, {title}")


def _group(label: str, group: Group) -> tuple[str, ...]:
    return (
        label,
        f"{group.samples:,}",
        *map(share_text, group.verdicts.values()),
        share_text(group.invalid),
        mean_text(group.overall_score),
    )


def _invalid(one: Evaluation) -> Iterator[Markup]:
    rows = [
        (row.judge, flag, f"{share.count:,} of {row.samples:,}", share_text(share))
        for row in one.reasons
        for flag, share in row.flags.items()
    ]
    if not rows:
        yield element("p", "None: every reply is a valid evaluation.")
        return
    yield table([("judge", "reason", "evaluations", "share"), *rows], name="Invalid by reason")
    scored = (
        (f"{row.overall_score}", f"{row.readable:,}", share_text(row.invalid))
        for row in one.primary.by_score
    )
    yield element("p", "Excluded is not missing at random (Reading R26); by overall score:")
    yield table([("overall score", "readable", "invalid"), *scored], name="Invalid by score")


def changes(report: Report) -> Iterator[Markup]:
    """Yield how judges changed between evaluations, or why that is not stated."""
    if not report.drift and not report.findings:
        return
    head = ("judge", "between", "what", "outputs", "shared", "same verdict", "mean shift", "kappa")
    content = [table([head, *_change(report.drift)], name="Drift")] if report.drift else []
    if report.findings:
        content.append(findings(report.findings, none=""))
    yield folded("Drift", *content, open_=True)


def _change(rows: Iterable[Drifted]) -> Iterator[tuple[str, ...]]:
    for row in rows:
        comparison = row.compared
        between = " to ".join(PurePath(name).name for name in (row.before, row.after))
        yield (
            f"{row.judge} ({row.method})",
            between,
            "drift" if row.is_drift else "what names do",
            f"{comparison.outputs:,}",
            f"{row.shared:,}",
            share_text(comparison.same_verdict),
            mean_text(comparison.mean_difference),
            plain_text(comparison.kappa[OVERALL], comparison.kappa_ci95[OVERALL]),
        )


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
    alphas = (
        (name, *(plain_text(side.alpha[name], side.alpha_ci95[name]) for side in _sides(one)))
        for name in _SCORES
    )
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
                kappa = plain_text(comparison.kappa[OVERALL], comparison.kappa_ci95[OVERALL])
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
                share_text(comparison.same_verdict),
                mean_text(comparison.mean_absolute_error),
                *(
                    plain_text(comparison.kappa[name], comparison.kappa_ci95[name])
                    for name in _SCORES
                ),
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


def _opinion(each: Opinion) -> Markup:
    state = "valid" if each.valid else f"invalid: {', '.join(each.flags)}"
    return element(
        "section",
        element("h3", each.judge),
        element("p", f"{each.overall_score} of {HIGHEST_OVERALL}, {each.verdict}, {state}"),
        facts((name, f"{each.scores[name]}") for name in DIMENSIONS if name in each.scores),
        listed(map(_cited, each.evidence)),
        class_="card",
    )


def _cited(each: Cited) -> Markup:
    quote = element("q", each.quote) if each.quote.strip() else element("span", "no quote")
    return element(
        "span", f"{each.dimension}, {each.kind}: ", quote, " ", element("em", each.reason)
    )
