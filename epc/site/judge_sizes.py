"""Coupling of judges of several sizes that were measured with one executor.

Source: EPC-5.2; the words are those of the audit.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final

from epc.answers.words import by_place
from epc.printable import begun, enumeration
from epc.records.typed import parse
from epc.registry.figures import figure_at
from epc.registry.record import AuditSummary
from epc.report.document import number_word
from epc.site.charts.forest import Forest, Panel
from epc.site.charts.results import gamma_mark
from epc.site.pages import Direction, Site, SnapshotPage
from epc.site.snapshot_lines import judge_name, month_of
from epc.spec.domains import pair_title
from epc.statistics.figures import figure_text, number_text

_SIZE: Final = re.compile(r"(?<![a-z0-9.])(\d+(?:\.\d+)?)([bm])(?![a-z0-9])")
_MILLION: Final = 1e6
_BILLION: Final = 1e9
_BY_LIKELIHOOD: Final = "-likelihood"
_FEWEST_SIZES: Final = 2  # that can be compared
_COUPLED: Final = "coupled"
_MOST_TIES: Final = 0.5  # beyond which a gamma says more of ties than of preferences


@dataclass(frozen=True, slots=True, kw_only=True)
class _Setting:
    """Digests of what was asked, in a record's conditions."""

    tasks: str = ""
    strategies: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SizedJudge:
    """Measurement of a judge whose name says how many parameters it has.

    `likelihood` says that it prefers the likelier answer and writes none. `place` counts how often
    it said A of two equal answers, and how often it decided.
    """

    name: str
    tag: str
    parameters: float
    likelihood: bool
    audit: AuditSummary
    directions: tuple[Direction, ...]
    seeds: int
    month: str
    tie_rate: float | None
    place: tuple[int, int] | None

    @property
    def way(self) -> str:
        """How it was asked."""
        return "likelihood" if self.likelihood else "written verdicts"

    @property
    def size(self) -> str:
        """Parameters in words: `135 million`."""
        if self.parameters >= _BILLION:
            return f"{self.parameters / _BILLION:,.3g} billion"
        return f"{self.parameters / _MILLION:,.3g} million"

    @property
    def word(self) -> str:
        """Audit word as it is read."""
        return self.audit.verdict.replace("_", " ")


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeComparison:
    """Judges of several sizes with one executor, the smallest first."""

    executor: str
    judges: tuple[SizedJudge, ...]

    @property
    def sizes(self) -> int:
        """Number of sizes."""
        return len({judge.parameters for judge in self.judges})

    @property
    def measured(self) -> str:
        """Seeds and months of the measurements."""
        seeds = " or ".join(str(n) for n in sorted({judge.seeds for judge in self.judges}))
        months = enumeration(list(dict.fromkeys(judge.month for judge in self.judges)))
        return f"{seeds} seeds each, measured in {months}"

    @property
    def lead(self) -> str:
        """Answer to the question of the page."""
        coupled = [judge for judge in self.judges if judge.audit.verdict == _COUPLED]
        measured = (
            f"{number_word(len(self.judges))} measurements of {number_word(self.sizes)} sizes"
        )
        if not coupled:
            return f"Not known. None of {measured} shows coupling for the domains."
        names = ", ".join(judge.name for judge in coupled)
        return f"Not known from these. Of {measured} {len(coupled)} show coupling: {names}."

    @property
    def may(self) -> list[str]:
        """What the figures allow to say."""
        return [*self._above_noise(), *self._words()]

    @property
    def may_not(self) -> list[str]:
        """What they do not allow."""
        return [
            *self._of_size(),
            *self._tied(),
            *chain.from_iterable(by_place(judge.name, judge.place) for judge in self.judges),
            "That a gamma above 0.5 is coupling: what chance alone gives is higher here.",
        ]

    def _above_noise(self) -> Iterator[str]:
        for judge in self.judges:
            for direction in judge.directions:
                excess = direction.excess
                if excess and excess.interval and excess.interval[0] > 0:
                    text = figure_text(excess.mean, excess.interval, "+.2f")
                    yield (
                        f"Of these tasks: the gamma of {judge.name} from {direction.title} lies "
                        f"above its noise floor by {text}, over {judge.seeds} seeds. For other "
                        f"tasks of the domains the audit says: {judge.word}."
                    )

    def _words(self) -> Iterator[str]:
        spellings = dict.fromkeys(judge.word for judge in self.judges)
        for word in spellings:
            names = enumeration([judge.name for judge in self.judges if judge.word == word])
            yield f"{begun(word)}: {names}."

    def _of_size(self) -> Iterator[str]:
        if not any(judge.audit.verdict == _COUPLED for judge in self.judges):
            yield (
                "That coupling shrinks, or grows, with size: no audit finds coupling in the "
                "domains, at any size."
            )

    def _tied(self) -> Iterator[str]:
        for judge in self.judges:
            if judge.tie_rate is not None and judge.tie_rate > _MOST_TIES:
                share = number_text(100 * judge.tie_rate, ".0f")
                yield f"That {judge.name} couples less: {share} of 100 comparisons were ties."


