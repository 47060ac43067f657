"""Values that the site shows: every page, file and picture is made from these alone."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Final

from markupsafe import Markup

from epc.analysis.judge_card import Card as JudgeCard
from epc.analysis.judging.drift import JudgeComparison
from epc.analysis.succession import Succession
from epc.analysis.verdicts_agreement import Pair
from epc.answers.service import service_on
from epc.answers.types import Place, Service
from epc.audit.coupling import Into
from epc.protocol.config import Configuration
from epc.records.judging.documents import OUTPUTS, Plan, RunLog
from epc.registry.expiry import Expiry, Policy
from epc.registry.figures import Figure, figures_of, has_reference_coin, headline_of
from epc.registry.kinds.table import KINDS, About
from epc.registry.lifecycles import OPEN_WEIGHTS, DateClaim, ServiceTerm, ServiceTermRecord
from epc.registry.listing import Change
from epc.registry.record import AuditSummary, Record
from epc.registry.registry import Registry
from epc.registry.repository import Repository
from epc.registry.showing import SnapshotView
from epc.registry.snapshots import Event, Snapshot
from epc.simulation.training import Band, coin_bands
from epc.statistics.figures import ClusteredFigure
from epc.statistics.intervals import Interval, share_interval

Noise = Band  # a noise floor: 95% of single seeds lie in low to high

_SUBJECTS: Final[Mapping[About, str]] = {
    "coupling": "an EPC baseline",
    "judgments": "a judge's scores",
    "records": "a judge's verdicts, recorded by others",
    "loops": "what an optimiser gained under a judge",
}


def holds(state: Expiry) -> bool:
    """Return whether something still holds in a state, as far as is known."""
    return state.status != "expired"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """State of a snapshot or a service on the day of building.

    `end_reason` is why it ends on `state.until`, said also before it has. `turns` are the states
    that it has from then on, each with the day from which on it holds.
    """

    state: Expiry
    end_reason: str | None
    turns: tuple[tuple[date, Expiry], ...]

    @property
    def holds(self) -> bool:
        """Return whether it still holds on the day of building, as far as is known."""
        return holds(self.state)

    def day(self, today: date) -> date | None:
        """Return its end, or the day until which it is promised where that is to come."""
        promised = self.state.not_before
        return self.state.until or (promised if promised and promised > today else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Direction:
    """Direction of a snapshot: gamma, its noise floor, the excess over it, and what crosses.

    `noise` is the run's own floor if it was measured, else None. `into` is None where there are no
    verdicts to work it out from, or too few.
    """

    name: str
    title: str
    gamma: Figure
    noise: Noise | None
    excess: Figure | None
    into: Into | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Row of a snapshot in a table."""

    snapshot: Snapshot
    tag: str
    trust: str
    n: int
    directions: tuple[Direction, ...]
    verdict: str | None
    standing: Standing

    @property
    def rule(self) -> int | None:
        """Version of the rule that gave the verdict."""
        return self.snapshot.audit.rule if self.snapshot.audit else None

    @property
    def about(self) -> About:
        """Subject of its figures: those of different things stand in no table together."""
        return KINDS[self.snapshot.kind].about

    @property
    def leading(self) -> Direction | None:
        """The direction with the larger gamma: the one figure of its line; none of a failed run."""
        ranked = () if self.failed else self.directions
        return max(ranked, key=lambda direction: direction.gamma.mean, default=None)

    @property
    def headline(self) -> Figure | None:
        """Of recorded verdicts, the figure that is shown first."""
        return headline_of(self.snapshot)

    @property
    def failed(self) -> bool:
        """Return whether it is of a run that failed: marked, behind all others, never ranked."""
        return self.snapshot.failed


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file of a snapshot that can be downloaded; `href` is relative to the site's root."""

    name: str
    bytes: int
    sha256: str
    href: str

    @property
    def output(self) -> bool:
        """Return whether it is an output that was judged, of which there are hundreds."""
        return f"/{OUTPUTS}/" in self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """How a judged snapshot came about: plan, run log, and the prompts by their ids."""

    plan: Plan
    log: RunLog
    prompts: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceComparison:
    """Comparison of a judge with the other published judges of its source, by recorded verdicts.

    Of each pair one setting is the judge's own. `own` is that for its own outputs, by
    setting (Reading R24). `tags` says in which snapshot a setting is published.
    """

    pairs: Sequence[Pair]
    own: Mapping[str, Mapping[str, ClusteredFigure]]
    tags: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotPage:
    """Snapshot with everything known of it, but for what its manifest and trials hold.

    `view` is what `epc snapshot show` prints, `audit` is what the newest rule says.
    `folder` is where its documents lie, `raw` where its raw files do, by name; a reported one has
    none. `audit` is of a measured snapshot, `judging` of a judged one, each None for the others.
    `judges` are those of the same evaluation set, its own first, where there are several;
    `recorded` is what an observed one's verdicts say beside the other judges of its source.
    """

    row: Row
    view: SnapshotView
    events: tuple[Event, ...]
    folder: Path
    audit: AuditSummary | None
    files: tuple[File, ...]
    raw: dict[str, Path]
    judging: Judging | None
    judges: JudgeComparison | None = None
    recorded: SourceComparison | None = None

    @property
    def place(self) -> str:
        """Its folder, from the site's root."""
        return f"snapshots/{self.row.tag}/"

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Every figure that is stated of it."""
        return tuple(figures_of(self.row.snapshot))

    @property
    def card(self) -> Record:
        """Card of what was measured or judged, how, and by whom."""
        return self.row.snapshot.card

    @property
    def subject(self) -> str:
        """Noun for it in a title."""
        return _SUBJECTS[self.row.about]

    @property
    def withdrawn(self) -> bool:
        """Return whether it was taken back, and stands beside no other."""
        return self.row.standing.state.reason == "withdrawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """Life of a generation on one platform: its record as it stands, and its state.

    `meant` is the life of the model that an alias stands for on the site's day, `is_listed` whether
    a list alone has the platform: then it has no page of its own.
    """

    record: ServiceTermRecord
    standing: Standing
    meant: ServiceTerm | None = None
    is_listed: bool = False

    @property
    def is_silent(self) -> bool:
        """Return whether a list alone has it, and states no day."""
        return self.is_listed and self.standing.state.status == "unknown"

    @property
    def stages(self) -> Iterator[tuple[str, DateClaim | None]]:
        """The dates of its life; where an alias has none, those of the model that it means."""
        for stage, event in self.record.stages.items():
            target = self.meant and self.meant.means
            of_target = getattr(self.meant, stage, None) if target and not event else None
            yield f"{stage} ({target.to})" if target and of_target else stage, event or of_target

    @property
    def replacement(self) -> str | None:
        """Name that its platform gives instead, of it or of the model that it means."""
        return self.record.replacement or (self.meant.replacement if self.meant else None)

    @property
    def spellings(self) -> tuple[str, ...]:
        """Every name that the model has there."""
        return (self.record.model, *self.record.aliases)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorPage:
    """Evaluator generation: its lives, and its snapshots in the order of their versions.

    `aliases` are other spellings of its name; `pointed_at_by` other records whose name points to it
    on the site's day, and `targets` the page of each model that its own name ever pointed to.
    `card` joins what is known of it as a judge, and `service` says until when it is served. `name`
    is in its address, `plain` is printed.
    """

    name: str
    maker: str | None
    aliases: tuple[str, ...]
    pointed_at_by: tuple[str, ...]
    targets: Mapping[str, str]
    platforms: tuple[Platform, ...]
    snapshots: tuple[SnapshotPage, ...]
    card: JudgeCard
    service: Service

    @property
    def plain(self) -> str:
        """The name that people type."""
        return self.service.name.plain

    @property
    def chief(self) -> Platform | None:
        """The platform that speaks first; weights that anybody has, where no platform does."""
        if self.service.headline:
            return self._platform(self.service.headline)
        return next((p for p in self.platforms if p.record.platform == OPEN_WEIGHTS), None)

    @property
    def gravest(self) -> Platform | None:
        """The maker's platform that is in a graver state than the chief, if one is."""
        return self._platform(self.service.gravest) if self.service.gravest else None

    def _platform(self, place: Place) -> Platform | None:
        life = place.target.life
        wanted = life.platform, life.model
        return next(
            (p for p in self.platforms if (p.record.platform, p.record.model) == wanted), None
        )

    @property
    def place(self) -> str:
        """Its folder, from the site's root."""
        return f"evaluators/{self.name}/"

    @property
    def ends(self) -> bool:
        """Return whether it has an end on some platform, past or to come."""
        return any(platform.standing.state.until for platform in self.platforms)

    @property
    def has_badge(self) -> bool:
        """Return whether there is a baseline for a badge to state the day of."""
        return bool(self.newest or self.failed)

    @property
    def baselines(self) -> tuple[SnapshotPage, ...]:
        """The snapshots of its coupling."""
        return self._about("coupling")

    @property
    def judgments(self) -> tuple[SnapshotPage, ...]:
        """The snapshots of what it said as a judge of outputs."""
        return self._about("judgments")

    @property
    def records(self) -> tuple[SnapshotPage, ...]:
        """The snapshots of what others recorded of it as a judge."""
        return self._about("records")

    @property
    def loops(self) -> tuple[SnapshotPage, ...]:
        """The snapshots of what an optimiser gained under it."""
        return self._about("loops")

    def _about(self, about: About) -> tuple[SnapshotPage, ...]:
        return tuple(page for page in self.snapshots if page.row.about == about)

    @property
    def newest(self) -> SnapshotPage | None:
        """The newest baseline that was not withdrawn, and is of no failed run."""
        standing = [s for s in self._standing if not s.row.failed]
        return standing[-1] if standing else None

    @property
    def failed(self) -> bool:
        """Return whether everything that was not withdrawn is of failed runs."""
        return bool(self._standing) and not self.newest

    @property
    def _standing(self) -> list[SnapshotPage]:
        return [s for s in self.baselines if s.row.standing.state.reason != "withdrawn"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WinRate:
    """How often a strategy won against the baseline, over the distinct comparisons of a domain.

    A round asked anew is a comparison of its own. `rate` is None where nothing was decided.
    """

    strategy: str
    domain: str
    wins: int
    losses: int
    ties: int

    @property
    def rate(self) -> float | None:
        """The share of wins among what was decided."""
        decided = self.wins + self.losses
        return self.wins / decided if decided else None

    @property
    def ci95(self) -> Interval | None:
        """Wilson's interval of the rate."""
        return share_interval(self.wins, self.wins + self.losses)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Content of a measured snapshot's manifest and trials that the site shows.

    `coin` is what a coin flip gives in its setting. `note` says how its noise floor came about,
    `account` what was asked, how, and what was answered. `gallery` are its pictures, and
    `pictures` is the text of the file with their numbers and specifications.
    """

    coin: Mapping[str, Band]
    win_rates: tuple[WinRate, ...]
    note: Markup
    account: Markup
    gallery: Markup
    pictures: str


def bands_of(snapshot: Snapshot, evidence: Evidence | None) -> Mapping[str, Band] | None:
    """Return a coin flip's bands under a snapshot's conditions; None where these are not known."""
    if evidence is not None:
        return evidence.coin
    return coin_bands(Configuration()) if has_reference_coin(snapshot) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Everything that is published, as of a day.

    `address` is where it is published, with a final slash; empty if that is not known.
    `repository` is None if nobody says which one the checkout is of. `evidence`
    is that of each measured snapshot, by its tag; `successions` say who may replace each judge that
    ended or will, and whose verdicts were recorded.
    """

    as_of: date
    address: str
    repository: Repository | None
    checkout: Path
    registry: Registry
    snapshots: tuple[SnapshotPage, ...]
    evaluators: tuple[EvaluatorPage, ...]
    changes: tuple[Change, ...]
    evidence: Mapping[str, Evidence] = field(default_factory=dict)
    successions: tuple[Succession, ...] = ()

    def is_served(self, name: str) -> bool:
        """Return whether any platform serves a model on the site's day, as far as is known."""
        return service_on(self.registry, name, self.as_of).is_served

    @property
    def policy(self) -> Policy:
        """How long a figure holds at most, and the notice period."""
        return self.registry.policy
