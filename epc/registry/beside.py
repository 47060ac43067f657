"""A measurement beside published ones: what differs first, then each figure on its noise floor."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Final, Self

from msgspec import Struct, convert

from epc.printable import aligned
from epc.protocol.metrics import COIN_GAMMA, COIN_MEAN
from epc.protocol.results import Json
from epc.records.manifest import Manifest
from epc.registry.cards import Said, digest
from epc.registry.figures import (
    FAILED_RUN,
    Figure,
    at,
    figures,
    has_reference_coin,
    overlap,
    reading_of,
)
from epc.registry.kinds.measured import measured_offer
from epc.registry.kinds.table import KINDS
from epc.registry.record import Record
from epc.registry.registry import Registry
from epc.registry.showing import PAPER, ReferenceRow, model_in_words
from epc.registry.snapshots import Snapshot
from epc.registry.tags import Tag
from epc.spec.epc_v1 import ROUNDS
from epc.spec.reference import TASKS
from epc.statistics.figures import number_text, spread_text

_COMPARED: Final = ("gamma/", "zero_coupling_rate/", "jsd/", "pci", "ece", "brier")
# What must agree for two figures to be of one thing; N, days and states may differ.
_CONDITIONS: Final = (
    *("evaluator", "executor", "variant", "rounds", "tasks"),
    "prompts, strategies, decoding",
)
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
    def of(cls, card: Record) -> Self:
        return convert(card.conditions, cls)


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two: what it is called, what it says, and under which conditions."""

    name: str
    snapshot: Snapshot
    facts: Mapping[str, str]
    state: str

    @property
    def figures(self) -> dict[str, Figure]:
        """The figures that a comparison is about, by name."""
        named = figures(self.snapshot.figures)
        return {f.name: f for f in named if f.name.startswith(_COMPARED)}

    def floor(self, gamma: Figure) -> str:
        """Return the noise floor that belongs to a gamma."""
        direction = gamma.name.partition("/")[2]
        own = at(self.snapshot.figures, f"control/noise_floor/{direction}")
        if own is not None and own.spread:
            return spread_text(own.mean, *own.spread)
        if own is None and has_reference_coin(self.snapshot):
            return f"{spread_text(COIN_MEAN, *COIN_GAMMA)}, a coin flip's"
        return "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """Two measurements side by side."""

    left: Side
    right: Side

    @property
    def differs(self) -> list[str]:
        """The facts that are not the same."""
        left, right = self.left.facts, self.right.facts
        return [key for key in left if key in right and left[key] != right[key]]

    @property
    def unlike(self) -> list[str]:
        """The conditions that are not the same, which make figures those of different things."""
        return [key for key in self.differs if key in _CONDITIONS]

    @property
    def figures(self) -> dict[str, tuple[Figure, Figure]]:
        """The figures that both have."""
        left, right = self.left.figures, self.right.figures
        return {name: (left[name], right[name]) for name in left if name in right}

    @property
    def missing(self) -> dict[str, str]:
        """What cannot be compared, and why."""
        kinds = (KINDS[side.snapshot.kind] for side in (self.right, self.left))
        if why := next(filter(None, (kind.no_gamma for kind in kinds)), ""):
            return {"everything": why}
        left, right = self.left.figures, self.right.figures
        only = [(n, self.right) for n in left if n not in right]
        only += [(n, self.left) for n in right if n not in left]
        missing = {name: _lacks(name, side) for name, side in only}
        if self.right.snapshot.card.audit and self.left.snapshot.card.audit:
            again = f"`epc snapshot fetch {self.right.name}`, then compare the two folders"
            missing |= {"verdicts, pair by pair": again}
        return missing

    @property
    def clean(self) -> bool:
        """Whether like stands beside like, and both are measurements."""
        failed = self.left.snapshot.failed or self.right.snapshot.failed
        return not self.unlike and not failed and bool(self.figures)

    @property
    def sentence(self) -> str:
        """What follows, in one sentence."""
        gammas = {name: both for name, both in self.figures.items() if name.startswith("gamma/")}
        if not gammas:
            return "No gamma is in both, so nothing follows about coupling."
        failed = [side.name for side in (self.left, self.right) if side.snapshot.failed]
        if failed:
            return f"{' and '.join(failed)}: no verdict was counted, so nothing can be compared."
        gaps = ", ".join(
            f"{number_text(b.mean - a.mean, '+.3f')} ({n[6:]})" for n, (a, b) in gammas.items()
        )
        read = [reading_of(s.snapshot, f) for both in gammas.values() for s, f in self.sides(both)]
        within = all("within" in each for each in read)
        noise = "; all of them lie within noise, so none shows coupling" if within else ""
        return f"gamma differs by {gaps}, {self._why(gammas)}{noise}."

    def _why(self, gammas: Mapping[str, tuple[Figure, Figure]]) -> str:
        """Return what a difference in gamma can be put down to."""
        if self.unlike:
            return f"and so do {', '.join(self.unlike)}: this is no drift of either"
        if any(figure.interval is None for both in gammas.values() for figure in both):
            return "and one side has no interval: this is not distinguishable from chance"
        apart = [name for name, both in gammas.items() if not overlap(*both)]
        share = f"no value in {', '.join(apart)}" if apart else "values"
        return f"and the intervals, which are over seeds, share {share}"

    def sides(self, both: tuple[Figure, Figure]) -> Iterator[tuple[Side, Figure]]:
        """Pair each of two figures with the side that it is of."""
        return zip((self.left, self.right), both, strict=True)

    def as_json(self) -> Json:
        """Return the comparison as plain JSON."""
        return {
            "left": self.left.name,
            "right": self.right.name,
            "like_for_like": not self.unlike,
            "differs": {k: [self.left.facts[k], self.right.facts[k]] for k in self.differs},
            "figures": {
                name: [
                    {
                        **{key: asdict(f)[key] for key in ("mean", "interval")},
                        **(self._noise(s, f) if name.startswith("gamma/") else {}),
                    }
                    for s, f in self.sides(both)
                ]
                for name, both in self.figures.items()
            },
            "not_compared": self.missing,
            "sentence": self.sentence,
        }

    @staticmethod
    def _noise(side: Side, gamma: Figure) -> Json:
        return {"noise_floor": side.floor(gamma), "epc_5_2": reading_of(side.snapshot, gamma)}


def beside_text(value: Beside) -> str:
    """Return the comparison for people: what differs, the figures, what follows."""
    names = (value.left.name, value.right.name)
    both = [key for key in value.left.facts if key in value.right.facts]
    same = [key for key in both if key not in value.differs]
    facts = [(f"  {k}", value.left.facts[k], value.right.facts[k]) for k in value.differs]
    rows: list[tuple[str, ...]] = [("", *names)]
    for name, pair in value.figures.items():
        rows.append((f"  {name}", *map(str, pair)))
        if name.startswith("gamma/"):
            pairs = list(value.sides(pair))
            rows.append(("    noise floor", *(side.floor(gamma) for side, gamma in pairs)))
            read = (reading_of(side.snapshot, gamma) for side, gamma in pairs)
            rows.append(("    by EPC-5.2", *read))
    missing = (f"  {name}: {why}" for name, why in value.missing.items())
    parts = [
        f"{' beside '.join(names)}: {'not ' if value.unlike else ''}like for like",
        "\n".join(["What differs", *aligned([("", *names), *facts])]),
        f"The same in both: {', '.join(same) or 'nothing'}",
        "\n".join(["Figures, with their 95% intervals", *aligned(rows)]) if value.figures else "",
        "\n".join(["Not compared", *missing]) if value.missing else "",
        value.sentence,
    ]
    return "\n\n".join(filter(None, parts))


def all_beside_text(values: Sequence[tuple[ReferenceRow, Beside]]) -> str:
    """Return one measurement beside every row of the reference snapshot, as one table."""
    own = values[0][1].left
    head = ("", "", "N", *_COLUMNS.values(), "by EPC-5.2", "unlike in", "state")
    rows = [_row(row.short, value.right, own, ", ".join(value.unlike)) for row, value in values]
    printed = {name for _, value in values for name in value.right.figures}
    never = [name for name in own.figures if name not in printed]
    lacks = [f"  {name}: {_lacks(name, own)}" for name in printed if name not in own.figures]
    read = [row[-3] for row in rows]
    unlike = sum(bool(value.unlike) for _, value in values)
    follows = (
        f"Of {len(rows)} rows, {read.count(FAILED_RUN)} are failed runs, and "
        f"{sum('within' in each for each in read)} are what a coin flip gives. {unlike} are of "
        "another evaluator or another setting, where a difference is no drift."
    )
    parts = (
        f"{own.name} beside Reference Snapshot v1.0 ({PAPER}), by table and row",
        "\n".join(aligned([head, _row("", own, own, ""), *rows])),
        "In brackets: the row's figure minus the run's.",
        "\n".join(["Not compared", f"  printed in no row: {', '.join(never)}", *sorted(lacks)]),
        follows,
    )
    return "\n\n".join(parts)


def _row(place: str, side: Side, own: Side, unlike: str) -> tuple[str, ...]:
    gamma = side.figures.get(_GAMMA)
    cells = (_cell(name, side, own) for name in _COLUMNS)
    read = reading_of(side.snapshot, gamma) if gamma else "-"
    return (place, side.name, str(side.snapshot.n), *cells, read, unlike, side.state)


def _cell(name: str, side: Side, own: Side) -> str:
    """Return a figure, and what it is more than the run's; of a failed run that says nothing."""
    figure, mine = side.figures.get(name), own.figures.get(name)
    if figure is None:
        return "-"
    comparable = mine is not None and side is not own and not side.snapshot.failed
    gap = f" ({number_text(figure.mean - mine.mean, '+.3f')})" if mine and comparable else ""
    return f"{number_text(figure.mean, '.3f')}{gap}"


