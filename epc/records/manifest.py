"""A manifest as a value: parsed once, then read by attribute (EPC-2.8).

The classes follow `epc_manifest_schema.json`, and a test compares them with it key by key. The
schema admits a document first; `Manifest.parse` then makes the value. Outside `epc.records` nobody
indexes a manifest by a string, so a misspelt key is an error of the type checker. It is as long as
the schema that it follows: the two are read side by side.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass
from functools import cached_property
from typing import Any, Final, Literal, Self

import msgspec
from msgspec import Struct, structs, to_builtins

from epc.audit.coupling import Transfer
from epc.audit.evidence import table_of
from epc.protocol.config import Configuration, Decoding
from epc.protocol.diagnostics import StrategyReliability
from epc.protocol.metrics import interpreted
from epc.protocol.results import Json
from epc.protocol.rules import Rule, rule_of
from epc.protocol.table import VerdictTable
from epc.protocol.weights import UpdateRule, Weights
from epc.records.earlier import current
from epc.records.typed import parse
from epc.spec.domains import Direction, Domain, Domains, PhaseName, pair_title
from epc.spec.epc_v1 import ALPHA_LOSE, ALPHA_WIN, WEIGHT_FLOOR, ControlMethod, Method
from epc.spec.reference import EXECUTOR_PROMPT, Strategy

_CONSTRAINT: Final = "constraint"
SCHEMA_VERSION: Final = 2  # of what is written

ZeroCause = Literal["no_update", "collapse", "identical"]
RawName = Literal["trials", "calls", "weights"]
RoleName = Literal["executor", "evaluator"]
EVALUATOR: Final[RoleName] = "evaluator"
VerdictName = Literal["A", "B", "tie", "missing"]
NoAnswer = Literal[
    "content_filter",
    "refusal",
    "too_large",
    "no_choice",
    "length",
    "max_tokens",
    "stop",
    "tool_calls",
    "other",
]


class ModelIdentity(Struct, frozen=True, kw_only=True):
    """A model that was asked, and its endpoint."""

    model: str
    version: str | None
    endpoint: str
    gateway: str | None
    details: Mapping[str, Any]

    @property
    def composition(self) -> "Composition | None":
        """Whom an evaluator asks, and how its verdict comes about; None if it asks nobody."""
        return parse(self.details, Composition) if "judging" in self.details else None

    @property
    def members(self) -> "tuple[Member, ...]":
        """Who is asked for an evaluator that asks others."""
        return () if self.composition is None else self.composition.members

    @property
    def gives_facts(self) -> bool:
        """Whether its answers cannot come out otherwise: a file's, a mock's, pinned weights'."""
        return self.endpoint in ("file", "mock", "embedded")

    @classmethod
    def parse(cls, document: Json) -> Self:
        """Return the value of an identity that a schema has admitted."""
        return parse(document, cls)


class Member(ModelIdentity, frozen=True, kw_only=True):
    """Who is asked for an evaluator, how it gets to a verdict, and how it decodes by itself."""

    decoding: Json
    method: Method


class Composition(Struct, frozen=True, kw_only=True):
    """What the details of an evaluator that asks others say."""

    judging: Json
    members: tuple[Member, ...]


class Evaluator(ModelIdentity, frozen=True, kw_only=True):
    """The model that judged, how, and when (EPC-2.8 item 2)."""

    decoding: Decoding
    measurement_date: str
    method: Method


class Executor(ModelIdentity, frozen=True, kw_only=True):
    """The model that wrote the answers (EPC-2.8 item 3)."""

    decoding: Decoding
    prompt_template: str


class LearningRule(Struct, frozen=True, kw_only=True):
    """A rule in the place of the protocol's: the rates are those of its name (Reading R81)."""

    name: Literal["thompson", "bradley-terry", "bayes"]
    high: float | None = None
    low: float | None = None
    step: float | None = None
    prior_wins: int | None = None
    prior_losses: int | None = None


class RunConfig(Struct, frozen=True, kw_only=True):
    """The manifest's `config` (EPC-2.8 item 4)."""

    rounds: int
    baseline: str
    strategies: int
    seeds: tuple[int, ...]
    generator: str
    reuse: Literal["none", "memo"]
    exhaustive: bool
    control: ControlMethod
    alpha_win: float = ALPHA_WIN
    alpha_lose: float = ALPHA_LOSE
    weight_floor: float = WEIGHT_FLOOR
    rule: LearningRule | None = None

    @property
    def learning_rule(self) -> Rule:
        """The protocol's rule with the three rates, or the one that stands in their place."""
        if self.rule is not None:
            return rule_of(
                {key: r for key, r in structs.asdict(self.rule).items() if r is not None}
            )
        return UpdateRule(
            alpha_win=self.alpha_win, alpha_lose=self.alpha_lose, weight_floor=self.weight_floor
        )


