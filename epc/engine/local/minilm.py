"""all-MiniLM-L6-v2 in NumPy: a sentence becomes a vector, and near vectors mean near sentences.

The weights are a safetensors file, which is numbers and a table of contents; nothing is unpickled.
Six layers over 384 dimensions take some 50 ms an answer on one core, so no runtime is needed.

Source: W. Wang et al., "MiniLM" (2020); N. Reimers and I. Gurevych, "Sentence-BERT" (2019).
"""

import unicodedata
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from epc.engine.local.safetensors import read

Tensor = NDArray[np.float32]

_LAYERS: Final = 6
_HEADS: Final = 12
_LONGEST: Final = 256  # tokens, as its authors cut it
_LONGEST_WORD: Final = 100  # characters
_EPSILON: Final = 1e-12
# Abramowitz and Stegun 7.1.26: the error function to 1.5e-7, as exact as these weights.
_ERF: Final = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)
_ERF_P: Final = 0.3275911


class Encoder:
    """The weights and the vocabulary."""

    def __init__(self, tensors: Path, vocabulary: Path) -> None:
        self._tensor = read(tensors)
        words = vocabulary.read_text("utf-8").splitlines()
        self._ids = {word: number for number, word in enumerate(words)}

    def embed(self, text: str) -> Tensor:
        """Return the vector of a text.

        Shapes: (384,), of length 1.
        """
        ids = self.tokens(text)
        x = self._named("embeddings.word_embeddings")[ids]
        x = x + self._named("embeddings.position_embeddings")[: len(ids)]
        x = self._normed(x + self._named("embeddings.token_type_embeddings")[0], "embeddings")
        for number in range(_LAYERS):
            x = self._layer(x, f"encoder.layer.{number}")
        mean = x.mean(axis=0)
        vector: Tensor = mean / np.linalg.norm(mean)
        return vector

    def tokens(self, text: str) -> list[int]:
        """Return the tokens of a text, cut as the model was trained."""
        pieces = [piece for word in _words(text) for piece in self._pieces(word)]
        kept = ["[CLS]", *pieces[: _LONGEST - 2], "[SEP]"]
        return [self._ids[piece] for piece in kept]

    def _pieces(self, word: str) -> list[str]:
        """Return the longest known pieces of a word, from its beginning on."""
        pieces, start = [], 0
        while start < len(word):
            marked = "##" if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if marked + word[start:end] in self._ids), None)
            if end is None or len(word) > _LONGEST_WORD:
                return ["[UNK]"]
            pieces.append(marked + word[start:end])
            start = end
        return pieces

    def _layer(self, x: Tensor, layer: str) -> Tensor:
        length, width = x.shape
        apart = (length, _HEADS, width // _HEADS)
        query, key, value = (
            self._linear(x, f"{layer}.attention.self.{part}").reshape(apart).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / np.sqrt(np.float32(width // _HEADS))
        shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        seen = (shares @ value).transpose(1, 0, 2).reshape(length, width)
        attended = f"{layer}.attention.output"
        x = self._normed(x + self._linear(seen, f"{attended}.dense"), attended)
        inner = _gelu(self._linear(x, f"{layer}.intermediate.dense"))
        return self._normed(x + self._linear(inner, f"{layer}.output.dense"), f"{layer}.output")

    def _linear(self, x: Tensor, name: str) -> Tensor:
        product: Tensor = x @ self._named(name).T + self._named(name, "bias")
        return product

    def _normed(self, x: Tensor, name: str) -> Tensor:
        centred = x - x.mean(axis=-1, keepdims=True)
        deviation = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + np.float32(_EPSILON))
        scale, shift = (self._named(f"{name}.LayerNorm", part) for part in ("weight", "bias"))
        normed: Tensor = centred / deviation * scale + shift
        return normed

    def _named(self, name: str, part: str = "weight") -> Tensor:
        return self._tensor[f"{name}.{part}"]


def _gelu(x: Tensor) -> Tensor:
    z = np.abs(x) / np.float32(np.sqrt(2))
    t = 1 / (1 + np.float32(_ERF_P) * z)
    powers = sum(np.float32(factor) * t ** (n + 1) for n, factor in enumerate(_ERF))
    erf = np.sign(x) * (1 - powers * np.exp(-z * z))
    activated: Tensor = (0.5 * x * (1 + erf)).astype(np.float32)
    return activated


def _words(text: str) -> list[str]:
    """Return a text's words and signs as BERT's uncased vocabulary has them, without accents."""
    folded = unicodedata.normalize("NFD", text.lower())
    spaced = "".join(
        f" {sign} " if _alone(sign) else " " if sign.isspace() else sign
        for sign in folded
        if unicodedata.category(sign) != "Mn"
        and (sign.isspace() or unicodedata.category(sign)[0] != "C")
    )
    return spaced.split()


def _alone(sign: str) -> bool:
    """Return whether a character is a word by itself: ASCII's signs, punctuation, CJK."""
    ascii_sign = sign.isascii() and not sign.isalnum() and sign.isprintable() and sign != " "
    cjk = any(first <= sign <= last for first, last in _CJK)
    return ascii_sign or cjk or unicodedata.category(sign).startswith("P")


_CJK: Final = (
    ("\u3400", "\u4dbf"),
    ("\u4e00", "\u9fff"),
    ("\uf900", "\ufaff"),
    ("\U00020000", "\U0002ceaf"),
)
