"""The card of a snapshot as a value, the same of every kind (`snapshot.json`).

The classes follow `snapshot.json` among the schemas. Past this module nobody indexes a card by a
string, so that a misspelt key is an error of the type checker.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from shlex import quote
from typing import Any, Literal

from epc.audit.coupling import Into
from epc.audit.facts import Word
from epc.protocol.results import Json
from epc.records.typed import as_json, parse
from epc.records.verdicts.types import UNKNOWN
from epc.spec.domains import Direction

Days = Mapping[Literal["from", "to"], date]
Trust = Literal["reported", "observed", "recomputed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedModel:
    """Model that the record itself says was asked: its name and the address."""

    model: str
    endpoint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Model that was asked, and through whose hands.

    `weights` are the digest of what a server of the contributor's own served, as stated.
    """

    model: str
    platform: str | None
    gateway: str | None
    proxy: bool
    weights: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Model(Identity):
    """Model that was asked, and how its name is spelt in a publication and in the record."""

    as_printed: str | None
    asked: RecordedModel | None = None

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
    """Place where the figures of a reported snapshot were printed."""

    work: str
    place: str
    address: str
    as_printed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainDifference:
    """Difference of verdicts between the domains: a fact beside the word."""

    differ: bool
    p_value: int | float
    unit: Literal["task", "seed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _SelfComparisons:
    """Verdicts between two equal answers: how many decided, and the share that said A."""

    decided: int
    share_of_a: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _PlaceBias:
    """What an audit says of places, as far as it is used here."""

    self_comparisons: _SelfComparisons | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSummary:
    """Summary of what `epc audit` says of a run, by one version of the rule.

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
    preferences_differ: DomainDifference | None = None
    transfer: Mapping[Direction, Into] | None = None

    @property
    def equal_answers(self) -> tuple[int, int] | None:
        """How often it said A of two equal answers, and how often it decided, if it did at all."""
        itself = parse(self.position_bias, _PlaceBias).self_comparisons
        if itself is None or itself.share_of_a is None:
            return None
        return round(itself.share_of_a * itself.decided), itself.decided

    @property
    def crossing(self) -> Mapping[Direction, Into]:
        """Transfer each way; nothing where too little was decided, or the run failed."""
        # Reading R8: the few seeds of a failed run that counted a verdict measure nothing.
        return self.transfer or {} if self.verdict != "no_verdicts_counted" else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Public place of recorded verdicts, as far as it is stated."""

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
        """Command for the verdict file that the judge's part is cut out of."""
        constants = self.constants or {}
        options = (("--map", self.columns), ("--label", self.labels), ("--set", constants))
        arguments = [
            f"{word} {quote(f'{k}={v}')}" for word, values in options for k, v in values.items()
        ]
        return " ".join((f"epc observe import CLONE --shape {quote(self.shape)}", *arguments))


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """Card of who was asked, by whom, when, under which conditions, and where that is from.

    Every kind states the fields without a default. Of the others a kind has some, which the table
    in `epc.registry.kinds` lists; whoever asks for one asks for the fact, and not for the kind.

    `measured` are the first and the last day, None where they are not all known. `conditions` are
    what must agree, beside the models, for two to be like for like: they are compared and never
    read, so that one that was added later counts too. `login` is the contributor's on GitHub; cards
    of before it was kept have none. `source` says whose verdicts a measurement took from a file,
    and how they were given. `origin` is where others recorded verdicts, which are `kept` here if
    their licence lets them.
    """

    tag: str
    generation: str
    protocol_version: str
    evaluator: Model
    executor: Model | None
    measured: Days | None
    contributor: str
    kind: str
    trust: Trust
    calibration: bool
    replicates: str | None
    citation: Citation | None
    known_faults: tuple[Fault, ...]
    conditions: Mapping[str, Any] | None = None
    audit: AuditSummary | None = None
    licence: str = ""
    conflicts_of_interest: str | None = None
    login: str | None = None
    source: str | None = None
    origin: Origin | None = None
    recipe: Recipe | None = None
    kept: bool | None = None

    @property
    def first_day(self) -> date | None:
        """The first day on which it may have been measured, if somebody states it."""
        return self.measured["from"] if self.measured else None

    @property
    def last_day(self) -> date | None:
        """The last day on which it may have been measured, if somebody states it."""
        return self.measured["to"] if self.measured else None

    @property
    def days(self) -> str:
        """The day or days on which it was measured, in words."""
        return " to ".join(
            dict.fromkeys(str(d or "unknown") for d in (self.first_day, self.last_day))
        )

    @property
    def by(self) -> str:
        """The contributor, with the login on GitHub where one is kept."""
        return f"{self.contributor} ({self.login} on GitHub)" if self.login else self.contributor

    def as_json(self) -> Json:
        """Return the card as `snapshot.json` has it: what is null by its nature is written."""
        written = {"conflicts_of_interest": self.licence, "recipe": self.origin}
        nulls = {key: None for key, is_written in written.items() if is_written}
        return dict(sorted((nulls | as_json(self)).items()))
