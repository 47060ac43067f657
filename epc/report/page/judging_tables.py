"""The folded part of an evaluation's page: what was judged, every table, what changed."""

from collections.abc import Iterable, Iterator
from pathlib import PurePath

from epc.analysis.judging.evaluation import Competence, Evaluation, Report
from epc.analysis.judging.results import Against, Drifted, Group, Labelled, Section
from epc.analysis.judging.shares import AXES
from epc.report.judging.competence import tables, title_of
from epc.report.judging.text import TITLES, against_cells
from epc.report.page.markup import Content, Markup, element, facts, folded, listed, table
from epc.report.page.run import findings
from epc.spec.judge_v1 import OVERALL, SCALE, VERDICTS
from epc.statistics.figures import in_percent, range_text, to_two_places


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
        (row.judge, f"{row.quotes:,}", *map(in_percent, row.kinds.values())) for row in one.evidence
    )
    yield folded(
        "Evidence",
        table([("judge", "quotes", *kinds), *shares], name="Evidence"),
        element("p", "What the quotes of each judge are, of all that it gave (Reading R25)."),
    )
    if one.self_preference:
        own = (
            (row.judge, f"{row.own:,}", f"{row.others:,}", row.not_stated or to_two_places(row))
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
            in_percent(judge.passes.stated),
            in_percent(judge.passes.rogan_gladen),
            in_percent(judge.passes.prediction_powered),
        )
        for judge in labels.judges
    )
    columns = ("judge", "PASS as judged", "Rogan and Gladen", "prediction-powered")
    yield table([columns, *put_right], name="PASS shares put right")
    for judge in labels.judges:
        if judge.passes.no_interval is not None:
            yield element("p", f"{judge.judge}, no interval: {judge.passes.no_interval}.")
    alone = f"{labels.passes.count} of {labels.outputs}, {in_percent(labels.passes)}"
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
            (name, to_two_places(each), *(f"{count:,}" for count in each.counts.values()))
            for name, each in overall.dimensions.items()
        )
        yield table(
            [("dimension", "mean (0-2)", "0", "1", "2"), *scored], name=f"Dimensions, {title}"
        )
    if overall.invalid.count:
        bounds = (range_text(ends, ".1%") for ends in overall.bounds.verdicts.values())
        worst = ("worst to best", *bounds, range_text(overall.bounds.overall_score, ".2f"))
        yield element("p", "If all invalid evaluations were valid:")
        yield table([("", *VERDICTS, "overall (0-8)"), worst], name=f"Bounds, {title}")


def _group(label: str, group: Group) -> tuple[str, ...]:
    return (
        label,
        f"{group.samples:,}",
        *map(in_percent, group.verdicts.values()),
        in_percent(group.invalid),
        to_two_places(group.overall_score),
    )


def _invalid(one: Evaluation) -> Iterator[Markup]:
    rows = [
        (row.judge, flag, f"{share.count:,} of {row.samples:,}", in_percent(share))
        for row in one.reasons
        for flag, share in row.flags.items()
    ]
    if not rows:
        yield element("p", "None: every reply is a valid evaluation.")
        return
    yield table([("judge", "reason", "evaluations", "share"), *rows], name="Invalid by reason")
    scored = (
        (f"{row.overall_score}", f"{row.readable:,}", in_percent(row.invalid))
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
            in_percent(comparison.same_verdict),
            to_two_places(comparison.mean_difference),
            comparison.kappa_text(OVERALL),
        )
