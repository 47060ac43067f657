"""The manifest's types hold what its schema says, key by key: neither can drift from the other."""

from pathlib import Path
from typing import Any

import pytest
from schema_support import departures

from epc.records import strict_json
from epc.records.manifest import Manifest, plain
from epc.records.schemas import MANIFEST, schema
from epc.spec.coupling import RULE

ROOT = Path(__file__).parents[3]


def test_epc_2_8_the_manifests_types_are_its_schema_key_by_key() -> None:
    assert departures(Manifest, schema(MANIFEST)) == []


@pytest.mark.parametrize(
    "path", sorted(ROOT.glob("snapshots/v*/manifest.json")), ids=lambda path: path.parent.name
)
def test_a_published_manifest_is_parsed_without_loss(path: Path) -> None:
    document, _ = strict_json.read(path)
    manifest = Manifest.parse(document)

    assert manifest.document is document
    parsed = {**document, "results": _without_earlier_word(document["results"])}
    for key in ("results", "config", "evaluator", "executor", "tasks", "raw", "strategies"):
        assert _without_unset(plain(getattr(manifest, key))) == _without_unset(parsed[key])


def _without_earlier_word(results: Any) -> Any:
    """Leave out the figures behind a word of rule 1 or 2, which stay text (Reading R71)."""
    summary = results["summary"]
    if summary.get("transfer", {}).get("rule", RULE) == RULE:
        return results
    return {**results, "summary": {k: v for k, v in summary.items() if k != "transfer"}}


def _without_unset(value: Any) -> Any:
    """Leave out what is null or empty, as which an absent key is parsed."""
    if isinstance(value, dict):
        kept = {key: _without_unset(part) for key, part in value.items()}
        return {key: part for key, part in kept.items() if part not in (None, {})}
    return value if not isinstance(value, list) else [_without_unset(part) for part in value]
