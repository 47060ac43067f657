"""The card of a snapshot as a value, of one class a kind (`snapshot.json`).

The classes follow `snapshot.json` among the schemas. Past this module nobody indexes a card by a
string, so that a misspelt key is an error of the type checker.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from shlex import quote
from typing import Any, Final, Literal

from epc.audit.coupling import Into
from epc.audit.facts import Word
from epc.protocol.results import Json
from epc.records.observed.types import UNKNOWN
from epc.records.typed import parse
from epc.spec.domains import Direction

Days = Mapping[Literal["from", "to"], date]
SnapshotKind = Literal["measured", "judged", "observed", "reported"]
Trust = Literal["reported", "observed", "recomputed", "spot-checked", "attested", "replicated"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the record itself says was asked: the model's name and the address."""

    model: str
    endpoint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who was asked, and through whose hands.

    `weights` are the digest of what a server of the contributor's own served, as stated.
    """

    model: str
    platform: str | None
    gateway: str | None
    proxy: bool
    weights: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Model(Identity):
    """Who was asked, and how its name is spelt in a publication and in the record."""

    as_printed: str | None
    asked: Asked | None = None

    @property
    def identity(self) -> Identity:
        """The model without its spellings."""
        return Identity(
            model=self.model,
            platform=self.platform,
            gateway=self.gateway,
            proxy=self.proxy,
            weights=self.weights,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Something that is known to be wrong with a snapshot."""

    id: str
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """Where the figures of a reported snapshot were printed."""

    work: str
    place: str
    address: str
    as_printed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Differ:
    """Whether verdicts differ between the domains: a fact beside the word."""

    differ: bool
    p_value: int | float
    unit: Literal["task", "seed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSummary:
    """What `epc audit` says of a run, by one version of the rule.

    Rule 1 (Reading R39) asked whether verdicts differ between the domains. Its audits state no
    rule, and its p-value and unit are those that `preferences_differ` has from rule 2 on. That one
    asks what crosses, `transfer` (Reading R71).
    """

    verdict: Word
    p_value: int | float | None
    unit: Literal["task", "group", "seed"] | None
    position_bias: Mapping[str, Any]
    determinism: Mapping[str, Any] | None
    competence: Mapping[str, Any] | None
    findings: tuple[Mapping[str, Any], ...]
    rule: int = 1
    preferences_differ: Differ | None = None
    transfer: Mapping[Direction, Into] | None = None

    @property
    def crossing(self) -> Mapping[Direction, Into]:
        """What crosses each way; nothing where too little was decided, or the run failed."""
        # Reading R8: the few seeds of a failed run that counted a verdict measure nothing.
        return self.transfer or {} if self.verdict != "no_verdicts_counted" else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Attested:
    """What GitHub attests of a measurement: which workflow made it, where, at which commit.

    `run` is the address of its run, `day` the one on which it was signed.
    """

    repository: str
    workflow: str
    commit: str
    run: str
    day: date

    def __str__(self) -> str:
        """Return it as one sentence."""
        return f"measured in GitHub's runner by {self.workflow} of {self.repository}, {self.day}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Card:
    """What the cards of all kinds state.

    `conditions`, which reported ones lack, are what must agree, beside the models, for two to be
    like for like. They are compared and never read, so that one that was added later counts too.
    """

    tag: str
    generation: str
    protocol_version: str
    evaluator: Model
    contributor: str
    known_faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _DatedCard(_Card):
    """The card of what was measured on a known day: `measured` are the first and the last."""

    measured: Days

    @property
    def first_day(self) -> date:
        """The first day on which it may have been measured."""
        return self.measured["from"]

    @property
    def last_day(self) -> date:
        """The last day on which it may have been measured."""
        return self.measured["to"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredCard(_DatedCard):
    """The card of a measured snapshot, which rests on raw trials.

    `login` is the contributor's on GitHub; cards of before it was kept have none. `source` says
    whose recorded verdicts are, and how they were given.
    """

    kind: Literal["measured"]
    trust: Literal["recomputed", "attested"]
    executor: Model | None
    conditions: Mapping[str, Any]
    audit: AuditSummary
    licence: str
    conflicts_of_interest: str | None
    calibration: bool
    replicates: str | None
    citation: None
    login: str | None = None
    source: str | None = None
    attested: Attested | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedCard(_DatedCard):
    """The card of a snapshot whose figures were transcribed from a publication."""

    kind: Literal["reported"]
    trust: Literal["reported"]
    executor: Model | None
    calibration: bool
    replicates: None
    citation: Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCard(_DatedCard):
    """The card of a judge's evaluations, which rest on its raw replies."""

    kind: Literal["judged"]
    trust: Literal["recomputed"]
    executor: None
    conditions: Mapping[str, Any]
    licence: str
    conflicts_of_interest: str | None
    calibration: bool
    replicates: None
    citation: None
    login: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where recorded verdicts stand in public, as far as it is stated."""

    name: str
    repository: str
    commit: str

    @property
    def clone(self) -> str:
        """The lines that get it as CLONE; empty where it is not stated what to get."""
        if UNKNOWN in (self.repository, self.commit):
            return ""
        return f"git clone {self.repository} CLONE\ngit -C CLONE checkout {self.commit}\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How anybody makes a snapshot's verdicts again from their source.

    `sha256` is that of the verdict file's JSON Lines, cut to the `judge`. `columns`, `labels`
    and `constants` are what `epc observe import` was told of a table.
    """

    shape: str
    columns: Mapping[str, str]
    labels: Mapping[str, str]
    judge: str
    sha256: str
    constants: Mapping[str, str] | None = None

    @property
    def command(self) -> str:
        """What makes the verdict file that the judge's part is cut out of."""
        constants = self.constants or {}
        options = (("--map", self.columns), ("--label", self.labels), ("--set", constants))
        words = [
            f"{word} {quote(f'{k}={v}')}" for word, values in options for k, v in values.items()
        ]
        return " ".join((f"epc observe import CLONE --shape {quote(self.shape)}", *words))


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedCard(_Card):
    """The card of verdicts that somebody else recorded: what their source states, and no more.

    `measured` is None where not all of them are dated; `kept` says whether the licence lets the
    verdicts stand here.
    """

    measured: Days | None

    kind: Literal["observed"]
    trust: Literal["observed"]
    executor: None
    conditions: Mapping[str, Any]
    origin: Origin
    recipe: Recipe | None
    kept: bool
    licence: str
    conflicts_of_interest: str | None
    calibration: Literal[False]
    replicates: None
    citation: None
    login: str | None = None

    @property
    def first_day(self) -> date | None:
        """The first day on which a verdict was given, if the source dates them all."""
        return self.measured["from"] if self.measured else None

    @property
    def last_day(self) -> date | None:
        """The last day on which a verdict was given, if the source dates them all."""
        return self.measured["to"] if self.measured else None


Card = MeasuredCard | ReportedCard | JudgedCard | ObservedCard

KINDS: Final[Mapping[SnapshotKind, type[Card]]] = {
    "measured": MeasuredCard,
    "reported": ReportedCard,
    "judged": JudgedCard,
    "observed": ObservedCard,
}


def parse_card(document: Json) -> Card:
    """Return the card that a document holds.

    Raises: KeyError or ValueError if it is none.
    """
    return parse(document, KINDS[document["kind"]])