def published(registry: Registry, tag: str, as_of: date) -> Side:
    """Return a published snapshot as one side."""
    snapshot = registry.snapshot(tag)
    return _side(str(snapshot.tag), snapshot, registry.of_tag(str(snapshot.tag), as_of).words)


def measured(registry: Registry, run: Path, manifest: Manifest, audit: Json, as_of: date) -> Side:
    """Return a run as one side, as it would stand in the registry."""
    said = Said(
        generation="run",
        contributor="",
        licence="",
        conflicts=None,
        proxy=manifest.evaluator.gateway is not None,
        replicates=None,
    )
    offer = measured_offer(run, manifest, audit, said)
    snapshot = Snapshot.of(offer.card(Tag.parse("v1.0-run"), None), offer.figures)
    states = registry.expiry([manifest.evaluator.model], as_of)
    return _side(str(run), snapshot, "; ".join(dict.fromkeys(state.words for state in states)))


def _side(name: str, snapshot: Snapshot, state: str) -> Side:
    card = snapshot.card
    return Side(
        name=name,
        snapshot=snapshot,
        state=state,
        facts={
            "evaluator": model_in_words(card.evaluator),
            "executor": model_in_words(card.executor),
            "variant": card.protocol_version,
            "rounds": _rounds(snapshot),
            "tasks": _tasks(snapshot),
            **_setting(snapshot),
            "N": str(snapshot.n),
            "measured": card.days,
            "state": state,
        },
    )


