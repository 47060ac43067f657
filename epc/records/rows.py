"""The raw files of a run, row by row: what a row is, and reading them."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

from msgspec import Struct

from epc.audit.probes import Kind, Side
from epc.protocol.draws import Turn
from epc.protocol.results import Json
from epc.protocol.verdict import Verdict
from epc.records.findings import Findings
from epc.records.manifest import VerdictName
from epc.records.schemas import checked_lines
from epc.records.strict_json import MAX_LINE_BYTES
from epc.records.typed import parse
from epc.spec.domains import Domain, PhaseName


class Trial(Struct, frozen=True, kw_only=True):
    """A round: what was drawn, the calls it refers to, and its verdict."""

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
        """The round's draws."""
        return Turn(u_task=self.u_task, u_strategy=self.u_strategy)

    @property
    def parsed_verdict(self) -> Verdict:
        """The verdict that the row states."""
        return Verdict(self.verdict)


class Call(Struct, frozen=True, kw_only=True):
    """An answer: what was asked of whom, what came back, and at what cost.

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


# How a call was answered (Reading R76): its `origin`.
ASKED: Final = "asked"
CACHED: Final = "cache"
RECORDED: Final = "recorded"
COMPOSED: Final = "composed"  # of what the members of a wrapper said
_TAKEN: Final = "run:"


def origin_of_run(calls_sha256: str) -> str:
    """Return the origin of an answer that was taken over from a run, by its calls' SHA-256."""
    return f"{_TAKEN}{calls_sha256}"


def is_taken(origin: str | None) -> bool:
    """Return whether an answer was taken over from another run, named or by the cache."""
    return origin is not None and (origin == CACHED or origin.startswith(_TAKEN))


def with_origin(call: Json) -> Json:
    """Return a call that says when and how it was answered, if only that nobody knows.

    Records that were written before calls stated it do not.
    """
    return {"answered_at": None, "origin": "unknown", **call}


class WeightRow(Struct, frozen=True, kw_only=True):
    """A strategy's weight at the end of a phase."""

    seed: int
    phase: PhaseName
    strategy: str
    weight: float


class ProbeRow(Struct, frozen=True, kw_only=True):
    """A question beside the measurement; its `call` is held against the schema of calls."""

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


_NAMES: Final[Mapping[type, str]] = {
    Trial: "trials",
    Call: "calls",
    WeightRow: "weights",
    ProbeRow: "probes",
}
T = TypeVar("T", Trial, Call, WeightRow, ProbeRow)
MAX_UNUSABLE: Final = 1000


def read_rows(
    folder: Path, name: str, findings: Findings, *, clause: str, longest: int = MAX_LINE_BYTES
) -> Iterator[tuple[int, Json]]:
    """Yield each usable row of a raw file with its index, noting what is wrong with the others.

    Reading stops after `MAX_UNUSABLE` rows that cannot be used, so that a large file of nothing
    but mistakes is checked in bounded time.

    Raises: WorldError if the file cannot be read.
    """
    unusable = 0
    path, schema = folder / f"{name}.jsonl", name.removesuffix("s")
    lines = checked_lines(path, name, schema, clause=clause, longest=longest)
    for index, (where, row, problems) in enumerate(lines):
        if not problems:
            yield index, row
            continue
        findings.extend(problems)
        unusable += 1
        if unusable == MAX_UNUSABLE:
            problem = f"{unusable:,} rows cannot be used; what follows is not read"
            findings.add(clause, where, problem, "mend these first")
            return


def read_typed(
    folder: Path,
    kind: type[T],
    findings: Findings,
    *,
    clause: str,
    longest: int = MAX_LINE_BYTES,
) -> Iterator[tuple[int, T]]:
    """Yield each usable row of the raw file that holds a kind of row, as `read_rows` does.

    Raises: WorldError if the file cannot be read.
    """
    for index, row in read_rows(folder, _NAMES[kind], findings, clause=clause, longest=longest):
        yield index, parse(row, kind)
