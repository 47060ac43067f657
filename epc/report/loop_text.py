"""An optimiser's gains in words and as a document (`epc loop report`, `epc loop gate`)."""

from collections.abc import Iterator, Mapping
from typing import Final

from epc.analysis.loop import STARTS, UNNAMED, BelievedGain, LoopReport, Quality, RunsReport
from epc.analysis.loop_decisions import Gate
from epc.printable import begun
from epc.protocol.results import Json
from epc.records.loop import LoopPlan
from epc.records.typed import as_json
from epc.report.charts.loop import loop_chart, runs_chart
from epc.report.document import (
    Beside,
    Conclusion,
    Facts,
    Listed,
    Part,
    Section,
    Table,
    Toned,
    printed,
)
from epc.statistics.figures import Figure, figure_text
from epc.statistics.gains import CHANGED_LABELS, ChangeParts, labels_for_margin

_QUALITY: Final[dict[Quality, tuple[str, str, str]]] = {
    "better": ("BETTER", "same", "The work got better."),
    "worse": ("WORSE", "drifted", "The work got worse."),
    "not_shown": ("NOT SHOWN", "cannot_tell", "Whether the work got better is not shown."),
    "not_measured": ("QUALITY NOT MEASURED", "cannot_tell", "Quality: not measured."),
}
_TASTE: Final = (
    "the gate cannot see taste: a judge that pays for length passes a longer answer as well"
)
_ALONE: Final = "One run speaks of this final alone, not of the optimiser."
_AGAIN: Final = """\
epc loop report LOG CHECKS               # the same in the terminal
epc loop report LOG CHECKS --html FILE   # this page
epc loop gate LOG CHECKS                 # may the final ship?"""
UNPLANNED: Final = "not planned before it was looked at"


def sentence(report: LoopReport) -> str:
    """Return what the judge reported, what it says of fresh items, and what gold says."""
    believed = _reported(
        report.judge,
        _points(report, report.believed),
        report.candidates,
        report.validation_items,
    )
    fresh = f"Asked again on {report.items} items that the optimiser never saw, it gives "
    parts = [believed, f"{fresh}{_points(report, report.fresh)}."]
    if report.gold:
        labelled = f"{report.gold.labelled} of them"
        parts.append(f"Gold on {labelled}: {_gold(report.gold)} points of right answers.")
    return " ".join([*parts, _QUALITY[report.quality][2], _ALONE])


def believed_sentence(believed: BelievedGain) -> str:
    """Return what a log alone says, and why that counts for nothing."""
    gain = believed.gain.text(f"+.{believed.digits}f")
    reported = _reported(believed.judge, gain, believed.candidates, believed.items)
    return (
        f"{reported} The score that chose {believed.final} is too good to count: nothing is shown."
    )


def _reported(judge: str, gain: str, candidates: int, items: int) -> str:
    name = begun(judge) if judge == UNNAMED else judge
    best = f"the best of {candidates} candidates (on the {items} items that chose it)"
    return f"{name} reports {gain} points for {best}."


def runs_sentence(report: RunsReport) -> str:
    """Return what an optimiser gains with a judge, over its runs."""
    form = f"+.{report.digits}f"
    judge = f"Over {report.runs} runs {report.judge} reports {report.believed:{form}} points on "
    fresh = f"the items that chose, and gives {report.fresh:{form}} on items that its run never saw"
    parts = [f"{judge}{fresh}."]
    if report.gold:
        parts.append(f"Gold: {_gold(report.gold)} points of right answers.")
    parts.append(_QUALITY[report.quality][2].replace("work got", "work gets"))
    if report.price and report.taste:
        pays = f"The judge pays {report.price:{form}} points for a right answer"
        parts.append(f"{pays}, and gives {report.taste:{form}} for other things (taste).")
    return " ".join(parts)


def starts_sentences(reports: Mapping[str, RunsReport]) -> list[str]:
    """Return what happens to an optimiser under a judge, a sentence for each start."""
    return [
        f"{STARTS[start].capitalize()}: {runs_sentence(report)}"
        for start, report in reports.items()
    ]


