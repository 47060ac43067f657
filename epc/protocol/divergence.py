"""The Jensen-Shannon divergence of many pairs at once, to the bits of `metrics.jsd`.

A number is carried as the unevaluated sum of two doubles, which holds about 31 digits (T. J.
Dekker, Numer. Math. 18 (1971), 224-242): some hundred NumPy calls for any number of pairs. Where
what is missing of the decimal form's 34 digits could decide how the result is rounded, the pair is
computed by the decimal form itself (Ziv's test), so the bits are that form's, always.
"""

from collections.abc import Sequence
from decimal import Context, Decimal
from functools import cache
from math import log
from typing import Final

from epc.arrays import Array, np
from epc.protocol.metrics import jsd
from epc.protocol.vectors import surely_simplex
from epc.protocol.weights import Weights

Long = tuple[Array, Array]  # a number: a double, and what it misses of the number
Constant = tuple[float, float]

_FEWEST_VECTORISED: Final = 8  # pairs; fewer are done before NumPy has got going
# Far above what is lost here (4e-29 at most in thousands of pairs, K = 1 to 200) and in 34 digits.
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
    if (
        len(pairs) < _FEWEST_VECTORISED
        or len({len(vector) for pair in pairs for vector in pair}) > 1
    ):
        return [jsd(left, right) for left, right in pairs]
    vectors = np.array(pairs, dtype=np.float64).transpose(1, 2, 0)  # (2, K, pairs)
    ordinary = ((vectors == 0) | (vectors > _TINY)).all(axis=(0, 1))
    simplex = surely_simplex(vectors).all(axis=0)
    plain = np.flatnonzero(ordinary & simplex)  # beyond doubt distributions, without subnormals
    high, low = _total(*np.ascontiguousarray(vectors[..., plain]))
    sure = high + (low - _LOST) == high + (low + _LOST)
    values = np.clip((high + low) / 2, 0.0, log(2))[sure].tolist()
    by_index = dict(zip(plain[sure].tolist(), values, strict=True))
    return [by_index[i] if i in by_index else jsd(*pair) for i, pair in enumerate(pairs)]


def _total(left: Array, right: Array) -> Long:
    """Return the sum over strategies of p ln(p/m) + q ln(q/m), m the mean of p and q."""
    same = left == right  # both terms are 0, also where both weights are
    shares = np.where(same, 0.5, np.stack([left, right]))
    total = _two_sum(*shares)
    high, low = (np.concatenate(x) for x in _times(_log_ratio(shares, total), shares))
    while len(high) > 1:  # one half is added to the other; what has no partner waits
        half, end = len(high) // 2, len(high) // 2 * 2
        added = _add((high[:half], low[:half]), (high[half:end], low[half:end]))
        high, low = (np.concatenate([x, y[end:]]) for x, y in zip(added, (high, low), strict=True))
    return high[0], low[0]


def _log_ratio(share: Array, total: Long) -> Long:
    """Return ln(2 share / whole), and 0 where the share is 0 (0 ln 0 = 0).

    2 share / whole = f 2**e with f in [1/2, 1); ln f is that of the nearest tabulated c, plus
    2 artanh((f - c) / (f + c)), whose argument is below 1/256.
    """
    ratio = _divide((2 * np.where(share == 0, total[0] / 2, share), 0 * share), total)
    fraction, exponent = np.frexp(ratio[0])
    remainder = np.ldexp(ratio[1], -exponent)
    nearest = np.rint(fraction * _STEPS)
    centre = nearest / _STEPS
    upper = _two_sum(fraction - centre, remainder)
    lower = _two_sum(fraction, centre)
    s = _divide(upper, (lower[0], lower[1] + remainder))
    square = _multiply(s, s)
    cube = _multiply(square, s)
    third = _divide(cube, (3.0, 0.0))
    u = square[0]
    tail = cube[0] * u * (1 / 5 + u * (1 / 7 + u * (1 / 9 + u / 11)))
    artanh = _add(s, (third[0], third[1] + tail))
    high, low = _logarithms()
    rows = nearest.astype(np.intp)
    tabulated = _add(
        _times((high[-1:], low[-1:]), exponent.astype(np.float64)),
        (high.take(rows), low.take(rows)),
    )
    return _add(tabulated, (2 * artanh[0], 2 * artanh[1]))


@cache
def _logarithms() -> Long:
    """Return ln(n / 128) for n from 64 to 128, each at n, and at the end ln 2."""
    exact = [_DIGITS.ln(Decimal(max(n, 1)) / _STEPS) for n in range(_STEPS + 1)]
    exact.append(_DIGITS.ln(Decimal(2)))
    high = [float(value) for value in exact]
    low = [float(_DIGITS.subtract(value, Decimal(h))) for value, h in zip(exact, high, strict=True)]
    return np.array(high), np.array(low)


def _two_sum(a: Array, b: Array) -> Long:
    """Return a + b without loss."""
    total = a + b
    shifted = total - a
    return total, (a - (total - shifted)) + (b - shifted)


def _two_product(a: Array, b: Array | float) -> Long:
    """Return a * b without loss, each split into halves whose products are exact."""
    product = a * b
    scaled_a, scaled_b = _SPLITTER * a, _SPLITTER * b
    high_a = scaled_a - (scaled_a - a)
    high_b = scaled_b - (scaled_b - b)
    low_a, low_b = a - high_a, b - high_b
    return product, ((high_a * high_b - product) + high_a * low_b + low_a * high_b) + low_a * low_b


def _add(a: Long, b: Long) -> Long:
    high, low = _two_sum(a[0], b[0])
    return _two_sum(high, low + (a[1] + b[1]))


def _times(a: Long, b: Array) -> Long:
    high, low = _two_product(a[0], b)
    return _two_sum(high, low + a[1] * b)


def _multiply(a: Long, b: Long) -> Long:
    high, low = _two_product(a[0], b[0])
    return _two_sum(high, low + (a[0] * b[1] + a[1] * b[0]))


def _divide(a: Long, b: Long | Constant) -> Long:
    first = a[0] / b[0]
    high, low = _two_product(first, b[0])
    return _two_sum(first, (((a[0] - high) - low) + a[1] - first * b[1]) / b[0])
