"""What recorded verdicts say of their judges, in words and columns."""

from collections.abc import Iterator, Sequence
from typing import Final

from epc.analysis.observed import Group, Report
from epc.analysis.observed_figures import Figure
from epc.analysis.observed_lists import MOST_ASKINGS
from epc.analysis.observed_names import FIGURES, family
from epc.analysis.observed_rows import LONG_ANSWER
from epc.analysis.observed_transfer import Beside, Transferred
from epc.audit.side_checks import clustered
from epc.records.observed.types import UNKNOWN
from epc.spec.coupling import MARGIN
from epc.statistics.figures import TOO_FEW, figure_text

_PAIR_TITLES: Final = {
    "agreement": "two judges say the same of what both were asked with one prompt",
    "kappa": "the same, as Cohen's kappa",
    "score_within_1": "two judges' scores of one output are within 1 point",
    "score_shift": "points that the second judge gives more",
}


_PANEL_TITLES: Final = {
    "error_correlation": "correlation of judges' errors in single askings of the same lists",
    "independent_judges": "as many independent judges as these are worth",
}
_EFFECT: Final = "the second way of asking the judge less the first, on the same questions"


def text(report: Report) -> str:
    """Return the printed form of a report."""
    parts = [*_heading(report)]
    every = dict.fromkeys(name for group in report.groups for name in group.figures)
    for name in sorted(every, key=lambda name: [*FIGURES].index(family(name))):
        rows = [(g.settings[0], g.figures[name]) for g in report.groups if name in g.figures]
        parts += _figure(name, FIGURES[family(name)].title, rows)
    parts += [
        *_subsets(report),
        *_between(report),
        *_together(report),
        *_transfers(report),
        *_notes(report),
        *_left_out(report),
    ]
    return "\n".join(parts)


def _heading(report: Report) -> Iterator[str]:
    source = report.source
    yield f"{source.name}: {report.verdicts:,} verdicts on {report.items:,} items"
    yield f"  source     {source.repository}, commit {source.commit}, licence {source.licence}"
    yield "  state      recorded by others; says nothing of today (Reading R77)"
    if report.identity == "name":
        yield "  digests    of names: the source has no texts"
    for what, count in report.left_out.items():
        yield f"  left out   {count:,} {what}"
    yield f"  twice      {report.duplicates:,} verdicts that stand twice: counted once"
    yield f"  renamed    {report.items_under_two_names:,} items of another's question and pair"
    equal = sum(group.equal_answers for group in report.groups)
    other = sum(group.equal_answers_other_verdict for group in report.groups)
    yield f"  copies?    {equal:,} pairs of equal answers of {LONG_ANSWER} characters or more"
    if other:
        yield f"  contrary   {other:,} of these have two different verdicts: the source misread one"


def _figure(name: str, title: str, rows: Sequence[tuple[str, Figure]]) -> Iterator[str]:
    width = max(len(setting) for setting, _ in rows)
    yield from ("", f"{name}: {title}")
    yield from (_row(setting, figure, width) for setting, figure in rows)


def _subsets(report: Report) -> Iterator[str]:
    """Yield how often the judges are right in each subset."""
    for name in ("accuracy", "best/1", f"best/{MOST_ASKINGS}"):
        rows = [
            (f"{group.settings[0]}  {subset}", figures[name])
            for group in report.groups
            for subset, figures in group.by_subset.items()
            if name in figures
        ]
        if rows:
            yield from _figure(name, "by subset", rows)


def _together(report: Report) -> Iterator[str]:
    """Yield how many independent judges a panel has, and what another way of asking changes."""
    for parts, titles in (
        (report.panels, _PANEL_TITLES),
        (report.effects, dict.fromkeys(("accuracy", "best/1", f"best/{MOST_ASKINGS}"), _EFFECT)),
    ):
        for name, title in titles.items():
            rows = [(" and ".join(p.settings), p.figures[name]) for p in parts if name in p.figures]
            if rows:
                yield from _figure(name, title, rows)


def _between(report: Report) -> Iterator[str]:
    """Yield how far judges agree that were asked the same with one prompt."""
    width = max((len(" and ".join(pair.settings)) for pair in report.pairs), default=0)
    for name, title in _PAIR_TITLES.items():
        if any(name in pair.figures for pair in report.pairs):
            yield from ("", f"{name}: {title}")
        for pair in report.pairs:
            if name in pair.figures:
                yield _row(" and ".join(pair.settings), pair.figures[name], width)
    if report.pairs:
        alike = sum(pair.same_decoding for pair in report.pairs)
        shared = sum(pair.shared_answers for pair in report.pairs)
        yield f"  {alike:,} of {len(report.pairs):,} pairs of judges were asked with one decoding"
        yield f"  {shared:,} long answers that both judges have are left out"
    else:
        yield from ("", f"not stated: agreement between judges: {_why_no_pairs(report)}")


