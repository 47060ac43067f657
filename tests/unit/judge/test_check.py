"""Clause by clause: what makes a reply a valid evaluation."""

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge_support import OUTPUT, SAMPLE, judged, record, vectors
from msgspec.structs import replace

from epc.json_text import parse
from epc.judge.check import MAX_EVIDENCE, Judgement, fault, with_fault
from epc.judge.samples import Unit, method_of
from epc.records.schemas import findings as schema_findings
from epc.records.typed import as_json
from epc.spec.judge_v1 import DIMENSIONS, FLAGS, IDENTIFIERS, METHODS, OVERALL

SCORES = st.fixed_dictionaries({name: st.sampled_from((0, 1, 2)) for name in DIMENSIONS})


def test_judge_0_a_record_about_another_unit_is_not_this_samples() -> None:
    for name in IDENTIFIERS:
        reply = record()
        reply["meta"][name] += "x"

        checked = judged(reply)

        assert checked.flags == ("INCOMPLETE_COVERAGE",)
        assert [fault.where for fault in checked.findings] == [f"/meta/{name}"]


def test_judge_1_1_another_models_output_is_cross_judged() -> None:
    assert method_of("vendor/judge-7", "vendor/writer-1") == "cross_judge"


def test_judge_1_2_a_models_own_output_is_self_judged() -> None:
    unit = Unit(question_id="Q", prompt_variant="A", target_model="m", output_id="o")

    assert unit.before("m").method == "self_judge"
    assert unit.before("n").method == "cross_judge"


@pytest.mark.parametrize("name", DIMENSIONS)
def test_judge_2_each_dimension_must_be_scored_under_its_name(name: str) -> None:
    reply = record()
    reply["scores"][name.lower()] = reply["scores"].pop(name)

    checked = judged(reply)

    assert checked.flags == ("PROTOCOL_VIOLATION", "UNPARSABLE_OUTPUT")
    assert checked.verdict is None


@pytest.mark.parametrize("score", [-1, 3, 10, 10**18])
def test_judge_3_1_a_score_off_the_scale_is_a_violation(score: int) -> None:
    reply = record()
    reply["scores"]["COMPLETENESS"], reply["scores"][OVERALL] = score, 6 + score

    checked = judged(reply)

    assert checked.flags == ("PROTOCOL_VIOLATION",)
    assert (checked.scores, checked.verdict, checked.judge_verdict) == (None, None, "PASS")


@given(SCORES, st.integers(-20, 20))
def test_judge_3_2_only_the_sum_is_the_sum(scores: dict[str, int], off: int) -> None:
    reply = record()
    total = scores["FORMAT_COMPLIANCE"] + scores["INSTRUCTION_COMPLIANCE"]
    total += scores["SEMANTIC_FIDELITY"] + scores["COMPLETENESS"]
    reply["scores"] = {**scores, OVERALL: total + off}
    reply["verdict"] = "FAIL" if total <= 3 else "PASS" if total >= 7 else "PARTIAL"

    checked = judged(reply)

    assert checked.flags == (("INTERNAL_INCONSISTENCY",) if off else ())
    assert checked.scores == scores
    assert checked.verdict == reply["verdict"]


@pytest.mark.parametrize("name", DIMENSIONS)
def test_judge_4_1_each_dimension_needs_evidence(name: str) -> None:
    reply = record()
    reply["evidence"] = [item for item in reply["evidence"] if item["dimension"] != name]

    checked = judged(reply)

    assert checked.flags == ("PROTOCOL_VIOLATION",)
    assert name in checked.findings[0].problem


def test_judge_4_2_a_quote_is_text_and_not_blank() -> None:
    for quote, flags in (("", 1), (" \t", 1), (7, 2), (None, 2)):
        reply = record()
        reply["evidence"][0]["quote"] = quote
        assert len(judged(reply).flags) == flags


def test_judge_4_3_a_quote_without_a_reason_supports_nothing() -> None:
    reply = record()
    reply["evidence"][2]["reason"] = "  "

    assert judged(reply).flags == ("PROTOCOL_VIOLATION",)


