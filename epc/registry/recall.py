"""Results that follow from sealed snapshots alone, so that whoever likes may keep them."""

import json
from collections.abc import Callable, Sequence
from functools import cached_property
from hashlib import sha256
from typing import Generic, Protocol, TypeVar

T = TypeVar("T")


class Later(Generic[T]):
    """A result that is read or worked out once somebody looks at it.

    Until then it is known by the digest of all that it follows from.
    """

    def __init__(self, inputs: Sequence[str], work: Callable[[], T]) -> None:
        self.given = sha256(json.dumps([*inputs]).encode()).hexdigest()
        self._work = work

    @cached_property
    def value(self) -> T:
        """The result; the first look takes as long as its work."""
        return self._work()


class Recall(Protocol):
    """What returns a result: one that was kept, or else the one that `work` works out.

    `inputs` names all that it follows from, beside the program.
    """

    def __call__(self, kind: type[T], inputs: Sequence[str], work: Callable[[], T], /) -> Later[T]:
        """Return the result, of this kind."""


def anew(kind: type[T], inputs: Sequence[str], work: Callable[[], T], /) -> Later[T]:  # noqa: ARG001
    """Have the result worked out: nothing is kept."""
    return Later(inputs, work)
