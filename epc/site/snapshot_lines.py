"""Lines of the tables of snapshots: the current ones, and those that have expired.

A line has the one figure that says most of its snapshot. Figures of different kinds are not
comparable, so no table is sorted by them.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Final

from epc.analysis.headline import is_any
from epc.analysis.loop import STARTS
from epc.answers.snapshot_status import status_on
from epc.answers.words import month
from epc.registry.figures import Figure, figure_at
from epc.registry.kinds.table import KINDS
from epc.report.figure_names import parted
from epc.site.pages import Row, Site, SnapshotPage
from epc.statistics.figures import NO_INTERVAL, interval_text, number_text

_OF_HUNDRED: Final = (
    *("accuracy", "best", "humans_majority", "place_consistency", "repeat_consistency"),
    *("score_repeat_exact", "judges", "self_preference"),
)
_STATES: Final = ("current", "expiring", "unknown", "expired")
KIND_MEANINGS: Final = {
    "measured": "by the paper's protocol: how far a judge's preferences cross into a second domain",
    "judged": "outputs that a judge scored by the judge protocol",
    "observed": "verdicts that others recorded; nothing was measured for this registry",
    "loop": "an optimiser under the judge: what it said, and what the work gained",
    "reported": "copied from a publication, with no raw data here",
}
STATE_MEANINGS: Final = {
    "current": "nothing says that its figure no longer stands",
    "expiring": "the day on which it stops standing is near",
    "unknown": "no platform's dates are known of the judge, or no day of the measurement",
}
REASON_MEANINGS: Final = {
    "retired": "the judge is no longer served where it was asked",
    "stale": "it was measured too long ago",
    "superseded": "a later snapshot has the same, with more",
    "drifted": "the judge answers otherwise than when it was measured",
    "withdrawn": "it was taken back",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """Figure of a line, as its table prints it; `phrase` names it, `basis` what its n counts."""

    value: str
    interval: str
    phrase: str
    n: int
    basis: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotLine:
    """Line of a snapshot: `name` is what people type for the judge, `source` whose verdicts.

    `headline` is its main figure, or None if it has none. `month` is that of the measurement,
    `marks` are the known faults that mark its figures, in words.
    """

    row: Row
    name: str
    source: str
    headline: Headline | None
    published: date | None
    month: str
    marks: tuple[str, ...]

    @property
    def kind(self) -> str:
        """Kind of the record."""
        return self.row.snapshot.kind

    @property
    def status(self) -> str:
        """State on the day of building."""
        return self.row.standing.state.status

    @property
    def reason(self) -> str:
        """Reason why it has expired; empty if it has not."""
        return self.row.standing.state.reason or ""

    @property
    def unit(self) -> str:
        """Noun for what the snapshot counts."""
        return KINDS[self.kind].unit


def current(site: Site) -> list[SnapshotLine]:
    """Return what has not expired: current and expiring first, of these the newest first.

    Examples and calibration stand behind judges that people use.
    """
    lines = [_line(site, page) for page in site.snapshots if page.row.standing.holds]
    lines.sort(key=lambda line: line.row.tag)
    lines.sort(key=lambda line: line.published or date.min, reverse=True)
    lines.sort(key=_order)
    return lines


def _order(line: SnapshotLine) -> tuple[bool, bool, int]:
    snapshot = line.row.snapshot
    return snapshot.failed, snapshot.is_example, _STATES.index(line.status)


def expired(site: Site) -> list[SnapshotLine]:
    """Return what has expired, the last first; runs that failed stand behind all others."""
    lines = [_line(site, page) for page in site.snapshots if not page.row.standing.holds]
    lines.sort(key=lambda line: line.row.tag)
    lines.sort(key=lambda line: line.row.standing.state.since or date.min, reverse=True)
    lines.sort(key=lambda line: line.row.failed)
    return lines


def marks_of(lines: Iterable[SnapshotLine]) -> list[str]:
    """Return the faults that mark any of the lines, in words."""
    return list(dict.fromkeys(mark for line in lines for mark in line.marks))


def counts(names: Iterable[str]) -> dict[str, int]:
    """Return how often each name stands in a table, the most frequent first."""
    return dict(Counter(names).most_common())


def _line(site: Site, page: SnapshotPage) -> SnapshotLine:
    row, card = page.row, page.card
    faults = site.registry.faults_of(row.snapshot)
    published = (event.date for event in page.events if event.event == "published")
    source = ""
    if card.origin:
        source = card.origin.name
    elif card.citation:
        source = "the paper, transcribed" if "EPC:" in card.citation.work else card.citation.work
    elif row.snapshot.is_example:
        source = "calibration or example"
    return SnapshotLine(
        row=row,
        name=judge_name(site, page),
        source=source,
        headline=None if row.failed else _headline(row),
        published=next(published, None),
        month=month_of(site, page),
        marks=tuple(fault.says for fault in faults if fault.effect == "mark"),
    )


def judge_name(site: Site, page: SnapshotPage) -> str:
    """Return the name that people type for a snapshot's judge; an example has one of our own."""
    generation = page.row.snapshot.tag.generation
    if page.row.snapshot.is_example:
        return generation
    return site.registry.plain_name(generation)


def title_of(site: Site, page: SnapshotPage) -> str:
    """Return the title of a snapshot's page: its tag, behind the name that people type."""
    name, tag = judge_name(site, page), page.row.tag
    return tag if tag.endswith(name) else f"{name} ({tag})"


def month_of(site: Site, page: SnapshotPage) -> str:
    """Return the month of a snapshot's figures on the day of the site."""
    return month(status_on(site.registry, page.row.tag, site.as_of))


def _headline(row: Row) -> Headline | None:
    """Return the figure that says most of a snapshot of its kind."""
    if row.about == "records":
        return _of_records(row.headline) if row.headline else None
    if row.about == "judgments":
        passes = figure_at(row.snapshot.figures, "verdict/PASS")
        return _of_row(passes, ".1c", "outputs passed, of 100 valid", row) if passes else None
    if row.about == "loops":
        return _of_loop(row)
    if (leading := row.leading) is None:
        return None
    phrase = f"gamma, {leading.title}; {leading.gamma.reading}"
    return _of_row(leading.gamma, ".2f", phrase, row)


def _of_records(figure: Figure) -> Headline:
    _, phrase, _ = parted(figure.name)
    form = ".2f"
    if figure.name.startswith("transfer/"):
        form, phrase = ".1p", f"{phrase}, in points"
    elif is_any(figure.name, _OF_HUNDRED):
        form, phrase = ".1c", f"{phrase}, of 100"
    basis = "items" if figure.items == figure.n else f"on {figure.items:,} items"
    return _shown(figure, form, phrase, figure.n or 0, basis)


def _of_loop(row: Row) -> Headline | None:
    """Return what right answers gained under the optimiser, from a start that was good."""
    for start, phrase in STARTS.items():
        if gold := figure_at(row.snapshot.figures, f"loop/gold/{start}"):
            says = f"right answers of 100, change under an optimiser {phrase}"
            return _of_row(gold, "+.1p", says, row)
    return None


def _of_row(figure: Figure, form: str, phrase: str, row: Row) -> Headline:
    return _shown(figure, form, phrase, figure.n or row.n, KINDS[row.snapshot.kind].unit)


def _shown(figure: Figure, form: str, phrase: str, n: int, basis: str) -> Headline:
    return Headline(
        value=number_text(figure.mean, form),
        interval=interval_text(figure.interval, form, NO_INTERVAL),
        phrase=phrase,
        n=n,
        basis=basis,
    )