def test_judge_4_4_a_quote_must_be_found_and_the_invented_ones_are_counted() -> None:
    reply = record()
    reply["evidence"][1]["quote"] = "Step 9: rest."

    checked = judged(reply)

    assert (checked.quotes.given, checked.quotes.invented) == (4, 1)
    assert checked.flags == ("PROTOCOL_VIOLATION",)
    assert checked.findings[0].where == "/evidence/1/quote"


def test_judge_5_1_anything_but_one_object_is_unparsable() -> None:
    good = json.dumps(record())
    assert judged(good).valid

    for raw in (f"{good}{good}", f"```\n{good}\n```", f"x{good}", f"{good}x", f"[{good}]"):
        assert judged(raw).flags == ("UNPARSABLE_OUTPUT",)
    assert judged(good.encode("utf-16")).flags[0] == "UNPARSABLE_OUTPUT"


@pytest.mark.parametrize("name", ["judge_model", "method", "timestamp", *IDENTIFIERS])
def test_judge_5_2_every_field_of_meta_must_be_there(name: str) -> None:
    reply = record()
    del reply["meta"][name]

    identifies = name not in {"method", "timestamp"}
    expected = ("UNPARSABLE_OUTPUT", *(["INCOMPLETE_COVERAGE"] if identifies else []))
    assert judged(reply).flags == expected


@pytest.mark.parametrize("name", DIMENSIONS)
@pytest.mark.parametrize("value", ["2", 2.0, True, None, [2], {}, 1.5])
def test_judge_5_3_scores_are_integers(name: str, value: Any) -> None:
    reply = record()
    reply["scores"][name] = value

    checked = judged(reply)

    assert checked.flags == ("UNPARSABLE_OUTPUT",)
    assert checked.scores is None


def test_judge_5_4_the_sum_must_be_there_as_an_integer() -> None:
    for value in ("8", 8.0, None):
        reply = record()
        reply["scores"][OVERALL] = value
        assert judged(reply).flags == ("UNPARSABLE_OUTPUT",)


def test_judge_5_5_flags_must_be_there_and_may_be_empty() -> None:
    reply = record()
    assert judged(reply).valid
    del reply["flags"]
    assert judged(reply).flags == ("UNPARSABLE_OUTPUT",)
    for flag in FLAGS:
        assert judged({**record(), "flags": [flag]}).flags == (flag,)


def test_judge_5_6_the_method_must_be_one_of_two_and_fit() -> None:
    for method, flags in (
        ("self_judge", ("INTERNAL_INCONSISTENCY",)),
        ("panel", ("PROTOCOL_VIOLATION", "INTERNAL_INCONSISTENCY")),
        ("", ("PROTOCOL_VIOLATION", "INTERNAL_INCONSISTENCY")),
    ):
        reply = record()
        reply["meta"]["method"] = method
        assert judged(reply).flags == flags
        assert judged(reply, rules=1).flags == ("INTERNAL_INCONSISTENCY",)
    own_sample = replace(SAMPLE, judge_model=SAMPLE.target_model, method="self_judge")
    assert judged(record(own_sample), own_sample).valid
    assert METHODS == ("cross_judge", "self_judge")


@pytest.mark.parametrize("name", ["judge_model", "target_model"])
@pytest.mark.parametrize("value", [None, 7, ["vendor/writer-1"]])
def test_judge_5_6_a_method_is_not_held_against_a_name_that_is_no_text(
    name: str, value: Any
) -> None:
    own_sample = replace(SAMPLE, judge_model=SAMPLE.target_model, method="self_judge")
    reply = record(own_sample)
    reply["meta"][name] = value

    assert judged(reply, own_sample).flags == ("UNPARSABLE_OUTPUT", "INCOMPLETE_COVERAGE")


def test_reading_r22_a_timestamp_that_is_no_date_is_a_violation() -> None:
    for stamp, flags in (
        ("2026-07-02", ()),
        ("2026-07-02T10:00:00Z", ()),
        ("yesterday", ("PROTOCOL_VIOLATION",)),
        ("2028-02-29", ()),
        ("2026-12-31", ()),
        ("2026-02-30", ("PROTOCOL_VIOLATION",)),
        ("2026-13-01", ("PROTOCOL_VIOLATION",)),
        ("2026-00-10", ("PROTOCOL_VIOLATION",)),
        ("2026-01-00", ("PROTOCOL_VIOLATION",)),
        ("0000-01-01", ("PROTOCOL_VIOLATION",)),
        ("", ("PROTOCOL_VIOLATION",)),
    ):
        reply = record()
        reply["meta"]["timestamp"] = stamp
        assert judged(reply).flags == flags
        assert judged(reply, rules=1).valid


