"""Whether a manifest has a figure for each of its domains, pairs and phases, and for no other.

The schema knows what a key looks like; which keys there must be follows from `/tasks`.
"""

from collections.abc import Iterator
from typing import Any, Final

from epc.errors import Finding
from epc.protocol.results import Json
from epc.records.schemas import clause_of
from epc.spec.domains import Domains
from epc.spec.epc_v1 import REFERENCE_DOMAINS

_SUMMARY: Final = "/results/summary"
_BY_DOMAIN: Final = (
    "/groups",
    "/results/verdict_table/counts",
    f"{_SUMMARY}/length_correlation",
    *(
        f"{_SUMMARY}/transfer/{key}"
        for key in ("units", "left_out/tasks", "ties/share", "clusters")
    ),
)
_BY_PAIR: Final = (
    *(f"{_SUMMARY}/{key}" for key in ("gamma", "jsd", "zero_coupling_rate", "zero_causes")),
    *(f"{_SUMMARY}/control/{key}" for key in ("noise_floor", "excess")),
    *(f"{_SUMMARY}/transfer/{key}" for key in ("directions", "tests")),
)
_BY_PHASE: Final = (f"{_SUMMARY}/tie_rate_by_phase", f"{_SUMMARY}/pci")
_OF_A_SEED: Final = ("gamma", "jsd", "zero_coupling", "zero_cause")
_REMEDY: Final = "give one of each domain, pair or phase of /tasks, and no other"


def findings(document: Json) -> list[Finding]:
    """Return what a manifest of valid shape lacks or has too much, by the domains of its tasks.

    Source: Reading R78.
    """
    domains = Domains.of(_at(document, "/tasks"))
    if _at(document, "/schema_version") in (None, 1) and domains != REFERENCE_DOMAINS:
        problem = f"{', '.join(domains.names)}: version 1 has {', '.join(REFERENCE_DOMAINS.names)}"
        return [_found("/tasks", problem, "write a manifest of version 2")]
    return list(_odd(document, domains))


def _odd(document: Json, domains: Domains) -> Iterator[Finding]:
    pairs, phases = set(domains.directions), set(domains.phase_names)
    for places, keys in ((_BY_DOMAIN, {*domains.names}), (_BY_PAIR, pairs), (_BY_PHASE, phases)):
        for json_pointer in places:
            yield from _differ(json_pointer, _at(document, json_pointer), keys)
    for index, record in enumerate(_at(document, "/results/per_seed")):
        where = f"/results/per_seed/{index}"
        for key in _OF_A_SEED:
            yield from _differ(f"{where}/{key}", record[key], pairs)
        for key in ("weights", "verdicts"):  # those of a measured control may be among them
            yield from _differ(
                f"{where}/{key}", record[key], phases | {*record[key]} & {*domains.phase}
            )


def _at(document: Json, json_pointer: str) -> Any:
    """Return a part of a manifest; None where it does not have it."""
    part: Any = document
    for key in json_pointer.split("/")[1:]:
        part = part.get(key) if isinstance(part, dict) else None
    return part


def _differ(where: str, part: Any, keys: set[str]) -> Iterator[Finding]:
    if isinstance(part, dict) and part.keys() != keys:
        for key in sorted(keys - part.keys()):
            yield _found(where, f"{key!r} is missing", _REMEDY)
        for key in sorted(part.keys() - keys):
            yield _found(f"{where}/{key}", "no domain, pair or phase of this run", _REMEDY)


def _found(where: str, problem: str, remedy: str) -> Finding:
    return Finding(clause=clause_of(where), where=where, problem=problem, remedy=remedy)
