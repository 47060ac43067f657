"""Reading R93: the recorder asks nothing, changes nothing, and writes what the metric returned."""

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import epc
from epc.errors import UsageError
from epc.records.loop import digest, read_kept, read_log, text_digest

JUDGE = "openai/gpt-5.4-nano"
TRAIN = [{"id": f"t{number}", "question": f"train {number}?"} for number in range(2)]
VAL = [{"id": f"v{number}", "question": f"validate {number}?"} for number in range(3)]
SPLITS = {"train": TRAIN, "val": VAL}


@dataclass
class Batch:
    """Result of GEPA's adapters."""

    outputs: list[str]
    scores: list[float]
    trajectories: list[str] | None = None


class Adapter:
    """An adapter with a part of its own, as GEPA's have."""

    propose_new_texts = None

    def __init__(self) -> None:
        self.asked = 0

    def evaluate(
        self, batch: list[Any], candidate: Mapping[str, str], *, capture_traces: bool = False
    ) -> Batch:
        self.asked += 1
        outputs = [f"{candidate['system']} {item['question']}" for item in batch]
        return Batch(outputs, [len(o) / 100 for o in outputs], outputs if capture_traces else None)

    def make_reflective_dataset(self, *names: str) -> list[str]:
        return [*names]


def recorded(folder: Path, target: Any, splits: Any = SPLITS) -> Any:
    return epc.loop.record(target, judge=JUDGE, split_of=splits, out=folder / "run.loop.jsonl")


def test_reading_r93_an_adapter_is_asked_once_and_its_result_goes_on_unchanged(
    tmp_path: Path,
) -> None:
    adapter, candidate = Adapter(), {"system": "Think."}
    wrapped = recorded(tmp_path, adapter)
    result = wrapped.evaluate([*TRAIN, VAL[0]], candidate, capture_traces=True)

    assert adapter.asked == 1
    assert result == Adapter().evaluate([*TRAIN, VAL[0]], candidate, capture_traces=True)
    assert wrapped.make_reflective_dataset("system") == ["system"]
    assert wrapped.propose_new_texts is None
    rows = read_log(tmp_path / "run.loop.jsonl").rows
    assert [(row.candidate, row.item, row.split, row.seq, row.batch) for row in rows] == [
        (digest(candidate), "t0", "train", 1, 1),
        (digest(candidate), "t1", "train", 2, 1),
        (digest(candidate), "v0", "val", 3, 1),
    ]
    assert [row.score for row in rows] == result.scores
    assert {row.judge for row in rows} == {JUDGE}
    assert rows[0].text == text_digest("Train 0?")


def test_reading_r93_what_identifiers_stand_for_is_kept_once(tmp_path: Path) -> None:
    wrapped, candidate = recorded(tmp_path, Adapter()), {"system": "Think."}
    for _ in range(2):
        wrapped.evaluate(VAL, candidate)
    kept_record = read_kept(tmp_path / "run.kept.jsonl")
    lines = (tmp_path / "run.kept.jsonl").read_text("utf-8").splitlines()

    assert kept_record["candidate", digest(candidate)] == candidate
    assert kept_record["item", "v1"] == VAL[1]
    assert kept_record["output", digest("Think. validate 1?")] == "Think. validate 1?"
    assert len(lines) == 1 + 3 + 3


def test_reading_r93_a_metric_is_recorded_for_the_candidate_of_its_block(tmp_path: Path) -> None:
    def metric(example: dict[str, str], prediction: str, trace: object = None) -> bool:
        return prediction == example["id"] and trace is None

    wrapped = recorded(tmp_path, metric)
    with wrapped.candidate("first"):
        assert wrapped(VAL[0], "v0") is True
        assert wrapped(example=VAL[1], prediction="no", trace=None) is False

    rows = read_log(tmp_path / "run.loop.jsonl").rows
    assert [(row.candidate, row.item, row.score) for row in rows] == [
        ("first", "v0", 1.0),
        ("first", "v1", 0.0),
    ]
    assert wrapped.__name__ == "metric"


@pytest.mark.parametrize("kind", ["number", "mapping", "attribute", "tuple", "none"])
def test_reading_r93_a_score_is_found_where_metrics_put_it(tmp_path: Path, kind: str) -> None:
    @dataclass
    class Prediction:
        score: float
        feedback: str = "fine"

    returned: Any = {
        "number": 0.25,
        "mapping": {"score": 0.25, "feedback": "fine"},
        "attribute": Prediction(0.25),
        "tuple": (0.25, "fine"),
        "none": None,
    }[kind]
    wrapped = recorded(tmp_path, lambda *_: returned)
    with wrapped.candidate("a"):
        assert wrapped(VAL[0], "x") is returned
        wrapped_line = (tmp_path / "run.loop.jsonl").read_text("utf-8")

    scores = [json.loads(line)["score"] for line in wrapped_line.splitlines()]
    assert scores == ([] if kind == "none" else [0.25])


def test_reading_r93_a_metric_outside_of_a_candidates_block_is_refused(tmp_path: Path) -> None:
    wrapped = recorded(tmp_path, lambda *_: 1.0)

    with pytest.raises(UsageError, match="say whose output it is"):
        wrapped(VAL[0], "x")
    with (
        wrapped.candidate("a"),
        pytest.raises(UsageError, match="one candidate at a time"),
        wrapped.candidate("b"),
    ):
        pass


def test_reading_r93_threads_of_one_candidate_are_all_recorded(tmp_path: Path) -> None:
    wrapped = recorded(tmp_path, lambda *_: 1.0)
    with wrapped.candidate("a"):
        threads = [
            threading.Thread(target=lambda: [wrapped(item, "x") for item in VAL * 20])
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    rows = read_log(tmp_path / "run.loop.jsonl").rows
    assert sorted(row.seq or 0 for row in rows) == [*range(1, 481)]


def test_reading_r93_a_run_that_goes_on_appends(tmp_path: Path) -> None:
    for _ in range(2):
        recorded(tmp_path, Adapter()).evaluate(VAL, {"system": "Think."})

    rows = read_log(tmp_path / "run.loop.jsonl").rows
    assert [row.seq for row in rows] == [1, 2, 3, 4, 5, 6]
    assert [row.batch for row in rows] == [1, 1, 1, 2, 2, 2]
    assert len(read_kept(tmp_path / "run.kept.jsonl")) == 7


def test_reading_r93_an_item_of_no_split_and_a_target_that_scores_nothing_are_refused(
    tmp_path: Path,
) -> None:
    with pytest.raises(UsageError, match="no split for the item x"):
        recorded(tmp_path, Adapter()).evaluate([{"id": "x", "question": "?"}], {"system": "a"})
    with pytest.raises(UsageError, match="record a metric"):
        recorded(tmp_path, 7)


def test_reading_r93_a_function_may_say_the_split(tmp_path: Path) -> None:
    wrapped = recorded(tmp_path, Adapter(), lambda item: item["id"][0])
    wrapped.evaluate([TRAIN[0], VAL[0]], {"system": "a"})

    assert [row.split for row in read_log(tmp_path / "run.loop.jsonl").rows] == ["t", "v"]
