"""Document of recorded verdicts: what they say of their judges."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal

from msgspec import UNSET

from epc.analysis.verdicts import Group, Report
from epc.analysis.verdicts_audit import Gate
from epc.analysis.verdicts_audit import document as figures_json
from epc.analysis.verdicts_choices import ChoiceLabels
from epc.analysis.verdicts_judges import JudgeComparison
from epc.analysis.verdicts_labels import PassLabels
from epc.analysis.verdicts_lists import MOST_ASKINGS
from epc.analysis.verdicts_names import FIGURES, LABEL_FIGURES, NEEDS, OF_GOLD, family
from epc.analysis.verdicts_rows import LONG_ANSWER
from epc.analysis.verdicts_transfer import PeopleDifference, Transfer
from epc.audit.side_checks import clustered
from epc.protocol.results import Json
from epc.records.verdicts.converting import ColumnChoice
from epc.records.verdicts.table import EXCHANGED
from epc.records.verdicts.types import UNKNOWN
from epc.report.charts.chart import Chart, dots, interval_chart, rows_of
from epc.report.columns_text import columns_section, taken_as_json
from epc.report.coupling_text import (
    MEANING,
    NO_DETOUR,
    carried_text,
    copies_line,
    headline,
    to_settle,
)
from epc.report.document import (
    Beside,
    Conclusion,
    Facts,
    Listed,
    Part,
    Section,
    Statements,
    Table,
    Toned,
    printed,
    sentence,
)
from epc.report.quality_text import parts as quality_parts
from epc.report.quality_text import quality_line
from epc.report.verdicts_pictures import pictures
from epc.report.verdicts_sentences import judge_name, of_group, of_judges, unreadable_of
from epc.spec.coupling import MARGIN
from epc.spec.domains import Pair
from epc.statistics.figures import TOO_FEW, ClusteredFigure, figure_text

_PAIRS: Final = {
    "pass_difference": "the second judge passes more of the same answers",
    "accuracy_difference": "the second judge is right more often",
    "agreement": "two judges say the same of what both were asked",
    "kappa": "the same, as Cohen's kappa",
    "score_difference": "points that the second judge gives more",
}
_PANELS: Final = {
    "error_correlation": "correlation of judges' errors in single askings of the same lists",
    "independent_judges": "as many independent judges as these are worth",
}
_EFFECT: Final = "the second way of asking the judge less the first, on the same questions"
# Reading R97: what a judge is known by, the best evidence first.
_HEADLINES: Final = {
    "accuracy": "chooses the better answer by the gold labels in {} of {} verdicts",
    "best": "puts the right answer of a list first in {} of {} questions",
    "humans_majority": "agrees with {people} in {} of {} verdicts",
    "humans_mean": "agrees with a person in {} of {} verdicts",
    "place_consistency": "names the same winner in both orders in {} of {} pairs",
    "repeat_consistency_all": "gives the same verdict again in {} of {} repeats",
}
# Of a figure that compares a judge with itself: what naming one answer or the other by lot gives.
_BY_LOT: Final = dict.fromkeys(("place_consistency", "repeat_consistency_all"), "a coin gives 50%")
_ANSWERS: Final = {"a": "choosing answer A", "b": "choosing answer B", "tie": "saying tie"}
_OF_ONE: Final = {"a": "saying pass", "b": "saying fail"}
_PLAINER: Final = {
    FIGURES[name].missing: "needs a second judge with the same prompt, and who wrote the answers "
    "(where names differ: --same JUDGE=AUTHOR)"
    for name in ("self_preference", "self_preference_score")
}
_NOT_OF_ONE: Final = ("place bias", "length", "self-preference")  # needs two answers to compare
_LABELS: Final = ("agreement with people", "agreement with gold")
_GOLD_OF_ONE: Final = "a column `gold`: the right label of the answer, such as pass or fail"
_TO_LABEL: Final = "; or label 50 answers: `epc audit FILE --label-page labels.html`"
_NO_SHARES: Final = (
    *("humans_kappa", "judges_kappa", "brier", "ece", "ece_by_chance"),
    *("input_tokens", "output_tokens", "score_per_doubling"),
    *("self_preference", "self_preference_score"),
    *("human_score_shift", "human_score_correlation"),
)
_IN_JSON_ALONE: Final = ("human_score_within_1",)
_Reasons = Literal["folded", "brief", "open", "left out"]
Rows = Sequence[tuple[str, ClusteredFigure]]
_FEW_JUDGES: Final = 3  # whose sentences are all printed
_TITLES: Final = {**LABEL_FIGURES, **FIGURES}


def text(
    report: Report,
    column_choice: ColumnChoice = ColumnChoice(),  # noqa: B008  (a value that nobody can change)
    *,
    with_page: bool = False,
) -> str:
    """Return the printed form of a report; `with_page`: a page beside it has the rest."""
    return printed(document(report, column_choice, with_page=with_page))


def as_document(report: Report, column_choice: ColumnChoice) -> Json:
    """Return the JSON of an audit, with its sentences and what its columns were taken for."""
    sentences = headlines(report, column_choice)
    return figures_json(report) | {"sentences": sentences} | taken_as_json(column_choice)


def gate_text(gate: Gate) -> str:
    """Return whether a figure is shown to reach what was wanted."""
    figure = gate.figure.text(".3f", TOO_FEW) if gate.figure else "none"
    word = "shown" if gate.shown else "not shown"
    return f"gate     {gate.name} {gate.least:g} or more: {word}, {gate.judge} has {figure}"


def page_of(report: Report, column_choice: ColumnChoice, command: str) -> str:
    """Return a report as one HTML document; `command` is the one that makes it."""
    from epc.report.page.markup import page

    first, *following = headlines(report, column_choice)
    drawn = [*pictures(report)]
    # Of several judges a picture says more than a sentence for each.
    count = _FEW_JUDGES if len(report.groups) == 1 else 1
    parts: list[Part] = [Statements(following[:count])] if following else []
    parts += [Beside(drawn)] if drawn else _pictures(report)
    if following[count:]:
        parts.append(Statements(following[count:]))
    parts += _body(report, column_choice, "folded", [first, *following])
    opening = _taken_for(report, column_choice)
    return page(opening, first.removesuffix("."), parts, commands=command)


def cell_of(report: Report, column_choice: ColumnChoice) -> Iterator[Part]:
    """Yield what a notebook shows of a report: its sentences, a picture, its tables."""
    sentences = headlines(report, column_choice)
    yield Listed(sentences)
    yield from _pictures(report)
    yield from _body(report, column_choice, "folded", sentences)


def document(
    report: Report, column_choice: ColumnChoice, *, with_page: bool = False
) -> Iterator[Part]:
    """Yield what a file of verdicts says: the headline, its columns, figures, what is missing.

    `column_choice` says what its columns were taken for.
    """
    yield Conclusion(Toned(_taken_for(report, column_choice), "neutral"))
    sentences = headlines(report, column_choice)
    yield Listed(sentences)
    reasons: _Reasons = "brief" if column_choice.columns else "open"
    yield from _body(report, column_choice, "left out" if with_page else reasons, sentences)


def _taken_for(report: Report, column_choice: ColumnChoice) -> str:
    """Return what a file was taken for, in about ten words."""
    return f"{report.source.name}: {column_choice.taken or f'{report.verdicts:,} verdicts'}"


def _body(
    report: Report, column_choice: ColumnChoice, reasons: _Reasons, sentences: Sequence[str]
) -> Iterator[Part]:
    """Yield all below the first sentences, which say some notes of the reader.

    `reasons` is the form of why figures have no value.
    """
    if notes := [note for note in map(sentence, column_choice.notes) if note not in sentences]:
        yield Listed(notes)
    yield from columns_section(column_choice, "folded" if reasons == "folded" else "open")
    yield from _figures(report)
    yield from _transfers(report)
    if missing := [*_missing(report, column_choice)]:
        yield Section("Not measured, and what would show it", [Facts(missing)], "open")
    yield Section("The file", [Facts([*_source(report)])], "open")
    yield Section("Who was asked", [Listed([*_notes(report)])], "open")
    if reasons != "left out" and (why := [*_left_out(report)]):
        hint = ": --html FILE lists the reasons" if reasons == "brief" else ""
        yield Section(f"Why other figures have no value{hint}", [Listed(why)], reasons)


def _pictures(report: Report) -> Iterator[Chart]:
    """Yield a judge's shares with their intervals, or the judges' headlines below each other."""
    shares = [
        (
            _titled(name, _words_of(report, name)[1]).replace(": ", ":\n"),
            figure.value,
            figure.ci95,
        )
        for group in report.groups
        for name, figure in group.figures.items()
        if figure.value is not None and family(name) not in _NO_SHARES
    ]
    if len(report.groups) == 1 and shares:
        content = dots(rows_of(shares), "share", domain=[0, 1])
        yield interval_chart("shares", "Shares", "Line: 95% interval.", shares, content)


def headlines(report: Report, column_choice: ColumnChoice) -> list[str]:
    """Return what is said first: of judges side by side, then of each by itself."""
    # Where rows have both orders, a report's A is no column of the table.
    always = _OF_ONE if report.alone else {} if EXCHANGED in column_choice.assumed else _ANSWERS
    lines = of_judges(report)
    for group in report.groups:
        of_one = of_group(group)
        if group.labels is UNSET and (not of_one or _by_gold(group)):
            of_one = [headline_of(group, always), *of_one]
        is_brief = len(report.groups) > _FEW_JUDGES
        lines += [*of_one[:1], *unreadable_of(group)] if is_brief else of_one
    return lines


def _by_gold(group: Group) -> bool:
    return any(family(name) in ("accuracy", "best") for name in group.figures)


def headline_of(group: Group, always: Mapping[str, str] = _ANSWERS) -> str:
    """Return the best evidence of a judge as a sentence, beside chance and people (Reading R97).

    `always` says in words what giving one verdict throughout is.
    """
    judge = judge_name(group)
    ceiling = group.figures.get("humans_others_ceiling")
    people = "most people" if ceiling else "people"
    for name, template in _HEADLINES.items():
        names = [figure_name for figure_name in group.figures if family(figure_name) == name]
        if names:
            figure = group.figures[names[0]]
            value = figure_text(figure.value, None, ".0%")
            interval = figure.text(".0%", TOO_FEW).removeprefix(value).strip()
            clauses = [
                f"{judge} {template.format(value, f'{figure.n:,}', people=people)} {interval}"
            ]
            constant = group.constants.get(name)
            if constant and constant.answer in always:
                clauses.append(f"always {always[constant.answer]} would give {constant.share:.0%}")
            elif name in _BY_LOT:
                clauses.append(_BY_LOT[name])
            if ceiling and "humans" in name:
                clauses.append(f"one person agrees with the others in {ceiling.value:.0%}")
            return f"{'; '.join(clauses)}."
    return f"{judge}: nothing here says how good its verdicts are."


def _figures(report: Report) -> Iterator[Part]:
    """Yield the figures: of one judge in a table, of several side by side."""
    measured = dict.fromkeys(name for group in report.groups for name in group.figures)
    order = [*_TITLES]
    listed = [name for name in measured if name not in _IN_JSON_ALONE]
    names = sorted(listed, key=lambda name: order.index(family(name)))
    if len(report.groups) == 1:
        figures = report.groups[0].figures
        rows = [(_titled(n, _words_of(report, n)[1]), figures[n]) for n in names]
        title = f"Figures of {judge_name(report.groups[0])}"
        yield Section(title, [_table(title, rows)], "open")
    for name in names if len(report.groups) > 1 else ():
        rows = [(g.settings[0], g.figures[name]) for g in report.groups if name in g.figures]
        yield _section(name, _words_of(report, name)[0], rows)
    for name in ("accuracy", "best/1", f"best/{MOST_ASKINGS}"):
        yield from _section_if_any(
            name,
            "by subset",
            [
                (f"{group.settings[0]}  {subset}", figures[name])
                for group in report.groups
                for subset, figures in group.by_subset.items()
                if name in figures
            ],
        )
    pairs = report.judges.pairs if isinstance(report.judges, JudgeComparison) else {}
    for name, title in _PAIRS.items():
        rows = [(key, figures[name]) for key, figures in pairs.items() if name in figures]
        yield from _section_if_any(name, title, rows)
    for parts, titles in (
        (report.panels, _PANELS),
        (report.effects, dict.fromkeys(("accuracy", "best/1", f"best/{MOST_ASKINGS}"), _EFFECT)),
    ):
        for name, title in titles.items():
            yield from _section_if_any(name, title, _beside_each_other(parts, name))


def _words_of(report: Report, name: str) -> tuple[str, str]:
    """Return the title and the phrase of a figure: of labels that are gold nobody gave them."""
    described = _TITLES[family(name)]
    labels = [group.labels for group in report.groups]
    is_gold = any(isinstance(part, PassLabels) and part.of_gold for part in labels)
    is_gold |= any(isinstance(part, ChoiceLabels) for part in labels)
    title_and_phrase = described.title, described.phrase
    return OF_GOLD.get(name, title_and_phrase) if is_gold else title_and_phrase


def _titled(name: str, phrase: str) -> str:
    _, _, detail = name.partition("/")
    return f"{phrase}: {detail}" if detail else phrase


def _beside_each_other(parts: Sequence[object], name: str) -> Rows:
    return [
        (" and ".join(part.settings), part.figures[name])  # type: ignore[attr-defined]
        for part in parts
        if name in part.figures  # type: ignore[attr-defined]
    ]


def _section_if_any(name: str, title: str, rows: Rows) -> Iterator[Part]:
    if rows:
        yield _section(name, title, rows)


def _section(name: str, title: str, rows: Rows) -> Section:
    return Section(f"{name}: {title}", [_table(name, rows)], "open")


def _table(name: str, rows: Rows) -> Table:
    head = ("", "value [95% interval]", "observations", "questions")
    cells = ((label, f.text(absent=TOO_FEW), f"{f.n:,}", f"{f.items:,}") for label, f in rows)
    return Table(name, [head, *cells])


def _transfers(report: Report) -> Iterator[Section]:
    """Yield what training by each judge carries over between two domains."""
    for group in report.groups:
        if group.transfer:
            name = f"Transfer of an agent that {judge_name(group)} trains"
            yield Section(name, [*_transfer(group.transfer)], "open")


def _transfer(result: Transfer) -> Iterator[Part]:
    yield Conclusion(Toned(result.word, result.word), sentence(MEANING[result.word]))
    yield Facts([("quality", quality_line(result.quality))])
    directions = result.directions or {}
    sentences = [headline(direction, into) for direction, into in directions.items()]
    yield Listed([*map(sentence, (*sentences, *carried_text(result.carried)))])
    yield Facts([*_facts(result)])
    yield from quality_parts(result.quality)


def _facts(result: Transfer) -> Iterator[tuple[str, str]]:
    domains = " and ".join(
        f"{domain} ({tasks:,} task{'s' if tasks > 1 else ''})"
        for domain, tasks in result.domains.items()
    )
    choice = "chosen" if result.domains_chosen else "the two with most tasks"
    yield "domains", f"{domains}: {choice}"
    chosen = "chosen" if result.baseline_chosen else "in every comparison"
    yield "baseline", f"{result.baseline}: {chosen}"
    decided = f"{100 * result.decided_share:.0f}% decided"
    yield "strategies", f"{len(result.strategies)}, {result.verdicts:,} verdicts, {decided}"
    tasks = sum(result.left_out_tasks.values())
    if result.left_out_strategies or tasks:
        authors = ", ".join(result.left_out_strategies) or "no strategy"
        yield "left out", f"{authors}; {tasks:,} tasks: too little was decided there"
    for direction, into in (result.directions or {}).items():
        share = figure_text(into.redirected, into.redirected_ci95)
        yield (
            f"{Pair.parse(direction).source} first",
            f"redirected choices {share}, by chance {into.chance:.3f}",
        )
        yield "", f"regret {figure_text(into.regret, into.regret_ci95)} of win rate"
        harm = figure_text(into.harm, into.harm_ci95)
        yield "", f"{NO_DETOUR} {harm}"
        for figure, title in (("regret", "regret"), ("redirected", "redirected choices")):
            if result.people:
                yield "", _people_text(title, result.people[direction][figure])
    if result.test:
        unit = f"{result.test.method} of {result.test.unit}s"
        yield "p value", f"{result.test.p_value:.4f} for both directions, by {unit}"
    for domain, p in clustered(result.clusters).items():
        yield "topics", f"{domain} tasks are alike (p {p:.2g}): some may be copies; no word then"
    if result.test:
        yield "copies", copies_line(result.compared, texts=False)
    if result.unchecked:
        yield "", "no word `coupled` of so few strategies, unless groups of tasks are declared"
    regrets = [into.regret_ci95 for into in (result.directions or {}).values()]
    unit = result.test.unit if result.test else "task"
    yield from to_settle(result.word, regrets, min(result.domains.values()), unit)
    if result.detectable is not None and result.word != "coupled":
        yield "power", f"a regret of {result.detectable:.3f} is found in 4 of 5 such files or more"
        yield "", f"the margin is {MARGIN}"


def _people_text(title: str, figures: PeopleDifference) -> str:
    return (
        f"{title}: judge {figure_text(figures.judge, figures.judge_ci95)}, persons "
        f"{figure_text(figures.people, figures.people_ci95)}, judge minus persons "
        f"{figure_text(figures.difference, figures.difference_ci95)}"
    )


def _missing(report: Report, column_choice: ColumnChoice) -> Iterator[tuple[str, str]]:
    """Yield what no judge's figures say, with what the file needs for it."""
    families = {family(name) for group in report.groups for name in group.figures}
    if any(group.transfer for group in report.groups):
        families.add("transfer")
    unneeded = {*_NOT_OF_ONE} if report.single is True else set()
    if any(group.labels is not UNSET for group in report.groups):
        unneeded |= {*_LABELS}
    for topic, (names, field, needed) in NEEDS.items():
        if families & {*names} or topic in unneeded:
            continue
        is_table = bool(column_choice.columns) and field not in {
            *column_choice.columns,
            *column_choice.constants,
        }
        reason = "" if is_table else report.groups[0].left_out.get(names[0])
        advice = needed
        if report.single is True and topic in _LABELS[1:]:
            has_texts = report.alone and "a" in column_choice.columns
            advice = f"{_GOLD_OF_ONE}{_TO_LABEL if has_texts else ''}"
        yield topic, _PLAINER.get(reason or "", reason) or f"add {advice}"


