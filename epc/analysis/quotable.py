"""Figures of a judge that may be quoted on a day, and the order in which they are stated.

Pure: they are given values, and look nothing up.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal

from epc.analysis.headline import INDEPENDENT, NAMES, Key, dated, is_of, key_of
from epc.records.verdicts.types import Modality
from epc.statistics.figures import Figure, figure_text
from epc.statistics.intervals import Interval

FigureState = Literal["stands", "stale", "ended", "taken_back"]
STATED: Final[tuple[FigureState, ...]] = ("stands", "stale")  # states of what may be listed
Unit = Literal["share", "points", "correlation"]
_ORDER: Final = [*NAMES]
_FORMS: Final = {"share": ".1c", "points": "+.2f", "correlation": ".2f"}


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotableFigure:
    """A figure of a judge with its day, its state, and the clause that states it.

    `value` and `ci95` are shares from 0 to 1, or points. `n` counts verdicts on so many `items`;
    figures with one `item_set` are of the same items, and `modality` is what its judge saw.
    `is_common` is a share of the questions that judges are compared on, of which each domain weighs
    alike. Nobody states more of a day than that it is between `measured_from` and `measured_by`
    where `is_day_stated` says so. `until` is the day from which it stands no more. `marks` are
    known faults, by their ids. `is_plain` is of the prompt with which judges are compared. Of a
    judge of pass and fail `tpr` is the share that it passes of what is labelled pass, `tnr` the
    share that it fails of what is labelled fail.
    """

    key: Key
    name: str
    value: float
    ci95: Interval | None
    unit: Unit
    n: int
    items: int
    item_set: str
    source: str
    setting: str
    tag: str
    month: str
    state: FigureState
    askings: int | None = None
    chance: float | None = None
    measured_from: date | None = None
    measured_by: date | None = None
    is_day_stated: bool = False
    until: date | None = None
    marks: tuple[str, ...] = ()
    tpr: Figure | None = None
    tnr: Figure | None = None
    is_common: bool = False
    is_plain: bool = False
    modality: Modality = "text"
    says: str = ""

    @property
    def dated(self) -> str:
        """The month, and whether the figure is too old."""
        return dated(self.month, is_stale=self.state == "stale")

    @property
    def brief(self) -> str:
        """The figure in a cell of a table: its value, its mark and its month."""
        form = _FORMS[self.unit]
        value = figure_text(self.value, self.ci95, form)
        kind = self.key.replace("_", " ")
        source = "" if self.is_common else f", {self.source}"
        return f"{kind} {value}{' †' * bool(self.marks)}{source}, {self.dated}"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotableFigures:
    """Figures of a judge on a day: the first, the best of each further kind, and what was.

    `target` is the model that they are of. `history` has those that ended with the judge where it
    was measured: they stand in no ranking. `missing` are keys without a figure. `next` is the first
    later day on which this changes.
    """

    target: str
    as_of: date
    headline: QuotableFigure | None
    other_figures: tuple[QuotableFigure, ...]
    history: tuple[QuotableFigure, ...]
    missing: tuple[Key, ...]
    next: date | None = None

    @property
    def stated(self) -> tuple[QuotableFigure, ...]:
        """The figures that may be stated, the headline first."""
        return (*([self.headline] if self.headline else []), *self.other_figures)

    @property
    def common(self) -> QuotableFigure | None:
        """The share right of the common questions, if it may be stated."""
        return next((figure for figure in self.stated if figure.is_common), None)

    @property
    def marks(self) -> frozenset[str]:
        """Known faults that mark any of the figures."""
        return frozenset(mark for figure in (*self.stated, *self.history) for mark in figure.marks)

    def figure(self, *keys: Key) -> QuotableFigure | None:
        """Return the first figure of some keys that may be stated."""
        return next((figure for figure in self.stated if figure.key in keys), None)


def unit_of(name: str) -> Unit:
    """Return what a recorded figure is in."""
    if is_of(name, "rank_correlation"):
        return "correlation"
    return "points" if key_of(name) in ("self_preference", "regret") else "share"


def ordered(figures: Iterable[QuotableFigure]) -> list[QuotableFigure]:
    """Return the best figure of each key and modality in the order in which they are stated.

    First those that stand, then those that are too old. Of these the share of the common questions
    comes first, then those of text before those of images, of 100 items or more before the others,
    and by their keys. Of one key
    the plain prompt counts before others, then more items, then more verdicts.

    Source: Reading R97.
    """
    best: dict[tuple[Key, Modality], QuotableFigure] = {}
    for figure in sorted(figures, key=_rank):
        best.setdefault((figure.key, figure.modality), figure)
    return [*best.values()]


def _rank(figure: QuotableFigure) -> tuple[float, ...]:
    small = figure.items < INDEPENDENT
    regret = figure.value if figure.key == "regret" else 0.0
    kind = (_ORDER.index(figure.key), not figure.is_plain)
    state, saw_images = figure.state == "stale", figure.modality == "image"
    return (
        state,
        not figure.is_common,
        saw_images,
        small,
        *kind,
        -figure.items,
        -figure.n,
        -regret,
    )
