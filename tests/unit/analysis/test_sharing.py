"""Answers that two records share (Reading R76): which are one answer, and which are two."""

from pathlib import Path
from typing import Any

import pytest
from engine_support import call
from hypothesis import given
from hypothesis import strategies as st
from records_support import Run

from epc.analysis.sharing import (
    Answer,
    answer_of,
    is_one,
    shared,
    shared_by_runs,
)
from epc.records.calls import call_of
from epc.records.manifest import Manifest
from epc.records.rows import origin_of_run

SUM = "0123456789abcdef" * 4
HOSTED = {**call(1), "latency_s": 0.731204518, "reply": '{"id": "chatcmpl-1"}'}


def answers(*rows: dict[str, Any]) -> dict[str, Answer]:
    return {row["id"]: answer_of(call_of(row)) for row in rows}


@pytest.mark.parametrize(
    ("changed", "one"),
    [
        ({}, True),
        ({"origin": "cache"}, True),
        ({"origin": f"run:{SUM}"}, True),
        ({"answered_at": None}, True),  # an old record does not say
        ({"answered_at": "2026-07-02T00:00:01Z"}, False),
        ({"latency_s": 0.731204519}, False),
        ({"latency_s": None}, True),
        ({"reply": '{"id": "chatcmpl-2"}'}, False),
        ({"answer": "B"}, False),
    ],
)
def test_reading_r76_two_answers_differ_in_what_both_records_state(
    changed: dict[str, Any],
    one: bool,  # noqa: FBT001  (pytest hands it over by name)
) -> None:
    assert is_one(answer_of(call_of(HOSTED)), answer_of(call_of({**HOSTED, **changed}))) is one
    assert is_one(answer_of(call_of({**HOSTED, **changed})), answer_of(call_of(HOSTED))) is one


def test_reading_r76_an_answer_taken_from_the_other_run_is_shared_whatever_it_says() -> None:
    edited = {**HOSTED, "latency_s": 0.5, "origin": f"run:{SUM}"}

    assert shared(answers(HOSTED), answers(edited)).count == 0
    assert shared(answers(HOSTED), answers(edited), sums=[SUM]).count == 1


def test_reading_r76_shares_are_counted_of_the_smaller_run() -> None:
    left = answers(*({**call(number), "latency_s": number / 7} for number in range(5)))
    right = answers(*({**call(number), "latency_s": number / 7} for number in range(3, 12)))

    shared_answers = shared(left, right)

    assert (shared_answers.count, shared_answers.answers) == (2, 5)
    assert shared_answers.names == {call(3)["id"], call(4)["id"]}
    assert shared_answers.as_json() == {"shared": 2, "answers": 5}


@given(st.sets(st.integers(0, 30)), st.sets(st.integers(0, 30)))
def test_reading_r76_sharing_has_no_direction(left: set[int], right: set[int]) -> None:
    sides = [answers(*map(call, numbers)) for numbers in (left, right)]

    assert shared(*sides) == shared(*reversed(sides))
    assert shared(*sides).count == len(left & right)


def manifest_of(
    run: Run, name: str, *, calls: tuple[int, int], **provenance: dict[str, Any]
) -> Manifest:
    """Return the manifest of a run of a provider's models, whose calls' digest is of a name."""
    document = run.manifest()
    for role, count in zip(("executor", "evaluator"), calls, strict=True):
        document[role]["endpoint"] = "https://provider"
        document["provenance"]["calls"][role] = count
    document["raw"]["calls"]["sha256"] = sum_of(name)
    document["provenance"] |= provenance
    return Manifest.parse(document)


def sum_of(name: str) -> str:
    return name * 64


def counted(
    left: Manifest, right: Manifest, folder: Path
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return what two manifests without calls share, of how many: executor's, evaluator's."""
    shared_answers = shared_by_runs(left, right, (folder / "gone", folder / "too"))
    executor, evaluator = (shared_answers[role] for role in ("executor", "evaluator"))
    return (executor.count, executor.answers), (evaluator.count, evaluator.answers)


def test_reading_r76_manifests_alone_say_what_either_took_from_the_other(
    tiny: Run, tmp_path: Path
) -> None:
    taken_by_left = {"executor": {origin_of_run(sum_of("b")): 4, origin_of_run(sum_of("c")): 5}}
    taken_by_right = {
        "executor": {origin_of_run(sum_of("a")): 2, "asked": 9},
        "evaluator": {origin_of_run(sum_of("a")): 3},
    }
    left = manifest_of(tiny, "a", calls=(20, 10), origins=taken_by_left)
    right = manifest_of(tiny, "b", calls=(15, 30), origins=taken_by_right)

    for order in ((left, right), (right, left)):
        assert counted(*order, tmp_path) == ((4 + 2, 15), (3, 10))
    few = manifest_of(tiny, "b", calls=(5, 30), origins=taken_by_right)
    assert counted(left, few, tmp_path) == ((5, 5), (3, 10))  # no more than there are


def test_reading_r76_one_campaign_asked_its_executor_once(tiny: Run, tmp_path: Path) -> None:
    def of(name: str, campaign: str) -> Manifest:
        asked = {"id": campaign, "evaluators": ["m/x", "m/y"]}
        return manifest_of(tiny, name, calls=(20, 10), campaign=asked)

    assert counted(of("a", "one"), of("b", "one"), tmp_path) == ((20, 20), (0, 10))
    assert counted(of("a", "one"), of("b", "two"), tmp_path) == ((0, 20), (0, 10))


def test_reading_r76_records_of_the_very_same_calls_share_all_of_them(
    tiny: Run, tmp_path: Path
) -> None:
    manifest = manifest_of(tiny, "a", calls=(20, 10))

    assert counted(manifest, manifest, tmp_path) == ((20, 20), (10, 10))


def test_reading_r76_a_mocks_answers_are_facts_and_none_is_shared(
    tiny: Run, tmp_path: Path
) -> None:
    assert counted(tiny.parsed(), tiny.parsed(), tmp_path) == ((0, 0), (0, 0))