def gate_sentence(gate: Gate) -> str:
    """Return the gate's word and why, in one sentence."""
    report = gate.report
    if report is None:
        return f"refused: {gate.reason}."
    gold = "with no gold beside it"
    if report.gold:
        points = f"{_gold(report.gold)} points of right answers"
        gold = (
            f"gold on {report.gold.labelled} of them {points}, margin {100 * gate.margin:g} points"
        )
    plan = "" if report.planned else f" ({UNPLANNED})"
    fresh = f"{_points(report, report.fresh)} on {report.items} of them{plan}"
    taste = _TASTE
    if report.exchange:
        taste = f"taste by these labels: {_points(report, report.exchange.taste)}"
    return f"{gate.word}: {gate.reason}; {report.judge} gives the final {fresh}, {gold}; {taste}."


def plan_text(plan: LoopPlan, offered: int) -> str:
    """Return what a plan drew."""
    used = f" ({offered - len(plan.test)} more are used up)" if offered > len(plan.test) else ""
    second_judge = f", {plan.judge_b.model}" if plan.judge_b else ""
    labels = "none"
    if plan.gold:
        labels = f"{len(plan.gold)}; where people give them, {len(plan.gold_twice)} of them twice"
    judge = plan.judge.model or "the log names none: --execute gives its score, or plan --judge"
    facts = [
        ("seed, final", f"{plan.seed}, {plan.final}"),
        ("judges", f"{judge}{second_judge}"),
        ("test items", f"{len(plan.test)}{used}"),
        ("labels of both outputs", labels),
        ("margin", _margin_text(plan.margin)),
        ("asked again", f"{len(plan.repeats)} logged outputs"),
    ]
    return printed([Facts(facts)])


def _margin_text(margin: float) -> str:
    """Return what gold has to exclude, and how many labels that takes."""
    points = f"{100 * margin:g} points"
    if not margin:
        points = "0 points, so that a final as good as the seed hardly ever ships"
    numbers = [
        f"{labels_for_margin(true_gain, margin):,} for a final that is {quality}"
        for true_gain, quality in ((0.0, "as good as the seed"), (0.1, "better by 10"))
        if true_gain + margin
    ]
    return (
        f"{points}: labels have to exclude a loss so large. To do so 8 times in 10 takes "
        f"{', '.join(numbers)}, if {CHANGED_LABELS:.0%} of the labels change"
    )


def document(report: LoopReport) -> Iterator[Part]:
    """Yield the word, the sentence, the picture, the figures, and what is not there and why."""
    word, tone, _ = _QUALITY[report.quality]
    yield Conclusion(Toned(word, tone), sentence(report))
    yield Beside([loop_chart(report)])
    yield Section("Figures", [Table("Figures", [("", "", "on"), *_figures(report)])], "open")
    yield Section("What this rests on", [Facts([*_facts(report)])], "open")
    yield Section("How to read it", [Listed([*_notes(report)])], "open")


def runs_document(report: RunsReport) -> Iterator[Part]:
    """Yield the same for several runs: Student's intervals over the runs."""
    word, tone, _ = _QUALITY[report.quality]
    yield Conclusion(Toned(word, tone), runs_sentence(report))
    yield Beside([runs_chart(report)])
    form, on = f"+.{report.digits}f", f"{report.runs} runs"
    figures = (
        ("believed gain", report.believed, form),
        ("fresh gain", report.fresh, form),
        ("luck", report.luck, form),
        ("fresh gain by judge B", report.by_b, form),
        ("gold gain, points", report.gold, "+.1c"),
        ("price of a right answer", report.price, form),
        ("taste", report.taste, form),
    )
    rows = [(name, figure.text(shape), on) for name, figure, shape in figures if figure]
    yield Section("Figures", [Table("Figures", [("", "", "on"), *rows])], "open")
    head = ("run", "believed", "fresh", "gold, points", "taste")
    runs = [(r.final, *_cells(r)) for r in report.reports]
    yield Section("Runs", [Table("Runs", [head, *runs])])


def loop_page(report: LoopReport | RunsReport) -> str:
    """Return the report as one HTML file."""
    from epc.report.page.markup import page  # what a page alone needs

    parts = document(report) if isinstance(report, LoopReport) else runs_document(report)
    heading = "Did the optimiser improve the work, or only what the judge says?"
    return page("An optimiser's run", heading, parts, commands=_AGAIN)


