"""An evaluation's report as a document: who can be trusted on what, what was judged, the rest."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import PurePath
from typing import Final

from epc.analysis.judging.evaluation import Evaluation, Report
from epc.analysis.judging.results import (
    Agreement,
    BetweenPeople,
    Disagreement,
    DriftRow,
    Group,
    JudgeAgainstPeople,
    LabelReport,
    Opinion,
    ScoreAgreement,
    SelfPreference,
    Statement,
)
from epc.analysis.judging.results import Section as Figures
from epc.analysis.judging.shares import AXES
from epc.analysis.judging.trust import as_people_do, between_people
from epc.judge.evidence import Quotation
from epc.report.charts.judges import judging_charts
from epc.report.document import (
    Beside,
    Conclusion,
    Facts,
    Findings,
    Listed,
    Part,
    Section,
    Table,
    Toned,
    Verbatim,
    printed,
)
from epc.report.judging.competence import competence
from epc.report.verdicts_sentences import of_passes
from epc.spec.judge_v1 import DIMENSIONS, HIGHEST_OVERALL, OVERALL, SCALE, VERDICTS
from epc.statistics.figures import in_percent, range_text, to_two_places

_AXES: Final = {
    "judge_model": "judge",
    "prompt_variant": "variant",
    "target_model": "target",
    "question_id": "question",
}
_WORDS: Final = {"yes": "yes", "no": "no", "unknown": "cannot say"}
_NEEDED: Final = {"valid evaluations", "spoilt outputs"}
_SCORES: Final = (OVERALL, *DIMENSIONS)
_AGAIN: Final = """\
epc judge check .                 # every record again from its raw reply
epc judge report .                # the same in the terminal
epc judge report . --html FILE    # this page"""


def text(report: Report) -> str:
    """Return the printed form of a report."""
    evaluations = (
        printed(
            [f"{report.protocol}, {evaluation.name}: {title(evaluation)}", "", *parts(evaluation)]
        )
        for evaluation in report.evaluations
    )
    return "\n\n".join(filter(None, (*evaluations, printed(changes(report)))))


def judging_page(report: Report) -> str:
    """Return the report of an evaluation as one HTML document: the last one's, where several are.

    What changed from one to the next stands below it. It says of no folder where it lies.
    """
    from epc.report.page.markup import page  # what a page alone needs

    evaluation = report.evaluations[-1]
    drift = tuple(
        replace(row, before=PurePath(row.before).name, after=PurePath(row.after).name)
        for row in report.drift
    )
    document = (*parts(evaluation), *changes(replace(report, drift=drift)))
    return page(
        f"{report.protocol}, {PurePath(evaluation.name).name}",
        title(evaluation),
        document,
        commands=_AGAIN,
    )


def title(evaluation: Evaluation) -> str:
    """Return how much was judged, by how many."""
    samples = sum(total.samples for total in evaluation.totals.values())
    judges = len(evaluation.judges)
    return f"{samples:,} evaluations by {judges} judge{'s' * (judges != 1)}"


def parts(evaluation: Evaluation) -> Iterator[Part]:
    """Yield what one evaluation came to."""
    yield from _uses(evaluation)
    yield Section("What was judged", [Facts([*_judged(evaluation)])])
    yield Listed(evaluation.remarks)
    if evaluation.trust:
        trust = _trust(evaluation.trust, evaluation.labels)
        yield Section("Who can be trusted on what", [*trust], "open")
    yield Beside([*judging_charts(evaluation)])
    if evaluation.readable.pairs:
        yield Section(
            "Agreement of judges", [*_agreement(evaluation.agreement, evaluation.readable)], "open"
        )
    yield from competence(evaluation.competence)
    if evaluation.labels is not None:
        yield Section("Against people", [*_against_people(evaluation.labels)], "open")
    if evaluation.disagreements:
        yield Section("Where judges differ most", [*map(_apart, evaluation.disagreements)], "open")
    for figures, name in (
        (evaluation.primary, "Cross-judging: the primary statistics"),
        (evaluation.self_judging, "Self-judging: diagnostic only, in none of the primary figures"),
    ):
        if figures.all.samples:
            yield Section(name, [*_figures(figures, name)])
    yield Section("Invalid replies by reason", [*_invalid(evaluation)])
    kinds = evaluation.evidence[0].kinds if evaluation.evidence else ()
    shares = (
        (row.judge, f"{row.quotes:,}", *map(in_percent, row.kinds.values()))
        for row in evaluation.evidence
    )
    quotes = "What the quotes of each judge are, of all that it gave (Reading R25)."
    yield Section("Evidence", [Table("Evidence", [("judge", "quotes", *kinds), *shares]), quotes])
    if evaluation.self_preference:
        yield Section("Self-preference", [*_self_preference(evaluation.self_preference)])


