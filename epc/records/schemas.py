"""The JSON Schemas of `epc/spec/schemas`, as checkers that return findings."""

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from epc.errors import Finding, MalformedError
from epc.json_text import pointer
from epc.records.strict_json import MAX_LINE_BYTES, read, read_lines
from epc.records.typed import parse

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator, ValidationError

T = TypeVar("T")

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
    "canary": "Reading R76",
}
_MAX_SHOWN: Final = 160
_MAX_LISTED: Final = 1000


@cache
def schema(name: str) -> Any:
    """Return a schema of the current version by name: its file without `.json`, or one within."""
    path = files("epc.spec") / "schemas" / VERSION / f"{WITHIN.get(name, name)}.json"
    whole = json.loads(path.read_text("utf-8"))
    if name not in WITHIN:
        return whole
    return {**whole, "$id": f"urn:epc:schema:{VERSION}:{name}", **whole[DEFINITIONS][name]}


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
