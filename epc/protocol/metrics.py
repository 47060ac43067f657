"""The protocol's metrics of weight vectors, and what the paper makes of a gamma (EPC-2.5, 5.2).

Sums are `math.fsum` and logarithms are decimal: both are correctly rounded whatever the machine,
so that the same weights give the same figures to the last bit everywhere (ADR 3).
"""

from collections.abc import Sequence
from decimal import Context, Decimal
from math import fsum, log, sqrt
from typing import Final, Literal

from epc.protocol.weights import require_same_shape, require_simplex
from epc.spec.epc_v1 import SUBSTANTIAL_GAMMA, WEAK_GAMMA, ZERO_COUPLING
from epc.statistics.intervals import sum_of_squares

ZeroCause = Literal["no_update", "collapse", "identical"]

_DIGITS: Final = Context(prec=34)  # twice what a double holds
_LN_2: Final = log(2)
COLLAPSED: Final = 0.99  # a vector with this much on one strategy has collapsed onto it


def gamma(coupled: Sequence[float], pure: Sequence[float]) -> float:
    """Return how far coupling moved the weights, relative to the pure phase.

    Shapes: both (K,), same K; each non-negative and summing to 1.
    Unit:   dimensionless; 0 is "no coupling". It has no built-in zero: the noise of R random
            rounds alone moves it well above 0 (Reading R15).
    Raises: ShapeError, SimplexError.
    Source: EPC-2.5 eq. (1); the choice of norm is argued in EPC-2.7.
    """
    require_same_shape(coupled, pure)
    require_simplex(coupled, pure)
    return _norm([c - p for c, p in zip(coupled, pure, strict=True)]) / _norm(pure)


def jsd(left: Sequence[float], right: Sequence[float]) -> float:
    """Return the Jensen-Shannon divergence of two weight vectors.

    Shapes: both (K,), same K; each non-negative and summing to 1.
    Unit:   nats, 0 to ln 2: the divergence, not SciPy's square-rooted distance.
    Raises: ShapeError, SimplexError.
    Source: EPC-2.5; Reading R9.
    """
    require_same_shape(left, right)
    require_simplex(left, right)
    total = Decimal(0)
    for p, q in zip(left, right, strict=True):
        if p == q:
            continue  # both terms are 0; so equal vectors diverge by exactly 0
        exact_p, exact_q = Decimal(p), Decimal(q)
        middle = _DIGITS.divide(_DIGITS.add(exact_p, exact_q), Decimal(2))
        for share in (exact_p, exact_q):
            total = _DIGITS.add(total, _relative_entropy_term(share, middle))
    # Stored weights sum to 1 up to rounding only, which may carry the sum past its bounds.
    return min(max(0.0, float(_DIGITS.divide(total, Decimal(2)))), _LN_2)


def zero_coupling(gamma: float) -> bool:
    """Return whether a gamma counts as zero (EPC-2.5(e), Reading R8)."""
    return gamma <= ZERO_COUPLING


def zero_cause(coupled: Sequence[float], pure: Sequence[float]) -> ZeroCause | None:
    """Return why gamma is zero, or None if it is not.

    `no_update`: every weight is still 1/K, so no verdict was ever counted: a failed run.
    `collapse`:  both runs ended on one and the same strategy.
    `identical`: neither; the two runs took the same steps.

    Shapes: both (K,), same K.
    Source: Reading R8; EPC-5.2 names both causes of a high zero-coupling rate.
    """
    if not zero_coupling(gamma(coupled, pure)):
        return None
    # A single strategy holds every weight whatever is counted.
    if len(pure) > 1 and all(abs(w - 1 / len(pure)) <= ZERO_COUPLING for w in (*coupled, *pure)):
        return "no_update"
    if max(coupled) >= COLLAPSED and max(pure) >= COLLAPSED:
        return "collapse"
    return "identical"


def pci(weights: Sequence[float]) -> float:
    """Return the preference concentration index: sigma(w) / mu(w), population sigma.

    Shapes: (K,).
    Unit:   dimensionless, 0 (uniform) to sqrt(K - 1) (one strategy holds everything).
    Raises: SimplexError.
    Source: Reading R12.
    """
    require_simplex(weights)
    mean = fsum(weights) / len(weights)
    return sqrt(sum_of_squares(w - mean for w in weights) / len(weights)) / mean


def cpci(left: Sequence[float], right: Sequence[float]) -> float:
    """Return half the L1 distance between two pure vectors.

    Shapes: both (K,), same K.
    Unit:   dimensionless, 0 to 1.
    Raises: ShapeError, SimplexError.
    Source: Reading R12.
    """
    require_same_shape(left, right)
    require_simplex(left, right)
    return fsum(abs(a - b) for a, b in zip(left, right, strict=True)) / 2


def mpci(pcis: Sequence[float], cpci: float) -> float:
    """Return the mean of the pure vectors' PCI plus their CPCI (Reading R12)."""
    return fsum(pcis) / len(pcis) + cpci


def _norm(vector: Sequence[float]) -> float:
    return sqrt(sum_of_squares(vector))


def _relative_entropy_term(share: Decimal, middle: Decimal) -> Decimal:
    """Return share * ln(share / middle), with 0 ln 0 = 0."""
    if not share:
        return Decimal(0)
    return _DIGITS.multiply(share, _DIGITS.ln(_DIGITS.divide(share, middle)))


GammaClass = Literal["substantial", "between", "weak"]

# Where 90% of a coin flip's seeds lie, and their mean, at K = 11 and R = 30: `coin_bands` of
# `epc.simulation.training` simulates them. Here for programs without NumPy.
COIN_GAMMA: Final = (0.73, 1.61)
COIN_MEAN: Final = 1.17


def gamma_class(gamma: float) -> GammaClass:
    """Return the paper's word for a gamma; between its two thresholds it has none.

    Source: EPC-5.2.
    """
    if gamma > SUBSTANTIAL_GAMMA:
        return "substantial"
    return "weak" if gamma < WEAK_GAMMA else "between"


def interpreted(
    gamma: float,
    excess: Sequence[float] | None = None,
    coin: Sequence[float] | None = None,
) -> str:
    """Return a gamma's class, and whether it can be told from the noise floor.

    `excess` is the interval of gamma minus the run's own noise floor. Where nobody measured one,
    `coin` is where a coin flip's seeds lie under the same conditions.
    """
    name = gamma_class(gamma)
    if excess is not None:
        return f"{name}, {_side(excess, (0, 0))} noise"
    if coin is not None:
        return f"{name}, {_side((gamma, gamma), coin)} coin-flip range"
    return f"{name}, noise unknown"


def _side(interval: Sequence[float], reference: Sequence[float]) -> str:
    """Return on which side of another interval one lies, or that neither leaves the other."""
    return (
        "above"
        if interval[0] > reference[1]
        else "below"
        if interval[1] < reference[0]
        else "within"
    )
