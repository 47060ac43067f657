"""The JSON Schemas of `epc/spec/schemas`, as checkers that return findings."""

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from epc.errors import Finding, MalformedError
from epc.json_text import pointer
from epc.protocol.results import Json
from epc.records.strict_json import MAX_LINE_BYTES, read, read_lines
from epc.records.typed import parse
from epc.spec.domains import Domains

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator, ValidationError

T = TypeVar("T")

SPEC: Final = Path(__file__).parents[1] / "spec"
VERSION: Final = "v1"
MANIFEST: Final = "epc_manifest_schema"
DEFINITIONS: Final = "$defs"
WITHIN: Final = {"snapshot_metrics": "snapshot"}  # those that stand in another one's file

# Which sentence of the paper, or which reading, asks for which part of a manifest.
_CLAUSES: Final = {
    "protocol_version": "EPC-2.8(1)",
    "evaluator": "EPC-2.8(2)",
    "executor": "EPC-2.8(3)",
    "config": "EPC-2.8(4)",
    "tasks": "EPC-2.8(5)",
    "groups": "Reading R74",
    "strategies": "EPC-2.8(6)",
    "results": "EPC-2.8(7)",
    "evaluator_prompt": "EPC-2.6(a)",
}
_MAX_SHOWN: Final = 160
_MAX_LISTED: Final = 1000


@cache
def schema(name: str) -> Any:
    """Return a schema of the current version by name: its file without `.json`, or one within."""
    path = SPEC / "schemas" / VERSION / f"{WITHIN.get(name, name)}.json"
    document = json.loads(path.read_text("utf-8"))
    if name not in WITHIN:
        return document
    return {**document, "$id": f"urn:epc:schema:{VERSION}:{name}", **document[DEFINITIONS][name]}


@cache
def _validator(name: str) -> "Draft202012Validator":
    from jsonschema_rs import Draft202012Validator  # 15 MB that no look-up needs

    return Draft202012Validator(schema(name))


def findings(name: str, value: Any, *, where: str = "", clause: str | None = None) -> list[Finding]:
    """Return every way in which a value departs from a schema.

    `where` is the pointer of the value itself, `clause` the sentence to cite; without it the
    manifest's own clauses are used.
    """
    validator = _validator(name)
    try:
        if validator.is_valid(value):
            return []
        errors = list(validator.iter_errors(_cut(value)))
    except (ValueError, RecursionError) as error:
        problem = f"cannot be checked: {error}"
        return [Finding(clause="EPC-2.8", where=where, problem=problem, remedy="flatten it")]
    if not errors:
        problem = f"an item after the first {_MAX_LISTED:,} of a list breaks the schema"
        remedy = "mend the list's later items"
        return [Finding(clause=clause or "EPC-2.8", where=where, problem=problem, remedy=remedy)]
    return [finding for error in errors for finding in _findings(error, where, clause)]


def load(path: Path, name: str, kind: type[T], *, clause: str) -> T:
    """Return the value of a file's document, which a schema admits.

    Raises: MalformedError of the first problem, with the file's name; WorldError if not read.
    """
    value, problems = read(path)
    if problems := problems or findings(name, value, clause=clause):
        raise MalformedError(replace(problems[0], where=f"{path}{problems[0].where}"))
    return parse(value, kind)


def checked_lines(
    path: Path, name: str, schema_name: str, *, clause: str, longest: int = MAX_LINE_BYTES
) -> Iterator[tuple[str, Any, list[Finding]]]:
    """Yield each line of a JSON Lines file: its place, its value, and why it cannot be used.

    Raises: WorldError if the file cannot be read.
    """
    for index, value, problems in read_lines(path, name, longest=longest):
        where = f"/{name}/{index}"
        yield where, value, problems or findings(schema_name, value, where=where, clause=clause)


def _cut(value: Any) -> Any:
    """Shorten every list: the checker lists all errors at once, and a list can hold millions."""
    if isinstance(value, dict):
        return {key: _cut(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_cut(item) for item in value[:_MAX_LISTED]]
    return value


def clause_of(where: str) -> str:
    """Return the clause for a place in a manifest: the paper's, or a reading."""
    top = where.split("/")[1] if "/" in where else ""
    return _CLAUSES.get(top, "EPC-2.8")


def _findings(error: "ValidationError", where: str, clause: str | None) -> Iterator[Finding]:
    """Yield one finding an error, or one an unexpected key, each at its own place."""
    from jsonschema_rs import ValidationErrorKind

    parts = [str(part) for part in error.instance_path]
    problem = error.message
    if len(problem) > _MAX_SHOWN:
        problem = f"{problem[:_MAX_SHOWN]}..."
    rule = "/".join(str(part) for part in error.schema_path)
    places = [(where + pointer(*parts), problem)]
    if isinstance(error.kind, ValidationErrorKind.AdditionalProperties):
        places = [
            (where + pointer(*parts, key), "no such key in the schema")
            for key in error.kind.unexpected
        ]
    for location, message in places:
        yield Finding(
            clause or clause_of(location), location, message, f"see `{rule}` in the schema"
        )


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


def domain_findings(document: Json) -> list[Finding]:
    """Return what a manifest of valid shape lacks or has too much, by the domains of its tasks.

    Source: Reading R78.
    """
    domains = Domains.from_names(_part_of(document, "/tasks"))
    return list(_odd(document, domains))


def _odd(document: Json, domains: Domains) -> Iterator[Finding]:
    pairs, phases = set(domains.directions), set(domains.phase_names)
    for places, keys in ((_BY_DOMAIN, {*domains.names}), (_BY_PAIR, pairs), (_BY_PHASE, phases)):
        for json_pointer in places:
            yield from _differ(json_pointer, _part_of(document, json_pointer), keys)
    for index, record in enumerate(_part_of(document, "/results/per_seed")):
        where = f"/results/per_seed/{index}"
        for key in _OF_A_SEED:
            yield from _differ(f"{where}/{key}", record[key], pairs)
        for key in ("weights", "verdicts"):  # those of a measured control may be among them
            yield from _differ(
                f"{where}/{key}", record[key], phases | {*record[key]} & {*domains.phase}
            )


def _part_of(document: Json, json_pointer: str) -> Any:
    """Return a part of a manifest; None where it does not have it."""
    part: Any = document
    for key in json_pointer.split("/")[1:]:
        part = part.get(key) if isinstance(part, dict) else None
    return part


def _differ(where: str, part: Any, keys: set[str]) -> Iterator[Finding]:
    if isinstance(part, dict) and part.keys() != keys:
        for key in sorted(keys - part.keys()):
            yield _finding(where, f"{key!r} is missing", _REMEDY)
        for key in sorted(part.keys() - keys):
            yield _finding(f"{where}/{key}", "no domain, pair or phase of this run", _REMEDY)


def _finding(where: str, problem: str, remedy: str) -> Finding:
    return Finding(clause=clause_of(where), where=where, problem=problem, remedy=remedy)
