"""EPC-5.3, pitfalls 1 and 2: what a run used and who answered, counted by hand."""

import json
from pathlib import Path
from typing import Any

import pytest

from epc.records.manifest import Head
from epc.records.usage import Usage, suspicions

HOSTED = "https://api.example/v1"
CALL = {
    "id": "0" * 20,
    "role": "evaluator",
    "model": "judge",
    "prompt": "which?",
    "latency_s": None,
    "occasion": None,
    "retries": 1,
    "tokens_in": 10,
    "tokens_out": 2,
    "served_model": "judge-1",
    "system_fingerprint": "fp_1",
    "finish_reason": "stop",
    "answer": "A",
}
SILENT = {
    "tokens_in": None,
    "tokens_out": None,
    "served_model": None,
    "system_fingerprint": None,
    "retries": 0,
}


def counted(*calls: dict[str, Any]) -> dict[str, Any]:
    usage = Usage()
    assert list(usage.counted(calls)) == list(calls)
    return usage.as_json()


PUBLISHED = Path(__file__).parents[3] / "snapshots" / "v1.0-CoinFlip" / "manifest.json"


def manifest(served: dict[str, int], *, endpoint: str = HOSTED, **further_fields: Any) -> Head:
    """Return a manifest that says who answered; of the executor it says nothing."""
    document = json.loads(PUBLISHED.read_text("utf-8"))
    document["executor"] = None
    document["evaluator"] |= {"endpoint": endpoint, "version": "judge-1"}
    document["provenance"] |= {
        "calls": {"executor": 0, "evaluator": sum(served.values())},
        "served_models": {"executor": {}, "evaluator": served},
        "system_fingerprints": {"executor": {}, "evaluator": further_fields.pop("prints", {})},
        **further_fields,
    }
    return Head.parse(document)


def test_epc_5_3_calls_tokens_and_retries_are_counted_by_role() -> None:
    executor = CALL | SILENT | {"role": "executor"}

    record = counted(CALL, CALL | {"served_model": "judge-0"}, executor)

    assert record == {
        "calls": {"executor": 1, "evaluator": 2},
        "tokens": {"in": 20, "out": 4},
        "retries": 2,
        "served_models": {"executor": {}, "evaluator": {"judge-0": 1, "judge-1": 1}},
        "system_fingerprints": {"executor": {}, "evaluator": {"fp_1": 2}},
    }
    assert list(record["served_models"]["evaluator"]) == ["judge-0", "judge-1"]


def test_reading_r76_origins_are_counted_where_calls_state_them() -> None:
    record = counted(CALL | {"origin": "asked"}, CALL | {"origin": "cache"}, CALL)

    assert record["origins"] == {"executor": {}, "evaluator": {"asked": 1, "cache": 1}}


@pytest.mark.parametrize(
    ("call", "reasons"),
    [
        ({"answer": " \n", "finish_reason": "stop"}, {"stop": 1}),
        ({"answer": "", "finish_reason": "length"}, {"length": 1}),
        ({"answer": "", "finish_reason": "a new word"}, {"other": 1}),
        ({"answer": "A", "finish_reason": "content_filter"}, {"content_filter": 1}),
        ({"answer": "A", "finish_reason": "length"}, None),
    ],
)
def test_reading_r4_an_answer_without_a_word_is_counted_by_its_reason(
    call: dict[str, Any], reasons: dict[str, int] | None
) -> None:
    record = counted(CALL | call)

    expected = None if reasons is None else {"executor": {}, "evaluator": reasons}
    assert record.get("no_answer") == expected


@pytest.mark.parametrize(
    ("served", "problems"),
    [
        ({"judge-1": 5}, []),
        ({"judge-2": 5}, ["judge-1 was asked for, judge-2 answered"]),
        (
            {"judge-1": 4, "judge-2": 1},
            [
                "judge-1 was asked for, judge-2 answered",
                "2 models answered in one run: judge-1, judge-2",
            ],
        ),
    ],
)
def test_epc_5_3_1_a_second_model_in_one_run_is_suspicious(
    served: dict[str, int], problems: list[str]
) -> None:
    place = "/provenance/served_models/evaluator"

    assert list(suspicions(manifest(served))) == [(place, problem) for problem in problems]


def test_epc_5_3_1_a_second_system_fingerprint_in_one_run_is_suspicious() -> None:
    assert list(suspicions(manifest({"judge-1": 5}, prints={"fp_1": 5}))) == []
    assert list(suspicions(manifest({"judge-1": 5}, prints={"fp_1": 4, "fp_2": 1}))) == [
        (
            "/provenance/system_fingerprints/evaluator",
            "the system fingerprint changed within the run: fp_1, fp_2",
        )
    ]


def test_epc_5_3_a_model_that_no_provider_serves_is_not_suspected() -> None:
    local = manifest({"judge-2": 5}, endpoint="mock")

    assert list(suspicions(local)) == []


def test_epc_5_3_answers_that_are_none_are_told_with_their_reasons() -> None:
    reasons = {"executor": {}, "evaluator": {"length": 2, "stop": 1}}
    withheld = manifest({"judge-1": 5}, no_answer=reasons)

    assert list(suspicions(withheld)) == [
        (
            "/provenance/no_answer/evaluator",
            "3 of 5 answers of the evaluator are none: 2 length, 1 stop",
        )
    ]


def test_epc_2_6_d_reasoning_is_counted_where_a_call_shows_it_or_its_tokens() -> None:
    usage = Usage()
    calls = [CALL, CALL | {"reasoning": "hm"}, CALL | {"reasoning_tokens": 40}]
    list(usage.counted([*calls, CALL | {"reasoning_tokens": 2}]))

    spent = usage.by_role["evaluator"]

    assert (spent.calls, spent.reasoned, spent.reasoning_tokens) == (4, 3, 42)
    assert Usage().by_role["executor"].calls == 0
