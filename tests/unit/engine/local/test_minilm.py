"""The sentence encoder's words, pieces and functions, without its weights."""

from math import erf, sqrt
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

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


WIDTH, INNER = 24, 8  # two numbers for each of the twelve heads


def weights() -> dict[str, NDArray[np.float32]]:
    rng = np.random.default_rng(3)
    shapes = {
        **{f"attention.self.{part}": (WIDTH, WIDTH) for part in ("query", "key", "value")},
        "attention.output.dense": (WIDTH, WIDTH),
        "intermediate.dense": (INNER, WIDTH),
        "output.dense": (WIDTH, INNER),
    }
    tensors = {}
    for name, shape in shapes.items():
        tensors[f"l.{name}.weight"] = rng.normal(0, 0.5, shape).astype(np.float32)
        tensors[f"l.{name}.bias"] = rng.normal(0, 0.5, shape[0]).astype(np.float32)
    for name in ("attention.output", "output"):
        for part in ("weight", "bias"):
            tensors[f"l.{name}.LayerNorm.{part}"] = rng.normal(1, 0.1, WIDTH).astype(np.float32)
    return tensors


def test_a_layer_is_attention_head_by_head_and_two_sums_that_are_brought_to_one_scale(
    encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Worked out again with a loop over heads and places, in double precision."""
    given = weights()
    monkeypatch.setattr(encoder, "_tensor", given)
    x = np.random.default_rng(4).normal(size=(3, WIDTH)).astype(np.float32)

    def linear(rows: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        weight, bias = (given[f"l.{name}.{part}"].astype(float) for part in ("weight", "bias"))
        return np.array([[w @ row + b for w, b in zip(weight, bias, strict=True)] for row in rows])

    def normed(rows: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        scale, shift = (given[f"l.{name}.LayerNorm.{part}"] for part in ("weight", "bias"))
        return np.array([(row - row.mean()) / row.std() * scale + shift for row in rows])

    def gelu(value: float) -> float:
        return value * (1 + erf(value / sqrt(2))) / 2

    query, key, value = (
        linear(x.astype(float), f"attention.self.{part}") for part in ("query", "key", "value")
    )
    seen = np.zeros((3, WIDTH))
    for head in range(12):
        own = slice(2 * head, 2 * head + 2)
        for place in range(3):
            odds = np.exp([query[place, own] @ key[at, own] / sqrt(2) for at in range(3)])
            seen[place, own] = odds / odds.sum() @ value[:, own]
    middle = normed(x + linear(seen, "attention.output.dense"), "attention.output")
    inner = np.vectorize(gelu)(linear(middle, "intermediate.dense"))
    expected = normed(middle + linear(inner, "output.dense"), "output")

    assert encoder._layer(x, "l") == pytest.approx(expected, abs=1e-4)
