"""The rows of a run's raw files as values, one class a file.

The classes follow the schemas `trial`, `call`, `weight` and `probe`, and a test compares them.
"""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from epc.audit.probes import Kind, Side
from epc.protocol.draws import Turn
from epc.protocol.verdict import Verdict
from epc.records.manifest import VerdictName
from epc.spec.domains import Domain, PhaseName


class Trial(Struct, frozen=True, kw_only=True):
    """One round: what was drawn, the calls it refers to, and its verdict."""

    seed: int
    phase: PhaseName
    round: int
    task: int
    u_task: float
    u_strategy: float
    strategy: str
    verdict: VerdictName
    raw: str
    response: str | None
    baseline: str | None
    evaluation: str | None

    @property
    def turn(self) -> Turn:
        """What was drawn."""
        return Turn(u_task=self.u_task, u_strategy=self.u_strategy)

    @property
    def stated(self) -> Verdict:
        """The verdict that the row states."""
        return Verdict(self.verdict)


class Call(Struct, frozen=True, kw_only=True):
    """One answer: what was asked of whom, what came back, and at what cost.

    A key that is null or absent is None: of `answered_at`, `origin` tells which (Reading R76).
    """

    id: str
    role: str
    model: str
    served_model: str | None
    system_fingerprint: str | None
    prompt: str
    answer: str
    finish_reason: str | None
    tokens_in: int | None
    tokens_out: int | None
    latency_s: float | None
    occasion: str | None
    retries: int
    reply: str | None = None
    headers: Mapping[str, str] | None = None
    answered_at: str | None = None
    origin: str | None = None
    request_id: str | None = None
    reasoning: str | None = None
    reasoning_tokens: int | None = None
    limit_field: Literal["max_tokens", "max_completion_tokens"] | None = None
    votes: tuple[str, ...] | None = None


class WeightRow(Struct, frozen=True, kw_only=True):
    """A strategy's weight at the end of a phase."""

    seed: int
    phase: PhaseName
    strategy: str
    weight: float


class ProbeRow(Struct, frozen=True, kw_only=True):
    """One question beside the measurement; its `call` is held against the schema of calls."""

    probe: Kind
    domain: Domain
    task: int
    strategy: str
    answer: str
    against: str | None
    evaluation: str | None
    first: Side
    verdict: Literal["A", "B", "tie"]
    call: Mapping[str, Any]
