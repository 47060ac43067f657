"""gamma, PCI and CPCI of many weight vectors at once, to the very bits of `epc.protocol.metrics`.

NumPy rounds a difference, a product, a quotient and a square root once, as Python does; sums stay
`fsum`'s. What is not beyond doubt a distribution goes through the scalar form, which refuses it.
"""

from collections.abc import Sequence
from math import fsum

from epc.arrays import Array, Flags, np
from epc.protocol.metrics import cpci, gamma, pci
from epc.protocol.weights import Weights
from epc.spec.epc_v1 import SIMPLEX_TOLERANCE


def gammas(pairs: Sequence[tuple[Weights, Weights]]) -> list[float]:
    """Return `gamma` of every (coupled, pure).

    Shapes: all vectors (K,), same K.
    Raises: ShapeError, SimplexError.
    Source: EPC-2.5 eq. (1).
    """
    vectors = _simplices([vector for pair in pairs for vector in pair])
    if vectors is None:
        return [gamma(*pair) for pair in pairs]
    coupled, pure = vectors[0::2], vectors[1::2]
    values: list[float] = (np.sqrt(_squares(coupled - pure)) / np.sqrt(_squares(pure))).tolist()
    return values


def concentrations(weights: Sequence[Weights]) -> list[float]:
    """Return `pci` of every vector.

    Shapes: all (K,), same K.
    Raises: SimplexError.
    Source: Reading R12.
    """
    vectors = _simplices(weights)
    if vectors is None:
        return [pci(vector) for vector in weights]
    strategies = vectors.shape[1]
    means = _sums(vectors) / strategies
    spread = np.sqrt(_squares(vectors - means[:, None]) / strategies)
    values: list[float] = (spread / means).tolist()
    return values


def shifts(pairs: Sequence[tuple[Weights, Weights]]) -> list[float]:
    """Return `cpci` of every pair of pure vectors.

    Shapes: all vectors (K,), same K.
    Raises: ShapeError, SimplexError.
    Source: Reading R12.
    """
    vectors = _simplices([vector for pair in pairs for vector in pair])
    if vectors is None:
        return [cpci(*pair) for pair in pairs]
    values: list[float] = (_sums(np.abs(vectors[0::2] - vectors[1::2])) / 2).tolist()
    return values


def surely_simplex(vectors: Array) -> Flags:
    """Return whether each vector along axis 1 is a distribution whatever its sum's rounding."""
    near: Flags = np.abs(vectors.sum(axis=1) - 1) < SIMPLEX_TOLERANCE / 2
    near &= (vectors >= 0).all(axis=1)
    return near


def _simplices(weights: Sequence[Weights]) -> Array | None:
    """Return vectors of one length as an array (n, K), or None if one may be no distribution."""
    if not weights or len({len(vector) for vector in weights}) > 1:
        return None
    vectors = np.array(weights, dtype=np.float64)
    return vectors if surely_simplex(vectors).all() else None


def _sums(rows: Array) -> Array:
    """Return each row's sum, correctly rounded."""
    return np.array([fsum(row) for row in rows.tolist()])


def _squares(rows: Array) -> Array:
    """Return each row's `epc.statistics.intervals.sum_of_squares`."""
    return _sums(rows * rows)
