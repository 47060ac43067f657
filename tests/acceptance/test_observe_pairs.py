"""Sources of compared pairs: AlpacaEval, JudgeBench and Auto-J, on invented ones (Reading R77)."""

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from alpaca_support import alpaca, written
from records_support import epc

from epc.records.verdicts.converting import digest

Converted = tuple[dict[str, Any], list[dict[str, Any]]]


def converted(source: Path, shape: str, *arguments: str) -> Converted:
    out = source.parent / f"{source.name}.jsonl"
    done = epc("observe", "import", source, "--shape", shape, "--out", out, *arguments)
    assert done.returncode == 0, done.stdout
    header, *rows = map(json.loads, out.read_text().splitlines())
    return header, rows


def field_values(rows: Sequence[dict[str, Any]], *fields: str) -> list[tuple[Any, ...]]:
    return [tuple(row.get(field) for field in fields) for row in rows]


# AlpacaEval ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def alpaca_eval(tmp_path_factory: pytest.TempPathFactory) -> Converted:
    return converted(alpaca(tmp_path_factory.mktemp("sources") / "alpaca"), "alpaca-eval")


def test_reading_r77_alpaca_eval_gives_verdicts_and_probabilities(alpaca_eval: Converted) -> None:
    _, rows = alpaca_eval

    assert field_values(rows, "setting", "item", "verdict", "a_score", "b_score", "repeat") == [
        ("plain", "baseline/new/0", "b", None, None, None),
        ("plain", "baseline/new/1", "a", None, None, None),
        ("plain", "baseline/new/2", "unreadable", None, None, None),
        ("weighted", "baseline/new/0", None, 0.25, 0.75, None),
        ("weighted", "baseline/new/1#2", None, 0.5, 0.5, None),  # another text to question 1
        ("plain", "baseline/new/1", "b", None, None, 1),
    ]
    assert rows[0]["a_by"] == "baseline"
    assert rows[0]["b_by"] == "new"
    assert rows[0]["answer_sha256"] == digest("[m]")
    assert rows[4]["answer_sha256"] == digest('{"token":"M"}')


def test_reading_r77_alpaca_eval_what_is_no_evidence_is_counted(alpaca_eval: Converted) -> None:
    assert list(alpaca_eval[0]["left_out"].values()) == [1, 2]  # a copy; equal texts


def test_reading_r77_alpaca_eval_the_place_is_the_one_that_its_code_draws(
    alpaca_eval: Converted,
) -> None:
    _, rows = alpaca_eval
    places = {row["question_sha256"]: row["first"] for row in rows}

    for question in ("One?", "Two?", "Three?"):
        # The source's own words: seed, the question, the seed 0; one of no switch and a switch.
        is_switched = Random(f"is_switched_outputs{question}0").choices([False, True])[0]
        assert places[digest(question)] == ("b" if is_switched else "a")


def test_reading_r77_alpaca_eval_states_licence_prompt_and_decoding(
    alpaca_eval: Converted,
) -> None:
    header, rows = alpaca_eval

    assert header["source"]["licence"] == "CC-BY-NC-4.0"
    assert header["settings"]["plain"] == {
        "date": "unknown",
        "decoding": {"temperature": 0},
        "judge": {"model": "judge-0613", "name": "plain", "platform": "unknown"},
        "prompt": {"name": "plain/prompt.txt", "sha256": digest("Which is better?")},
    }
    assert header["settings"]["weighted"]["prompt"]["sha256"] == "unknown"
    assert "a_text" not in rows[0]


def test_reading_r77_texts_under_a_non_commercial_licence_are_refused(tmp_path: Path) -> None:
    source, out = alpaca(tmp_path / "source"), tmp_path / "o.jsonl"

    done = epc("observe", "import", source, "--shape=alpaca-eval", "--texts", "--out", out)

    assert done.returncode == 1
    assert "o.jsonl:1/source/texts: CC-BY-NC-4.0 does not let the texts" in done.stdout.decode()
    assert not out.exists()


# JudgeBench ---------------------------------------------------------------------------------------


