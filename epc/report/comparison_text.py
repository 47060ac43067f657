"""A comparison in words and columns (`epc compare`)."""

from collections.abc import Iterator
from typing import Final

from epc.analysis.compare import Comparison, Tables
from epc.analysis.differences import GAMMA_STEP, Difference
from epc.protocol.results import Json
from epc.spec.epc_v1 import DIRECTIONS

WORDS: Final = {"same": "SAME", "drifted": "DRIFTED", "cannot_tell": "CANNOT TELL"}
_FIGURES: Final = {
    "gamma": "gamma",
    "jsd": "JSD, nats",
    "tie_rate": "tie rate",
    "pci": "PCI",
    "zero_coupling_rate": "zero-coupling rate",
}
_LABEL: Final = 34


def report(comparison: Comparison) -> str:
    """Return the printed form: the verdict, why, what is unlike, the figures, what would do."""
    sections = (
        _heading(comparison),
        _table(comparison),
        _likeness(comparison),
        _metrics(comparison.metrics),
        _enough(comparison),
    )
    return "\n\n".join("\n".join(lines) for lines in sections)


def _heading(comparison: Comparison) -> Iterator[str]:
    like = "like for like" if comparison.like_for_like else "not like for like"
    if comparison.shared["evaluator"].count:
        like = "shared answers"
    two = comparison.left["evaluator"] != comparison.right["evaluator"]
    apart = ": two evaluators, so no drift of either" if two else ""
    yield f"{WORDS[comparison.verdict]}, {like}{apart}"
    yield from (
        _side(name, head) for name, head in (("A", comparison.left), ("B", comparison.right))
    )


def _side(name: str, head: Json) -> str:
    seeds = f"{head['seeds']} seed{'s' * (head['seeds'] != 1)}"
    return f"  {name}  {head['path']}: {head['evaluator']}, {head['measurement_date']}, {seeds}"


def _table(comparison: Comparison) -> Iterator[str]:
    yield "Verdicts, pair by pair"
    tables, shared = comparison.tables, comparison.shared["evaluator"]
    if shared.count:
        yield f"  {shared.count} of {shared.answers} answers are shared: one answer each, not two"
    if shared.count and (tables is None or not tables.drift.pairs):
        yield "  nothing is left that could be compared"
        return
    if tables is None:
        yield "  not compared: a manifest without its raw files has none, and its figures alone"
        yield "  can show a difference but no sameness"
        return
    found = {"reused": _reused, "fresh": _fresh, "mixed": _mixed}[tables.drift.kind]
    yield from (f"  {line}" for line in found(tables))
    p = tables.drift.p_values
    yield (
        f"  p {_p(p['changed'])} for how many, {_p(p['direction'])} for the direction; "
        f"{_p(tables.drift.p_value)} together"
    )


def _reused(tables: Tables) -> Iterator[str]:
    drift, noise = tables.drift, tables.noise
    if tables.other_answers:
        yield f"{tables.other_answers} common pairs left out: the executor wrote something else"
    if not drift.pairs or drift.estimate is None or drift.upper is None or noise is None:
        yield "no question was asked in both runs; `epc watch` asks a run's own questions again"
        return
    again = not (noise.asked or noise.assumed or drift.changed)  # the same facts, given again
    interval = (
        f" [{100 * drift.ci95[0]:.1f}%, {100 * drift.ci95[1]:.1f}%]"
        if drift.ci95 and not again
        else ""
    )
    yield (
        f"{drift.changed} of {drift.pairs} changed, {100 * drift.estimate:.1f}%{interval}: "
        f"{drift.towards_a} towards A, {drift.towards_b} towards B"
    )
    if again:  # Reading R76:
        yield "none flips by itself: a file, a mock or pinned weights give the same answers by"
        yield "construction, so this is one measurement carried out twice"
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


def _likeness(comparison: Comparison) -> Iterator[str]:
    yield "Like for like"
    if not comparison.findings:
        yield "  yes, in everything that the manifests state"
    for finding in comparison.findings:
        first, fix = str(finding).split("\n")
        yield f"  {first}"
        yield f"  {fix}"


def _metrics(metrics: list[Difference]) -> Iterator[str]:
    yield f"  {'':<{_LABEL}}{'A':>8}{'B':>8}{'B - A':>9}  {'95% interval':<19}{'p':>7}{'Holm':>8}"
    for d in metrics:
        label = _FIGURES[d.metric] + (f", {d.part.replace('_', ' ')}" if d.part else "")
        interval = f"[{d.ci95[0]:+.3f}, {d.ci95[1]:+.3f}]" if d.ci95 else "none"
        ends = f"{_p(d.p_value):>7}{_p(d.p_holm):>8}"
        yield (
            f"  {label:<{_LABEL}}{d.left:>8.3f}{d.right:>8.3f}{d.difference:>+9.3f}"
            f"  {interval:<19}{ends}"
        )
    if all(d.ci95 is None for d in metrics):
        yield "  no interval: one seed, or every seed gave the very same figures in both runs,"
        yield "  in which case more seeds are no more evidence"


def _enough(comparison: Comparison) -> Iterator[str]:
    yield "What would have been enough (power 90%)"
    for share, pairs in comparison.pairs_needed.items():
        need = f"{pairs:,} pairs, each asked once a run" if pairs else "no number of pairs"
        yield f"  {100 * share:g}% of the verdicts changed: {need}"
    for direction in DIRECTIONS:
        seeds = comparison.seeds_needed[direction]
        need = f"{seeds:,} seeds a run" if seeds else "unknown from single seeds"
        yield f"  gamma, {direction.replace('_', ' ')}, changed by {GAMMA_STEP:g}: {need}"


def _p(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if value >= 0.001 else "<0.001"  # noqa: PLR2004  (three digits are shown)
