"""The manifest's types hold what its schema says, key by key: neither can drift from the other."""

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest

from epc.protocol.config import Decoding
from epc.records import strict_json
from epc.records.manifest import Manifest, plain
from epc.records.schemas import MANIFEST, schema

ROOT = Path(__file__).parents[3]
# `Decoding` has defaults for those who make one: the schema has been asked before it is parsed.
SIMPLE = {str: "string", int: "integer", float: "number", bool: "boolean"}


def differences(
    node: Any, kind: Any, where: str, defs: Any, *, unset: bool = False
) -> Iterator[str]:
    """Yield every place where a type is not what a node of a schema says.

    `unset`: the key may be absent, and None then stands for that.
    """
    if "$ref" in node:
        node = defs[node["$ref"].removeprefix("#/$defs/")]
    names = node.get("type", [])
    allowed = set(node["enum"]) if "enum" in node else None
    nullable = "null" in names or None in (allowed or ())
    if (NoneType in get_args(kind)) != nullable and not unset:
        yield f"{where}: null is admitted by one of type and schema only"
    if get_origin(kind) in (Union, UnionType):
        kind = next(part for part in get_args(kind) if part is not NoneType)
    if allowed is not None:
        if get_origin(kind) is not Literal or set(get_args(kind)) != allowed - {None}:
            yield f"{where}: {kind} is not one of {allowed}"
    elif kind in SIMPLE:
        if names not in (SIMPLE[kind], [SIMPLE[kind], "null"]):
            yield f"{where}: {kind} is not {names}"
    elif is_dataclass(kind):
        yield from _of_class(node, kind, where, defs)
    elif get_origin(kind) is tuple:
        yield from _of_tuple(node, kind, where, defs)
    else:
        yield from _of_mapping(node, kind, where, defs)


def _of_tuple(node: Any, kind: Any, where: str, defs: Any) -> Iterator[str]:
    item, end = get_args(kind)
    if "items" not in node:
        yield f"{where}: {kind} is not {node.get('type')}"
        return
    if end is not ... and (node.get("minItems"), node.get("maxItems")) != (2, 2):
        yield f"{where}: the schema admits more or fewer than two"
    yield from differences(node["items"], item, f"{where}/0", defs)


def _of_class(node: Any, kind: Any, where: str, defs: Any) -> Iterator[str]:
    hints = get_type_hints(kind)
    own = {field.name: field for field in fields(kind) if field.init}
    properties = node.get("properties", {})
    for key in own.keys() ^ properties.keys():
        yield f"{where}/{key}: stands in one of type and schema only"
    for key in own.keys() & properties.keys():
        default, factory = own[key].default, own[key].default_factory
        optional = default is not MISSING or factory is not MISSING
        if kind is not Decoding and optional == (key in node["required"]):
            yield f"{where}/{key}: required in one of type and schema only"
        yield from differences(
            properties[key], hints[key], f"{where}/{key}", defs, unset=default is None
        )
    if node.get("additionalProperties") is not False:
        yield f"{where}: the schema admits further keys"


def _of_mapping(node: Any, kind: Any, where: str, defs: Any) -> Iterator[str]:
    if get_origin(kind) is not Mapping or "object" not in node.get("type", ()):
        yield f"{where}: {kind} is not {node.get('type')}"
        return
    name, value = get_args(kind)
    keys = set(get_args(name))  # none for any text
    if "properties" in node:
        if keys != node["properties"].keys():
            yield f"{where}: {sorted(keys)} are not the keys {sorted(node['properties'])}"
        for key, part in node["properties"].items():
            yield from differences(part, value, f"{where}/{key}", defs)
        return
    if keys != set(node.get("propertyNames", {}).get("enum", ())):
        yield f"{where}: {sorted(keys)} are not the schema's propertyNames"
    if value is not Any:
        yield from differences(node["additionalProperties"], value, f"{where}/*", defs)


def manifest_differences(document: Any, kind: Any = Manifest) -> list[str]:
    return sorted(differences(document, kind, "", document["$defs"]))


def test_epc_2_8_the_manifests_types_are_its_schema_key_by_key() -> None:
    assert manifest_differences(schema(MANIFEST)) == []


def drop(place: Any, key: str) -> None:
    del place["properties"][key]
    place["required"] = [name for name in place["required"] if name != key]


PLANTED: dict[str, Callable[[Any], object]] = {
    "/results/per_seed/0/luck": lambda s: s["properties"]["results"]["properties"]["per_seed"][
        "items"
    ]["properties"].update(luck={"type": "number"}),
    "/provenance/retries": lambda s: drop(s["properties"]["provenance"], "retries"),
    "/config/rounds": lambda s: s["properties"]["config"]["required"].remove("rounds"),
    "/evaluator/version": lambda s: s["properties"]["evaluator"]["properties"].update(
        version={"type": "string"}
    ),
    "/evaluator/method": lambda s: s["properties"]["evaluator"]["properties"]["method"][
        "enum"
    ].append("guess"),
    "/config/seeds/0": lambda s: s["properties"]["config"]["properties"]["seeds"].update(
        items={"type": "string"}
    ),
    "/evaluator/decoding/max_tokens": lambda s: s["$defs"]["decoding"]["properties"].update(
        max_tokens={"type": ["integer", "null"]}
    ),
    "/results/summary/zero_causes/text_to_visual": lambda s: s["properties"]["results"][
        "properties"
    ]["summary"]["properties"]["zero_causes"]["properties"]["text_to_visual"]["propertyNames"][
        "enum"
    ].pop(),
}


@pytest.mark.parametrize("place", PLANTED)
def test_a_change_of_the_schema_alone_is_found(place: str) -> None:
    changed = copy.deepcopy(schema(MANIFEST))
    PLANTED[place](changed)

    found = manifest_differences(changed)

    assert any(each.startswith(place) for each in found)


@dataclass(frozen=True, kw_only=True)
class _WithOneKeyMore(Manifest):
    weather: str


def test_a_key_of_the_type_alone_is_found() -> None:
    (found,) = manifest_differences(schema(MANIFEST), _WithOneKeyMore)

    assert found.startswith("/weather: ")


@pytest.mark.parametrize(
    "path", sorted(ROOT.glob("snapshots/v*/manifest.json")), ids=lambda path: path.parent.name
)
def test_a_published_manifest_is_parsed_without_loss(path: Path) -> None:
    document, _ = strict_json.read(path)
    manifest = Manifest.parse(document)

    assert manifest.document is document
    for key in ("results", "config", "evaluator", "executor", "tasks", "raw", "strategies"):
        assert _without_unset(plain(getattr(manifest, key))) == _without_unset(document[key])


def _without_unset(value: Any) -> Any:
    """Leave out what is null or empty, as which an absent key is parsed."""
    if isinstance(value, dict):
        kept = {key: _without_unset(part) for key, part in value.items()}
        return {key: part for key, part in kept.items() if part not in (None, {})}
    return value if not isinstance(value, list) else [_without_unset(part) for part in value]