def changes(report: Report) -> Iterator[Part]:
    """Yield how judges changed between evaluations, or why that is not stated."""
    head = ("judge", "between", "what", "outputs", "shared", "same verdict", "mean shift", "kappa")
    inner: list[Part] = []
    if report.drift:
        inner.append(Table("Drift", [head, *map(_change, report.drift)]))
    if any(row.shared for row in report.drift):
        inner.append("Shared judgments are one answer in both, and are left out.")
    if report.findings:
        inner.append(Findings(report.findings))
    if inner:
        yield Section("Drift", inner, "open")


def _uses(evaluation: Evaluation) -> Iterator[Part]:
    """Yield whether each judge may be used, and for what, people's labels first."""
    people = {row.judge: row for row in evaluation.labels.judges} if evaluation.labels else {}
    for judge, statements in groupby(evaluation.trust, key=lambda statement: statement.judge):
        by: dict[str, list[str]] = {"yes": [], "no": [], "unknown": []}
        for statement in statements:
            by[statement.trusted].append(statement.about)
        row = people.get(judge)
        sentences = [_beside_people(row, evaluation.labels)] if row else []
        reference = "people" if row and row.compared else "other judges"
        trust_lists = zip(("Shown", "Not so", "Not known"), by.values(), strict=True)
        sentences += [
            f"{word}: {_listed(about, reference)}." for word, about in trust_lists if about
        ]
        if _NEEDED & {*by["no"]}:
            word = Toned("do not use it", "coupled")
        elif row and evaluation.labels:
            word = _in_place_of_people(row, evaluation.labels)
        else:
            word = Toned("not compared with people", "inconclusive")
            sentences.append("Labels by people (--labels FILE) would show what it is good for.")
        yield Conclusion(Toned(f"{judge}: {word}", word.tone), " ".join(sentences))
    overall = evaluation.primary.all
    verdicts = ", ".join(f"{share.count:,} {name}" for name, share in overall.verdicts.items())
    yield (
        f"{overall.valid:,} of {overall.samples:,} cross-judgments are valid. Of them {verdicts}; "
        f"{overall.invalid.count:,} invalid."
    )


def _listed(abouts: Sequence[str], reference: str) -> str:
    """Return what a word is said of: scores together, by their names, behind whose they are."""
    scores = [name.lower().replace("_", " ") for name in abouts if name in _SCORES]
    agreement = [f"agreement with {reference} on {', '.join(scores)}"] if scores else []
    return "; ".join([*(about for about in abouts if about not in _SCORES), *agreement])


def _in_place_of_people(judge: JudgeAgainstPeople, labels: LabelReport) -> Toned:
    """Return whether a judge may take a person's place: how often both give people's verdict."""
    if not between_people(labels):
        return Toned("compared with people, whose own agreement is not known", "inconclusive")
    return {
        "no": Toned("do not use it in place of people", "coupled"),
        "yes": Toned("use it in place of one person", "no_coupling_beyond_margin"),
        "unknown": Toned("not shown to agree with people as people do", "inconclusive"),
    }[as_people_do(judge, labels)]


def _beside_people(judge: JudgeAgainstPeople, labels: LabelReport | None) -> str:
    """Return how often a judge says what people say, beside how often two people do."""
    agreement = (
        f"It gives people's verdict in {in_percent(judge.same_verdict)} of {judge.labelled:,}"
    )
    shares = [f"{share:.0%}" for share in (between_people(labels) if labels else ())]
    people_text = f"; two people in {' to '.join(dict.fromkeys(shares[:1] + shares[-1:]))}" * bool(
        shares
    )
    return f"{agreement} labelled outputs{people_text}."


