"""The schemas themselves, and two independent checkers of them."""

import copy
import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

import jsonschema
import pytest
from budget_support import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from records_support import Run

from epc.records.conformance import suite
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

    found = findings("trial", {"seed": deep})

    assert found
    assert all(f.severity == "error" for f in found)


# --- Two checkers, one verdict: jsonschema-rs in the product, jsonschema here.

ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([2**32 - 1, 2**32, 10**18, -(10**18), 10**6, 10**6 + 1]),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0.0, -0.0, 1.0, 2.5, 1e300, 1e-300, 5e-324, 1.0000000000000002]),
    st.text(max_size=3),
    st.sampled_from(["", "A", "text", "EPC-v1.0", "2026-02-30", "0" * 20, "0" * 20 + "g", "x/y"]),
    st.builds(list),
    st.builds(dict),
    st.lists(st.integers(0, 1), max_size=3),
    st.dictionaries(st.sampled_from(["text", "visual", "mean", "u"]), st.integers(), max_size=2),
)


@st.composite
def mutated(draw: st.DrawFn, original: Any, most: int = 3) -> Any:
    """Return a deep copy with up to `most` places replaced, removed, added or copied."""
    value = copy.deepcopy(original)
    for _ in range(draw(st.integers(1, most))):
        container, parent = value, None
        while True:
            parent, key = container, draw(any_key(container))
            inner = parent[key]
            if not isinstance(inner, dict | list) or not inner or draw(st.integers(0, 4)) == 0:
                break
            container = inner
        change = draw(st.sampled_from(["replace", "replace", "remove", "add", "double"]))
        if change == "replace":
            parent[key] = draw(ODD)
        elif change == "remove":
            del parent[key]
        elif change == "add" and isinstance(inner, dict):
            inner[draw(st.text(max_size=2))] = draw(ODD)
        elif isinstance(inner, list):
            inner.extend(inner[:2] or [draw(ODD)])
        if not value:
            break
    return value


def any_key(container: Any) -> st.SearchStrategy[Any]:
    if isinstance(container, dict):
        return st.sampled_from(sorted(container))
    return st.integers(0, len(container) - 1)


@cache
def second_checker(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(schema(name))


def assert_both_agree(name: str, value: Any) -> None:
    ours, theirs = findings(name, value), second_checker(name).is_valid(value)
    assert (not ours) == theirs, json.dumps(value)[:2000]


AGREEMENT = settings(
    max_examples=examples(250), suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@AGREEMENT
@given(data=st.data())
def test_both_checkers_agree_on_manifests(made: dict[str, Run], data: st.DataObject) -> None:
    manifest = made["tiny"].manifest()
    manifest["results"]["per_seed"] = manifest["results"]["per_seed"][:1]

    assert_both_agree(MANIFEST, data.draw(mutated(manifest)))


@AGREEMENT
@given(data=st.data(), name=st.sampled_from(["trials", "calls", "weights"]))
def test_both_checkers_agree_on_rows(made: dict[str, Run], data: st.DataObject, name: str) -> None:
    row = data.draw(st.sampled_from(made["tiny"].rows(name)[:4]))

    assert_both_agree(name.removesuffix("s"), data.draw(mutated(row)))


CASES = [json.loads(c.text) for c in suite() if c.expect is not None and len(c.text) < 1500]


@AGREEMENT
@given(data=st.data())
def test_both_checkers_agree_on_conformance_cases(data: st.DataObject) -> None:
    case = data.draw(st.sampled_from(CASES))

    assert_both_agree("conformance_case", data.draw(mutated(case)))


@pytest.mark.parametrize("name", ["trial", "call", "weight", MANIFEST, "plan"])
def test_both_checkers_admit_what_the_product_writes(made: dict[str, Run], name: str) -> None:
    run = made["flip"]
    rows = {"trial": "trials", "call": "calls", "weight": "weights"}
    documents = run.rows(rows[name]) if name in rows else [run.manifest()]
    if name == "plan":
        documents = [json.loads((run.folder / "run.json").read_text("utf-8"))]

    for document in documents:
        assert findings(name, document) == []
        assert second_checker(name).is_valid(document)
