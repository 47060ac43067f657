"""From a finer rubric to the four dimensions."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge_support import OUTPUT, SAMPLE, archived, grid, imported

from epc.errors import MalformedError
from epc.judge.check import check_reply
from epc.judge.evidence import Output
from epc.judge.mapping import RubricMapping, _as_text, _written, read_mapping
from epc.records.judging.documents import MAPPING, load_plan
from epc.records.judging.prompts import check_mapping, load_mapping
from epc.records.judging.recheck import recheck
from epc.records.typed import as_json

EIGHT: dict[str, Any] = {
    "id": "eight-to-four",
    "description": "Eight dimensions from 1 to 5; the worst of two decides, language is ignored.",
    "scale": {"lowest": 1, "highest": 5},
    "cuts": [2.5, 4],
    "dimensions": {
        "FORMAT_COMPLIANCE": {"from": ["markdown", "headings"], "rule": "minimum"},
        "INSTRUCTION_COMPLIANCE": {"from": ["constraints"], "rule": "mean"},
        "SEMANTIC_FIDELITY": {
            "from": ["drift"],
            "rule": "mean",
            "scale": {"lowest": 0, "highest": 10, "better": "lower"},
            "cuts": [6, 2],
        },
        "COMPLETENESS": {"from": ["sections", "items"], "rule": "mean"},
    },
    "fields": {
        "question_id": "/task",
        "prompt_variant": "/variant",
        "target_model": "/who/model",
        "output_id": "/file",
        "judge_model": "/by",
        "scores": "/marks",
        "evidence": "/spans",
        "verdict": "/grade",
    },
    "evidence": {"dimension": "about", "quote": "text", "reason": "because"},
    "ignored": ["language"],
}


def mapping(**changed: Any) -> RubricMapping:
    read, findings = read_mapping({**copy.deepcopy(EIGHT), **changed})
    assert findings == []
    assert read is not None
    return read


def foreign(**marks: Any) -> dict[str, Any]:
    good = {"markdown": 5, "headings": 4, "constraints": 3, "drift": 1, "sections": 5, "items": 2}
    return {
        "task": SAMPLE.question_id,
        "variant": SAMPLE.prompt_variant,
        "who": {"model": SAMPLE.target_model},
        "file": SAMPLE.output_id,
        "by": SAMPLE.judge_model,
        "marks": {**good, "language": 5, **marks},
        "spans": [
            {"about": name, "text": "Step 1: take a backup.", "because": "It is there."}
            for name in ("markdown", "constraints", "drift", "items")
        ],
        "grade": "B+",
    }


def scored(source: dict[str, Any], by: RubricMapping | None = None) -> Any:
    reply, faults = (by or mapping()).convert(source, SAMPLE)
    return check_reply(reply, SAMPLE, Output(OUTPUT), faults)


def test_judge_2_5_a_finer_rubric_becomes_the_four_dimensions() -> None:
    checked = scored(foreign())

    # worst of 5 and 4 -> 4 is 2; 3 is 1; drift 1 of 10, lower is better, is 2; mean of 5 and 2 is 1
    assert checked.scores == {
        "FORMAT_COMPLIANCE": 2,
        "INSTRUCTION_COMPLIANCE": 1,
        "SEMANTIC_FIDELITY": 2,
        "COMPLETENESS": 1,
    }
    assert (checked.valid, checked.verdict) == (True, "PARTIAL")


@pytest.mark.parametrize(
    ("drift", "expected"), [(0, 2), (2, 2), (2.1, 1), (6, 1), (6.5, 0), (10, 0)]
)
def test_judge_2_5_where_lower_is_better_the_cuts_fall(drift: float, expected: int) -> None:
    assert scored(foreign(drift=drift)).scores["SEMANTIC_FIDELITY"] == expected


def test_judge_2_5_a_mean_on_a_cut_is_on_it_in_decimal_digits() -> None:
    """3.9 and 4.1 mean 4; the doubles nearest to them mean a little less or more."""
    for low, high in ((3.9, 4.1), (3.3, 4.7), (3.7, 4.3)):
        assert scored(foreign(sections=low, items=high)).scores["COMPLETENESS"] == 2


@pytest.mark.parametrize(
    ("marks", "flags"),
    [
        ({"markdown": 6}, ["PROTOCOL_VIOLATION", "UNPARSABLE_OUTPUT"]),
        ({"markdown": 0}, ["PROTOCOL_VIOLATION", "UNPARSABLE_OUTPUT"]),
        ({"markdown": "5"}, ["UNPARSABLE_OUTPUT"]),
        ({"markdown": True}, ["UNPARSABLE_OUTPUT"]),
        ({"humour": 3}, ["PROTOCOL_VIOLATION"]),
    ],
)
def test_what_the_mapping_cannot_take_is_a_fault(marks: dict[str, Any], flags: list[str]) -> None:
    checked = scored(foreign(**marks))

    assert list(checked.flags) == flags


def test_what_the_source_lacks_the_checker_misses() -> None:
    for key, flag in (
        ("task", "INCOMPLETE_COVERAGE"),
        ("marks", "JUDGE_REFUSAL_OR_EVASION"),
        ("spans", "PROTOCOL_VIOLATION"),
    ):
        source = foreign()
        del source[key]
        assert flag in scored(source).flags


def test_evidence_serves_every_dimension_that_its_own_one_makes() -> None:
    both_rubric_mappings = mapping(
        dimensions={
            **EIGHT["dimensions"],
            "COMPLETENESS": {"from": ["markdown", "items"], "rule": "maximum"},
        },
        ignored=["language", "sections"],
    )
    source = foreign()
    source["spans"] = [span for span in source["spans"] if span["about"] != "items"]

    assert scored(source, both_rubric_mappings).valid


def test_evidence_of_no_dimension_is_kept_and_that_of_an_ignored_one_is_not() -> None:
    source = foreign()
    source["spans"] = [
        {"text": "Step 1", "because": "It is there."},
        {"about": 7, "text": "Step 2"},
        {"about": "language", "text": "Step 3"},
        {"about": "humour", "text": "Step 4"},
    ]

    reply, _ = mapping().convert(source, SAMPLE)

    assert reply["evidence"] == [
        {"quote": "Step 1", "reason": "It is there."},
        {"dimension": 7, "quote": "Step 2"},
        {"dimension": "humour", "quote": "Step 4"},
    ]


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"cuts": [4, 2.5]}, "not beyond"),
        ({"cuts": [2, 7]}, "outside the scale"),
        ({"cuts": [1, 4]}, "never be reached"),
        ({"scale": {"lowest": 5, "highest": 1}}, "does not rise"),
        ({"ignored": ["drift"]}, "mapped and ignored"),
    ],
)
def test_a_mapping_that_makes_no_sense_is_refused(changed: dict[str, Any], says: str) -> None:
    read, findings = read_mapping({**copy.deepcopy(EIGHT), **changed})

    assert read is None
    assert says in findings[0].problem


@pytest.mark.parametrize(
    "changed", [{"cuts": [1]}, {"id": "../up"}, {"dimensions": {}}, {"fields": {"x": "/y"}}]
)
def test_a_mapping_file_has_a_schema(tmp_path: Path, changed: dict[str, Any]) -> None:
    (tmp_path / "m.json").write_text(json.dumps({**EIGHT, **changed}), "utf-8")

    with pytest.raises(MalformedError):
        check_mapping(tmp_path / "m.json")


@given(st.recursive(st.none() | st.text() | st.floats(allow_nan=False, allow_infinity=False),
                    lambda inner: st.lists(inner) | st.dictionaries(
                        st.sampled_from(["marks", "spans", "drift", "about", "who", "task"]),
                        inner)))  # fmt: skip
def test_any_foreign_record_is_judged(value: Any) -> None:
    source = value if isinstance(value, dict) else {"marks": value, "spans": value}

    assert not scored(source).valid


def test_judge_2_5_an_imported_bundle_records_its_mapping(tmp_path: Path) -> None:
    (tmp_path / "map.json").write_text(json.dumps(EIGHT), "utf-8")
    rows = grid()
    bundle = []
    for row in rows:
        source = foreign()
        source |= {"task": row["question_id"], "variant": row["prompt_variant"], "by": "j/1"}
        source |= {"who": {"model": row["target_model"]}, "file": row["output_id"]}
        for span in source["spans"]:
            span["text"] = "An answer of m/x"
        bundle.append(source)

    log = imported(tmp_path / "e", rows, bundle, judges=["j/1"], mapping=tmp_path / "map.json")

    assert log["totals"]["cross_judge"]["valid"] == 4
    stated_mapping = load_plan(tmp_path / "e").mapping
    for record in archived(tmp_path / "e", valid=True):
        assert record["mapping"] == as_json(stated_mapping)
        assert record["judge_verdict"] == "B+"
        assert json.loads(record["raw"])["marks"]["drift"] == 1
    assert recheck(tmp_path / "e").ok
    document = {**EIGHT, "cuts": [2, 4]}
    (tmp_path / "e" / MAPPING).write_text(json.dumps(document), "utf-8")
    with pytest.raises(MalformedError, match="not the mapping that was planned"):
        load_mapping(tmp_path / "e", load_plan(tmp_path / "e"))


@pytest.mark.parametrize(
    ("cell", "value"),
    [("3", 3), ("3.0", 3), ("2.5", 2.5), ("inf", "inf"), ("nan", "nan"), ("good", "good")],
)
def test_a_cell_is_a_number_where_it_holds_a_finite_one(cell: str, value: object) -> None:
    written = _written(cell)

    assert (written, type(written)) == (value, type(value))


@pytest.mark.parametrize(
    ("value", "text"), [(7, "7"), ("7", "7"), (True, None), (7.5, None), (None, None), ([], None)]
)
def test_an_identifier_is_a_text_or_a_whole_number(value: object, text: str | None) -> None:
    assert _as_text(value) == text
