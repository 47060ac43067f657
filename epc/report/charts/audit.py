"""Pictures of an audit as data: counts as areas, figures with intervals, scores, judges.

All places are shares of a width in percent, so that a page draws them at any width with letters of
one size. Whoever cannot see them has the words beside them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from epc.statistics.intervals import Interval

_GAP: Final = 1.6  # percent of the width, between the two columns
_TOP: Final = 64.0  # pixels, below the heads
_HEIGHT: Final = 250.0
_LOW: Final = 20.0  # pixels of a cell that holds a line
_ROOM: Final = 44.0  # that holds two
_NARROW: Final = 30.0  # percent of the width: a column with counts alone


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Words in a picture: how far down, and in which style."""

    y: float
    text: str
    style: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AreaCell:
    """A count as an area."""

    y: float
    height: float
    alike: bool
    lines: Sequence[Line]


@dataclass(frozen=True, slots=True, kw_only=True)
class AreaColumn:
    """Answers that people passed, or failed; its width is their share."""

    x: float
    width: float
    head: str
    cells: Sequence[AreaCell]


@dataclass(frozen=True, slots=True, kw_only=True)
class Areas:
    """Four counts as areas."""

    title: str
    alternative: str
    people: str
    columns: Sequence[AreaColumn]
    note: str


def areas(
    passed: tuple[int, int], failed: tuple[int, int], *, title: str, people: str, note: str
) -> Areas:
    """Return counts as areas: of what people passed, and failed, how many the judge passes, fails.

    `people` is who passed and failed.
    """
    columns_of = (("passed", passed), ("failed", failed))
    present = [(head, counts) for head, counts in columns_of if any(counts)]
    total = sum(sum(counts) for _, counts in present)
    room = 100.0 - _GAP * (len(present) - 1)
    columns, x = [], 0.0
    for head, counts in present:
        width = room * sum(counts) / total
        cells = _cells(counts, width, passed=head == "passed")
        columns.append(AreaColumn(x=x, width=width, head=f"{head} {sum(counts):,}", cells=cells))
        x += width + _GAP
    alternative = " ".join(
        f"Of {sum(counts):,} answers {head} by {people.lower()} the judge passes {counts[0]:,} and "
        f"fails {counts[1]:,}."
        for head, counts in present
    )
    return Areas(title=title, alternative=alternative, people=people, columns=columns, note=note)


def _cells(counts: tuple[int, int], width: float, *, passed: bool) -> list[AreaCell]:
    """Return what the judge passes above what it fails."""
    top = _HEIGHT * counts[0] / sum(counts)
    labels = ("judge passes", "judge fails") if width >= _NARROW else ("", "")
    return [
        _cell(_TOP, top, counts[0], labels[0], alike=passed, outside=_TOP - 10),
        _cell(
            _TOP + top,
            _HEIGHT - top,
            counts[1],
            labels[1],
            alike=not passed,
            outside=_TOP + _HEIGHT + 18,
        ),
    ]


def _cell(
    y: float, height: float, count: int, label: str, *, alike: bool, outside: float
) -> AreaCell:
    """Return an area with its words in it, or `outside` where it is too low for a line."""
    mark = f"{'✓' if alike else '✗'} {count:,}"
    style = "inside" if alike else "over"
    if height < _LOW:
        lines = [Line(y=outside, text=f"{mark} {label}".strip(), style="")]
    elif height < _ROOM:
        lines = [Line(y=y + height / 2 + 5, text=f"{mark} {label}".strip(), style=style)]
    else:
        lines = [
            Line(y=y + 30, text=mark, style=f"{style} count"),
            Line(y=y + 50, text=label, style=style),
        ]
    return AreaCell(y=y, height=height, alike=alike, lines=lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A place on an axis with its name."""

    at: float
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """A figure on an axis: where it lies, and its interval, if it has one; `shown`: it is no 0."""

    at: float
    ends: Interval | None
    shown: bool = True
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureRow:
    """A figure in a row: its name, what stands below that, its drawing and its numbers."""

    name: str
    detail: str
    reach: Reach
    value: str
    interval: str
    beside: Sequence[Mark] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureBlock:
    """Rows on one axis."""

    rows: Sequence[FigureRow]
    ticks: Sequence[Mark]


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureRows:
    """Figures below each other with their intervals; `without` names what needs no judge."""

    title: str
    blocks: Sequence[FigureBlock]
    without: str = ""


def place(value: float, low: float, high: float) -> float:
    """Return where a value lies on an axis, in percent of the width, with room for a dot."""
    share = (value - low) / (high - low) if high > low else 0.5
    return 1 + 98 * min(1.0, max(0.0, share))


@dataclass(frozen=True, slots=True, kw_only=True)
class GridCell:
    """How many answers have one pair of scores: a square of this side, in percent of a cell."""

    count: int
    side: float
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GridRow:
    """A score of people's, with the judge's beside it."""

    head: str
    cells: Sequence[GridCell]
    total: int
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreGrid:
    """Scores of a judge against those of people."""

    title: str
    caption: str
    heads: Sequence[str]
    rows: Sequence[GridRow]
    totals: Sequence[tuple[int, float]]
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementCell:
    """How often two judges say the same, and their kappa; empty on the diagonal."""

    share: str
    kappa: str
    level: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementMatrix:
    """Judges against each other; numbers stand for the names of the columns."""

    title: str
    names: Sequence[str]
    rows: Sequence[Sequence[AgreementCell]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Swap:
    """What changes where another judge stands in the place of the first."""

    name: str
    reaches: Sequence[Reach | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Swaps:
    """Differences of judges from the first one."""

    title: str
    caption: str
    heads: Sequence[str]
    swaps: Sequence[Swap]
    zero: float
    ticks: Sequence[Mark]


AuditPicture = Areas | FigureRows | ScoreGrid | AgreementMatrix | Swaps
