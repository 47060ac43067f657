"""Usage of a run and who answered it, counted from its calls (EPC-5.3, pitfalls 1 and 2)."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct, field

from epc.protocol.results import Json
from epc.records.layout import MEMBER, TOO_LARGE
from epc.records.manifest import Head, RoleName
from epc.records.rows import Call
from epc.records.typed import parse
from epc.spec.refusals import WITHHELD

ROLES: Final[tuple[RoleName, ...]] = ("executor", "evaluator")
# Why an answer has no word that the model wrote for it, or not all of them.
NO_ANSWER: Final = (
    *sorted(WITHHELD),
    TOO_LARGE,
    "no_choice",  # of records that took a reply without a choice for an answer
    "length",
    "max_tokens",
    "stop",
    "tool_calls",
    "other",
)


class RoleUsage(Struct):
    """Usage of one role's calls. Units: calls, HTTP retries, tokens."""

    calls: int = 0
    retries: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    served_models: Counter[str] = field(default_factory=Counter)
    system_fingerprints: Counter[str] = field(default_factory=Counter)
    origins: Counter[str] = field(default_factory=Counter)
    no_answer: Counter[str] = field(default_factory=Counter)
    reasoned: int = 0
    reasoning_tokens: int = 0

    def add(self, call: Call) -> None:
        """Count one call."""
        self.calls += 1
        self.retries += call.retries
        self.tokens_in += call.tokens_in or 0
        self.tokens_out += call.tokens_out or 0
        if call.served_model is not None:
            self.served_models[call.served_model] += 1
        if call.system_fingerprint is not None:
            self.system_fingerprints[call.system_fingerprint] += 1
        if call.origin is not None:
            self.origins[call.origin] += 1
        self.reasoned += call.reasoning is not None or call.reasoning_tokens is not None
        self.reasoning_tokens += call.reasoning_tokens or 0
        reason = call.finish_reason
        if reason == TOO_LARGE or reason in WITHHELD or not call.answer.strip():
            self.no_answer[reason if reason in NO_ANSWER else "other"] += 1

    def as_json(self) -> Json:
        """Return the counts, the names of models and fingerprints in order."""
        return {
            "calls": self.calls,
            "retries": self.retries,
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
            "served_models": dict(sorted(self.served_models.items())),
            "system_fingerprints": dict(sorted(self.system_fingerprints.items())),
        }

    def of_member(self) -> Json:
        """Return the counts of a wrapper's member, as they stand in a manifest's provenance."""
        return {
            **self.as_json(),
            "origins": dict(sorted(self.origins.items())),
            "no_answer": dict(sorted(self.no_answer.items())),
            "reasoned": self.reasoned,
        }


class Usage(Struct):
    """Counts over the rows of calls.jsonl, role by role; one pass, nothing kept."""

    by_role: defaultdict[str, RoleUsage] = field(default_factory=lambda: defaultdict(RoleUsage))

    def add(self, call: Call) -> None:
        """Count one call."""
        self.by_role[call.role].add(call)

    def counted(self, rows: Iterable[Json]) -> Iterator[Json]:
        """Yield rows of calls.jsonl, each once it has been counted."""
        for row in rows:
            self.add(parse(row, Call))
            yield row

    def as_json(self) -> Json:
        """Return the counts as they stand in a manifest's provenance."""
        roles = {role: self.by_role[role].as_json() for role in ROLES}
        members = sorted(
            (int(role.removeprefix(MEMBER)), spent)
            for role, spent in self.by_role.items()
            if role.startswith(MEMBER)
        )

        def by_role(count: str) -> Json:
            return {role: spent[count] for role, spent in roles.items()}

        usages = self.by_role.values()
        has_origins = any(spent.origins for spent in usages)  # older records do not say
        origins = {role: dict(sorted(self.by_role[role].origins.items())) for role in ROLES}
        no_answer = {role: dict(sorted(self.by_role[role].no_answer.items())) for role in ROLES}
        reasoned = {
            role: {"calls": spent.reasoned, "tokens": spent.reasoning_tokens}
            for role in ROLES
            if (spent := self.by_role[role]).reasoned
        }
        return {
            **({"origins": origins} if has_origins else {}),
            "calls": by_role("calls"),
            "tokens": {
                "in": sum(spent.tokens_in for spent in usages),
                "out": sum(spent.tokens_out for spent in usages),
            },
            "retries": sum(spent.retries for spent in usages),
            "served_models": by_role("served_models"),
            "system_fingerprints": by_role("system_fingerprints"),
            **({"no_answer": no_answer} if any(no_answer.values()) else {}),
            **({"reasoning": reasoned} if reasoned else {}),
            **({"members": [spent.of_member() for _, spent in members]} if members else {}),
        }


def suspicions(manifest: Head) -> Iterator[tuple[str, str]]:
    """Yield where and how a provider's own words make a measurement doubtful.

    Another model than the one that was asked for, or more than one in a run, is how a silent
    update shows; so is a changed system fingerprint.
    """
    provenance = manifest.provenance
    for role, reasons in provenance.no_answer.items():
        if reasons:
            causes = ", ".join(f"{count} {reason}" for reason, count in reasons.items())
            total = provenance.calls[role]
            problem = f"{sum(reasons.values())} of {total} answers of the {role} are none: {causes}"
            yield f"/provenance/no_answer/{role}", problem
    # Reading R79:
    if (reasoned := provenance.reasoning.get("evaluator")) is not None:
        total = provenance.calls["evaluator"]
        problem = (
            f"{reasoned.calls} of {total} verdicts came after reasoning, which EPC-2.6(d) rules out"
        )
        yield "/provenance/reasoning/evaluator", problem
    yield from _suspected_members(manifest)
    for role in ROLES:
        model = manifest.models.get(role)
        if model is None or not model.endpoint.startswith("http"):
            continue
        where, version = f"/provenance/served_models/{role}", model.version
        served = provenance.served_models[role]
        for name in served:
            if name != version:
                yield where, f"{version} was asked for, {name} answered"
        if len(served) > 1:
            yield where, f"{len(served)} models answered in one run: {', '.join(served)}"
        prints = provenance.system_fingerprints[role]
        if len(prints) > 1:
            where = f"/provenance/system_fingerprints/{role}"
            yield where, f"the system fingerprint changed within the run: {', '.join(prints)}"


def _suspected_members(manifest: Head) -> Iterator[tuple[str, str]]:
    """Yield what makes the answers of a wrapper's members doubtful, as of an evaluator."""
    members = manifest.evaluator.members
    for index, (member, used) in enumerate(zip(members, manifest.provenance.members, strict=False)):
        where, name = f"/provenance/members/{index}", member.model
        if no_answers := sum(used.no_answer.values()):
            yield where, f"{no_answers} of {used.calls} answers of {name} are none"
        if used.reasoned:
            why = "came after reasoning, which EPC-2.6(d) rules out"
            yield where, f"{used.reasoned} of {used.calls} answers of {name} {why}"
        if member.endpoint.startswith("http"):
            for served in used.served_models:
                if served != member.version:
                    yield where, f"{member.version} was asked for, {served} answered"
            if len(used.system_fingerprints) > 1:
                yield where, f"the system fingerprint of {name} changed within the run"
