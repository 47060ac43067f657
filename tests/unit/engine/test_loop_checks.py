"""What judges are asked of an optimiser's final, and what stands in the checks (Reading R93)."""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from epc.engine.loop_checks import Checking, _judge_requests, _labels, _mean, _own_scores, expect
from epc.errors import UsageError
from epc.records.loop import (
    EXECUTED,
    Execution,
    LoggedOutput,
    LoopPlan,
    PlannedJudge,
    append,
    labels_file,
)

DIGEST = "f" * 64
TEXTS = {"i1": "1" * 64, "i2": "2" * 64}


def judge(model: str) -> PlannedJudge:
    return PlannedJudge(model=model, platform="p")


def checking(folder: Path, *, a: str = "mock/judge", b: str = "", **fields: Any) -> Checking:
    plan: dict[str, Any] = {
        "time": "t", "log": "0" * 64, "seed": "s", "final": "f", "draw_seed": 1, "judge": judge(a),
        "test": ("i1", "i2"), "texts": TEXTS, "gold": ("i1", "i2"), "gold_twice": (),
        "repeats": (), "judge_b": judge(b) if b else None,
    }  # fmt: skip
    return Checking(
        log=folder / "run.log.jsonl", plan=LoopPlan(**plan | fields), plan_sha256=DIGEST,
        decoding={}, stored_values={
            ("output", "o"): "old", ("item", "i1"): "four", ("candidate", "s"): "x" * 99
        },
    )  # fmt: skip


def done(candidate: str, item: str, output: str, **fields: Any) -> Execution:
    fixed = {"value": output, "prompt": f"Judge {output}", "score": None, "gold": None, "time": "t"}
    return Execution(candidate=candidate, item=item, output=output, **fixed | fields)


def executed(**fields: Any) -> dict[tuple[str, str], Execution]:
    """On i1 seed and final say the same, on i2 they do not."""
    rows = [done("s", "i1", "x", **fields), done("f", "i1", "x", **fields),
            done("s", "i2", "y", **fields), done("f", "i2", "z", **fields)]  # fmt: skip
    return {(row.candidate, row.item): row for row in rows}


def test_an_output_that_is_the_same_before_and_after_is_asked_once_for_both(tmp_path: Path) -> None:
    wanted = [*_judge_requests(checking(tmp_path), executed())]

    assert [(one.role, one.text, one.places) for one in wanted] == [
        ("judge", "Judge x", (("s", "i1"), ("f", "i1"))),
        ("judge", "Judge y", (("s", "i2"),)),
        ("judge", "Judge z", (("f", "i2"),)),
    ]
    assert [one.occasion for one in wanted] == [f"{DIGEST}/{where}" for where in (
        "i1/x", "i2/y", "i2/z",
    )]  # fmt: skip


def test_logged_outputs_are_asked_again_of_judge_a_alone(tmp_path: Path) -> None:
    again = (LoggedOutput(candidate="c", item="i9", output="o"),)
    both_checkings = checking(tmp_path, b="mock/careless-judge", repeats=again)
    rows = executed() | {("c", "i9"): done("c", "i9", "o")}

    wanted = [*_judge_requests(both_checkings, rows)]

    assert [one.role for one in wanted] == [*["judge", "judge-b"] * 3, "judge"]
    assert (wanted[-1].occasion, wanted[-1].places) == (f"{DIGEST}/again/i9/c", (("c", "i9"),))
    assert both_checkings.wanted == {
        ("s", "i1"): None, ("f", "i1"): None, ("s", "i2"): None, ("f", "i2"): None,
        ("c", "i9"): "old",
    }  # fmt: skip
    assert both_checkings.judges == {"judge": "mock/judge", "judge-b": "mock/careless-judge"}


def test_a_program_s_own_score_asks_nobody_and_counts_once_for_equal_outputs(
    tmp_path: Path,
) -> None:
    rows = executed(score=3.0)
    rows["f", "i1"] = done("f", "i1", "x", score=9.0)

    assert [*_judge_requests(checking(tmp_path), rows)] == []
    checks = [*_own_scores(checking(tmp_path), rows)]
    assert [(c.candidate, c.item, c.score, c.judge) for c in checks] == [
        ("s", "i1", 3.0, "mock/judge"), ("f", "i1", 3.0, "mock/judge"),
        ("s", "i2", 3.0, "mock/judge"), ("f", "i2", 3.0, "mock/judge"),
    ]  # fmt: skip
    assert (checks[0].plan, checks[0].text, checks[0].asking) == (DIGEST, "1" * 64, 0)
    assert [*_own_scores(checking(tmp_path), executed())] == []
    b = [*_judge_requests(checking(tmp_path, b="mock/careless-judge"), executed(score=3.0))]
    assert [one.role for one in b] == ["judge-b"] * 3


@pytest.mark.parametrize(
    ("named", "given", "words"),
    [
        ({"a": ""}, {}, "neither log nor plan names a judge"),
        ({"b": "mock/careless-judge"}, {"score": 1.0, "prompt": None}, "judge B cannot be asked"),
    ],
)
def test_whoever_cannot_be_asked_is_said_with_what_to_do(
    named: Mapping[str, str], given: Mapping[str, Any], words: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=words):
        [*_judge_requests(checking(tmp_path, **named), executed(**given))]


def test_labels_are_the_program_s_or_those_of_a_file_that_tells_nothing(tmp_path: Path) -> None:
    of = checking(tmp_path, gold_twice=("i2",))
    file = labels_file(of.log)

    assert [(c.judge, c.score) for c in _labels(of, executed(gold=1.0))] == [("gold", 1.0)] * 4
    assert not file.exists(), "nobody has to label anything"
    assert [*_labels(of, executed())] == []
    lines = [*csv.DictReader(file.read_text().splitlines())]
    asked = sorted((line["item"], line["output"], line["asking"]) for line in lines)
    assert asked == [("i1", "x", "0"), ("i2", "y", "0"), ("i2", "y", "1"), ("i2", "z", "0"),
                     ("i2", "z", "1")]  # fmt: skip
    file.write_text("item,output,asking,score,text\ni1,x,0,1,t\ni2,y,1,0,t\ni2,z,0,,t\n")
    entries = [(c.candidate, c.item, c.score, c.asking) for c in _labels(of, executed())]
    assert entries == [("s", "i1", 1, 0), ("f", "i1", 1, 0), ("s", "i2", 0, 1)]


def test_a_forecast_counts_both_outputs_of_each_item_and_every_output_asked_again(
    tmp_path: Path,
) -> None:
    again = (LoggedOutput(candidate="c", item="i9", output="o"),)
    of = checking(tmp_path, a="openai/gpt-4o", b="openai/gpt-4o-mini", repeats=again)

    shares = expect(of)

    assert {name: share.calls.expected for name, share in shares.items()} == {
        "judge": 5, "judge-b": 4,
    }  # fmt: skip
    # The kept texts but a candidate's have 3 and 4 characters: 2 times a mean of 4 (3.5 to even).
    assert shares["judge"].tokens_in.expected == 5 * 8 / 4
    of.folder.mkdir()
    append(of.folder / EXECUTED, [done("s", "i1", "x", prompt="p" * 100)])
    assert expect(of)["judge"].tokens_in.expected == 5 * 100 / 4
    assert [*expect(checking(tmp_path, a="metric"))] == []
    assert [_mean(texts) for texts in ([], ["abc"], ["a", "abcd"])] == [0, 3, 2]