class Estimate(Struct, frozen=True, kw_only=True):
    """A mean over seeds and its 95% interval, which one seed does not have (Reading R10)."""

    mean: float
    ci95: tuple[float, float] | None


class Floor(Struct, frozen=True, kw_only=True):
    """Gamma without a change of domain: its mean and the range of 95% of seeds."""

    mean: float
    q025: float
    q975: float


class Calibration(Struct, frozen=True, kw_only=True):
    """ECE or Brier score over seeds, and of all seeds' verdicts pooled (Reading R42)."""

    mean: float
    ci95: tuple[float, float] | None
    seeds: int
    pooled: float


class AnswerShares(Struct, frozen=True, kw_only=True):
    """Outcome of a set of comparisons: how many could be read, and which place won."""

    n: int
    decided: int
    parse_rate: float | None
    share_of_a: float | None
    refusals: int
    unparseable: int


class Diagnostics(Struct, frozen=True, kw_only=True):
    """All comparisons of a run, and those of the baseline with itself (Reading R6)."""

    answers: AnswerShares
    self_comparisons: AnswerShares


class TaskTest(Struct, frozen=True, kw_only=True):
    """The permutation test behind the audit's word (Reading R39)."""

    p_value: float
    smallest: float
    unit: Literal["task"]


class Control(Struct, frozen=True, kw_only=True):
    """The same-domain control, and what is left of gamma above it (Reading R15)."""

    method: ControlMethod
    noise_floor: Mapping[Direction, Floor]
    excess: Mapping[Direction, Estimate]
    test: TaskTest


class Determinism(Struct, frozen=True, kw_only=True):
    """Result of asking the same again."""

    comparisons: int = msgspec.field(name="asked")
    verdict_flips: int
    text_changes: int
    flip_rate: float


class SeedRecord(Struct, frozen=True, kw_only=True):
    """Figures of one seed (EPC-2.5(d))."""

    seed: int
    gamma: Mapping[Direction, float]
    jsd: Mapping[Direction, float]
    zero_coupling: Mapping[Direction, bool]
    zero_cause: Mapping[Direction, ZeroCause | None]
    weights: Mapping[PhaseName, Mapping[str, float]]
    tie_rate: float
    verdicts: Mapping[PhaseName, Mapping[VerdictName, int]]
    ece: float | None = None
    brier: float | None = None

    def vector(self, phase: PhaseName) -> Weights:
        """Return the weights of one phase in the order of the record."""
        return tuple(self.weights[phase].values())


class Summary(Struct, frozen=True, kw_only=True):
    """The figures of all seeds (EPC-2.5)."""

    n: int
    gamma: Mapping[Direction, Estimate]
    jsd: Mapping[Direction, Estimate]
    zero_coupling_rate: Mapping[Direction, Estimate]
    zero_causes: Mapping[Direction, Mapping[ZeroCause, int]]
    tie_rate: Estimate
    tie_rate_by_phase: Mapping[PhaseName, Estimate]
    pci: Mapping[PhaseName, Estimate]
    cpci: Estimate
    mpci: Estimate
    diagnostics: Diagnostics | None
    ece: Calibration | None
    brier: Calibration | None
    control: Control
    determinism: Determinism | None
    reliability: Mapping[str, StrategyReliability] = {}
    transfer: Transfer | None = None
    length_correlation: Mapping[Domain, float | None] | None = None


class VerdictCounts(Struct, frozen=True, kw_only=True):
    """How often each strategy won, lost and tied on each task (Reading R38)."""

    repeated: bool
    counts: Mapping[Domain, Mapping[str, tuple[tuple[int, ...], ...]]]


class Results(Struct, frozen=True, kw_only=True):
    """EPC-2.8 item 7."""

    per_seed: tuple[SeedRecord, ...]
    summary: Summary
    verdict_table: VerdictCounts


class Reasoned(Struct, frozen=True, kw_only=True):
    """How many answers of a role came after reasoning, and the tokens that are stated for it."""

    calls: int
    tokens: int


class InCampaign(Struct, frozen=True, kw_only=True):
    """A run's campaign, and the evaluators for which its executor was asked once (Reading R76)."""

    id: str
    evaluators: tuple[str, ...]


class MemberUsage(Struct, frozen=True, kw_only=True):
    """Usage of one member of a wrapper."""

    calls: int
    retries: int
    tokens_in: int
    tokens_out: int
    served_models: Mapping[str, int]
    system_fingerprints: Mapping[str, int]
    origins: Mapping[str, int]
    no_answer: Mapping[str, int]
    reasoned: int


class Provenance(Struct, frozen=True, kw_only=True):
    """With what, when, and by whose answers a record was made."""

    created: str
    software: Mapping[str, str]
    calls: Mapping[RoleName, int]
    tokens: Mapping[Literal["in", "out"], int]
    served_models: Mapping[RoleName, Mapping[str, int]]
    system_fingerprints: Mapping[RoleName, Mapping[str, int]]
    retries: int
    journal_damage: int = 0
    origins: Mapping[RoleName, Mapping[str, int]] | None = None
    no_answer: Mapping[RoleName, Mapping[NoAnswer, int]] = {}
    reasoning: Mapping[RoleName, Reasoned] = {}
    campaign: InCampaign | None = None
    members: tuple[MemberUsage, ...] = ()


