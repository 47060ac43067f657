"""The random draws of a measurement, as a function of seed and phase (Reading R2)."""

from collections.abc import Sequence
from typing import Final
from zlib import crc32

from msgspec import Struct

from epc.arrays import Array, Generator, np
from epc.errors import ShapeError

# What the manifest declares, so that another implementation can reproduce the stream.
GENERATOR: Final = "numpy.random.Generator(PCG64(SeedSequence([seed, phase])))"


class Turn(Struct, frozen=True, kw_only=True):
    """Chance in one round: two uniforms in [0, 1), or a strategy fixed by hand.

    `strategy` takes the roulette's place in conformance cases; `u_task` is absent there, because
    the verdicts are given and no task is ever shown to anyone.
    """

    u_task: float | None = None
    u_strategy: float | None = None
    strategy: int | None = None


def generator(entropy: int | Sequence[int], spawn_key: Sequence[int] = ()) -> Generator:
    """Return a generator with a stream of its own, the same by every NumPy: PCG64."""
    seeded = np.random.SeedSequence(entropy, spawn_key=tuple(spawn_key))
    return np.random.Generator(np.random.PCG64(seeded))


def stream_of(entropy: int, part: object, number: int) -> Generator:
    """Return the generator of one part of a study, the same whatever other parts there are."""
    return generator([entropy, crc32(repr(part).encode())], spawn_key=(number,))


def draws(seed: int, stream: int, rounds: int) -> Array:
    """Return the draws of one phase: per round first the task's, then the strategy's.

    Shapes: (rounds, 2).
    Source: EPC-2.3(e); Reading R2.
    """
    return generator([seed, stream]).random((rounds, 2))


def turns(seed: int, stream: int, rounds: int) -> Sequence[Turn]:
    """Return the draws of one phase as its turns.

    Shapes: (rounds,).
    """
    pairs = draws(seed, stream, rounds).tolist()
    return [Turn(u_task=task, u_strategy=strategy) for task, strategy in pairs]


def pick_task(u: float, tasks: int) -> int:
    """Return the index of the task that u falls on: floor(u * tasks).

    Raises: ShapeError if there are no tasks.
    Source: Reading R2.
    """
    if tasks < 1:
        raise ShapeError("no tasks to draw from")
    return min(int(u * tasks), tasks - 1)
