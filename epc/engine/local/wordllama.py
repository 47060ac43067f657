"""WordLlama in NumPy: a text is the mean of its tokens' vectors, whatever their order.

A static embedding: each of 32,000 tokens has one vector of 256 numbers, trained once from the token
embeddings of large models. Nothing is unpickled; the weights are a safetensors file.

Source: D. Miller, WordLlama (2024), model `l2_supercat_256`.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from epc.engine.local.safetensors import read

Tensor = NDArray[np.float32]

_SPACE: Final = "\u2581"  # how the vocabulary writes a space
# No token has a space behind anything but spaces: what lies between can be merged by itself.
_PIECE: Final = re.compile(f"{_SPACE}*[^{_SPACE}]+|{_SPACE}+")
_WORDS: Final = 50_000  # kept in memory


class _Model(msgspec.Struct):
    vocab: dict[str, int]
    merges: list[str]


class _Tokenizer(msgspec.Struct):
    """A tokenizer's file, as far as it is read here."""

    model: _Model


class Encoder:
    """The weights, the vocabulary, and which pairs of tokens become one, the first ones first."""

    def __init__(self, tensors: Path, tokenizer: Path) -> None:
        (self._vectors,) = read(tensors).values()
        model = msgspec.json.decode(tokenizer.read_bytes(), type=_Tokenizer).model
        self._ids = model.vocab
        self._ranks = {pair: rank for rank, pair in enumerate(model.merges)}
        self._merged = lru_cache(maxsize=_WORDS)(self._merge)

    def embed(self, text: str) -> Tensor:
        """Return the vector of a text; of an empty one all zeros, which is near to nothing.

        Shapes: (256,), of length 1.
        """
        ids = self.tokens(text)
        if not ids:
            return np.zeros(self._vectors.shape[1], np.float32)
        mean = self._vectors[ids].mean(axis=0)
        vector: Tensor = mean / np.linalg.norm(mean)
        return vector

    def tokens(self, text: str) -> list[int]:
        """Return the tokens of a text."""
        if not text:
            return []
        spaced = _SPACE + text.replace(" ", _SPACE)
        return [number for piece in _PIECE.findall(spaced) for number in self._merged(piece)]

    def _merge(self, piece: str) -> tuple[int, ...]:
        parts = list(self._parts(piece))
        while True:
            ranks = [
                self._ranks.get(f"{left} {right}", len(self._ranks))
                for left, right in pairwise(parts)
            ]
            first = min(ranks, default=len(self._ranks))
            if first == len(self._ranks):
                return tuple(self._ids[part] for part in parts)
            at = ranks.index(first)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]

    def _parts(self, piece: str) -> Iterator[str]:
        """Yield the characters; one that the vocabulary lacks is its bytes."""
        for character in piece:
            if character in self._ids:
                yield character
            else:
                yield from (f"<0x{byte:02X}>" for byte in character.encode("utf-8", "replace"))
