"""What an evaluator's answers to planted and exchanged pairs show of it.

Near-zero coupling may be incapacity (EPC-5.3(4)), and so may a large one: an evaluator that judges
the place moves weights as surely as one that judges the answer.
"""

from collections.abc import Iterable, Sequence
from typing import Final, Literal

from msgspec import Struct

from epc.audit.probes import CONTROLS, SIDES, Control, Probe
from epc.protocol.results import Json
from epc.protocol.verdict import Verdict
from epc.statistics.intervals import Interval, share_interval

Word = Literal["capable", "incapable", "cannot_tell"]

CHANCE: Final = 0.5  # what every evaluator scores that cannot know which answer is the good one
# Reading R41: halfway between chance and never wrong. Below it, more than half of what looks like
# judgment is guessing.
USEFUL: Final = 0.75
FEWEST: Final = 8  # pairs; below, a 95% interval may err more often than it says


class Verdicts(Struct, frozen=True, kw_only=True):
    """What was said of one pair: with the better, or the run's own, answer first, and exchanged."""

    first: Verdict
    exchanged: Verdict

    @property
    def right(self) -> float:
        """The share of the two orders in which the answer won; a tie is no win."""
        return ((self.first is Verdict.A) + (self.exchanged is Verdict.B)) / 2

    @property
    def in_first_place(self) -> float:
        """The share of the two orders in which the first place won."""
        return ((self.first is Verdict.A) + (self.exchanged is Verdict.A)) / 2

    @property
    def ties(self) -> int:
        """How many of the two verdicts were ties."""
        return (self.first is Verdict.TIE) + (self.exchanged is Verdict.TIE)


class PlantedPair(Struct, frozen=True, kw_only=True):
    """A planted pair's kind and its verdicts."""

    kind: Control
    verdicts: Verdicts


class AnsweredProbe(Struct, frozen=True, kw_only=True):
    """A probe that was asked, and what the evaluator said.

    `run_verdict` is the run's own verdict on an exchanged pair.
    """

    probe: Probe
    verdict: Verdict
    run_verdict: Verdict | None


def pairs_of(probes: Iterable[AnsweredProbe]) -> list[PlantedPair]:
    """Return the planted pairs that were asked in both orders, the last answers to each."""
    orders: dict[tuple[str, str], dict[str, Verdict]] = {}
    for probe in probes:
        key = (probe.probe.kind, probe.probe.answer.call)
        orders.setdefault(key, {})[probe.probe.first] = probe.verdict
    return [
        PlantedPair(
            kind=control,
            verdicts=Verdicts(first=sides["answer"], exchanged=sides["against"]),
        )
        for (kind, _), sides in orders.items()
        for control in CONTROLS
        if control == kind and len(sides) == len(SIDES)
    ]


def summary(probes: Sequence[AnsweredProbe]) -> Json:
    """Return what a run's probes say of its evaluator: `competence` and `swap`.

    Either is null where nothing of it was asked; a planted pair counts once both orders were.
    """
    tested = pairs_of(probes)
    swaps = [
        Verdicts(first=probe.run_verdict, exchanged=probe.verdict)
        for probe in probes
        if probe.run_verdict is not None
    ]
    return {
        "competence": competence(tested) if tested else None,
        "swap": order_consistency(swaps) if swaps else None,
    }


def competence(pairs: Sequence[PlantedPair]) -> Json:
    """Return how well an evaluator tells planted pairs apart, and one word for it.

    The word is `incapable` if the accuracy's interval, over all pairs or those of one kind, ends
    below `USEFUL`: evidence, not absence of it. It is `capable` if the interval over all pairs
    begins above `USEFUL` and no kind is failed. Else, and of fewer than `FEWEST` pairs, it is
    `cannot_tell`: ask more pairs.

    Unit:   shares of pairs, 0 to 1; two orders of one pair are one observation.
    Source: EPC-5.3(4); Reading R41.
    """
    overall = _figures([pair.verdicts for pair in pairs])
    kinds = {
        kind: _figures([pair.verdicts for pair in pairs if pair.kind == kind]) for kind in CONTROLS
    }
    failing = [kind for kind, figures in kinds.items() if fails(*_seen(figures))]
    return {
        "word": word_of(*_seen(overall), failing=bool(failing)),
        "failing": failing,
        "useful": USEFUL,
        "chance": CHANCE,
        "overall": overall,
        "kinds": kinds,
    }


def order_consistency(pairs: Sequence[Verdicts]) -> Json:
    """Return how often an exchange of the answers left the verdict with the same answer.

    Counted over the pairs that got two decided verdicts; the others are `tied`. The share of first
    places is that of the same pairs' verdicts, with the pair as the unit of its interval.

    Unit:   shares, 0 to 1; `mean` is null where nothing was decided.
    Source: Reading R40.
    """
    decided = [pair for pair in pairs if not pair.ties]
    consistent = sum(pair.first is not pair.exchanged for pair in decided)
    return {
        "pairs": len(pairs),
        "tied": len(pairs) - len(decided),
        "order_consistency": _share(consistent, len(decided)),
        "share_of_first_place": _share(sum(p.in_first_place for p in decided), len(decided)),
    }


def _figures(pairs: Sequence[Verdicts]) -> Json:
    return {
        **order_consistency(pairs),
        "accuracy": _share(sum(pair.right for pair in pairs), len(pairs)),
    }


def _share(hits: float, n: int) -> Json:
    """Return a share and its Wilson interval, each pair one observation however it was answered."""
    interval = share_interval(hits, n)
    return {"mean": hits / n if n else None, "ci95": list(interval) if interval else None}


def word_of(n: int, ci95: Interval | None, *, failing: bool) -> Word:
    """Return the word for an accuracy in n pairs; `failing`: one kind of pairs is failed."""
    if failing or fails(n, ci95):
        return "incapable"
    if n >= FEWEST and ci95 is not None and ci95[0] > USEFUL:
        return "capable"
    return "cannot_tell"


def fails(n: int, ci95: Interval | None) -> bool:
    """Return whether the whole interval of an accuracy in n pairs lies below what is of use."""
    return n >= FEWEST and ci95 is not None and ci95[1] < USEFUL


def _seen(figures: Json) -> tuple[int, Interval | None]:
    ci95 = figures["accuracy"]["ci95"]
    return figures["pairs"], None if ci95 is None else (ci95[0], ci95[1])
