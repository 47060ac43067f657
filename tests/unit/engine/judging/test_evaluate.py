"""Evaluations carried out: over a real endpoint, cut short, refused, malformed, constrained."""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from endpoint_support import Endpoint, Received, Reply, completion, serving
from engine_support import DAY, read_rows
from judge_support import archived, grid, judged_by_models, planned, write_rows

from epc.analysis.judging.evaluation import document
from epc.analysis.judging.summary import summary
from epc.engine import sitting
from epc.engine.budget import BudgetError, Limits, Price, most_tokens
from epc.engine.judging.evaluate import Request, evaluate, expect, open_evaluation, problems
from epc.engine.mocks import Judge
from epc.engine.progress import Progress
from epc.engine.request_body import response_format
from epc.errors import MalformedError, UsageError
from epc.judge.samples import Unit
from epc.records.judging.documents import (
    PROMPTS,
    Thresholds,
    load_plan,
)
from epc.records.judging.evaluation_set import Entry
from epc.records.judging.recheck import recheck
from epc.records.layout import CALLS
from epc.records.schemas import findings as schema_findings

ROWS = grid(targets=("openai/judge-1", "m/x"))
HOSTED = "openai/judge-1"


def as_a_judge(received: Received) -> Reply:
    """Answer as the mock judge would."""
    return completion(json.dumps(Judge().record(received.prompt)))


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with serving() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-0123456789abcdef")
        server.behave = as_a_judge
        yield server


def test_judge_7_2_each_sample_is_asked_about_once(tmp_path: Path, endpoint: Endpoint) -> None:
    planned(tmp_path / "e", ROWS, [HOSTED, "mock/judge"])

    log = judged_by_models(tmp_path / "e")

    assert len(endpoint.prompts) == len(endpoint.received) == len(ROWS)
    totals = log["totals"]
    assert (totals["cross_judge"]["samples"], totals["self_judge"]["samples"]) == (12, 4)
    assert totals["cross_judge"]["valid"] == 12
    assert recheck(tmp_path / "e").ok
    assert not (tmp_path / "e" / "journal.jsonl").exists()
    calls = read_rows(tmp_path / "e" / CALLS)
    assert [schema_findings("call", call) for call in calls] == [[]] * 16
    for record in archived(tmp_path / "e", valid=True, method="self_judge"):
        assert record["sample"]["judge_model"] == record["sample"]["target_model"] == HOSTED


@pytest.mark.parametrize(
    ("field", "value", "where"),
    [
        ("answer", "{}", "/calls"),
        ("prompt", "another", "/calls/0/id"),  # a record does not repeat what was asked
        ("id", "0" * 20, "/calls"),
        ("role", "judge:other", "/calls"),
        ("retries", None, "/calls"),
    ],
)
def test_a_call_that_was_changed_no_longer_belongs_to_its_record(
    tmp_path: Path, endpoint: Endpoint, field: str, value: Any, where: str
) -> None:
    planned(tmp_path / "e", ROWS, [HOSTED])
    judged_by_models(tmp_path / "e")
    calls = read_rows(tmp_path / "e" / CALLS)
    write_rows(tmp_path / "e" / CALLS, [{**calls[0], field: value}, *calls[1:]])

    places = [finding.where for finding in recheck(tmp_path / "e").findings]

    assert "/files/calls.jsonl" in places
    assert [place for place in places if place.endswith(where)]


