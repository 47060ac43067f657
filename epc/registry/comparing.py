"""A measurement and published ones: what differs first, then each figure on its noise floor."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, Self

from msgspec import Struct, convert

from epc.printable import aligned
from epc.protocol.results import Json
from epc.records.manifest import Manifest
from epc.registry.cards import Declaration, digest
from epc.registry.comparison import Comparison, Operand
from epc.registry.expiry import Expiry
from epc.registry.figures import (
    FAILED_RUN,
    Figure,
    figures,
    reading_of,
)
from epc.registry.kinds.measured import measured_offer
from epc.registry.kinds.table import KINDS
from epc.registry.record import Record
from epc.registry.showing import PAPER, ReferenceRow, model_in_words
from epc.registry.snapshots import Snapshot
from epc.registry.tags import Tag
from epc.spec.epc_v1 import ROUNDS
from epc.spec.reference import TASKS
from epc.statistics.figures import number_text

_COMPARED: Final = ("gamma/", "zero_coupling_rate/", "jsd/", "pci", "ece", "brier")
_ROUNDS: Final = re.compile(r"\bR = (\d+)")
_REFERENCE: Final = digest({domain: list(tasks) for domain, tasks in TASKS.items()})
_GAMMA: Final = "gamma/text_to_visual"
_COLUMNS: Final = {
    _GAMMA: "gamma, t to v",
    "zero_coupling_rate/text_to_visual": "zero rate",
    "jsd/text_to_visual": "JSD, t to v",
    "jsd/visual_to_text": "JSD, v to t",
    "pci": "PCI",
    "ece": "ECE",
    "brier": "Brier",
}


class _Conditions(Struct, frozen=True, kw_only=True):
    """The conditions that the card of a measurement spells out."""

    rounds: int | None = None
    tasks: str | None = None

    @classmethod
    def from_card(cls, card: Record) -> Self:
        return convert(card.conditions, cls)


def not_compared(comparison: Comparison) -> dict[str, str]:
    """Return what cannot be compared, and why."""
    left, right = comparison.left, comparison.right
    kinds = (KINDS[operand.snapshot.kind] for operand in (right, left))
    if why := next(filter(None, (kind.no_gamma for kind in kinds)), ""):
        return {"everything": why}
    missing = {name: _lacks(name, right) for name in left.figures if name not in right.figures}
    missing |= {name: _lacks(name, left) for name in right.figures if name not in left.figures}
    if right.snapshot.card.audit and left.snapshot.card.audit:
        advice = f"`epc snapshot fetch {right.name}`, then compare the two folders"
        missing |= {"verdicts, pair by pair": advice}
    return missing


def is_clean(comparison: Comparison) -> bool:
    """Return whether like stands beside like, and both are measurements."""
    return comparison.like_for_like and not comparison.failed and bool(comparison.figures)


def conclusion(comparison: Comparison) -> str:
    """Return what follows, in one sentence."""
    gammas = comparison.gammas
    if not gammas:
        return "No gamma is in both, so nothing follows about coupling."
    if comparison.failed:
        failed = " and ".join(operand.name for operand in comparison.failed)
        return f"{failed}: no verdict was counted, so nothing can be compared."
    gaps = ", ".join(
        f"{number_text(b.mean - a.mean, '+.3f')} ({n[6:]})" for n, (a, b) in gammas.items()
    )
    pairs = [pair for figures in gammas.values() for pair in comparison.operands(figures)]
    is_noise = all("within" in reading_of(operand.snapshot, figure) for operand, figure in pairs)
    noise = "; all of them lie within noise, so none shows coupling" if is_noise else ""
    return f"gamma differs by {gaps}, {_explanation(comparison)}{noise}."


def _explanation(comparison: Comparison) -> str:
    """Return what a difference in gamma can be put down to."""
    if not comparison.like_for_like:
        differing = ", ".join(comparison.condition_differences)
        return f"and so do {differing}: this is no drift of either"
    if any(figure.interval is None for figures in comparison.gammas.values() for figure in figures):
        return "and one side has no interval: this is not distinguishable from chance"
    apart = ", ".join(comparison.apart)
    share = f"no value in {apart}" if apart else "values"
    return f"and the intervals, which are over seeds, share {share}"


def comparison_json(comparison: Comparison) -> Json:
    """Return the comparison as plain JSON."""
    return {
        "left": comparison.left.name,
        "right": comparison.right.name,
        "like_for_like": comparison.like_for_like,
        "differs": {key: [*pair] for key, pair in comparison.differences.items()},
        "figures": {
            name: [_figure_json(*pair) for pair in comparison.operands(figures)]
            for name, figures in comparison.figures.items()
        },
        "not_compared": not_compared(comparison),
        "sentence": conclusion(comparison),
    }


def _figure_json(operand: Operand, figure: Figure) -> Json:
    entry: Json = {"mean": figure.mean, "interval": figure.interval}
    if figure.name.startswith("gamma/"):
        reading = reading_of(operand.snapshot, figure)
        entry |= {"noise_floor": operand.floor(figure), "epc_5_2": reading}
    return entry


def comparison_text(comparison: Comparison) -> str:
    """Return the comparison for people: what differs, the figures, what follows."""
    left, right = comparison.left, comparison.right
    names = (left.name, right.name)
    keys = [*left.conditions, *left.facts]
    both_know = {*right.conditions, *right.facts}
    equal_keys = [key for key in keys if key in both_know and key not in comparison.differences]
    facts = [(f"  {key}", *pair) for key, pair in comparison.differences.items()]
    rows: list[tuple[str, ...]] = [("", *names)]
    for name, figure_pair in comparison.figures.items():
        rows.append((f"  {name}", *map(str, figure_pair)))
        if name in comparison.gammas:
            pairs = list(comparison.operands(figure_pair))
            rows.append(("    noise floor", *(operand.floor(gamma) for operand, gamma in pairs)))
            read = (reading_of(operand.snapshot, gamma) for operand, gamma in pairs)
            rows.append(("    by EPC-5.2", *read))
    missing = [f"  {name}: {why}" for name, why in not_compared(comparison).items()]
    figures = ["Figures, with their 95% intervals", *aligned(rows)] if comparison.figures else []
    parts = [
        f"{' beside '.join(names)}: {'' if comparison.like_for_like else 'not '}like for like",
        "\n".join(["What differs", *aligned([("", *names), *facts])]),
        f"The same in both: {', '.join(equal_keys) or 'nothing'}",
        "\n".join(figures),
        "\n".join(["Not compared", *missing]) if missing else "",
        conclusion(comparison),
    ]
    return "\n\n".join(filter(None, parts))


def reference_text(values: Sequence[tuple[ReferenceRow, Comparison]]) -> str:
    """Return one measurement beside every row of the reference snapshot, as one table."""
    reference = values[0][1].left
    head = ("", "", "N", *_COLUMNS.values(), "by EPC-5.2", "unlike in", "state")
    rows = [
        _row(row.short, value.right, reference, ", ".join(value.condition_differences))
        for row, value in values
    ]
    printed = {name for _, value in values for name in value.right.figures}
    never = [name for name in reference.figures if name not in printed]
    lacks = [
        f"  {name}: {_lacks(name, reference)}" for name in printed if name not in reference.figures
    ]
    read = [row[-3] for row in rows]
    unlike = sum(not value.like_for_like for _, value in values)
    follows = (
        f"Of {len(rows)} rows, {read.count(FAILED_RUN)} are failed runs, and "
        f"{sum('within' in reading for reading in read)} are what a coin flip gives. "
        f"{unlike} are of another evaluator or another setting, where a difference is no drift."
    )
    parts = (
        f"{reference.name} beside Reference Snapshot v1.0 ({PAPER}), by table and row",
        "\n".join(aligned([head, _row("", reference, reference, ""), *rows])),
        "In brackets: the row's figure minus the run's.",
        "\n".join(["Not compared", f"  printed in no row: {', '.join(never)}", *sorted(lacks)]),
        follows,
    )
    return "\n\n".join(parts)


def _row(place: str, operand: Operand, reference: Operand, unlike: str) -> tuple[str, ...]:
    gamma = operand.figures.get(_GAMMA)
    cells = (_cell(name, operand, reference) for name in _COLUMNS)
    read = reading_of(operand.snapshot, gamma) if gamma else "-"
    return (
        place,
        operand.name,
        str(operand.snapshot.n),
        *cells,
        read,
        unlike,
        operand.state,
    )


def _cell(name: str, operand: Operand, run: Operand) -> str:
    """Return a figure, and what it is more than the run's; of a failed run that says nothing."""
    figure, mine = operand.figures.get(name), run.figures.get(name)
    if figure is None:
        return "-"
    comparable = mine is not None and operand is not run and not operand.snapshot.failed
    gap = f" ({number_text(figure.mean - mine.mean, '+.3f')})" if mine and comparable else ""
    return f"{number_text(figure.mean, '.3f')}{gap}"


