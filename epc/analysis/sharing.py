"""Answers that two records have in common: one measurement, and never two (Reading R76).

Every call states when and how it was answered. An answer that was taken over keeps everything that
was said of it when it was given, so one that stands in two records is found in both.
"""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from epc.analysis.comparability import are_facts
from epc.protocol.results import Json
from epc.records.findings import Findings
from epc.records.layout import CALLS
from epc.records.manifest import Manifest, RoleName
from epc.records.rows import Call, origin_of_run, read_typed
from epc.records.usage import ROLES


class Answer(NamedTuple):
    """Fields that tell one answer from another to the same question; None is not stated.

    `text` and `reply` are digests: replies are long, and only compared.
    """

    text: bytes
    answered_at: str | None = None
    latency_s: float | None = None
    reply: bytes | None = None
    origin: str | None = None


class SharedAnswers(Struct, frozen=True, kw_only=True):
    """How many answers of a role two runs share, of how many that the smaller of them has.

    `names` are those of the shared calls, as far as the calls are here to be named.
    """

    count: int
    answers: int
    names: frozenset[str] = frozenset()

    def as_json(self) -> Json:
        """Return the two counts."""
        return {"shared": self.count, "answers": self.answers}


def undated(text: str) -> Answer:
    """Return an answer of which nothing else is known, or nothing else matters."""
    return Answer(text=_digest(text))


def answer_of(call: Call) -> Answer:
    """Return what tells a call's answer from another to the same question."""
    return Answer(
        text=_digest(call.answer),
        answered_at=call.answered_at,
        latency_s=call.latency_s,
        reply=None if call.reply is None else _digest(call.reply),
        origin=call.origin,
    )


def is_one(left: Answer, right: Answer) -> bool:
    """Return whether nothing that both state tells two answers to the same question apart.

    Two answers of a provider differ in their latency, which is kept to the nanosecond.
    """
    pairs = zip(left[:-1], right[:-1], strict=True)  # the origin is where each came from
    return all(None in pair or pair[0] == pair[1] for pair in pairs)


def shared(
    left: Mapping[str, Answer], right: Mapping[str, Answer], *, sums: Iterable[str] = ()
) -> SharedAnswers:
    """Return which answers two runs share, given by the names of their calls.

    `sums` are the SHA-256 of both runs' calls: an answer that says it was taken from one of these
    is shared, whatever else it says.
    """
    origins_taken = {origin_of_run(sha) for sha in sums}
    names = frozenset(
        name
        for name in left.keys() & right.keys()
        if {left[name].origin, right[name].origin} & origins_taken
        or is_one(left[name], right[name])
    )
    return SharedAnswers(count=len(names), answers=min(len(left), len(right)), names=names)


def shared_by_runs(
    left: Manifest, right: Manifest, folders: tuple[Path, Path]
) -> dict[str, SharedAnswers]:
    """Return by role which answers two runs share, given by their manifests and their folders.

    A mock, a file and the same pinned weights answer alike by construction: nothing is counted as
    shared there, because every answer would be.

    Raises: WorldError if a file cannot be read.
    """
    nothing = SharedAnswers(count=0, answers=0)
    pairs = {role: (left.models.get(role), right.models.get(role)) for role in ROLES}
    roles = [role for role, (a, b) in pairs.items() if a and b and not are_facts(a, b)]
    if not roles:
        return dict.fromkeys(ROLES, nothing)
    if not all((folder / CALLS).is_file() for folder in folders):
        return {
            role: _claimed_sharing(left, right, role) if role in roles else nothing
            for role in ROLES
        }
    sums = [manifest.raw["calls"].sha256 for manifest in (left, right) if manifest.raw]
    first, second = map(_answers, folders)
    return {
        role: shared(first.get(role, {}), second.get(role, {}), sums=sums)
        if role in roles
        else nothing
        for role in ROLES
    }


def _claimed_sharing(left: Manifest, right: Manifest, role: RoleName) -> SharedAnswers:
    """Return what two manifests alone say that their runs share."""
    answers = min(manifest.provenance.calls[role] for manifest in (left, right))
    campaigns = [manifest.provenance.campaign for manifest in (left, right)]
    if role == "executor" and None not in campaigns and campaigns[0] == campaigns[1]:
        return SharedAnswers(count=answers, answers=answers)
    sums = [manifest.raw and manifest.raw["calls"].sha256 for manifest in (left, right)]
    if sums[0] is not None and sums[0] == sums[1]:
        return SharedAnswers(count=answers, answers=answers)
    count = 0
    for manifest, other_sum in ((left, sums[1]), (right, sums[0])):
        origins = (manifest.provenance.origins or {}).get(role, {})
        count += origins.get(origin_of_run(other_sum), 0) if other_sum else 0
    return SharedAnswers(count=min(count, answers), answers=answers)


def _answers(folder: Path) -> dict[str, dict[str, Answer]]:
    """Return the answers of a run's calls by role and name; what is wrong is for others to say."""
    answers: dict[str, dict[str, Answer]] = {}
    for _, call in read_typed(folder, Call, Findings(), clause="Reading R76"):
        answers.setdefault(call.role, {})[call.id] = answer_of(call)
    return answers


def _digest(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()