def test_judge_8_1_the_log_names_the_judge_and_what_was_served(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    planned(tmp_path / "e", ROWS, [HOSTED])

    log = judged_by_models(tmp_path / "e")

    assert schema_findings("judge_run_log", log) == []
    (judge,) = log["judges"]
    assert judge["identity"]["version"] == "judge-1"
    assert judge["served_models"] == {"served-model-0806": 8}
    assert judge["system_fingerprints"] == {"fp_44709d6fcb": 8}
    assert (judge["calls"], judge["tokens_in"]) == (8, 8 * 21)


def test_judge_8_2_the_decoding_of_the_log_is_what_was_sent(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    planned(tmp_path / "e", ROWS, [HOSTED], decoding={"max_tokens": 777})

    log = judged_by_models(tmp_path / "e")

    decoding = log["judges"][0]["decoding"]
    assert (decoding["temperature"], decoding["max_tokens"], decoding["top_p"]) == (0.0, 777, None)
    for received in endpoint.received:
        assert (received.body["temperature"], received.body["max_completion_tokens"]) == (0.0, 777)
        assert "response_format" not in received.body


def test_judge_8_3_no_tools_are_offered_and_the_log_says_so(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    planned(tmp_path / "e", ROWS, [HOSTED])

    assert judged_by_models(tmp_path / "e")["tools"].startswith("none")
    assert not any("tools" in received.body for received in endpoint.received)


def test_judge_8_4_the_log_has_time_range_and_sample_count(tmp_path: Path) -> None:
    planned(tmp_path / "e", ROWS, ["mock/judge"])

    log = judged_by_models(tmp_path / "e")

    assert log["time"] == {"from": "2026-07-02T00:00:00Z", "to": "2026-07-02T00:00:00Z"}
    assert log["samples"] == len(ROWS)


def test_judge_3_4_thresholds_are_fixed_with_the_plan(tmp_path: Path) -> None:
    planned(tmp_path / "e", ROWS, ["mock/judge"])
    path = tmp_path / "e" / "judge.json"
    assert load_plan(tmp_path / "e").thresholds == Thresholds(pass_from=7, fail_to=3)

    path.write_text(path.read_text("utf-8").replace('"pass_from": 7', '"pass_from": 6'), "utf-8")

    with pytest.raises(MalformedError, match="pass_from"):
        judged_by_models(tmp_path / "e")


def test_judge_9_1_the_prompts_used_are_listed_with_their_digests(tmp_path: Path) -> None:
    prompt = tmp_path / "mine.txt"
    prompt.write_text('Judge $output. Copy {"meta": $meta, "scores"...}', "utf-8")
    plan = planned(tmp_path / "e", ROWS, ["mock/judge"], self_prompt=prompt)

    listed = (tmp_path / "e" / "used_prompt_manifest.md").read_text("utf-8")

    for stated_prompt in plan["prompts"].values():
        assert stated_prompt["id"] in listed
        assert stated_prompt["sha256"] in listed
    assert plan["prompts"]["self_judge"]["id"] == "mine"
    judged_by_models(tmp_path / "e")
    (tmp_path / "e" / PROMPTS / "mine.txt").write_text("$output $meta, more kindly", "utf-8")
    problems_found = [finding.problem for finding in recheck(tmp_path / "e").findings]
    assert "not the prompt that was planned" in problems_found[0]


def test_judge_1_2_self_judging_can_be_left_out(tmp_path: Path, endpoint: Endpoint) -> None:
    planned(tmp_path / "e", ROWS, [HOSTED], methods=("cross_judge",))

    log = judged_by_models(tmp_path / "e")

    assert (len(endpoint.received), log["totals"]["self_judge"]["samples"]) == (4, 0)


def test_reading_r76_a_repeat_of_the_same_day_asks_the_judge_again(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    for name in ("first", "second"):
        planned(tmp_path / name, ROWS, [HOSTED])
        judged_by_models(tmp_path / name)
    shutil.copytree(tmp_path / "first", tmp_path / "copy")

    assert len(endpoint.received) == 2 * 8
    drift = document(summary([tmp_path / "first", tmp_path / "second"]))["drift"]
    assert [row["shared"] for row in drift] == [0] * len(drift)
    assert sum(row["outputs"] for row in drift) == 8
    assert {row["same_verdict"]["share"] for row in drift} == {1}
    copied = document(summary([tmp_path / "first", tmp_path / "copy"]))["drift"]
    assert sum(row["shared"] for row in copied) == 8
    for row in copied:
        assert row["outputs"] == 0
        assert row["same_verdict"] == {"count": 0, "share": None, "ci95": None}
        assert row["kappa"]["overall_score"] is None
    for call in read_rows(tmp_path / "second" / CALLS):
        assert (call["answered_at"], call["origin"]) == ("2026-07-02T00:00:00Z", "asked")


@pytest.mark.parametrize("allowed", [0, 2])
def test_malformed_replies_are_asked_again_only_when_told_and_every_one_is_kept(
    tmp_path: Path, endpoint: Endpoint, allowed: int
) -> None:
    counts: dict[str, int] = {}

    def fenced_first(received: Received) -> Reply:
        counts[received.prompt] = counts.get(received.prompt, 0) + 1
        record = json.dumps(Judge().record(received.prompt))
        twice = '"Q1", "prompt_variant": "A"' in received.prompt and counts[received.prompt] < 3
        once = '"Q1", "prompt_variant": "B"' in received.prompt and counts[received.prompt] < 2
        if twice or once:
            record = f"```json\n{record}\n```"
        return completion(record)

    endpoint.behave = fenced_first
    planned(tmp_path / "e", ROWS, [HOSTED], methods=("cross_judge",), retry_malformed=allowed)

    log = judged_by_models(tmp_path / "e")

    mended = 2 if allowed else 0
    assert len(endpoint.received) == 4 + (3 if allowed else 0)
    assert log["malformed"] == {
        "retries_allowed": allowed,
        "asked_again": mended,
        "mended": mended,
    }
    assert log["totals"]["cross_judge"]["valid"] == 2 + mended
    calls = {call["id"]: call for call in read_rows(tmp_path / "e" / CALLS)}
    records = [*archived(tmp_path / "e", valid=True), *archived(tmp_path / "e", valid=False)]
    assert sorted(len(record["calls"]) for record in records) == (
        [1, 1, 2, 3] if allowed else [1] * 4
    )
    for record in records:
        assert calls[record["calls"][-1]]["answer"] == record["raw"]
        occasions = [calls[name]["occasion"] for name in record["calls"]]
        assert occasions == [None, "retry/1", "retry/2"][: len(occasions)]


@pytest.mark.parametrize(
    ("constraint", "kind"), [("json", "json_object"), ("judge_reply", "json_schema")]
)
def test_a_constraint_is_sent_and_recorded(
    tmp_path: Path, endpoint: Endpoint, constraint: str, kind: str
) -> None:
    planned(tmp_path / "e", ROWS, [HOSTED], constraint=constraint)

    log = judged_by_models(tmp_path / "e")

    sent = [received.body["response_format"] for received in endpoint.received]
    assert sent == [response_format(constraint)] * 8
    assert sent[0]["type"] == kind
    assert log["judges"][0]["decoding"]["constraint"] == constraint
    assert {r["constraint"] for r in archived(tmp_path / "e", valid=True)} == {constraint}


def test_a_schema_that_is_sent_has_no_optional_keys() -> None:
    shape = response_format("judge_reply")
    assert shape is not None

    def objects(schema: Any) -> Iterator[Any]:
        if isinstance(schema, dict):
            if schema.get("type") == "object":
                yield schema
            for value in schema.values():
                yield from objects(value)

    found = list(objects(shape["json_schema"]["schema"]))
    assert len(found) == 4
    assert all(set(subschema["required"]) == set(subschema["properties"]) for subschema in found)
    assert response_format("A|B") is None
    assert response_format(None) is None


def test_a_model_that_cannot_be_held_to_json_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be held to JSON"):
        planned(tmp_path / "e", ROWS, ["mock/judge"], constraint="json")
    assert not (tmp_path / "e").exists()


def test_an_evaluator_that_writes_no_text_cannot_judge(tmp_path: Path) -> None:
    table = tmp_path / "verdicts.csv"
    table.write_text("strategy,domain,task,verdict\na,text,t,A\na,visual,t,A\n", "utf-8")

    with pytest.raises(UsageError, match="writes no text"):
        planned(tmp_path / "e", ROWS, [f"recorded:{table}"])


def test_the_forecast_bounds_what_is_asked(tmp_path: Path, endpoint: Endpoint) -> None:
    planned(tmp_path / "e", ROWS, [HOSTED, "mock/judge"], retry_malformed=1)

    shares = expect(open_evaluation(tmp_path / "e"))

    assert endpoint.received == []
    assert list(shares) == [f"judge:{HOSTED}", "judge:mock/judge"]
    for share in shares.values():
        assert (share.calls.lower, share.calls.expected, share.calls.upper) == (8, 8, 16)
        assert share.tokens_in.lower < share.tokens_in.expected < share.tokens_in.upper
        # Each call writes a token or more, and the second ones no more than the first.
        limit = open_evaluation(tmp_path / "e").judges[HOSTED].decoding.max_tokens
        assert (share.tokens_out.lower, share.tokens_out.upper) == (8, 16 * limit)


def test_each_verdict_is_counted_once_while_it_is_watched(tmp_path: Path) -> None:
    planned(tmp_path / "e", ROWS, ["mock/judge"])
    watched: list[Progress] = []

    @asynccontextmanager
    async def watch(progress: Progress) -> AsyncIterator[None]:
        watched.append(progress)
        yield

    asyncio.run(evaluate(open_evaluation(tmp_path / "e"), clock=lambda: DAY, watch=watch))

    assert sum(watched[0].verdicts.values()) == len(ROWS)


def test_a_sample_that_does_not_fit_under_the_cap_stops_no_cheaper_one(
    tmp_path: Path, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_dollar_a_token = Price(read=Decimal(10**6), written=Decimal(0))
    monkeypatch.setattr(sitting, "price_of", lambda _: a_dollar_a_token)
    planned(tmp_path / "whole", ROWS, [HOSTED], named=True)
    judged_by_models(tmp_path / "whole")
    bounds = [most_tokens(received.prompt) for received in endpoint.received]
    planned(tmp_path / "e", ROWS, [HOSTED], named=True)

    with pytest.raises(BudgetError, match="the next may cost"):
        judged_by_models(
            tmp_path / "e", limits=Limits(max_cost=Decimal(max(bounds) - 1), concurrency=1)
        )

    # Each answer costs $21, and the four cheaper samples may cost $32 less than the four others.
    assert sorted(bounds) == [min(bounds)] * 4 + [min(bounds) + 32] * 4
    assert len(endpoint.received) - len(bounds) == 2


def test_a_judge_that_is_no_longer_the_same_is_refused(
    tmp_path: Path, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned(tmp_path / "e", ROWS, [HOSTED])
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")

    with pytest.raises(UsageError, match="endpoint is"):
        judged_by_models(tmp_path / "e")


def test_the_key_lands_nowhere(tmp_path: Path, endpoint: Endpoint) -> None:
    planned(tmp_path / "e", ROWS, [HOSTED])
    judged_by_models(tmp_path / "e")

    for path in (tmp_path / "e").rglob("*"):
        assert path.is_dir() or b"sk-canary" not in path.read_bytes()


# ------------------------------------------------------------------------------------ planning


def entries(*cells: tuple[str, str, str], output: str = "text") -> list[Entry]:
    return [
        Entry(
            unit=Unit(question_id=q, prompt_variant=v, target_model=t, output_id=f"{q}{v}{t}"),
            output=output,
        )
        for q, v, t in cells
    ]


def test_judge_7_1_gaps_and_repeats_are_found_before_any_call() -> None:
    request = Request(judges=["j"], methods=("cross_judge",))
    holed = entries(("1", "A", "m"), ("1", "B", "m"), ("2", "A", "m"))

    assert [f.clause for f in problems(holed, request)] == ["JUDGE-7.1"]
    assert "JUDGE-7.2" in [f.clause for f in problems([*holed, holed[0]], request)]
    allowed = Request(judges=["j"], methods=("cross_judge",), allow_gaps=True)
    assert problems(holed, allowed) == []


def test_a_judge_without_work_and_a_blank_output_are_named() -> None:
    request = Request(judges=["m"], methods=("cross_judge",))

    findings = problems(entries(("1", "A", "m"), output=" "), request)

    assert [(f.clause, f.severity) for f in findings] == [
        ("JUDGE-4.1", "warning"),
        ("JUDGE-1", "error"),
    ]


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "e").mkdir()
    (tmp_path / "e" / "mine").write_text("x", "utf-8")

    with pytest.raises(UsageError, match="is not empty"):
        planned(tmp_path / "e", ROWS, ["mock/judge"])
    assert [path.name for path in (tmp_path / "e").iterdir()] == ["mine"]