def _rounds(snapshot: Snapshot) -> str:
    """Return how long a phase was; the paper says so where it was not 30."""
    card = snapshot.card
    if card.citation:
        stated = _ROUNDS.search(card.citation.as_printed)
        return stated[1] if stated else str(ROUNDS)
    return str(_Conditions.of(card).rounds or "none")


def _tasks(snapshot: Snapshot) -> str:
    """Return whose tasks they are: the paper's (EPC-2.4(c)), or others, by their digest."""
    card = snapshot.card
    own = _REFERENCE if card.citation else _Conditions.of(card).tasks or ""
    return "the paper's" if own == _REFERENCE else f"others, {own[:12]}" if own else "none"


def _setting(snapshot: Snapshot) -> dict[str, str]:
    """Return all else that must agree, as a digest; the paper does not state enough for one."""
    conditions = snapshot.card.conditions
    if conditions is None:
        return {}
    rest = {k: v for k, v in conditions.items() if k not in ("rounds", "tasks")}
    return {"prompts, strategies, decoding": f"SHA-256 {digest(rest)[:12]}"}


def _lacks(name: str, side: Side) -> str:
    """Say why a side has no figure of a name."""
    reported = side.snapshot.card.citation is not None
    if name in ("ece", "brier", "accuracy") and not reported:
        return "needs accuracies, `epc validate RUN --accuracy FILE`"
    if name == "pci":
        return "the paper does not say of which phase its PCI is"
    return f"not printed for {side.name}" if reported else f"not measured in {side.name}"