def _judged(evaluation: Evaluation) -> Iterator[tuple[str, str]]:
    first, last = (evaluation.time[end] or "unknown" for end in ("from", "to"))
    yield "judged", f"{first} to {last} ({evaluation.origin})"
    for judge in evaluation.judges:
        served = ", ".join(judge.served_models) or "not reported"
        yield "judge", f"{judge.model}: {judge.calls:,} calls, served by {served}"
    for method, prompt in evaluation.prompts.items():
        yield "prompt", f"{prompt.id} ({method}), SHA-256 {prompt.sha256}"
    if evaluation.constraint is not None:
        yield "replies", f"constrained to {evaluation.constraint} by the provider"
    if evaluation.mapping is not None:
        yield "rubric", f"mapped by {evaluation.mapping.id}, SHA-256 {evaluation.mapping.sha256}"
    for method, total in evaluation.totals.items():
        counts = (total.samples, total.valid, total.invalid, total.not_judged, total.surplus)
        names = ("samples", "valid", "invalid", "not judged", "surplus")
        numbers = (f"{count:,} {name}" for count, name in zip(counts, names, strict=True))
        yield method, ", ".join(numbers)


def _trust(rows: Sequence[Statement], labels: LabelReport | None = None) -> Iterator[Part]:
    """Yield a table of words, what by whom, and below it the sentence behind each of them."""
    trust_words = {(row.about, row.judge): Toned(_WORDS[row.trusted], row.trusted) for row in rows}
    judges = list(dict.fromkeys(row.judge for row in rows))
    abouts = sorted({row.about for row in rows}, key=_order(rows))
    cells = (
        (about, *(trust_words.get((about, judge), "-") for judge in judges)) for about in abouts
    )
    yield Table("Who can be trusted on what", [("on", *judges), *cells])
    against = "judges with judges, not with people"
    if labels is not None:
        scored = any(row.compared is not None for row in labels.judges)
        against = "with people" if scored else "verdicts with people's, scores with other judges'"
    warning = "" if against == "with people" else " Agreeing is not being right."
    yield f"Each word follows from a 95% interval.{warning} These words compare {against}."
    for judge, statements in groupby(rows, key=lambda row: row.judge):
        reasons = [f"{row.about}: {_WORDS[row.trusted]}. {row.sentence}" for row in statements]
        yield Section(judge, [Listed(reasons)], "open")


def _order(rows: Sequence[Statement]) -> Callable[[str], int]:
    """Return the place of what is stated: that of the judge of whom most is stated."""
    longest = max((list(ones) for _, ones in groupby(rows, lambda r: r.judge)), key=len, default=[])
    places = {row.about: index for index, row in enumerate(longest)}
    return lambda about: places.get(about, len(places))


def _agreement(valid: Agreement, readable: Agreement) -> Iterator[Part]:
    head = ("judges", "outputs", "same verdict", "mean abs. error", *_SCORES)
    yield "Weighted kappa by score, over valid evaluations and over all that can be read."
    yield Table("Agreement, pair by pair", [head, *_pairs(valid, readable)])
    sums = [
        (
            " and ".join(pair.judges),
            f"{own_scale.outputs:,}",
            f"{own_scale.same.count}: {in_percent(own_scale.same)}",
            to_two_places(own_scale.mean_absolute_error),
        )
        for pair in readable.pairs
        if (own_scale := pair.compared.own_scale) is not None
    ]
    if sums:
        columns = ("the rubric's own sum", "outputs", "equal", "mean abs. error")
        yield Table("The rubric's own sum", [columns, *sums])
    alphas = ((name, valid.alpha_text(name), readable.alpha_text(name)) for name in valid.alpha)
    name = "Krippendorff's alpha, all judges"
    yield Table(name, [(name, "valid", "readable"), *alphas])


def _pairs(valid: Agreement, readable: Agreement) -> Iterator[tuple[str, ...]]:
    """Yield a row a pair; one over readable evaluations where they are more than the valid ones."""
    both_valid = {pair.judges: pair.compared for pair in valid.pairs}
    for pair in readable.pairs:
        judges, over_valid = " and ".join(pair.judges), both_valid.get(pair.judges)
        if over_valid is not None:
            yield f"{judges}, valid", *_pair(over_valid)
        if over_valid is None or over_valid.outputs < pair.compared.outputs:
            yield f"{judges}, readable", *_pair(pair.compared)


