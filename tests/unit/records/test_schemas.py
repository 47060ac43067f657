"""The schemas themselves, and what their checker says."""

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import jsonschema
import pytest
from records_support import Run

from epc.records.schemas import MANIFEST, clause_of, findings, schema

NAMES = sorted(
    entry.name.removesuffix(".json")
    for entry in (files("epc.spec") / "schemas" / "v1").iterdir()
    if entry.name.endswith(".json")
)


def test_every_document_has_its_schema() -> None:
    assert set(NAMES) >= {
        "call",
        "conformance_answer",
        "conformance_case",
        "conformance_vectors",
        "epc_manifest_schema",
        "plan",
        "probe",
        "trial",
        "weight",
    }


@pytest.mark.parametrize("name", NAMES)
def test_epc_2_8_each_schema_is_valid_json_schema_2020_12(name: str) -> None:
    given = schema(name)

    assert given["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert given["$id"] == f"urn:epc:schema:v1:{name}"
    jsonschema.Draft202012Validator.check_schema(given)


def subschemas(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every schema of a schema that has `properties`."""
    if isinstance(value, dict):
        if isinstance(value.get("properties"), dict):
            yield value
        for item in value.values():
            yield from subschemas(item)
    elif isinstance(value, list):
        for item in value:
            yield from subschemas(item)


# What users bring may say more than we ask for.
WRITTEN_BY_OTHERS = {"judge_sample", "judge_table_row"}


@pytest.mark.parametrize("name", NAMES)
def test_every_object_is_closed_and_requires_only_what_it_describes(name: str) -> None:
    for part in subschemas(schema(name)):
        assert part.get("additionalProperties", True) is (name in WRITTEN_BY_OTHERS)
        assert set(part.get("required", ())) <= set(part["properties"])


def test_epc_2_8_a_manifest_requires_every_key_the_paper_lists() -> None:
    keys = {
        "protocol_version",
        "evaluator",
        "executor",
        "config",
        "tasks",
        "strategies",
        "evaluator_prompt",
        "results",
        "provenance",
        "raw",
    }

    assert set(schema(MANIFEST)["required"]) == keys
    assert {f.where for f in findings(MANIFEST, {})} == {""}
    assert len(findings(MANIFEST, {})) == len(keys)


@pytest.mark.parametrize(
    ("where", "clause"),
    [
        ("/protocol_version", "EPC-2.8(1)"),
        ("/evaluator/model", "EPC-2.8(2)"),
        ("/executor", "EPC-2.8(3)"),
        ("/config/rounds", "EPC-2.8(4)"),
        ("/tasks/text/0", "EPC-2.8(5)"),
        ("/groups/text/0", "Reading R74"),
        ("/strategies/3/name", "EPC-2.8(6)"),
        ("/results/summary", "EPC-2.8(7)"),
        ("/evaluator_prompt", "EPC-2.6(a)"),
        ("/raw", "EPC-2.8"),
        ("", "EPC-2.8"),
    ],
)
def test_epc_2_8_each_place_of_a_manifest_cites_its_item(where: str, clause: str) -> None:
    assert clause_of(where) == clause


def test_all_departures_are_found_each_at_its_own_place(flip: Run) -> None:
    manifest = flip.manifest()
    manifest["config"]["rounds"] = "5"
    manifest["tasks"]["text"][1] = 7
    manifest["strategies"][0]["a/b~c"] = 1
    manifest["extra"] = 1
    del manifest["provenance"]["tokens"]

    where = {(f.where, f.clause) for f in findings(MANIFEST, manifest)}

    assert where == {
        ("/config/rounds", "EPC-2.8(4)"),
        ("/tasks/text/1", "EPC-2.8(5)"),
        ("/strategies/0/a~1b~0c", "EPC-2.8(6)"),
        ("/extra", "EPC-2.8"),
        ("/provenance", "EPC-2.8"),
    }


def test_a_row_is_found_below_its_own_place_with_the_clause_that_was_asked_for() -> None:
    row = {"seed": 0, "phase": "text", "strategy": "x", "weight": "0.1"}

    (finding,) = findings("weight", row, where="/weights/3", clause="EPC-2.5(b)")

    assert (finding.where, finding.clause) == ("/weights/3/weight", "EPC-2.5(b)")


def test_a_long_value_does_not_fill_the_message() -> None:
    row = {"seed": 0, "phase": "x" * 10_000, "strategy": "x", "weight": 0.1}

    (finding,) = findings("weight", row)

    assert len(finding.problem) <= 163
    assert finding.problem.endswith("...")


def test_a_value_too_deep_for_the_checker_is_a_finding() -> None:
    deep: Any = 1
    for _ in range(2000):
        deep = [deep]

    actual_findings = findings("trial", {"seed": deep})

    assert actual_findings
    assert all(f.severity == "error" for f in actual_findings)


@pytest.mark.parametrize("name", ["trial", "call", "weight", MANIFEST, "plan"])
def test_the_schemas_admit_what_the_program_writes(made: dict[str, Run], name: str) -> None:
    run = made["flip"]
    rows = {"trial": "trials", "call": "calls", "weight": "weights"}
    documents = run.rows(rows[name]) if name in rows else [run.manifest()]
    if name == "plan":
        documents = [json.loads((run.folder / "run.json").read_text("utf-8"))]

    for document in documents:
        assert findings(name, document) == []