def _source(report: Report) -> Iterator[tuple[str, str]]:
    source = report.source
    if {source.repository, source.commit, source.licence} != {UNKNOWN}:
        origin = f"{source.repository}, commit {source.commit}, licence {source.licence}"
        yield "source", origin
    yield (
        "verdicts",
        f"{report.verdicts:,} on {report.items:,} items; the judge may answer otherwise today",
    )
    for reason, count in report.left_out.items():
        yield "left out", f"{count:,} {reason}"
    if report.duplicates:
        yield "twice", f"{report.duplicates:,} equal rows: counted once"
    if report.items_under_two_names:
        count = report.items_under_two_names
        has = "1 item has" if count == 1 else f"{count:,} items have"
        yield "alike", f"{has} the question and answers of another one"
    if equal := sum(group.equal_answers for group in report.groups):
        yield "copies?", f"{equal:,} pairs of equal answers of {LONG_ANSWER} characters or more"
    if contrary := sum(group.equal_answers_other_verdict for group in report.groups):
        yield (
            "contrary",
            f"{contrary:,} of these have two different verdicts: the source misread one",
        )
    if report.pairs:
        alike = sum(pair.same_decoding for pair in report.pairs)
        shared = sum(pair.shared_answers for pair in report.pairs)
        yield "pairs", f"{alike:,} of {len(report.pairs):,} pairs of judges had one decoding"
        yield "", f"{shared:,} long answers that both judges have are left out"
    elif len(report.groups) > 1 and report.judges is UNSET:
        yield "pairs", f"agreement between judges is not stated: {_why_no_pairs(report)}"