def _pair(compared: ScoreAgreement) -> tuple[str, ...]:
    return (
        f"{compared.outputs:,}",
        in_percent(compared.same_verdict),
        to_two_places(compared.mean_absolute_error),
        *(compared.kappa_text(name) for name in _SCORES),
    )


def _against_people(labels: LabelReport) -> Iterator[Part]:
    """Yield how judges stand against people, and PASS shares put right by labels."""
    undecided = f", {labels.undecided:,} more without a majority" if labels.undecided else ""
    yield f"{labels.outputs:,} outputs labelled by {labels.labellers:,}{undecided}."
    head = ("who", "outputs", "same verdict", "mean abs. error", "weighted kappa")
    agreement = [
        *((" and ".join(pair.people), *_compared(pair)) for pair in labels.between_people),
        *((judge.judge, *_compared(judge)) for judge in labels.judges),
    ]
    yield Table("Agreement with people", [head, *agreement])
    columns = ("judge", "PASS as judged", "PASS as people would")
    shares = ((judge.judge, *_passed(judge)) for judge in labels.judges)
    yield Table("PASS shares", [columns, *shares])
    yield Listed([*_notes_on_labels(labels)])
    for judge in labels.judges:
        if judge.compared is not None:
            name = f"Errors of {judge.judge}"
            yield Section(name, [Table(f"{name} by dimension", [*_errors(judge)])])


def _passed(judge: JudgeAgainstPeople) -> tuple[str, str]:
    """Return the PASS share as a judge has it, and as people would have it of all outputs."""
    figures = judge.passes.figures
    of_people = figures.get("corrected_pass_share") or figures.get("people_pass_share")
    return in_percent(judge.passes.stated), in_percent(of_people) if of_people else "-"


def _notes_on_labels(labels: LabelReport) -> Iterator[str]:
    for judge in labels.judges:
        if judge.lost:
            yield f"{judge.judge}: {judge.lost} labelled outputs have no valid evaluation by it."
        if judge.passes.labels is not None:
            yield from of_passes(judge.judge, judge.passes.figures, judge.passes.labels)
    alone = f"{labels.passes.count} of {labels.outputs}, {in_percent(labels.passes)}"
    yield f"PASS by the labels alone: {alone}."
    yield (
        "Labels need be drawn at random only within what a judge passes, and within what it does "
        "not pass."
    )


def _compared(row: JudgeAgainstPeople | BetweenPeople) -> tuple[str, ...]:
    """Return how many outputs two sides have in common, and how they agree on these."""
    if row.compared is None:
        return f"{row.labelled:,}", in_percent(row.same_verdict), "no scores", "no scores"
    return _pair(row.compared)[:4]


def _errors(judge: JudgeAgainstPeople) -> Iterator[tuple[str, ...]]:
    yield ("dimension", "people say", *(f"judge says {score}" for score in SCALE))
    for matrix in judge.errors:
        for people, row in zip(SCALE, matrix.counts, strict=True):
            yield (matrix.dimension, f"{people}", *(f"{n:,}" for n in row))


def _apart(row: Disagreement) -> Section:
    scores = ", ".join(f"{opinion.judge} {opinion.overall_score}" for opinion in row.opinions)
    facts = [
        ("task", row.task or ""),
        ("question", row.question_id),
        ("variant", row.prompt_variant),
        ("target", row.target_model),
        ("characters", f"{row.characters:,}, of which {len(row.shown):,} are shown"),
    ]
    return Section(
        f"{row.points} point{'s' * (row.points != 1)} apart: {row.output_id} ({scores})",
        [
            Facts([fact for fact in facts if fact[1]]),
            Verbatim(row.shown),
            Beside([*map(_opinion, row.opinions)]),
        ],
        "brief",
    )