def published_operand(snapshot: Snapshot, state: Expiry) -> Operand:
    """Return a published snapshot as an operand, by its state."""
    return _operand(str(snapshot.tag), snapshot, state.status_text)


def measured_operand(
    run: Path, manifest: Manifest, audit: Json, states: Iterable[Expiry]
) -> Operand:
    """Return a run as an operand, as it would stand in the registry.

    `states` are those of its evaluator.
    """
    declaration = Declaration(
        generation="run",
        contributor="",
        licence="",
        conflicts=None,
        proxy=manifest.evaluator.gateway is not None,
        replicates=None,
    )
    offer = measured_offer(run, manifest, audit, declaration)
    snapshot = Snapshot.from_card(offer.card(Tag.parse("v1.0-run"), None), offer.figures)
    return _operand(
        str(run), snapshot, "; ".join(dict.fromkeys(state.status_text for state in states))
    )


def _operand(name: str, snapshot: Snapshot, state: str) -> Operand:
    card = snapshot.card
    named = {figure.name: figure for figure in figures(snapshot.figures)}
    return Operand(
        name=name,
        state=state,
        snapshot=snapshot,
        figures={name: figure for name, figure in named.items() if name.startswith(_COMPARED)},
        conditions={
            "evaluator": model_in_words(card.evaluator),
            "executor": model_in_words(card.executor),
            "variant": card.protocol_version,
            "rounds": _rounds(snapshot),
            "tasks": _tasks(snapshot),
            **_setting(snapshot),
        },
        facts={
            "N": str(snapshot.n),
            "measured": card.days,
            "state": state,
        },
    )


