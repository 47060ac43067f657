"""The Jensen-Shannon divergence of many pairs at once, to the very bits of `epc.core.metrics.jsd`.

A number is carried as the unevaluated sum of two doubles, which holds about 31 digits (T. J.
Dekker, Numer. Math. 18 (1971), 224-242): some hundred NumPy calls for any number of pairs. Where
what is missing of the decimal form's 34 digits could decide how the result is rounded, the pair is
computed by the decimal form itself (Ziv's test), so the bits are that form's, always.
"""

from collections.abc import Sequence
from decimal import Context, Decimal
from functools import cache
from math import log
from typing import TYPE_CHECKING, Final

from epc.core.metrics import jsd
from epc.core.weights import Weights
from epc.spec.epc_v1 import SIMPLEX_TOLERANCE

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

    Array = NDArray[float64]
    Long = tuple[Array, Array]  # a number: a double, and what it misses of the number

_FEW: Final = 8  # so many pairs are done before NumPy has got going
# Far above what is lost here (3e-29 at most in thousands of pairs of K = 11) and in 34 digits.
_LOST: Final = 1e-26
_STEPS: Final = 128  # logarithms are tabulated from 1/2 to 1 at this many steps a unit
_DIGITS: Final = Context(prec=40)
_TINY: Final = 1e-200
_SPLITTER: Final = 2.0**27 + 1


def divergences(pairs: Sequence[tuple[Weights, Weights]]) -> list[float]:
    """Return `jsd` of every pair.

    Shapes: all vectors (K,), same K.
    Unit:   nats, 0 to ln 2.
    Raises: ShapeError, SimplexError.
    Source: EPC-2.5; Reading R9.
    """
    if len(pairs) < _FEW or len({len(vector) for pair in pairs for vector in pair}) > 1:
        return [jsd(left, right) for left, right in pairs]
    import numpy as np

    vectors = np.array(pairs, dtype=np.float64).transpose(1, 2, 0)  # (2, K, pairs)
    ordinary = ((vectors == 0) | (vectors > _TINY)).all(axis=(0, 1))
    near = np.abs(vectors.sum(axis=1) - 1).max(axis=0) < SIMPLEX_TOLERANCE / 2
    plain = np.flatnonzero(ordinary & near)  # beyond doubt distributions, without subnormals
    high, low = _total(*np.ascontiguousarray(vectors[..., plain]))
    sure = high + (low - _LOST) == high + (low + _LOST)
    values = np.clip((high + low) / 2, 0.0, log(2))[sure].tolist()
    found = dict(zip(plain[sure].tolist(), values, strict=True))
    return [found[i] if i in found else jsd(*pair) for i, pair in enumerate(pairs)]


def _total(left: "Array", right: "Array") -> "Long":
    """Return the sum over strategies of p ln(p/m) + q ln(q/m), m the mean of p and q."""
    import numpy as np

    same = left == right  # both terms are 0, also where both weights are
    left, right = np.where(same, 0.5, left), np.where(same, 0.5, right)
    whole = _two_sum(left, right)
    one, other = (_times(_log_ratio(share, whole), share) for share in (left, right))
    terms = _add(one, other)
    total = (terms[0][0], terms[1][0])
    for index in range(1, len(left)):
        total = _add(total, (terms[0][index], terms[1][index]))
    return total


def _log_ratio(share: "Array", whole: "Long") -> "Long":
    """Return ln(2 share / whole), and 0 where the share is 0 (0 ln 0 = 0).

    2 share / whole = f 2**e with f in [1/2, 1); ln f is that of the nearest tabulated c, plus
    2 artanh((f - c) / (f + c)), whose argument is below 1/256.
    """
    import numpy as np

    ratio = _divide((2 * np.where(share == 0, whole[0] / 2, share), 0 * share), whole)
    fraction, exponent = np.frexp(ratio[0])
    rest = np.ldexp(ratio[1], -exponent)
    nearest = np.rint(fraction * _STEPS)
    centre = nearest / _STEPS
    upper = _two_sum(fraction - centre, rest)
    lower = _two_sum(fraction, centre)
    s = _divide(upper, (lower[0], lower[1] + rest))
    square = _multiply(s, s)
    cube = _multiply(square, s)
    third = _divide(cube, (np.full_like(share, 3.0), 0 * share))
    u = square[0]
    tail = cube[0] * u * (1 / 5 + u * (1 / 7 + u * (1 / 9 + u / 11)))
    artanh = _add(s, (third[0], third[1] + tail))
    high, low = _logarithms()
    rows = nearest.astype(np.intp)
    tabulated = _add(
        _times((high[-1:], low[-1:]), exponent.astype(np.float64)), (high[rows], low[rows])
    )
    return _add(tabulated, (2 * artanh[0], 2 * artanh[1]))


@cache
def _logarithms() -> "Long":
    """Return ln(n / 128) for n from 64 to 128, each at n, and at the end ln 2."""
    import numpy as np

    exact = [_DIGITS.ln(Decimal(max(n, 1)) / _STEPS) for n in range(_STEPS + 1)]
    exact.append(_DIGITS.ln(Decimal(2)))
    high = [float(value) for value in exact]
    low = [float(_DIGITS.subtract(value, Decimal(h))) for value, h in zip(exact, high, strict=True)]
    return np.array(high), np.array(low)


def _two_sum(a: "Array", b: "Array") -> "Long":
    """Return a + b without loss."""
    total = a + b
    shifted = total - a
    return total, (a - (total - shifted)) + (b - shifted)


def _two_product(a: "Array", b: "Array") -> "Long":
    """Return a * b without loss, each split into halves whose products are exact."""
    product = a * b
    scaled_a, scaled_b = _SPLITTER * a, _SPLITTER * b
    high_a = scaled_a - (scaled_a - a)
    high_b = scaled_b - (scaled_b - b)
    low_a, low_b = a - high_a, b - high_b
    return product, ((high_a * high_b - product) + high_a * low_b + low_a * high_b) + low_a * low_b


def _add(a: "Long", b: "Long") -> "Long":
    high, low = _two_sum(a[0], b[0])
    return _two_sum(high, low + (a[1] + b[1]))


def _times(a: "Long", b: "Array") -> "Long":
    high, low = _two_product(a[0], b)
    return _two_sum(high, low + a[1] * b)


def _multiply(a: "Long", b: "Long") -> "Long":
    high, low = _two_product(a[0], b[0])
    return _two_sum(high, low + (a[0] * b[1] + a[1] * b[0]))


def _divide(a: "Long", b: "Long") -> "Long":
    first = a[0] / b[0]
    high, low = _two_product(first, b[0])
    return _two_sum(first, (((a[0] - high) - low) + a[1] - first * b[1]) / b[0])
