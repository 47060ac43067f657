"""A class held against its schema, key by key: neither may change without the other."""

import types
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import date
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from msgspec import Struct
from msgspec.structs import fields as fields_of

from epc.protocol.config import Decoding
from epc.records.manifest import VerdictName

Json = dict[str, Any]

# Classes with defaults for those who make one: the schema has been asked before one is parsed.
_WITH_DEFAULTS = {Decoding}
# Keys of mappings that hold what occurred: not every one of them is required.
_PARTIAL = {VerdictName}
_PLAIN: dict[Any, set[str]] = {
    str: {"string"},
    date: {"string"},
    int: {"integer"},
    float: {"number"},
    bool: {"boolean"},
}


def departures(kind: Any, schema: Json, root: Json | None = None, where: str = "$") -> list[str]:
    """Return every place where a type and a schema do not say the same."""
    return list(_departures(kind, schema, root or schema, where))


def _departures(kind: Any, schema: Json, root: Json, where: str) -> Iterator[str]:
    if kind is not Any:
        yield from _any_of(_options(kind), resolved(schema, root), root, where)


def _any_of(options: tuple[Any, ...], schema: Json, root: Json, where: str) -> Iterator[str]:
    if schema == {}:
        return
    nullable, bare = _without_null(schema, root)
    if nullable != (type(None) in options):
        yield f"{where}: null is {'allowed' if nullable else 'not allowed'} by the schema alone"
    remaining_options = [option for option in options if option is not type(None)]
    if bare is None or not remaining_options:
        if bare is not None or remaining_options:
            yield f"{where}: {options} is null alone on one side"
    elif set(remaining_options) == {int, float}:
        yield from _plain(float, bare, where)
    elif len(remaining_options) == 1:
        yield from _schema_differences(remaining_options[0], bare, root, where)
    else:
        yield f"{where}: {options} is no single type"


def _schema_differences(kind: Any, schema: Json, root: Json, where: str) -> Iterator[str]:
    origin, words = get_origin(kind), get_args(kind)
    if is_dataclass(kind) or (isinstance(kind, type) and issubclass(kind, Struct)):
        yield from _record(kind, schema, root, where)
    elif origin is Literal:
        if set(words) != set(_values(schema)):
            yield f"{where}: {words} are not {_values(schema)}"
    elif origin is tuple:
        if schema.get("type") != "array":
            yield f"{where}: no array"
        if words[-1] is not ... and (schema.get("minItems"), schema.get("maxItems")) != (2, 2):
            yield f"{where}: the schema admits more or fewer than two"
        yield from _departures(words[0], schema.get("items", {}), root, f"{where}[]")
    elif origin in (dict, Mapping) or (isinstance(origin, type) and issubclass(origin, Mapping)):
        yield from _mapping(words, schema, root, where)
    elif kind is bool and "const" in schema:
        if not isinstance(schema["const"], bool):
            yield f"{where}: {schema['const']} is no truth value"
    else:
        yield from _plain(kind, schema, where)


def _record(kind: Any, schema: Json, root: Json, where: str) -> Iterator[str]:
    hints, properties = _hints(kind), schema.get("properties", {})
    own_record = _fields(kind)
    for name in sorted(own_record.keys() ^ properties.keys()):
        yield f"{where}.{name}: stands in the {'class' if name in own_record else 'schema'} alone"
    if schema.get("additionalProperties") is not False:
        yield f"{where}: the schema allows other keys"
    for name in sorted(own_record.keys() & properties.keys()):
        optional = own_record[name] is not ...
        required = name in schema.get("required", [])
        if kind not in _WITH_DEFAULTS and optional == required:
            yield f"{where}.{name}: is required {'by the schema' if optional else 'here'} alone"
        document = resolved(properties[name], root)
        nullable, _ = _without_null(document, root)
        options = _options(hints[name])
        # None as the default says that an optional key is absent, and no more than that.
        if own_record[name] is None and not nullable:
            options = tuple(option for option in options if option is not type(None))
        if options != (Any,):
            yield from _any_of(options, document, root, f"{where}.{name}")


def _hints(kind: Any) -> dict[str, Any]:
    """Return the type of each field by the key that documents have."""
    hints = get_type_hints(kind)
    if not issubclass(kind, Struct):
        return hints
    return {field.encode_name: hints[field.name] for field in fields_of(kind)}


def _fields(kind: Any) -> dict[str, Any]:
    """Return the default of each field, `...` of a required one."""
    if issubclass(kind, Struct):
        return {
            field.encode_name: ... if field.required else field.default for field in fields_of(kind)
        }
    own_fields = [field for field in fields(kind) if field.init]
    default_factories = {
        field.name: field.default_factory
        for field in own_fields
        if field.default_factory is not MISSING
    }
    stated_defaults = {
        field.name: ... if field.default is MISSING else field.default for field in own_fields
    }
    return stated_defaults | default_factories


def _mapping(words: tuple[Any, ...], schema: Json, root: Json, where: str) -> Iterator[str]:
    keys, value = words
    if schema.get("type") != "object":
        yield f"{where}: no object"
    elif "properties" not in schema and set(get_args(keys)) != _names(schema):
        yield f"{where}: {get_args(keys)} are not its propertyNames"
    elif "properties" in schema and get_origin(keys) is Literal:
        if set(get_args(keys)) != schema["properties"].keys():
            yield f"{where}: {get_args(keys)} are not its keys"
        if keys not in _PARTIAL and set(get_args(keys)) != set(
            schema.get("required", get_args(keys))
        ):
            yield f"{where}: not every key is required"
        for key in set(get_args(keys)) & schema["properties"].keys():
            yield from _departures(value, schema["properties"][key], root, f"{where}.{key}")
    elif value is not Any:
        yield from _departures(value, schema.get("additionalProperties", {}), root, f"{where}.*")


def _names(schema: Json) -> set[str]:
    return set(schema.get("propertyNames", {}).get("enum", ()))


def _plain(kind: Any, schema: Json, where: str) -> Iterator[str]:
    if schema.get("type") not in _PLAIN.get(kind, set()):
        yield f"{where}: {kind} is not {schema}"


def resolved(schema: Json, root: Json) -> Json:
    """Return what a reference within a schema refers to."""
    if "$ref" not in schema:
        return schema
    target: Any = root
    for part in schema["$ref"].removeprefix("#/").split("/"):
        target = target[part]
    return resolved(target, root)


def _without_null(schema: Json, root: Json) -> tuple[bool, Json | None]:
    """Return whether a schema allows null, and what else it allows."""
    if schema.get("type") == "null":
        return True, None
    if isinstance(schema.get("type"), list):
        (name,) = set(schema["type"]) - {"null"}
        return "null" in schema["type"], schema | {"type": name}
    if None in schema.get("enum", []):
        return True, schema | {"enum": [value for value in schema["enum"] if value is not None]}
    options = [resolved(option, root) for option in schema.get("anyOf", [])]
    remaining_options = [option for option in options if option.get("type") != "null"]
    if len(remaining_options) == len(options):
        return False, schema
    (bare,) = remaining_options
    return True, bare


def _values(schema: Json) -> list[Any]:
    return schema["enum"] if "enum" in schema else [schema.get("const")]


def _options(kind: Any) -> tuple[Any, ...]:
    """Return the members of a union, or the type itself."""
    if kind is None:
        return (type(None),)
    return get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)
