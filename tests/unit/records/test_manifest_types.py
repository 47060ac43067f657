"""The manifest's types hold what its schema says, key by key: neither can drift from the other."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from schema_support import departures

from epc.records import strict_json
from epc.records.manifest import Manifest, plain
from epc.records.schemas import MANIFEST, schema

ROOT = Path(__file__).parents[3]


def test_epc_2_8_the_manifests_types_are_its_schema_key_by_key() -> None:
    assert departures(Manifest, schema(MANIFEST)) == []


def drop(place: Any, key: str) -> None:
    del place["properties"][key]
    place["required"] = [name for name in place["required"] if name != key]


PLANTED: dict[str, Callable[[Any], object]] = {
    "$.results.per_seed[].luck": lambda s: s["properties"]["results"]["properties"]["per_seed"][
        "items"
    ]["properties"].update(luck={"type": "number"}),
    "$.provenance.retries": lambda s: drop(s["properties"]["provenance"], "retries"),
    "$.config.rounds": lambda s: s["properties"]["config"]["required"].remove("rounds"),
    "$.evaluator.version": lambda s: s["properties"]["evaluator"]["properties"].update(
        version={"type": "string"}
    ),
    "$.evaluator.method": lambda s: s["properties"]["evaluator"]["properties"]["method"][
        "enum"
    ].append("guess"),
    "$.config.seeds[]": lambda s: s["properties"]["config"]["properties"]["seeds"].update(
        items={"type": "string"}
    ),
    "$.evaluator.decoding.max_tokens": lambda s: s["$defs"]["decoding"]["properties"].update(
        max_tokens={"type": ["integer", "null"]}
    ),
    "$.results.summary.zero_causes.*": lambda s: s["properties"]["results"]["properties"][
        "summary"
    ]["properties"]["zero_causes"]["additionalProperties"]["propertyNames"]["enum"].pop(),
}


@pytest.mark.parametrize("place", PLANTED)
def test_a_change_of_the_schema_alone_is_found(place: str) -> None:
    changed = copy.deepcopy(schema(MANIFEST))
    PLANTED[place](changed)

    found = departures(Manifest, changed)

    assert any(each.startswith(place) for each in found)


@dataclass(frozen=True, kw_only=True)
class _WithOneKeyMore(Manifest):
    weather: str


def test_a_key_of_the_type_alone_is_found() -> None:
    (found,) = departures(_WithOneKeyMore, schema(MANIFEST))

    assert found.startswith("$.weather: ")


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