def loop_json(report: LoopReport | RunsReport) -> Json:
    """Return the report as JSON, with its sentence."""
    headline = sentence(report) if isinstance(report, LoopReport) else runs_sentence(report)
    return {"sentence": headline, **as_json(report)}


def parted_text(parts: ChangeParts) -> str:
    """Return whose part of a change is whose (`epc loop drift`)."""
    form = "+.3f"
    return (
        f"The score changed by {parts.change:{form}}. Of that {parts.judge:{form}} is the judge's, "
        f"by {parts.anchors} outputs of the old system that both judges scored, and "
        f"{parts.system:{form}} the system's. {_attribution(parts)}"
    )


def _attribution(parts: ChangeParts) -> str:
    judge, system = (
        figure.ci95 is not None and not figure.ci95[0] <= 0 <= figure.ci95[1]
        for figure in (parts.judge, parts.system)
    )
    if judge and system:
        return "Both changed."
    if judge or system:
        return "It was the judge." if judge else "It was the system."
    return "Neither is shown to have changed."


def _figures(report: LoopReport) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table of figures."""
    items, validation = f"{report.items} fresh items", f"{report.validation_items} items"
    yield "believed gain (it chose the final)", _points(report, report.believed), validation
    yield "fresh gain", _points(report, report.fresh), items
    yield "luck: believed less fresh", _points(report, report.luck), "both"
    if report.drift:
        retest_text = f"{report.asked_again} logged outputs, asked again"
        yield "the judge's own drift since", _points(report, report.drift), retest_text
    if report.by_b:
        yield f"fresh gain by {report.judge_b}", _points(report, report.by_b), items
    if report.gold:
        yield "gold gain, points", _gold(report.gold), f"{report.gold.labelled} labelled items"
    if report.exchange:
        labelled = f"{report.gold.labelled if report.gold else 0} labelled items"
        yield "price of a right answer", _points(report, report.exchange.price), labelled
        yield "taste", _points(report, report.exchange.taste), labelled


def _facts(report: LoopReport) -> Iterator[tuple[str, str]]:
    yield "judge", report.judge
    yield "seed, final", f"{report.seed}, {report.final}"
    yield "log", f"{report.calls:,} metric calls, {report.candidates} candidates"
    yield "outputs", f"{report.changed} of {report.items} changed; the others differ by 0"
    yield "planned", "yes, before anything was looked at" if report.planned else UNPLANNED
    if report.unread_in_log:
        items = f"{report.unread_in_log} items of the log"
        yield "unread", f"{items} have a score that could not be read, and are left out"
    if report.retried:
        yield "asked again", f"{report.retried} scores, as an earlier reply held none"
    if report.unread:
        yield "unread", f"{report.unread} scores could not be read; their items are left out"
    if report.gold:
        helped = f"with the judge's help worth {report.gold.worth:.0f}"
        worth = f"{report.gold.labelled} labels; {helped}"
        yield "labels", f"{worth} (correlation {report.gold.correlation:.2f})"
    if report.disagreement is not None and report.label_error is not None:
        wrong = f"about {report.label_error:.1%} of labels are wrong"
        twice = f"{report.labelled_twice} outputs, {report.disagreement:.1%} disagree: {wrong}"
        yield "labelled twice", twice


def _notes(report: LoopReport) -> Iterator[str]:
    yield "The believed gain is by the scores that chose the final: it is too good to count."
    yield "Luck: the best of many is lucky, other items were drawn, and the judge may have changed."
    if report.quality == "not_measured":
        yield "Labels of outputs (judge `gold` in the checks) would say whether the work is better."
    elif report.disagreement is None:
        yield "No output has two labels, so how often labels are wrong is not known."
    yield from (f"{begun(reason)}." for reason in report.withheld)


def _cells(report: LoopReport) -> tuple[str, ...]:
    taste = report.exchange.taste if report.exchange else None
    gold = _gold(report.gold) if report.gold else "-"
    judged = (report.believed, report.fresh)
    return (*(_points(report, f) for f in judged), gold, _points(report, taste) if taste else "-")


def _points(report: LoopReport, figure: Figure) -> str:
    return figure.text(f"+.{report.digits}f")


def _gold(figure: Figure) -> str:
    return figure_text(figure.value, figure.ci95, "+.1c")
