"""The declared random stream by another hand: PCG64 seeded by SeedSequence, in whole numbers.

Written from the published descriptions (M. E. O'Neill, HMC-CS-2014-0905; NumPy's documentation of
SeedSequence and its reproducibility policy), so that a fault of the library, or of our use of it,
cannot hide in a record that the same library wrote (Reading R2).
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

_32: Final = 2**32 - 1
_64: Final = 2**64 - 1
_128: Final = 2**128 - 1
_MULTIPLIER: Final = 0x2360ED051FC65DA44385DF649FCCF645
_POOL: Final = 4


def uniforms(*entropy: int) -> Iterator[float]:
    """Yield the uniforms in [0, 1) of the stream of a seed and what else names it, without end.

    Each is below 2**32, so it is one word of entropy, and there are four at most.
    """
    for output in _outputs(entropy):
        yield (output >> 11) / 2**53


def orders(*entropy: int) -> Callable[[int], list[int]]:
    """Return what puts the first numbers from 0 into a random order, another one at every call.

    Source: R. Durstenfeld, Communications of the ACM 7 (1964), 420.
    """
    halves = (half for output in _outputs(entropy) for half in (output & _32, output >> 32))

    def order(count: int) -> list[int]:
        mixed = list(range(count))
        for index in range(count - 1, 0, -1):
            mask = 2 ** index.bit_length() - 1
            other = next(half & mask for half in halves if half & mask <= index)
            mixed[index], mixed[other] = mixed[other], mixed[index]
        return mixed

    return order


def _outputs(entropy: Sequence[int]) -> Iterator[int]:
    """Yield the generator's numbers of 64 bits."""
    words = _state(_pool([word & _32 for word in entropy]))
    first, second = words[0] << 64 | words[1], words[2] << 64 | words[3]
    increment = (second << 1 | 1) & _128
    state = (increment + first) * _MULTIPLIER + increment & _128
    while True:
        state = state * _MULTIPLIER + increment & _128
        mixed, turn = (state >> 64 ^ state) & _64, state >> 122
        yield (mixed >> turn | mixed << (64 - turn)) & _64


class _Hash:
    """A running hash whose constant changes with every word."""

    def __init__(self, constant: int, multiplier: int) -> None:
        self._constant, self._multiplier = constant, multiplier

    def __call__(self, word: int) -> int:
        word ^= self._constant
        self._constant = self._constant * self._multiplier & _32
        word = word * self._constant & _32
        return word ^ word >> 16


def _pool(entropy: list[int]) -> list[int]:
    """Return the pool of four words that entropy is mixed into."""
    hashed = _Hash(0x43B0D7E5, 0x931E8875)
    pool = [hashed(entropy[i] if i < len(entropy) else 0) for i in range(_POOL)]
    for source in range(_POOL):
        for target in range(_POOL):
            if source != target:
                mixed = 0xCA01F9DD * pool[target] - 0x4973F715 * hashed(pool[source]) & _32
                pool[target] = mixed ^ mixed >> 16
    return pool


def _state(pool: list[int]) -> list[int]:
    """Return four 64-bit words drawn from a pool, the lower half of each first."""
    hashed = _Hash(0x8B51F9DD, 0x58F38DED)
    halves = [hashed(pool[i % _POOL]) for i in range(2 * _POOL)]
    return [low | high << 32 for low, high in zip(halves[::2], halves[1::2], strict=True)]