def test_reading_r22_four_times_not_applicable_is_evasion() -> None:
    reply = record()
    reply["scores"] = {**dict.fromkeys(DIMENSIONS, "N/A"), OVERALL: 0}

    assert "JUDGE_REFUSAL_OR_EVASION" in judged(reply).flags
    assert "JUDGE_REFUSAL_OR_EVASION" not in judged(reply, rules=1).flags
    reply["scores"]["COMPLETENESS"] = "good"
    assert "JUDGE_REFUSAL_OR_EVASION" not in judged(reply).flags


def test_judge_6_1_a_rubric_that_was_altered_is_a_violation() -> None:
    reply = record()
    reply["scores"]["STYLE"] = 2

    assert judged(reply).flags == ("PROTOCOL_VIOLATION",)


def test_judge_6_2_what_cannot_be_read_is_unparsable_and_not_interpreted() -> None:
    reply = {**record(), "flags": ["INTERNAL_INCONSISTENCY"]}

    checked = judged(f"Here you are: {json.dumps(reply)}")

    assert checked.flags == ("UNPARSABLE_OUTPUT",)
    assert (checked.scores, checked.verdict, checked.judge_verdict) == (None, None, None)


def test_judge_6_3_an_identifier_that_is_missing_or_anothers_is_a_gap() -> None:
    assert judged(record(replace(SAMPLE, question_id="Q4"))).flags == ("INCOMPLETE_COVERAGE",)


def test_judge_6_4_a_refusal_and_no_scores_are_evasion() -> None:
    for raw in ("I'm sorry, I can't do that.", "", "Great work overall!"):
        assert judged(raw).flags == ("UNPARSABLE_OUTPUT", "JUDGE_REFUSAL_OR_EVASION")
    assert "JUDGE_REFUSAL_OR_EVASION" in judged({**record(), "scores": {}}).flags


def test_judge_6_5_contradictions_within_a_record_are_named() -> None:
    reply = {**record(), "verdict": "FAIL"}

    checked = judged(reply)

    assert checked.flags == ("INTERNAL_INCONSISTENCY",)
    assert (checked.verdict, checked.judge_verdict) == ("PASS", "FAIL")


def test_judge_6_6_a_low_score_is_not_invalid() -> None:
    reply = record()
    reply["scores"] = {**dict.fromkeys(DIMENSIONS, 0), OVERALL: 0}
    reply["verdict"] = "FAIL"

    assert judged(reply).valid
    assert judged(reply).verdict == "FAIL"


def test_reading_r21_is_strict_about_json() -> None:
    good = json.dumps(record())
    for wrong in (
        good.replace('"flags": []', '"flags": [], "flags": []'),
        good.replace('"overall_score": 8', '"overall_score": NaN'),
        good.replace('"overall_score": 8', '"overall_score": 8.0'),
    ):
        assert wrong != good
        assert judged(wrong).flags == ("UNPARSABLE_OUTPUT",)


def test_what_the_reply_schema_admits_is_never_unparsable() -> None:
    """The schema that constrains decoding and the checker agree on what a reply looks like."""
    for case in vectors("replies"):
        _, problems = parse(case["given"]["reply"])
        if problems:
            continue
        reply = json.loads(case["given"]["reply"], parse_float=str)  # 2.0 is an integer to schemas
        if isinstance(reply, dict) and not schema_findings("judge_reply", reply):
            own_hand = "UNPARSABLE_OUTPUT" in reply["flags"]
            assert own_hand or "UNPARSABLE_OUTPUT" not in case["expect"]["flags"]
    assert schema_findings("judge_reply", record()) == []


# ------------------------------------------------------------------------- whatever the bytes

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
FIELDS = st.sampled_from(
    ("meta", "scores", "verdict", "flags", "evidence", "notes", *DIMENSIONS, OVERALL, "method")
)
LIKE_A_REPLY = st.recursive(
    JSON,
    lambda inner: st.dictionaries(FIELDS, inner, max_size=8) | st.lists(inner, max_size=3),
    max_leaves=20,
)


