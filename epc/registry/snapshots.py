"""Snapshots, and the events that happened to them.

Pure: it takes JSON that a schema has admitted, and reads neither file nor clock.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Final, Literal, Self

from epc.protocol.results import Json
from epc.records.earlier import EarlierWord, earlier_word
from epc.records.typed import parse
from epc.registry.intervals import restated
from epc.registry.kinds.table import parse_card
from epc.registry.record import AuditSummary, Record, Trust
from epc.registry.tags import Tag
from epc.spec.coupling import NotMeasured
from epc.statistics.gains import Exchange

Day = date  # where a field itself is called `date`
# What says that most seeds of a run counted no verdict: an audit's word, or, where there are no
# trials to audit, the fault that a reported snapshot's own record states.
_FAILED_WORD: Final = "no_verdicts_counted"
_FAILED_FAULT: Final = "failed-runs"
_EMBEDDED: Final = "local"  # the platform of programs and small weights that run where one measures
FAILED: Final = "no verdict was counted in most seeds, so that its gamma is no measurement"
_FAILED_JUDGE: Final = (
    "no evaluation by this judge is valid: this says something about the judge, and nothing about "
    "the outputs"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """A snapshot's `metrics.json`. Each kind, and each protocol, has other figures."""

    kind: str
    figures: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePublication:
    """Day on which the source of recorded verdicts published them, and where it did.

    It is that of the last commit of the files that hold them.
    """

    date: Day
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Published measurement.

    `measured` ones rest on raw trials that are kept here, `judged` ones on the raw replies of a
    judge, `observed` ones on verdicts that others recorded, `reported` ones on a publication. The
    days are None where nobody states when it was measured.
    `published_figures` are those of its `metrics.json`; `figures` are the same, with today's
    intervals where these were published under an older rule; `n` counts the seeds, of a judged
    one the samples, of an observed one the verdicts. `audited_anew` is what today's rule
    says where the card was published under an older one. `compared` are the settings of recorded
    verdicts with which judges are compared: the source's plain prompt. `paid` is what the judge of
    an optimiser's runs pays for, by their start. `published` says when its source
    published the verdicts, where nobody states when they were given.
    """

    tag: Tag
    kind: str
    trust: Trust
    model: str
    platform: str | None
    first_day: date | None
    last_day: date | None
    calibration: bool
    card: Record
    figures: Json
    n: int
    published_figures: Json
    audited_anew: AuditSummary | None
    compared: frozenset[str] = frozenset()
    paid: Mapping[str, Exchange] = field(default_factory=dict)
    published: SourcePublication | None = None

    @classmethod
    def parse(
        cls,
        card: Json,
        figures: Json,
        audited_anew: Json | None = None,
        intervals_anew: Json | None = None,
        published: Json | None = None,
    ) -> Self:
        """Return the snapshot that documents of valid shape describe."""
        anew = parse(audited_anew, AuditSummary) if audited_anew else None
        snapshot = cls.from_card(parse_card(card), figures, anew)
        if published:
            snapshot = replace(snapshot, published=parse(published, SourcePublication))
        if not intervals_anew:
            return snapshot
        return replace(snapshot, figures=restated(figures, intervals_anew))

    @classmethod
    def from_card(
        cls, card: Record, figures: Json, audited_anew: AuditSummary | None = None
    ) -> Self:
        """Return the snapshot that a card and its figures describe."""
        return cls(
            tag=Tag.parse(card.tag),
            kind=card.kind,
            trust=card.trust,
            model=card.evaluator.model,
            platform=card.evaluator.platform,
            first_day=card.first_day,
            last_day=card.last_day,
            calibration=card.calibration,
            card=card,
            figures=figures,
            n=int(figures["n"]),
            published_figures=figures,
            audited_anew=audited_anew,
        )

    @property
    def is_example(self) -> bool:
        """Return whether it is of a mock, or of an embedded model that nobody would have judge."""
        return self.calibration or self.platform == _EMBEDDED

    @property
    def audit(self) -> AuditSummary | None:
        """Audit by the newest rule; None where there are no trials to audit."""
        return self.audited_anew or self.audit_published

    @property
    def audit_published(self) -> AuditSummary | None:
        """Audit as its card states it."""
        return self.card.audit

    @property
    def earlier_word(self) -> EarlierWord | None:
        """The word on its card, if that is of an earlier rule than today's."""
        audit = self.card.audit
        return earlier_word(audit.verdict, audit.rule) if audit else None

    @property
    def verdict(self) -> str | None:
        """The audit's word by the newest rule; None where there are no trials to audit."""
        return self.audit.verdict if self.audit else None

    @property
    def quality(self) -> NotMeasured | None:
        """Quality of the work, beside an audit's word: published records have no labels."""
        how = f"`epc snapshot fetch {self.tag} --out RUN`, then `epc audit RUN --gold FILE`"
        return NotMeasured(how=how) if self.audit else None

    @property
    def failed(self) -> bool:
        """Return whether it failed: then no figure of it can be ranked."""
        return bool(self.failure)

    @property
    def failure(self) -> str:
        """Why it failed: most seeds counted no verdict, or no evaluation is valid; empty if not."""
        # Reading R23: that nothing is valid is the judge's failure, and not the outputs'.
        if "valid" in self.figures:
            return "" if self.figures["valid"] else _FAILED_JUDGE
        # Reading R8: zero because no verdict was counted is no zero of the evaluator's.
        if self.verdict:
            return FAILED if self.verdict == _FAILED_WORD else ""
        return FAILED if any(f.id == _FAILED_FAULT for f in self.card.known_faults) else ""


Cause = Literal["retired", "stale"]
EventName = Literal["published", "withdrawn", "superseded", "drifted", "expired"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened to a snapshot on a day: a line of `events.jsonl`.

    Which kind has which of the keys with a default is what the schema says. Only `published` needs
    no reason.
    """

    date: date
    tag: str
    event: EventName
    sha256: str = ""
    reason: str = ""
    by: str = ""
    cause: Cause | None = None
    source: str = ""
