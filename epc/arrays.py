"""NumPy, and the names of its arrays.

Most commands compute nothing, and NumPy would be most of their start-up. So `np` stands for the
module here, and loads it when something of it is used.
"""

from typing import TYPE_CHECKING, Any, Final, Self

__all__ = [
    "Array",
    "ByRow",
    "Codes",
    "Counts",
    "Flags",
    "Generator",
    "Indices",
    "distinct_count",
    "np",
    "ranks",
]

if TYPE_CHECKING:
    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Codes = NDArray[np.int64]
    Counts = NDArray[np.int64]
    Flags = NDArray[np.bool_]
    Indices = NDArray[Any]
else:

    class _NumPy:
        def __getattr__(self, name: str) -> Any:
            import numpy as np

            value = getattr(np, name)
            setattr(self, name, value)  # found at once from now on
            return value

    np = _NumPy()
    Array = Codes = Counts = Flags = Generator = Indices = Any


def distinct_count(values: "Codes") -> int:
    """Return how many different numbers there are; sorting a million takes a tenth of hashing."""
    return 1 + int(np.count_nonzero(np.diff(np.sort(values)))) if len(values) else 0


_DENSEST: Final = 8  # possible numbers for each value, below which counting beats sorting


def ranks(values: "Codes") -> "Codes":
    """Return the rank of each number among the distinct ones."""
    top = int(values.max(initial=0)) + 1
    if top > _DENSEST * (len(values) + 1024) or values.min(initial=0) < 0:
        return np.unique(values, return_inverse=True)[1]
    present = np.zeros(top, bool)
    present[values] = True
    ranked: Codes = (np.cumsum(present, dtype=np.int32) - 1)[values].astype(np.int64)
    return ranked


class ByRow:
    """A dataclass of arrays of one length, of which rows can be chosen."""

    __slots__: tuple[str, ...] = ()

    def __getitem__(self, chosen: "Indices | Flags | slice") -> Self:
        first, *further = self.__slots__
        columns: dict[str, Any] = {first: getattr(self, first)[chosen]}
        for name in further:
            columns[name] = _rows_of(getattr(self, name), chosen, len(columns[first]))
        return type(self)(**columns)


def _rows_of(values: Any, chosen: "Indices | Flags | slice", size: int) -> Any:
    """Return the chosen rows of a column, of which one value for all rows takes no room."""
    if len(values) and not values.strides[0]:
        fits = size <= len(values)
        return values[:size] if fits else np.broadcast_to(values[:1], (size, *values.shape[1:]))
    return values[chosen]