def _why_no_pairs(report: Report) -> str:
    prompts = [group.setting.prompt for group in report.groups]
    unknown = sum(prompt.name == prompt.sha256 == UNKNOWN for prompt in prompts)
    if unknown and len({group.setting.judge.name for group in report.groups}) > 1:
        return (
            f"the prompt of {unknown} of {len(prompts)} settings is unknown, so nobody can tell "
            "whether two judges were asked the same\n  fix: state it by `epc observe import "
            "--map prompt=COLUMN` or `--set prompt=NAME`"
        )
    return "no two were asked the same"


def _transfers(report: Report) -> Iterator[str]:
    """Yield what crosses by each judge, with the choices that it rests on."""
    for group in report.groups:
        if group.transfer:
            yield ""
            yield from _transfer(group.settings[0], group.transfer)


def _transfer(name: str, result: Transferred) -> Iterator[str]:
    domains = " and ".join(
        f"{domain} ({tasks:,} tasks)" for domain, tasks in result.domains.items()
    )
    which = "chosen" if result.domains_chosen else "the two with most tasks"
    baseline = "chosen" if result.baseline_chosen else "in every comparison"
    yield f"transfer by {name}: {result.word}"
    yield f"  domains    {domains}: {which}"
    yield f"  baseline   {result.baseline}: {baseline}"
    decided = f"{100 * result.decided_share:.0f}% decided"
    yield f"  strategies {len(result.strategies)} authors, {result.verdicts:,} verdicts, {decided}"
    tasks = sum(result.left_out_tasks.values())
    if result.left_out_strategies or tasks:
        authors = ", ".join(result.left_out_strategies) or "no author"
        yield f"  left out   {authors}; {tasks:,} tasks: too little was decided there"
    yield from _directions(result)
    if result.test:
        unit = f"{result.test.method} of {result.test.unit}s"
        yield f"  p          {result.test.p_value:.4f} for both directions, by {unit}"
    for domain, p in clustered(result.clusters).items():
        yield f"  topics     {domain} tasks are alike (p {p:.2g}): some may be copies; no word then"
    if result.detectable is not None and result.word != "coupled":
        size = f"{result.detectable:.3f}"
        yield f"  power      a regret of {size} is found in 4 of 5 such files or more"
        yield f"             (the margin is {MARGIN})"


def _directions(result: Transferred) -> Iterator[str]:
    for direction, into in (result.directions or {}).items():
        yield f"  {direction}"
        share = figure_text(into.redirected, into.redirected_ci95)
        yield f"    redirected choices {share}, by chance {into.chance:.3f}"
        yield f"    regret             {figure_text(into.regret, into.regret_ci95)} of win rate"
        yield f"    harm               {figure_text(into.harm, into.harm_ci95)}"
        for figure, title in (("regret", "regret"), ("redirected", "redirected choices")):
            if result.people:
                yield f"    {_beside(title, result.people[direction][figure])}"


def _beside(title: str, both: Beside) -> str:
    return (
        f"{title}: judge {figure_text(both.judge, both.judge_ci95)}, persons "
        f"{figure_text(both.people, both.people_ci95)}, judge minus persons "
        f"{figure_text(both.difference, both.difference_ci95)}"
    )


def _row(name: str, figure: Figure, width: int) -> str:
    estimate = figure.text(none=TOO_FEW)
    counts = f"n {figure.n:,}, questions {figure.items:,}"
    return f"  {name:<{width}}  {estimate:<22} {counts}"


def _notes(report: Report) -> Iterator[str]:
    """Yield who was asked under each name, and what else has that name."""
    yield ""
    yield "asked of"
    for group in report.groups:
        setting = group.setting
        yield f"  {group.settings[0]}: {_asked(group)}, {group.verdicts:,} verdicts"
        if setting.note:
            yield f"    {setting.note}"
        if group.own_authors:
            yield f"    its own outputs are those of {', '.join(group.own_authors)}"
        if len(group.settings) > 1:
            yield f"    the same prompt as {', '.join(group.settings[1:])}"


def _asked(group: Group) -> str:
    setting = group.setting
    decoding = "decoding stated" if setting.decoding != UNKNOWN else "decoding unknown"
    judge = f"model {setting.judge.model} on platform {setting.judge.platform}"
    return f"{judge}, {decoding}, date {setting.date}"


def _left_out(report: Report) -> Iterator[str]:
    """Yield which figures are left out of which settings, and why."""
    by_reason: dict[tuple[str, int], list[str]] = {}
    for name in (*FIGURES, "transfer"):
        whys = [group.left_out[name] for group in report.groups if name in group.left_out]
        for why in sorted({*whys}):
            by_reason.setdefault((why, whys.count(why)), []).append(name)
    for (why, count), names in by_reason.items():
        which = f"{count} of {len(report.groups)} settings"
        yield f"not stated of {which}: {', '.join(names)}: {why}"
