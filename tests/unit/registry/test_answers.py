"""Whether a repetition has answers of its own (Reading R76)."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from epc.records.manifest import Manifest
from epc.records.row_types import Call
from epc.registry.answers import calls_of, re_executed, request_ids
from epc.registry.submissions.identity import Verdicts, verdicts

SNAPSHOTS = Path(__file__).parents[3] / "snapshots"


def call(role: str, prompt: str, answer: str, model: str = "openai/gpt-4o") -> Call:
    return Call(
        id="0" * 20,
        role=role,
        model=model,
        served_model=None,
        system_fingerprint=None,
        prompt=prompt,
        answer=answer,
        finish_reason=None,
        tokens_in=None,
        tokens_out=None,
        latency_s=None,
        occasion=None,
        retries=0,
    )


def judged(said: str, first: int = 0) -> list[Call]:
    """Return an evaluator's calls: a letter an answer, of questions from a number on."""
    return [call("evaluator", f"pair {first + n}", letter) for n, letter in enumerate(said)]


def written(texts: str, model: str = "openai/gpt-4o") -> list[Call]:
    return [call("executor", f"task {n}", text, model) for n, text in enumerate(texts)]


def fresh(calls: list[Call], day: str = "2026-07-02") -> list[Call]:
    """Return calls that each have a time and a request id of their own."""
    return [
        replace(each, answered_at=f"{day}T00:00:{n:02}Z", origin="asked", request_id=f"{day}-{n}")
        for n, each in enumerate(calls)
    ]


@pytest.mark.parametrize(
    ("own", "other", "said"),
    [
        (judged("ABAB"), judged("ABAB"), "all 4 verdicts on what both asked are the other's"),
        (judged("ABAB"), judged("ABAA"), ""),
        (judged("ABABAB"), judged("ABAB"), "all 4 verdicts on what both asked are the other's"),
        (judged("ABAB"), judged("ABAB", first=1), ""),  # pair 1 was A, and is B now
        (
            judged("AAAA"),
            judged("AAAA", first=2),
            "all 2 verdicts on what both asked are the other's",
        ),
        (judged("AAAA"), judged("AAAA", first=3), ""),  # one of four: less than half
        (judged("AB"), judged("AB", first=9), ""),
        ([], [], ""),
    ],
)
def test_reading_r76_equal_verdicts_are_no_second_measurement(
    own: list[Call], other: list[Call], said: str
) -> None:
    assert re_executed(fresh(own), other) == said


@pytest.mark.parametrize(
    ("texts", "model", "said"),
    [
        ("wxyz", "openai/gpt-4o", "4 of the executor's 4 texts are the other's"),
        ("wxuv", "openai/gpt-4o", "2 of the executor's 4 texts are the other's"),
        ("wtuv", "openai/gpt-4o", ""),
        ("wxyz", "mock/deterministic", ""),
        ("wxyz", "local/smollm2-135m", ""),
    ],
)
def test_reading_r76_texts_that_are_sampled_anew_do_not_come_twice(
    texts: str, model: str, said: str
) -> None:
    """With three verdicts turned, so that these alone would not show it."""
    own = [*judged("BAAB"), *written(texts, model)]
    other = [*judged("AAAB"), *written("wxyz", model)]

    assert re_executed(fresh(own), other) == said


COPY = fresh(judged("ABAB"))
LATER = fresh(judged("ABAA"), "2026-07-03")


@pytest.mark.parametrize(
    ("own", "said"),
    [
        (LATER, ""),
        ([*COPY[:3], LATER[3]], "3 of the evaluator's 4 answers have the other's times"),
        (
            [replace(each, latency_s=9.0, request_id=f"x{n}") for n, each in enumerate(COPY)],
            "4 of the evaluator's 4 answers have the other's times",
        ),
        (
            [replace(each, answered_at=None) for each in LATER],
            "4 of the evaluator's 4 answers are not known to be fresh",
        ),
        (
            [replace(LATER[0], origin="cache"), *LATER[1:]],
            "1 of the evaluator's 4 answers are not known to be fresh",
        ),
        ([replace(LATER[0], origin="batch"), *LATER[1:]], ""),
        (
            [replace(LATER[0], request_id=None), *LATER[1:]],
            "1 of the evaluator's 4 answers have no request id of their own",
        ),
        (
            [replace(each, request_id="one") for each in LATER],
            "3 of the evaluator's 4 answers have no request id of their own",
        ),
        ([replace(e, request_id=None, model="ollama/x") for e in LATER], ""),
        ([replace(e, request_id=None, answered_at=None, model="local/x") for e in LATER], ""),
    ],
)
def test_reading_r76_a_replication_shows_that_each_answer_is_fresh(
    own: list[Call], said: str
) -> None:
    """With one verdict turned, so that the verdicts alone would not show it."""
    assert re_executed(own, COPY) == said


def test_reading_r76_a_server_of_ones_own_names_no_request_for_good() -> None:
    named = {
        model: len(request_ids(replace(each, model=model) for each in COPY))
        for model in ("openai/gpt-4o", "openrouter/x/y", "ollama/gpt-4o", "local/x", "mock/x")
    }

    assert named == {"openai/gpt-4o": 4, "openrouter/x/y": 4, "ollama/gpt-4o": 0} | dict.fromkeys(
        ("local/x", "mock/x"), 0
    )


def test_verdicts_are_held_against_each_other_pair_by_pair() -> None:
    published = json.loads(next(SNAPSHOTS.glob("v*/manifest.json")).read_text("utf-8"))

    def manifest(rows: list[list[int]]) -> Manifest:
        tasks = {"text": ["one", "two", "three", "four"], "visual": list[str]()}
        counts = {"text": {"synthesis": rows}, "visual": {"synthesis": list[list[int]]()}}
        table = {"repeated": False, "counts": counts}
        results = {**published["results"], "verdict_table": table}
        return Manifest.parse({**published, "tasks": tasks, "results": results})

    own = verdicts(manifest([[3, 0, 0], [0, 2, 0], [1, 1, 0], [0, 0, 0]]))
    other = verdicts(manifest([[9, 1, 0], [4, 0, 0], [0, 0, 2], [5, 0, 0]]))

    assert sorted(own.said) == ["-", "=", "A", "B"]
    assert own.shared(other) == (2, 3)
    assert own.shared(Verdicts(asked="others", said="AAAA")) == (0, 0)
    # 9 of 10, none, and none: it said A or B where the other said tie.
    assert own.agreement(other) == pytest.approx(0.9 / 3)
    assert own.agreement(Verdicts(asked="others", said="AAAA")) is None


def test_the_calls_of_a_run_are_those_of_its_file(tmp_path: Path) -> None:
    row = {
        "id": "0" * 20,
        "role": "evaluator",
        "model": "m",
        "prompt": "p",
        "answer": "A",
        **dict.fromkeys(("served_model", "system_fingerprint", "finish_reason", "tokens_in")),
        **dict.fromkeys(("tokens_out", "latency_s", "occasion")),
        "retries": 0,
    }
    (tmp_path / "calls.jsonl").write_text(json.dumps(row) + "\nno call\n")

    assert calls_of(tmp_path) == [call("evaluator", "p", "A", model="m")]
