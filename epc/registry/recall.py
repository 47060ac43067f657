"""Results that follow from sealed snapshots alone, so that whoever likes may keep them."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")


class Recall(Protocol):
    """What returns a result: one that was kept, or else the one that `work` works out.

    `inputs` names all that it follows from, beside the program.
    """

    def __call__(self, kind: type[T], inputs: Sequence[str], work: Callable[[], T], /) -> T:
        """Return the result, of this kind."""


def anew(kind: type[T], inputs: Sequence[str], work: Callable[[], T], /) -> T:  # noqa: ARG001
    """Work the result out: nothing is kept."""
    return work()