def judged(number: int, *decisions: str | None, **further_fields: Any) -> dict[str, Any]:
    answer = {"judge_model": "judge-2024", "prompt": "p", "response": "[[A>B]]"}
    return {
        "pair_id": f"pair-{number}",
        "original_id": None,
        "source": "maths",
        "question": f"{number}?",
        "response_model": "writer",
        "response_A": "yes",
        "response_B": "no",
        "label": "B>A",
        "judge_name": "vanilla",
        "judgments": [{"judgment": answer, "decision": decision} for decision in decisions],
        **further_fields,
    }


def scores(a: float, b: float) -> dict[str, Any]:
    said = {"judge_model": "org/reward", "prompt": "", "response": "", "scores": [a, b]}
    return {"judgment": said, "decision": "A>B" if a > b else "B>A"}


def test_reading_r77_judgebench_turns_decisions_back_and_takes_scores_once(tmp_path: Path) -> None:
    same = {"response_B": "yes"}
    rewarded = {"judge_name": "reward_model", "judgments": [scores(2, 1), scores(1, 2)]}
    source = written(
        tmp_path / "source",
        {
            "utils/templates/vanilla_prompt.jinja2": "Which?",
            "outputs/vanilla.jsonl": [
                judged(1, "B>A", "A>B"),  # consistent: candidate b in both orders
                judged(2, "A>B", "A=B"),
                judged(3, None, "B>A", **same),
                judged(4, "A>B") | {"judgments": [None, None]},
            ],
            "outputs/reward.jsonl": [judged(1, **rewarded)],
        },
    )

    header, rows = converted(source, "judgebench")

    vanilla = "vanilla/judge-2024"
    assert field_values(
        rows, "item", "setting", "first", "verdict", "gold", "a_score", "b_score"
    ) == [
        ("pair-1", "reward_model/org/reward", None, None, "b", 2, 1),
        ("pair-1", vanilla, "a", "b", "b", None, None),
        ("pair-1", vanilla, "b", "b", "b", None, None),
        ("pair-2", vanilla, "a", "a", "b", None, None),
        ("pair-2", vanilla, "b", "tie", "b", None, None),
        ("pair-3", vanilla, "a", "unreadable", None, None, None),
        ("pair-3", vanilla, "b", "a", None, None, None),
    ]
    assert header["left_out"] == {
        "records of reward models that mirror the one before": 1,
        "requests that failed": 2,
    }
    assert header["settings"][vanilla]["prompt"] == {"name": "vanilla", "sha256": digest("Which?")}


# Auto-J -------------------------------------------------------------------------------------------


def auto_j(folder: Path) -> Path:
    pair = {"scenario": "s", "prompt": "q", "response 1": "one", "response 2": "two"}
    item = {"scenario": "s", "prompt": "q", "response": "r"}
    return written(
        folder,
        {
            "data/test/testdata_pairwise.jsonl": [pair | {"label": 0}, pair | {"label": 2}],
            "data/outputs/pairwise_example_output.jsonl": [{"output": 0}, {"output": 2}],
            "data/outputs/pairwise_exchange_example_output.jsonl": [{"output": 1}, {"output": 1}],
            "data/test/testdata_critique.jsonl": [item, item],
            "data/outputs/critique_example_output.jsonl": [{"output": "x"}, {"output": "y"}],
            "data/test/reference_chatgpt_critique.jsonl": [{"output": "z"}, {"output": "w"}],
            "data/outputs/gpt-4-Eval_auto-j_vs_chatgpt.jsonl": [
                {"output": "A: Feedback 1 is better.", "meta": {"exchange": True}},
                {"output": "Failed!", "meta": {"exchange": False}},
            ],
        },
    )


def test_reading_r77_auto_j_has_both_orders_and_what_people_said(tmp_path: Path) -> None:
    _, rows = converted(auto_j(tmp_path / "source"), "auto-j")

    assert field_values(rows, "item", "first", "verdict", "humans", "a_by") == [
        ("pair/0", "a", "a", ["a"], None),
        ("pair/1", "a", "tie", ["tie"], None),
        ("pair/0", "b", "a", ["a"], None),  # the second place, where a stood
        ("pair/1", "b", "a", ["tie"], None),
        ("critique/0", "b", "b", None, "auto-j"),  # the first place, where b stood
        ("critique/1", "a", "unreadable", None, "auto-j"),
    ]
