"""The registry's documents as values: each class is its schema, and writing gives the document."""

import json
from copy import deepcopy
from typing import Any

import pytest
from registry_support import ROOT
from schema_support import departures

from epc.records.judging.documents import Plan, Record, RunLog
from epc.records.rows import Call, ProbeRow, Trial, WeightRow
from epc.records.schemas import schema
from epc.records.strict_json import dumps, dumps_line
from epc.records.typed import as_json, parse
from epc.registry.kinds.table import KINDS, parse_card
from epc.registry.lifecycles import GenerationRecord
from epc.registry.record import Record as Card
from epc.registry.snapshots import Event, Metrics
from epc.registry.submissions.report import Report
from epc.registry.submissions.statement import Statement

Json = dict[str, Any]


def of_kind(name: str, kind: str) -> Json:
    """Return the branch of a schema that is of one kind, with the schema's definitions."""
    whole = schema(name)
    (branch,) = (b for b in whole["oneOf"] if b["properties"]["kind"]["const"] == kind)
    return {**branch, "$defs": whole["$defs"]}


def merged(options: list[Json]) -> Json:
    """Return a schema of what any of some schemas admits, as far as a class can say it."""
    every = [each for option in options for each in option.get("anyOf", [option])]
    expected_words = [
        word for each in every for word in each.get("enum", [each.get("const")]) if word
    ]
    bare = next((each for each in every if each.get("type") != "null"), None)
    bare = {"enum": list(dict.fromkeys(expected_words))} if bare and expected_words else bare
    nulls = [each for each in every if each.get("type") == "null"][:1]
    rest = [bare] if bare else []
    return {"anyOf": [*rest, *nulls]} if nulls else rest[0]


def of_any_kind(name: str, key: str, about: str) -> Json:
    """Return one schema for all kinds: keys of any of them, required where every kind requires.

    The kinds are those that have the key that says what they are about.
    """
    branches = [branch for branch in schema(name)["oneOf"] if about in branch["properties"]]
    names = {name: None for branch in branches for name in branch["properties"]}
    properties = {n: [b["properties"][n] for b in branches if n in b["properties"]] for n in names}
    kinds = merged(properties[key])
    if key == "kind":  # a word of the one table, and no type of its own
        assert set(kinds["enum"]) == set(KINDS)
        kinds = {"type": "string"}
    return {
        **branches[0],
        "properties": {n: merged(options) for n, options in properties.items()} | {key: kinds},
        "required": sorted(set.intersection(*(set(b["required"]) for b in branches))),
        "$defs": schema(name)["$defs"],
    }


def schema_without(name: str, key: str) -> Json:
    """Return a schema without a key that has one value alone, and says which schema it is."""
    whole_document: Json = deepcopy(schema(name))
    assert "const" in whole_document["properties"].pop(key)
    whole_document["required"].remove(key)
    return whole_document


ROWS: dict[str, Any] = {
    "trial": Trial,
    "call": Call,
    "weight": WeightRow,
    "probe": ProbeRow,
    "judge_plan": Plan,
    "judge_run_log": RunLog,
    "judge_record": Record,
    "submission_report": Report,
}
PAIRS: dict[str, tuple[Any, Json]] = {
    "card": (Card, of_any_kind("snapshot", "kind", "kind")),
    **{name: (kind, schema(name)) for name, kind in ROWS.items()},
    "generation": (GenerationRecord, schema("evaluator_generation")),
    "event": (Event, of_any_kind("event", "event", "tag")),
    "metrics": (Metrics, of_any_kind("snapshot_metrics", "kind", "kind")),
    "statement": (Statement, schema_without("submission", "schema")),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_class_has_the_keys_and_kinds_of_its_schema(name: str) -> None:
    assert departures(*PAIRS[name]) == []


@pytest.mark.parametrize("name", PAIRS)
def test_a_key_that_one_side_alone_has_or_requires_is_found(name: str) -> None:
    kind, right = PAIRS[name]
    added, dropped, freed, nulled = (deepcopy(right) for _ in range(4))
    added["properties"]["surplus"] = {"type": "string"}
    named = ("tag", "generation", "kind", "strategy", "id", "protocol", "ok")
    key = next(k for k in named if k in right["properties"])
    del dropped["properties"][key]
    freed["required"].remove(key)
    nulled["properties"][key] = {"anyOf": [right["properties"][key], {"type": "null"}]}

    assert departures(kind, added) == ["$.surplus: stands in the schema alone"]
    assert departures(kind, dropped) == [f"$.{key}: stands in the class alone"]
    assert departures(kind, freed) == [f"$.{key}: is required here alone"]
    assert departures(kind, nulled) == [f"$.{key}: null is allowed by the schema alone"]


def test_a_published_card_is_written_as_it_was_read() -> None:
    texts = {path: path.read_text() for path in ROOT.glob("snapshots/v*/snapshot.json")}

    again = {path: dumps(parse_card(json.loads(text)).as_json()) for path, text in texts.items()}
    assert [path for path, text in texts.items() if again[path] != text] == []
    assert len(texts) >= 96


def test_a_published_generation_is_written_as_it_was_read() -> None:
    texts = {path: path.read_text() for path in ROOT.glob("snapshots/evaluators/*.json")}

    read = {path: parse(json.loads(text), GenerationRecord) for path, text in texts.items()}
    assert [path for path, text in texts.items() if dumps(as_json(read[path])) != text] == []
    assert len(texts) >= 581


def test_the_published_events_are_written_as_they_were_read() -> None:
    lines = (ROOT / "snapshots" / "events.jsonl").read_text().splitlines(keepends=True)

    about_snapshots = [line for line in lines if "lives_sealed" not in line]
    read = [parse(json.loads(line), Event) for line in about_snapshots]
    assert [dumps_line(as_json(event)) for event in read] == about_snapshots