def judge_sizes(site: Site) -> SizeComparison | None:
    """Return the judges of the executor and setting with which most sizes were measured.

    None where no two sizes share an executor, tasks and strategies. Of several measurements of a
    judge in one setting the newest counts.
    """
    groups: dict[tuple[str, ...], dict[str, SizedJudge]] = {}
    for page in site.snapshots:
        card = page.card
        if page.row.about != "coupling" or page.row.failed or not page.row.standing.holds:
            continue
        judge = _sized(site, page)
        if judge is None or card.executor is None:
            continue
        setting = parse(card.conditions or {}, _Setting)
        key = (card.executor.model, setting.tasks, setting.strategies)
        groups.setdefault(key, {})[judge.name] = judge
    comparisons = [
        SizeComparison(executor=key[0], judges=tuple(sorted(judges.values(), key=_order)))
        for key, judges in groups.items()
    ]
    widest = max(comparisons, key=lambda group: (group.sizes, len(group.judges)), default=None)
    return widest if widest and widest.sizes >= _FEWEST_SIZES else None


def picture(comparison: SizeComparison) -> Forest:
    """Return gamma beside its noise floor, one panel a direction and the smallest judge first."""
    names = dict.fromkeys(d.name for judge in comparison.judges for d in judge.directions)
    highest = _highest(comparison)
    return Forest(
        title="",
        note=(
            "Dot: gamma, the mean over seeds, with its 95% interval. Grey: where 95% of single "
            "seeds lie without any coupling. Only what lies above it is coupling."
        ),
        panels=[_panel(comparison.judges, name, highest) for name in names],
    )


def _highest(comparison: SizeComparison) -> float:
    """Return the highest value of the picture: all its panels share a scale."""
    directions = [direction for judge in comparison.judges for direction in judge.directions]
    floors = [direction.noise.high for direction in directions if direction.noise]
    return max([direction.gamma.mean for direction in directions] + floors)


def _panel(judges: Iterable[SizedJudge], name: str, highest: float) -> Panel:
    marks = [
        gamma_mark(judge.name, direction)
        for judge in judges
        for direction in judge.directions
        if direction.name == name
    ]
    return Panel(
        title=f"Gamma, {pair_title(name)}", marks=marks, text=_hundredths, reach=(0, highest)
    )


def _hundredths(value: float) -> str:
    return number_text(value, ".2f")


def _sized(site: Site, page: SnapshotPage) -> SizedJudge | None:
    """Return a measurement whose judge's name has a size, or nothing."""
    name = judge_name(site, page)
    size = _SIZE.search(name.lower())
    if size is None or page.audit is None:
        return None
    ties = figure_at(page.row.snapshot.figures, "tie_rate")
    return SizedJudge(
        name=name,
        tag=page.row.tag,
        parameters=float(size[1]) * (_BILLION if size[2] == "b" else _MILLION),
        likelihood=name.lower().endswith(_BY_LIKELIHOOD),
        audit=page.audit,
        directions=page.row.directions,
        seeds=page.row.n,
        month=month_of(site, page),
        tie_rate=ties.mean if ties else None,
        place=page.audit.equal_answers,
    )


def _order(judge: SizedJudge) -> tuple[bool, float, str]:
    return judge.likelihood, judge.parameters, judge.name