def _rounds(snapshot: Snapshot) -> str:
    """Return how long a phase was; the paper says so where it was not 30."""
    card = snapshot.card
    if card.citation:
        match = _ROUNDS.search(card.citation.as_printed)
        return match[1] if match else str(ROUNDS)
    return str(_Conditions.from_card(card).rounds or "none")


def _tasks(snapshot: Snapshot) -> str:
    """Return whose tasks they are: the paper's (EPC-2.4(c)), or others, by their digest."""
    card = snapshot.card
    tasks = _REFERENCE if card.citation else _Conditions.from_card(card).tasks or ""
    return "the paper's" if tasks == _REFERENCE else f"others, {tasks[:12]}" if tasks else "none"


def _setting(snapshot: Snapshot) -> dict[str, str]:
    """Return all else that must agree, as a digest; the paper does not state enough for one."""
    conditions = snapshot.card.conditions
    if conditions is None:
        return {}
    setting = {k: v for k, v in conditions.items() if k not in ("rounds", "tasks")}
    return {"prompts, strategies, decoding": f"SHA-256 {digest(setting)[:12]}"}


def _lacks(name: str, operand: Operand) -> str:
    """Say why an operand has no figure of a name."""
    reported = operand.snapshot.card.citation is not None
    if name in ("ece", "brier", "accuracy") and not reported:
        return "needs accuracies, `epc validate RUN --accuracy FILE`"
    if name == "pci":
        return "the paper does not say of which phase its PCI is"
    return f"not printed for {operand.name}" if reported else f"not measured in {operand.name}"