def _why_no_pairs(report: Report) -> str:
    prompts = [group.setting.prompt for group in report.groups]
    unknown = sum(prompt.name == prompt.sha256 == UNKNOWN for prompt in prompts)
    if unknown and len({group.setting.judge.name for group in report.groups}) > 1:
        return (
            f"the prompt of {unknown} of {len(prompts)} settings is unknown, so nobody can tell "
            "whether two judges were asked the same; state it by --map prompt=COLUMN or "
            "--set prompt=NAME"
        )
    return "no two were asked the same"


def _notes(report: Report) -> Iterator[str]:
    """Yield who was asked under each name, and what else has that name."""
    for group in report.groups:
        facts = [f"{judge_name(group)}: {group.verdicts:,} verdicts", _setting_text(group)]
        if group.setting.note:
            facts.append(group.setting.note)
        if group.own_authors:
            facts.append(f"its own outputs are those of {', '.join(group.own_authors)}")
        if len(group.settings) > 1:
            facts.append(f"the same prompt as {', '.join(group.settings[1:])}")
        yield "; ".join(facts)


def _setting_text(group: Group) -> str:
    setting = group.setting
    facts = {
        "model": setting.judge.model,
        "platform": setting.judge.platform,
        "prompt": setting.prompt.name,
        "date": setting.date,
    }
    given_facts = [f"{name} {value}" for name, value in facts.items() if value != UNKNOWN]
    unknown = [name for name, value in facts.items() if value == UNKNOWN]
    (unknown if setting.decoding == UNKNOWN else given_facts).append("decoding")
    summary = f"{', '.join(given_facts)} stated" if given_facts else ""
    return "; ".join(filter(None, (summary, f"{', '.join(unknown)} not stated" if unknown else "")))


def _left_out(report: Report) -> Iterator[str]:
    """Yield which figures are left out of which settings, and why."""
    by_reason: dict[tuple[str, int], list[str]] = {}
    for name in (*FIGURES, "transfer"):
        whys = [group.left_out[name] for group in report.groups if name in group.left_out]
        for why in sorted({*whys}):
            by_reason.setdefault((why, whys.count(why)), []).append(name)
    for (why, count), names in by_reason.items():
        scope = f" ({count} of {len(report.groups)} settings)" if len(report.groups) > 1 else ""
        yield f"{', '.join(names)}{scope}: {_PLAINER.get(why, why)}"
