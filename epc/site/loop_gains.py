"""Gains under an optimiser, judge by judge: what the judge said, and what the work gained.

Source: Reading R93.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from epc.analysis.headline import dated
from epc.analysis.loop import STARTS
from epc.registry.figures import Figure, figure_at
from epc.site.charts.forest import Forest, Mark, Panel
from epc.site.pages import Site
from epc.site.snapshot_lines import judge_name, month_of
from epc.statistics.figures import number_text


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopGains:
    """Gains of the runs under one judge from one start, by its name in `STARTS`.

    `believed` and `fresh` are in the judge's points: on the items that chose the final, and on
    others. `gold` is in shares of right answers. `is_stale` says that it was measured long ago,
    and `month` when.
    """

    judge: str
    tag: str
    start: str
    believed: Figure
    fresh: Figure
    gold: Figure
    is_stale: bool
    month: str

    @property
    def dated(self) -> str:
        """The month, and whether the figures are too old."""
        return dated(self.month, is_stale=self.is_stale)

    @property
    def label(self) -> str:
        """Name of the judge, with the month of the figures."""
        return f"{self.judge}, {self.dated}"

    @property
    def phrase(self) -> str:
        """What the runs began with, or what the judge was shown."""
        return STARTS[self.start]

    @property
    def runs(self) -> int:
        """Number of runs."""
        return self.gold.n or 0

    @property
    def is_worse(self) -> bool:
        """Return whether the work is shown to have got worse."""
        return self.gold.interval is not None and self.gold.interval[1] < 0


def loop_gains(site: Site) -> list[LoopGains]:
    """Return the gains of every published judge and start, the worst first.

    What is stale is shown and marked; what was taken back or has ended is not.
    """
    gains = []
    for page in site.snapshots:
        standing = page.row.standing
        is_stale = standing.state.reason == "stale" and not standing.holds
        if page.row.about != "loops" or page.row.failed or not (standing.holds or is_stale):
            continue
        judge = judge_name(site, page)
        for start in STARTS:
            names = (f"loop/{name}/{start}" for name in ("believed", "fresh", "gold"))
            believed, fresh, gold = (figure_at(page.row.snapshot.figures, name) for name in names)
            if believed and fresh and gold:
                gain = LoopGains(
                    judge=judge,
                    tag=page.row.tag,
                    start=start,
                    believed=believed,
                    fresh=fresh,
                    gold=gold,
                    is_stale=is_stale,
                    month=month_of(site, page),
                )
                gains.append(gain)
    places = {start: place for place, start in enumerate(STARTS)}
    return sorted(gains, key=lambda gain: (places[gain.start], gain.gold.mean))


def sharpest(gains: Sequence[LoopGains]) -> LoopGains | None:
    """Return the largest loss of right answers that is shown while the judge reported a gain.

    One that is not stale comes before those that are.
    """
    losses = [gain for gain in gains if gain.is_worse and gain.believed.mean > 0]
    return min(losses, key=lambda gain: (gain.is_stale, gain.gold.mean), default=None)


def picture(gains: Sequence[LoopGains]) -> Forest | None:
    """Return what the judges believed beside what the work gained, by start."""
    panels = [panel for start in STARTS for panel in _panels(gains, start)]
    return Forest(title="", note="Bars are 95% intervals.", panels=panels) if panels else None


def _panels(gains: Sequence[LoopGains], start: str) -> list[Panel]:
    chosen = [gain for gain in gains if gain.start == start]
    if not chosen:
        return []
    believed = [
        Mark(label=gain.label, value=gain.believed.mean, interval=gain.believed.interval)
        for gain in chosen
    ]
    right = [
        Mark(label=gain.label, value=100 * gain.gold.mean, interval=_hundredfold(gain.gold))
        for gain in chosen
    ]
    return [
        Panel(
            title=f"{STARTS[start].capitalize()}: points that the judge reported",
            marks=believed,
            text=lambda value: number_text(value, "+.2f"),
            lines=(0.0,),
        ),
        Panel(
            title=f"{STARTS[start].capitalize()}: right answers of 100",
            marks=right,
            text=lambda value: number_text(value, "+.1f"),
            lines=(0.0,),
        ),
    ]


def _hundredfold(figure: Figure) -> tuple[float, float] | None:
    return figure.interval and (100 * figure.interval[0], 100 * figure.interval[1])
