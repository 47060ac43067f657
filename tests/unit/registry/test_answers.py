"""Whether a repetition has answers of its own (Reading R76)."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from epc.records.manifest import Manifest
from epc.records.row_types import Call
from epc.registry.answers import re_executed
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


@pytest.mark.parametrize(
    ("own", "other", "said"),
    [
        (judged("ABAB"), judged("ABAB"), "all 4 verdicts on what both asked"),
        (judged("ABAB"), judged("ABAA"), ""),
        (judged("ABABAB"), judged("ABAB"), "all 4 verdicts on what both asked"),
        (judged("ABAB"), judged("ABAB", first=1), ""),  # pair 1 was A, and is B now
        (judged("AAAA"), judged("AAAA", first=2), "all 2 verdicts on what both asked"),
        (judged("AAAA"), judged("AAAA", first=3), ""),  # one of four: less than half
        (judged("AB"), judged("AB", first=9), ""),
        ([], [], ""),
    ],
)
def test_reading_r76_equal_verdicts_are_no_second_measurement(
    own: list[Call], other: list[Call], said: str
) -> None:
    assert re_executed(own, other) == said


@pytest.mark.parametrize(
    ("texts", "model", "said"),
    [
        ("wxyz", "openai/gpt-4o", "4 of the executor's 4 texts"),
        ("wxuv", "openai/gpt-4o", "2 of the executor's 4 texts"),
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

    assert re_executed(own, other) == said


def test_reading_r76_answers_that_were_taken_over_in_part_are_counted() -> None:
    """Three of four are copies; that the fourth differs makes them no answers of their own."""
    asked = [
        replace(each, id=each.prompt, latency_s=n + 1.5, answered_at=f"2026-07-0{n + 1}")
        for n, each in enumerate(judged("ABAB"))
    ]
    anew = [replace(each, latency_s=(each.latency_s or 0) + 1e-9) for each in asked]
    turned = replace(anew[3], answer="A")

    assert re_executed([*asked[:3], turned], asked) == "3 of the evaluator's 4 answers"
    assert re_executed([*anew[:3], turned], asked) == ""


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
