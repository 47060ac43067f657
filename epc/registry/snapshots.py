"""What a snapshot is, and what happened to it.

Pure: it takes JSON that a schema has admitted, and reads neither file nor clock.
"""

from dataclasses import dataclass
from datetime import date
from typing import Final, Literal, Self

from epc.registry.card_types import Card, MeasuredCard, SnapshotKind, Trust, parse_card
from epc.registry.tags import Tag
from epc.registry.typed import Json

STEPS: Final[tuple[Trust, ...]] = ("reported", "recomputed", "re-executed", "replicated")

# What says that most seeds of a run counted no verdict: an audit's word, or, where there are no
# trials to audit, the fault that a reported snapshot's own record states.
_FAILED_WORD: Final = "no_verdicts_counted"
_FAILED_FAULT: Final = "failed-runs"
FAILED: Final = "no verdict was counted in most seeds, so that its gamma is no measurement"


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """A snapshot's `metrics.json`. Each kind, and each protocol, has other figures."""

    kind: SnapshotKind
    figures: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """One published measurement.

    `measured` ones rest on raw trials that are kept here, `judged` ones on the raw replies of a
    judge, `reported` ones on a publication.
    `figures` are those of its `metrics.json`.
    """

    tag: Tag
    kind: SnapshotKind
    trust: Trust
    model: str
    platform: str | None
    first_day: date
    last_day: date
    calibration: bool
    card: Card
    figures: Json

    @classmethod
    def parse(cls, card: Json, figures: Json) -> Self:
        """Return the snapshot that two documents of valid shape describe."""
        return cls.of(parse_card(card), figures)

    @classmethod
    def of(cls, card: Card, figures: Json) -> Self:
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
        )

    @property
    def n(self) -> int:
        """The number of seeds; of a judged one, of samples."""
        return int(self.figures["n"])

    @property
    def verdict(self) -> str | None:
        """The audit's word; None where there are no trials to audit."""
        return self.card.audit.verdict if isinstance(self.card, MeasuredCard) else None

    @property
    def failed(self) -> bool:
        """Whether most of its seeds counted no verdict: then no figure of it can be ranked."""
        # Reading R8: zero because no verdict was counted is no zero of the evaluator's.
        if self.verdict:
            return self.verdict == _FAILED_WORD
        return any(fault.id == _FAILED_FAULT for fault in self.card.known_faults)


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