class DescribedFile(Struct, frozen=True, kw_only=True):
    """A file whose content a record vouches for."""

    sha256: str
    bytes: int
    rows: int


class RawFile(DescribedFile, frozen=True, kw_only=True):
    """A raw file beside the manifest."""

    path: str


class Accuracy(Struct, frozen=True, kw_only=True):
    """How good each strategy's answers are, as the user stated it (Reading R11)."""

    source: str
    sha256: str
    values: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class Head:
    """A manifest without its results and its raw files.

    `groups` names the group of each task, in the order of the tasks (Reading R74). `canary`
    and `calibration` are what records of before may have. `document` is the JSON that it was parsed
    from, for those who write, digest or compare it: a number keeps the form in which it was
    written.
    """

    protocol_version: str
    evaluator: Evaluator
    executor: Executor | None
    config: RunConfig
    tasks: Mapping[Domain, tuple[str, ...]]
    strategies: tuple[Strategy, ...]
    evaluator_prompt: str
    provenance: Provenance
    accuracy: Accuracy | None = None
    schema_version: int = SCHEMA_VERSION
    groups: Mapping[Domain, tuple[str, ...]] | None = None
    canary: Mapping[str, Any] | None = None
    calibration: Any = None
    document: Json = field(init=False, repr=False, compare=False, default_factory=dict)

    @classmethod
    def parse(cls, document: Json) -> Self:
        """Return the value, in today's form, of a document that the schema has admitted."""
        head = parse(current(document), cls)
        object.__setattr__(head, "document", document)
        return head

    @cached_property
    def configuration(self) -> Configuration:
        """The configuration that the manifest describes."""
        config = self.config
        return Configuration(
            rule=config.learning_rule,
            rounds=config.rounds,
            baseline=config.baseline,
            strategies=self.strategies,
            tasks={domain: self.tasks[domain] for domain in self.domains.names},
            evaluator_prompt=self.evaluator_prompt,
            executor_prompt=self.executor.prompt_template if self.executor else EXECUTOR_PROMPT,
            decoding=self.evaluator.decoding,
            method=self.evaluator.method,
            control=config.control,
            groups=self.groups,
            member_methods=tuple(member.method for member in self.evaluator.members),
        )

    @property
    def domains(self) -> Domains:
        """The domains that the tasks are of."""
        return Domains.from_names(self.tasks)

    @property
    def names(self) -> list[str]:
        """The strategies' names, in their order."""
        return [strategy.name for strategy in self.strategies]

    @property
    def reuses(self) -> bool:
        """Return whether each prompt was asked once."""
        return self.config.reuse == "memo"

    @property
    def is_whole(self) -> bool:
        """Return whether the verdict table is all that there is (Reading R72).

        Recorded verdicts are read whole, so a pair without one is missing from the file. In records
        of before, which are not exhaustive, it is a pair that no round drew.
        """
        return self.evaluator.method == "recorded" and self.config.exhaustive

    @property
    def models(self) -> dict[RoleName, Executor | Evaluator]:
        """The models that were asked, by role; recorded verdicts have no executor."""
        if self.executor is None:
            return {"evaluator": self.evaluator}
        return {"executor": self.executor, "evaluator": self.evaluator}


@dataclass(frozen=True, kw_only=True)
class Manifest(Head):
    """A measurement's manifest."""

    results: Results
    raw: Mapping[RawName, RawFile] | None

    @property
    def readings(self) -> list[str]:
        """The paper's reading of each gamma, and whether the noise allows it (EPC-5.2)."""
        excess = self.results.summary.control.excess
        gammas = self.results.summary.gamma.items()
        return [
            f"{pair_title(d)}: {interpreted(gamma.mean, excess[d].ci95)}" for d, gamma in gammas
        ]


def verdict_table(manifest: Manifest) -> VerdictTable:
    """Return the verdict table that a manifest of valid shape states."""
    document = manifest.document["results"]["verdict_table"]
    return table_of(document, manifest.names, is_whole=manifest.is_whole)


def plain(value: Any) -> Any:
    """Return a part of a manifest as plain JSON, its numbers as they were parsed."""
    if isinstance(value, Mapping):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    is_record = isinstance(value, Struct) or is_dataclass(value)
    return plain(to_builtins(value)) if is_record else value


def member_decoding(members: Sequence[Member], number: int, decoding: Json) -> Json:
    """Return how a member decodes: its own way, unless its asker is to decode otherwise.

    Its constraint stays its own.
    """
    usual = members[number - 1].decoding
    if decoding == members[0].decoding:
        return usual
    return {**decoding, _CONSTRAINT: usual[_CONSTRAINT]}
