"""Evaluators that score each answer by itself: what they say, and that a place says nothing."""

import asyncio
import json
from pathlib import Path

import pytest
from engine_support import epc

from epc.engine.local.models import open_local
from epc.engine.local.scoring import count_words
from epc.engine.model import Prompt
from epc.protocol.config import REFERENCE_DECODING
from epc.protocol.prompt import Pair

TASK = "Explain why the sky is blue."
LONGER = "The sky is blue because air scatters blue light most."
SHORTER = "Buses come late."


def verdict(response: str, baseline: str) -> str:
    pair = Pair(domain="text", task=TASK, strategy="s", response=response, baseline=baseline)
    completion = open_local("word-count").complete(Prompt(text="", pair=pair), REFERENCE_DECODING)
    return asyncio.run(completion).text.splitlines()[0]


def test_words_are_counted_by_the_rule_that_is_documented() -> None:
    # Don't | stop | well-known | facts | 42
    assert count_words("Don't stop - well-known facts, 42!") == 5


def test_epc_2_6_a_score_says_nothing_by_place() -> None:
    assert verdict(LONGER, SHORTER) == "A"
    assert verdict(SHORTER, LONGER) == "B"
    assert verdict(LONGER, LONGER) == "tie"
    assert verdict(SHORTER, " \n") == "A"
    assert verdict("", "") == "tie"


def test_epc_2_6_what_stands_after_the_judged_characters_decides_nothing() -> None:
    assert verdict("a " * 150 + "b " * 50, "a " * 150) == "tie"


def test_a_run_judged_by_scores_validates(tmp_path: Path) -> None:
    run = tmp_path / "run"

    done = epc(
        "run", "--evaluator", "local/word-count", "--executor", "mock/deterministic",
        "--seeds", "0-1", "--rounds", "2", "--out", run,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    manifest = json.loads((run / "manifest.json").read_text())
    assert manifest["protocol_version"] == "EPC-v1.0-AltEvaluator+AltRounds"
    assert manifest["evaluator"]["method"] == "score"
    assert manifest["config"]["reuse"] == "memo"
    checked = epc("validate", run)
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize(
    "name",
    ["minilm-l6-relevance", "wordllama-relevance", "vader-sentiment", "flesch-reading-ease"],
)
def test_a_model_that_left_the_program_says_what_to_do_instead(name: str) -> None:
    done = epc("run", "--evaluator", f"local/{name}", "--executor", "mock/deterministic")

    assert done.returncode == 2
    assert f"local/{name} is no longer part of the program\n  fix: " in done.stderr
    assert "--evaluator recorded:FILE" in done.stderr
