"""A comparison, also of a wrapper with its evaluator, as a document (`epc compare`)."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Final

from epc.analysis.compare import Comparison, Tables
from epc.analysis.differences import GAMMA_STEP, Difference
from epc.analysis.mitigation import REDIRECTED, REGRET, Mitigated, Reduction
from epc.printable import begun
from epc.report.charts.chart import differences_chart, label_of
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
)
from epc.spec.domains import pair_title
from epc.statistics.figures import figure_text, interval_text, number_text

WORDS: Final = {
    "same": "SAME",
    "drifted": "DRIFTED",
    "different": "DIFFERENT",
    "cannot_tell": "CANNOT TELL",
}
_LIKE: Final = "Yes, in everything that the manifests state."
_AGAIN: Final = """\
epc compare A B               # the same in the terminal
epc compare A B --html FILE   # this page"""


def comparison_page(comparison: Comparison) -> str:
    """Return the report of a comparison as one HTML document, which names no folder's place."""
    from epc.report.page.markup import page  # what a page alone needs

    left, right = (
        {**head, "path": PurePath(head["path"]).name}
        for head in (comparison.left, comparison.right)
    )
    models = dict.fromkeys(head["evaluator"] for head in (left, right))
    return page(
        "Comparison of two measurements",
        " and ".join(models),
        document(replace(comparison, left=left, right=right)),
        commands=_AGAIN,
    )


def document(comparison: Comparison) -> Iterator[Part]:
    """Yield the verdict, why, what is unlike, the figures, and what would have been enough."""
    word, _, explanation = heading(comparison).partition(": ")
    yield Conclusion(Toned(word, comparison.verdict), explanation)
    yield Facts([*sides(comparison)])
    yield Section("Verdicts, pair by pair", [Listed([*verdicts(comparison)])], "open")
    if chart := differences_chart(comparison.metrics):
        yield Beside([chart])
    likeness = [Findings(comparison.findings, _LIKE)]
    yield Section("Like for like", likeness, "open" if comparison.findings else "folded")
    notes = [*no_interval(comparison.metrics), *by_the_paper(comparison)]
    yield Section("Figures", [Table("Figures", [*figures(comparison.metrics)]), Listed(notes)])
    yield Section("What would have been enough (power 90%)", [Facts([*enough(comparison)])])


def heading(comparison: Comparison) -> str:
    """Return the word, and whether like is compared with like."""
    like = "like for like" if comparison.like_for_like else "not like for like"
    if comparison.shared["evaluator"].count:
        like = "shared answers"
    apart = ": two evaluators, so no drift of either" if comparison.two_evaluators else ""
    return f"{WORDS[comparison.verdict]}, {like}{apart}"


