"""The sentence encoder's words, pieces and functions, without its weights."""

from math import erf, sqrt
from pathlib import Path

import numpy as np
import pytest

from epc.engine.local import minilm
from epc.engine.local.minilm import Encoder, _gelu, _words

VOCABULARY = ["[UNK]", "[CLS]", "[SEP]", "a", "play", "##ing", "##s", "."]


@pytest.fixture
def encoder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Encoder:
    monkeypatch.setattr(minilm, "read", lambda _: {})
    (tmp_path / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n", "utf-8")
    return Encoder(tmp_path / "weights", tmp_path / "vocab.txt")


def names(encoder: Encoder, text: str) -> list[str]:
    return [VOCABULARY[number] for number in encoder.tokens(text)]


def test_a_word_is_cut_into_the_longest_pieces_that_are_known(encoder: Encoder) -> None:
    assert names(encoder, "Playing plays.") == [
        *("[CLS]", "play", "##ing", "play", "##s", ".", "[SEP]")
    ]
    assert names(encoder, "playx a") == ["[CLS]", "[UNK]", "a", "[SEP]"]
    assert names(encoder, "a" * 101) == ["[CLS]", "[UNK]", "[SEP]"]


def test_a_text_has_256_tokens_at_the_most_with_both_ends(encoder: Encoder) -> None:
    assert len(encoder.tokens("a " * 254)) == 256
    cut = encoder.tokens("a " * 300)
    assert (len(cut), VOCABULARY[cut[-1]]) == (256, "[SEP]")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Caf\u00e9 au lait", ["cafe", "au", "lait"]),
        ("it's 3+4=7", ["it", "'", "s", "3", "+", "4", "=", "7"]),
        ("\u201cyes\u201d", ["\u201c", "yes", "\u201d"]),
        ("\u4f60\u597d ok", ["\u4f60", "\u597d", "ok"]),
        ("a\tb\nc\x00d", ["a", "b", "cd"]),
    ],
)
def test_signs_punctuation_and_chinese_characters_are_words_by_themselves(
    text: str, expected: list[str]
) -> None:
    assert _words(text) == expected


def test_gelu_is_a_number_times_the_normal_share_below_it() -> None:
    x = np.linspace(-4, 4, 33, dtype=np.float32)

    expected = [float(each) * (1 + erf(float(each) / sqrt(2))) / 2 for each in x]

    assert _gelu(x) == pytest.approx(expected, abs=2e-6)