def _opinion(opinion: Opinion) -> Section:
    state = "valid" if opinion.valid else f"invalid: {', '.join(opinion.flags)}"
    scores = [(name, f"{opinion.scores[name]}") for name in DIMENSIONS if name in opinion.scores]
    return Section(
        opinion.judge,
        [
            f"{opinion.overall_score} of {HIGHEST_OVERALL}, {opinion.verdict}, {state}",
            Facts(scores),
            Listed([*map(_cited, opinion.evidence)]),
        ],
        "card",
    )


def _cited(cited: Quotation) -> str:
    quote = f'"{cited.quote}"' if cited.quote.strip() else "no quote"
    return f"{cited.dimension}, {cited.kind}: {quote}: {cited.reason}"


def _figures(figures: Figures, name: str) -> Iterator[Part]:
    overall = figures.all
    rows = [("all", overall)]
    sums = []
    for axis in AXES:
        labelled = [(f"{_AXES[axis]} {group.value}", group) for group in figures.groups(axis)]
        rows += labelled
        sums += [
            (label, to_two_places(group.own_scale))
            for label, group in labelled
            if group.own_scale is not None
        ]
    yield Table(
        name,
        [
            ("", "samples", *VERDICTS, "invalid", "overall (0-8)"),
            *(_group(label, group) for label, group in rows),
        ],
    )
    yield "Shares of valid evaluations; invalid: of all [95% interval, clustered by question]."
    if overall.valid:
        scored = (
            (dimension, to_two_places(scores), *(f"{n:,}" for n in scores.counts.values()))
            for dimension, scores in overall.dimensions.items()
        )
        dimensions = ("dimension", "mean (0-2)", *map(str, SCALE))
        yield Table(f"Dimensions, {name}", [dimensions, *scored])
    if sums:
        yield Table(f"The rubric's own sum, {name}", [("the rubric's own sum", "mean"), *sums])
    if overall.invalid.count:
        bounds = (range_text(ends, ".1%") for ends in overall.bounds.verdicts.values())
        worst = ("worst to best", *bounds, range_text(overall.bounds.overall_score, ".2f"))
        head = ("if all invalid ones were valid (Reading R26)", *VERDICTS, "overall (0-8)")
        yield Table(f"Bounds, {name}", [head, worst])


def _group(label: str, group: Group) -> tuple[str, ...]:
    return (
        label,
        f"{group.samples:,}",
        *map(in_percent, group.verdicts.values()),
        in_percent(group.invalid),
        to_two_places(group.overall_score),
    )


def _invalid(evaluation: Evaluation) -> Iterator[Part]:
    rows = [
        (row.judge, flag, f"{share.count:,} of {row.samples:,}", in_percent(share))
        for row in evaluation.reasons
        for flag, share in row.flags.items()
    ]
    if not rows:
        yield "None: every reply is a valid evaluation."
        return
    yield Table("Invalid by reason", [("judge", "reason", "evaluations", "share"), *rows])
    scored = (
        (f"{row.overall_score}", f"{row.readable:,}", in_percent(row.invalid))
        for row in evaluation.primary.by_score
    )
    yield Table("Invalid by score", [("overall score", "readable", "invalid"), *scored])
    yield "Excluded is not missing at random (Reading R26)."


def _self_preference(rows: Iterable[SelfPreference]) -> Iterator[Part]:
    head = ("judge", "own outputs", "others' outputs", "points (0 to 8)")
    cells = (
        (row.judge, f"{row.own:,}", f"{row.others:,}", row.not_stated or to_two_places(row))
        for row in rows
    )
    yield Table("Self-preference", [head, *cells])
    yield (
        "How much more it gives its own outputs than others' outputs, leniency left out; above 0 "
        "it favours itself, if the interval leaves 0 out (Reading R24)."
    )


def _change(row: DriftRow) -> tuple[str, ...]:
    first, second = ("blind" if blind else "named" for blind in row.blind)
    return (
        f"{row.judge} ({row.method})",
        f"{row.before} to {row.after}",
        "drift" if row.is_drift else f"what names do: {first} to {second}, no drift",
        f"{row.compared.outputs:,}",
        f"{row.shared:,}",
        in_percent(row.compared.same_verdict),
        to_two_places(row.compared.mean_difference),
        row.compared.kappa_text(OVERALL),
    )
