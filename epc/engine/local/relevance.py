"""An evaluator by nearness: the answer whose vector is nearer to the task's wins."""

from collections.abc import Callable
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from epc.engine.local.weights import Weights

Tensor = NDArray[np.float32]


class Encoding(Protocol):
    """What makes a vector of a text."""

    def embed(self, text: str) -> Tensor:
        """Return the vector of a text, of length 1."""


class Relevance:
    """The answer that is nearer to the task wins, by the cosine of their vectors."""

    unit = "cosine with the task"

    def __init__(self, weights: Weights, opened: Callable[[], Encoding]) -> None:
        first = next(iter(weights.files.values()))
        self.version = f"{weights.name} {first[:12]}"
        self.details: dict[str, object] = {
            "weights": weights.describe(),
            "runtime": {"name": "numpy", "version": np.__version__},
        }
        self._opened = opened
        self._tasks: dict[str, Tensor] = {}

    def __call__(self, task: str, answer: str) -> float:
        """Return the cosine between a task and an answer, from -1 to 1."""
        if task not in self._tasks:
            self._tasks[task] = self._encoder.embed(task)
        return float(self._tasks[task] @ self._encoder.embed(answer))

    @cached_property
    def _encoder(self) -> Encoding:
        return self._opened()
