"""What a record says of a wrapper round evaluators: its judging, its members, its calibration."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from epc.errors import UsageError
from epc.protocol.mitigation import Fit, Judging, Mitigation, calibrated_members, spelled
from epc.protocol.results import Json
from epc.records.typed import parse
from epc.spec.epc_v1 import Method

_CONSTRAINT: Final = "constraint"


class Member(Struct, frozen=True, kw_only=True):
    """Who is asked for a wrapper, how it gets to a verdict, and how it decodes by itself."""

    model: str
    version: str | None
    endpoint: str
    gateway: str | None
    details: Mapping[str, Any]
    decoding: Json
    method: Method


class Wrapped(Struct, frozen=True, kw_only=True):
    """What an evaluator's details say of a wrapper."""

    judging: Json
    members: tuple[Member, ...]


class Calibrated(Struct, frozen=True, kw_only=True):
    """What was fitted of one member, and the calls that it was fitted to, pair by pair."""

    member: int
    prior: float
    temperature: float
    calls: tuple[tuple[str, str], ...]

    @property
    def fit(self) -> Fit:
        """The fit alone."""
        return Fit(prior=self.prior, temperature=self.temperature)


def as_document(judging: Judging) -> Json:
    """Return a judging as it stands in a wrapper's details."""
    if judging.kind == "asked":
        return {"kind": "asked", "member": judging.member}
    band = {"band": judging.band} if judging.kind == "band" else {}
    return {"kind": judging.kind, **band, "of": [as_document(part) for part in judging.of]}


def members_of(details: Mapping[str, Any]) -> tuple[Member, ...]:
    """Return who is asked for a wrapper; nobody for an evaluator that is none."""
    return _wrapped(details).members


def _wrapped(details: Mapping[str, Any]) -> Wrapped:
    none = Wrapped(judging={}, members=())
    return parse(details, Wrapped) if "judging" in details else none


def mitigation_of(
    model: str, details: Mapping[str, Any], calibration: Sequence[Calibrated] = ()
) -> Mitigation | None:
    """Return what an evaluator's record says of a wrapper.

    None of an evaluator that is none, and of a wrapper whose name, members and fits do not go
    together; `epc.records.composed.check` says which.
    """
    if "judging" not in details or mismatch(model, details, calibration):
        return None
    return Mitigation(
        judging=spelled(model)[0],
        methods=tuple(member.method for member in members_of(details)),
        fits={each.member: each.fit for each in calibration},
    )


def mismatch(
    model: str, details: Mapping[str, Any], calibration: Sequence[Calibrated]
) -> tuple[str, str] | None:
    """Return where and how a wrapper's name, members and fits do not go together."""
    try:
        judging, names = spelled(model)
    except UsageError as error:
        return "/evaluator/model", str(error).splitlines()[0]
    wrapped = _wrapped(details)
    stated = tuple(member.model for member in wrapped.members)
    if wrapped.judging != as_document(judging) or stated != names:
        return "/evaluator/details", f"are not those of {model}"
    wanted = calibrated_members(judging)
    if [each.member for each in calibration] != wanted:
        return "/calibration", f"has {len(calibration)} fits, {model} calibrates {len(wanted)}"
    return None


def member_decoding(members: Sequence[Member], number: int, decoding: Json) -> Json:
    """Return how a member decodes: its own way, unless the wrapper is asked to decode otherwise.

    Its constraint stays its own.
    """
    own = members[number - 1].decoding
    if decoding == members[0].decoding:
        return own
    return {**decoding, _CONSTRAINT: own[_CONSTRAINT]}