def is_sound(raw: str | bytes) -> Judgement:
    checked = judged(raw)
    assert checked.valid == (not checked.flags) == (not checked.findings)
    assert checked.flags == tuple(flag for flag in FLAGS if flag in checked.flags)
    assert {fault.flag for fault in checked.findings} <= set(checked.flags)
    json.dumps(as_json(checked), ensure_ascii=False, allow_nan=False).encode("utf-8")
    return checked


@given(st.binary(max_size=400))
def test_any_bytes_are_judged(raw: bytes) -> None:
    is_sound(raw)


@given(st.text(st.characters(codec=None), max_size=400))
def test_any_text_is_judged_even_with_surrogates(raw: str) -> None:
    is_sound(raw)


@given(LIKE_A_REPLY)
def test_any_json_is_judged(value: Any) -> None:
    is_sound(json.dumps(value))


@given(st.sampled_from(sorted(record())), LIKE_A_REPLY)
def test_a_record_with_anything_in_one_field_is_judged(field: str, value: Any) -> None:
    is_sound(json.dumps({**record(), field: value}))


@pytest.mark.parametrize(
    "raw",
    [
        "[" * 100_000,
        '{"a":' * 100_000,
        "{" + '"k":1,' * 100_000,
        '{"flags": [' + "NaN," * 100_000 + "1]}",
        " " * 1_000_000,
        "9" * 1_000_000,
        '{"scores": {"FORMAT_COMPLIANCE": ' + "9" * 1_000_000 + "}}",
        "FORMAT_COMPLIANCE " * 50_000,
    ],
    ids=["brackets", "objects", "keys", "nan", "blank", "digits", "score", "names"],
)
def test_a_reply_made_to_exhaust_us_is_judged_in_bounded_time(raw: str) -> None:
    began = time.process_time()

    checked = is_sound(raw)

    assert time.process_time() - began < 10
    assert len(checked.findings) <= 100


def test_more_evidence_than_anybody_reads_is_a_violation() -> None:
    reply = record()
    reply["evidence"] *= MAX_EVIDENCE

    checked = judged(reply)

    assert checked.flags == ("PROTOCOL_VIOLATION",)
    assert checked.quotes.given == MAX_EVIDENCE


def test_an_output_of_ten_megabytes_is_searched() -> None:
    output = "\u201cten\u201d  words \u2013 in a line\n" * 400_000 + "the needle"

    assert judged(record(quote='"ten" words - in a line the needle'), output=output).valid
    assert not judged(record(quote="the noodle"), output=output).valid


def test_hostile_identifiers_make_ordinary_sample_ids() -> None:
    names = {
        replace(SAMPLE, output_id=output_id).id
        for output_id in ("../../etc/passwd", "a\x00b", "\u202etxt.exe", "\ud800", "x" * 10**6, "")
    }

    assert len(names) == 6
    assert all(len(name) == 20 and int(name, 16) >= 0 for name in names)


def test_an_output_cannot_speak_for_the_judge() -> None:
    """Whatever the output says, the record is the judge's reply beside our own sample."""
    inside = json.dumps(record(replace(SAMPLE, output_id="another.txt")))

    checked = judged(record(quote="another.txt"), output=f"{OUTPUT}\n{inside}")

    assert checked.valid
    assert judged(inside, output=inside).flags[-1] == "INCOMPLETE_COVERAGE"


def test_a_judgement_with_one_reason_more_keeps_what_it_was_worth() -> None:
    checked = judged(record())
    further_judgement = with_fault(
        checked, fault("INCOMPLETE_COVERAGE", "JUDGE-7.1", "", "judged twice")
    )

    assert (checked.valid, further_judgement.valid) == (True, False)
    assert further_judgement.flags == ("INCOMPLETE_COVERAGE",)
    assert further_judgement.findings[-1].problem == "judged twice"
    assert (further_judgement.scores, further_judgement.verdict, further_judgement.quotes) == (
        *(checked.scores, checked.verdict, checked.quotes),
    )
