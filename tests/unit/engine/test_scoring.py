"""Evaluators that score each answer by itself: what they say, and that a place says nothing."""

import asyncio
import json
import sys
from pathlib import Path

import pytest
from engine_support import epc

from epc.engine.local import models, rules
from epc.engine.local.models import open_local
from epc.engine.local.relevance import Relevance
from epc.engine.local.rules import FleschReadingEase, VaderSentiment, WordCount
from epc.engine.local.weights import MINILM, WORDLLAMA
from epc.engine.model import Prompt
from epc.errors import UsageError
from epc.protocol.config import REFERENCE_DECODING
from epc.protocol.prompt import Pair

TASK = "Explain why the sky is blue."
BLUE = "The sky is blue because air scatters blue light most."
BUSES = "Terrible buses come late and that is sad."


def verdict(name: str, response: str, baseline: str) -> str:
    pair = Pair(domain="text", task=TASK, strategy="s", response=response, baseline=baseline)
    asked = open_local(name).complete(Prompt(text="", pair=pair), REFERENCE_DECODING)
    return asyncio.run(asked).text.splitlines()[0]


def test_words_are_counted_by_the_rule_that_is_documented() -> None:
    # Don't | stop | well-known | facts | 42
    assert WordCount()(TASK, "Don't stop - well-known facts, 42!") == 5


def test_reading_ease_is_flesch_s_formula() -> None:
    # six words, six syllables: 206.835 - 1.015 * 6 - 84.6 in one sentence, * 3 in two
    ease = FleschReadingEase()

    assert ease(TASK, "The cat sat on the mat.") == pytest.approx(116.145)
    assert ease(TASK, "The cat sat. The dog ran") == pytest.approx(119.19)
    assert ease(TASK, "?!") == 0


@pytest.mark.parametrize(
    ("word", "count"), [("make", 1), ("table", 2), ("tree", 1), ("banana", 3), ("nth", 1)]
)
def test_syllables_are_groups_of_vowels_without_a_silent_e(word: str, count: int) -> None:
    assert rules._syllables(word) == count


@pytest.mark.extra
def test_sentiment_is_what_vader_s_own_page_prints() -> None:
    sentiment = VaderSentiment()

    assert sentiment(TASK, "VADER is smart, handsome, and funny.") == 0.8316
    assert sentiment(TASK, "The book was good.") == 0.4404
    assert sentiment(TASK, "At least it isn't a horrible book.") == 0.431


@pytest.mark.extra
def test_relevance_is_what_the_weights_authors_print() -> None:
    """The three sentences of the documentation of Sentence Transformers."""
    lovely, sunny = "The weather is lovely today.", "It's so sunny outside!"
    relevance = Relevance(MINILM, models._minilm)

    assert relevance(lovely, sunny) == pytest.approx(0.6660, abs=5e-5)
    assert relevance(lovely, "He drove to the stadium.") == pytest.approx(0.1046, abs=5e-5)
    assert relevance(sunny, "He drove to the stadium.") == pytest.approx(0.1411, abs=5e-5)


@pytest.mark.extra
def test_the_tokens_are_those_of_bert_s_uncased_vocabulary() -> None:
    encoder = models._minilm()
    words = MINILM.path("vocab.txt").read_text("utf-8").splitlines()

    def pieces(text: str) -> list[str]:
        return [words[token] for token in encoder.tokens(text)[1:-1]]

    assert pieces("Héllo, UNAFFABLE\x00 wörld!") == [
        "hello",
        ",",
        "una",
        "##ffa",
        "##ble",
        "world",
        "!",
    ]
    assert pieces("世界 😀") == ["世", "[UNK]", "[UNK]"]
    assert len(encoder.tokens("word " * 400)) == 256


@pytest.mark.extra
def test_static_vectors_are_those_that_the_package_s_own_tokenizer_leads_to() -> None:
    """Tokens by the `tokenizers` package from the same files, cosines by their mean vectors."""
    encoder = models._wordllama()
    relevance = Relevance(WORDLLAMA, models._wordllama)

    assert encoder.tokens(TASK) == [12027, 7420, 2020, 278, 14744, 338, 7254, 29889]
    spaced = [259, 1023, 29871, 8162, 13, 13, 392, 263, 1196]
    assert encoder.tokens("  two  spaces\n\nand a line") == spaced
    in_bytes = [1055, 30085, 345, 274, 28059, 29871, 229, 155, 134, 29871, 31652, 30578]
    assert encoder.tokens("naïve café ☃ 漢字 😀") == [*in_bytes, 29871, 243, 162, 155, 131]
    assert relevance(TASK, BLUE) == pytest.approx(0.585728, abs=1e-6)
    assert relevance(TASK, BUSES) == pytest.approx(0.026963, abs=1e-6)
    assert relevance(TASK, "") == 0


@pytest.mark.extra
@pytest.mark.parametrize(
    ("name", "better", "worse"),
    [
        ("word-count", BLUE, BUSES),
        ("flesch-reading-ease", "It is so.", "Atmospheric scattering explains colouration."),
        ("vader-sentiment", BLUE, BUSES),
        ("minilm-l6-relevance", BLUE, BUSES),
        ("wordllama-relevance", BLUE, BUSES),
    ],
)
def test_epc_2_6_a_score_says_nothing_by_place(name: str, better: str, worse: str) -> None:
    assert verdict(name, better, worse) == "A"
    assert verdict(name, worse, better) == "B"
    assert verdict(name, better, better) == "tie"
    assert verdict(name, worse, " \n") == "A"
    assert verdict(name, "", "") == "tie"


def test_epc_2_6_what_stands_after_the_judged_characters_decides_nothing() -> None:
    assert verdict("word-count", "a " * 150 + "b " * 50, "a " * 150) == "tie"


@pytest.mark.extra
@pytest.mark.parametrize(
    "name",
    [
        *("word-count", "flesch-reading-ease", "vader-sentiment"),
        *("minilm-l6-relevance", "wordllama-relevance"),
    ],
)
def test_a_run_judged_by_scores_validates_and_pins_what_decided(tmp_path: Path, name: str) -> None:
    run = tmp_path / "run"

    done = epc(
        "run", "--evaluator", f"local/{name}", "--executor", "mock/deterministic",
        "--seeds", "0-1", "--rounds", "2", "--out", run,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    manifest = json.loads((run / "manifest.json").read_text())
    assert manifest["protocol_version"] == "EPC-v1.0-AltEvaluator+AltRounds"
    assert manifest["evaluator"]["method"] == "score"
    assert manifest["config"]["reuse"] == "memo"
    if name == "minilm-l6-relevance":
        pinned = manifest["evaluator"]["details"]["weights"]["files"]
        assert pinned[0]["sha256"] == MINILM.files["model.safetensors"]
    checked = epc("validate", run)
    assert checked.returncode == 0, checked.stdout


def test_a_missing_extra_is_misuse_and_names_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vaderSentiment", None)

    done = epc("run", "--evaluator", "local/vader-sentiment", "--executor", "mock/deterministic")

    assert done.returncode == 2
    assert "this needs the extra `local`; not installed: vaderSentiment\n" in done.stderr
    assert "  fix: pip install 'epc-registry[local]'\n" in done.stderr


@pytest.mark.extra
def test_other_rules_than_the_known_ones_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(rules.VADER, "vader_lexicon.txt", "0" * 64)

    with pytest.raises(UsageError, match="is not the file that is known here"):
        open_local("vader-sentiment")