def sides(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Yield what A and B are."""
    for name, head in (("A", comparison.left), ("B", comparison.right)):
        seeds = f"{head['seeds']} seed{'s' * (head['seeds'] != 1)}"
        facts = (head["evaluator"], head["measurement_date"], seeds)
        yield name, f"{head['path']}: {', '.join(facts)}"


def verdicts(comparison: Comparison) -> Iterator[str]:
    """Yield what the verdicts say, pair by pair."""
    tables, shared = comparison.tables, comparison.shared["evaluator"]
    if shared.count:
        yield f"{shared.count} of {shared.answers} answers are shared: one answer each, not two"
    if shared.count and (tables is None or not tables.drift.pairs):
        yield "nothing is left that could be compared"
        return
    if tables is None:
        yield (
            "not compared: a manifest without its raw files has none, and its figures alone "
            "can show a difference but no sameness"
        )
        return
    yield from {"reused": _reused, "fresh": _fresh, "mixed": _mixed}[tables.drift.kind](tables)
    p = tables.drift.p_values
    yield (
        f"p {_p(p['changed'])} for how many, {_p(p['direction'])} for the direction; "
        f"{_p(tables.drift.p_value)} together"
    )


def _reused(tables: Tables) -> Iterator[str]:
    drift, noise = tables.drift, tables.noise
    if tables.other_answers:
        yield f"{tables.other_answers} common pairs left out: the executor wrote something else"
    if tables.other_prompts:
        yield f"{tables.other_prompts} common pairs left out: the evaluator's prompt differs"
    if not drift.pairs or drift.estimate is None or drift.upper is None or noise is None:
        yield "no question was asked in both runs; `epc watch` asks a run's own questions again"
        return
    same_facts = not (noise.asked or noise.assumed or drift.changed)  # the same facts, given again
    changed = figure_text(drift.estimate, None if same_facts else drift.ci95, ".1%")
    yield (
        f"{drift.changed} of {drift.pairs} changed, {changed}: "
        f"{drift.towards_a} towards A, {drift.towards_b} towards B"
    )
    if same_facts:  # Reading R76:
        yield (
            "none flips by itself: a file, a mock or pinned weights give the same answers by "
            "construction, so this is one measurement carried out twice"
        )
        return
    yield (
        f"at most {100 * drift.upper:.1f}% with 95% confidence; "
        f"same is below {100 * drift.margin:g}%"
    )
    if noise.asked:
        yield f"asked again within a run, {noise.flips} of {noise.asked} flipped"
    elif noise.assumed:
        yield (
            f"assumed to flip anyway: {100 * noise.assumed:g}%; "
            "`epc run --recheck 60` measures it instead"
        )
    else:
        yield "none flips by itself: these answers are facts"


def _fresh(tables: Tables) -> Iterator[str]:
    drift = tables.drift
    seeds = "seeds swapped with themselves" if tables.paired else "seeds shuffled"
    yield f"{drift.pairs} pairs met in both runs, asked afresh every round; {seeds}"
    if drift.estimate is not None:
        bound = (
            "no bound: that takes 10 seeds" if drift.upper is None else f"at most {drift.upper:.3f}"
        )
        yield (
            f"a verdict's probability moved by {drift.estimate:.3f} (root mean square), {bound}; "
            f"same is below {drift.margin:g}"
        )


def _mixed(tables: Tables) -> Iterator[str]:
    drift = tables.drift
    yield f"{drift.pairs} pairs; one run has a single verdict for each, the other asked afresh"
    if drift.estimate is not None:
        yield f"{100 * drift.estimate:.1f}% of the fresh answers differ from the one on record"
    yield "this can show drift, and never that there is none"


def by_the_paper(comparison: Comparison) -> Iterator[str]:
    """Yield what EPC-5.2 makes of gamma in both, by direction."""
    for direction, (left, right) in comparison.epc_5_2.items():
        yield f"by EPC-5.2, gamma {pair_title(direction)}: A {left}; B {right}"


def figures(metrics: list[Difference]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table of figures, its head first."""
    yield "", "A", "B", "B - A", "95% interval", "p", "Holm"
    for d in metrics:
        yield (
            label_of(d),
            number_text(d.left, ".3f"),
            number_text(d.right, ".3f"),
            number_text(d.difference, "+.3f"),
            interval_text(d.ci95, "+.3f", "none"),
            _p(d.p_value),
            _p(d.p_holm),
        )


def no_interval(metrics: list[Difference]) -> Iterator[str]:
    """Yield why no figure has an interval, where none has."""
    if all(d.ci95 is None for d in metrics):
        yield (
            "no interval: one seed, or every seed gave the very same figures in both runs, "
            "in which case more seeds are no more evidence"
        )


def enough(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Yield which change would have been found with which effort."""
    for share, pairs in comparison.pairs_needed.items():
        need = f"{pairs:,} pairs, each asked once a run" if pairs else "no number of pairs"
        yield f"{100 * share:g}% of the verdicts changed", need
    for direction, seeds in comparison.seeds_needed.items():
        need = f"{seeds:,} seeds a run" if seeds else "unknown from single seeds"
        yield f"gamma, {direction.replace('_', ' ')}, changed by {GAMMA_STEP:g}", need


def _p(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if value >= 0.001 else "<0.001"  # noqa: PLR2004  (three digits are shown)


def mitigation_report(plain: str, effects: Sequence[Mitigated]) -> str:
    """Return the printed form: what each wrapper reduced, by how much, and at what price."""
    return "\n\n".join("\n".join(_lines(plain, effect)) for effect in effects)


def _lines(plain: str, effect: Mitigated) -> Iterator[str]:
    yield f"Mitigation: {effect.evaluator} against {plain}"
    price = f"{effect.calls:,} calls to the judges, {effect.times:.1f} times the plain run's"
    yield f"  price     {price}"
    before, after = effect.decided
    yield f"  decided   {100 * before:.0f}% of the pairs plain, {100 * after:.0f}% mitigated"
    if effect.reductions is None:
        yield "  too little was decided for any figure of transfer"
        return
    tasks = " and ".join(f"{count} {domain} tasks" for domain, count in effect.tasks.items())
    yield f"  on        {effect.strategies} strategies, {tasks} that both decided on"
    if not effect.shared:
        yield "  the executor wrote other answers: a difference may be its"
    for direction, figures in effect.reductions.items():
        yield f"  {pair_title(direction)}"
        yield f"    transfer regret     {_reduction_text(figures[REGRET])}"
        yield f"    redirected choices  {_reduction_text(figures[REDIRECTED])}"
        if direction in effect.floor:
            yield f"    floor               {effect.floor[direction]:.3f} are redirected by chance"
    yield f"  {in_words(effect)}"


def in_words(effect: Mitigated) -> str:
    """Return what follows in one sentence."""
    if effect.reductions is None:
        return "Too little was decided for any figure of transfer."
    if effect.nothing:
        return (
            "There is nothing to reduce: the plain evaluator's transfer regret is not clear of 0 "
            "in any direction."
        )
    clauses = []
    for direction, figures in effect.reductions.items():
        reduction = figures[REGRET]
        if not reduction.reducible or reduction.share is None:
            continue
        interval = reduction.less_ci95
        clear = interval is not None and (interval[0] > 0 or interval[1] < 0)
        word = "falls" if reduction.less > 0 else "rises"
        how = f"{word} by {abs(100 * reduction.share):.0f}%" if clear else "may not change at all"
        clauses.append(f"the transfer regret from {pair_title(direction)} {how}")
    sentence = ", ".join(clauses)
    return f"{begun(sentence)}."


def _reduction_text(reduction: Reduction) -> str:
    share = "" if reduction.share is None else f", {100 * reduction.share:.0f}% of it"
    less = f"less by {figure_text(reduction.less, reduction.less_ci95, '+.3f')}{share}"
    plain = figure_text(reduction.plain, reduction.plain_ci95, "+.3f")
    return (
        f"{plain} to {figure_text(reduction.mitigated, reduction.mitigated_ci95, '+.3f')}: {less}"
    )
