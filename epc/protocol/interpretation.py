"""What the paper makes of a gamma, and whether the noise allows it (EPC-5.2, Reading R15)."""

from collections.abc import Sequence
from typing import Final, Literal

from epc.spec.epc_v1 import SUBSTANTIAL_GAMMA, WEAK_GAMMA

GammaClass = Literal["substantial", "between", "weak"]

# Where 90% of a coin flip's seeds lie, and their mean, at K = 11 and R = 30: `coin_bands` of
# `epc.simulation.noise` simulates them. Here for programs without NumPy.
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


def _side(interval: Sequence[float], of: Sequence[float]) -> str:
    """Return on which side of another interval one lies, or that neither leaves the other."""
    return "above" if interval[0] > of[1] else "below" if interval[1] < of[0] else "within"
