"""What a run used and who answered it, counted from its calls (EPC-5.3, pitfalls 1 and 2)."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from epc.core.results import Json

ROLES = ("executor", "evaluator")


@dataclass(kw_only=True)
class Usage:
    """Counts over the rows of calls.jsonl; one pass, nothing kept."""

    calls: Counter[str] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)
    retries: int = 0
    served: dict[str, Counter[str]] = field(
        default_factory=lambda: {role: Counter() for role in ROLES}
    )
    fingerprints: dict[str, Counter[str]] = field(
        default_factory=lambda: {role: Counter() for role in ROLES}
    )

    def count(self, call: Json) -> None:
        """Count one call."""
        role = call["role"]
        self.calls[role] += 1
        self.tokens["in"] += call["tokens_in"] or 0
        self.tokens["out"] += call["tokens_out"] or 0
        self.retries += call["retries"]
        if call["served_model"] is not None:
            self.served[role][call["served_model"]] += 1
        if call["system_fingerprint"] is not None:
            self.fingerprints[role][call["system_fingerprint"]] += 1

    def as_json(self) -> Json:
        """Return the counts as they stand in a manifest's provenance."""
        return {
            "calls": {role: self.calls[role] for role in ROLES},
            "tokens": {way: self.tokens[way] for way in ("in", "out")},
            "retries": self.retries,
            "served_models": {role: dict(sorted(self.served[role].items())) for role in ROLES},
            "system_fingerprints": {
                role: dict(sorted(self.fingerprints[role].items())) for role in ROLES
            },
        }


def suspicions(manifest: Json) -> Iterator[tuple[str, str]]:
    """Yield where and how a provider's own words make a measurement doubtful.

    Another model than the one that was asked for, or more than one in a run, is how a silent
    update shows; so is a changed system fingerprint.
    """
    provenance = manifest["provenance"]
    for role in ROLES:
        if manifest[role] is None or not manifest[role]["endpoint"].startswith("http"):
            continue
        where, asked = f"/provenance/served_models/{role}", manifest[role]["version"]
        served = provenance["served_models"][role]
        for name in served:
            if name != asked:
                yield where, f"{asked} was asked for, {name} answered"
        if len(served) > 1:
            yield where, f"{len(served)} models answered in one run: {', '.join(served)}"
        prints = provenance["system_fingerprints"][role]
        if len(prints) > 1:
            where = f"/provenance/system_fingerprints/{role}"
            yield where, f"the system fingerprint changed within the run: {', '.join(prints)}"
