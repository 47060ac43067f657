"""How well an evaluator's preferences track quality: ECE and Brier (EPC-2.5, Reading R11)."""

from collections.abc import Sequence
from math import fsum

from msgspec import Struct

from epc.errors import ShapeError
from epc.spec.epc_v1 import CALIBRATION_BINS
from epc.statistics.sums import sum_of_squares


class Calibrated(Struct, frozen=True, kw_only=True):
    """One strategy's decided trials and the accuracy of its answers, in [0, 1]."""

    wins: int
    decided: int
    accuracy: float

    @property
    def win_rate(self) -> float:
        """The share of decided trials that the strategy won."""
        return self.wins / self.decided

    @property
    def bin(self) -> int:
        """The index of its bin, in whole numbers so that no win rate straddles an edge."""
        return min(self.wins * CALIBRATION_BINS // self.decided, CALIBRATION_BINS - 1)


def ece(strategies: Sequence[Calibrated]) -> float | None:
    """Return the expected calibration error, or None if no strategy has a decided trial.

    Ten equal-width bins on win rate, the last one closed; each bin's
    |mean(win rate) - mean(accuracy)| weighs as much as its share of the strategies.

    Unit:   dimensionless, 0 to 1.
    Raises: ShapeError for an accuracy outside [0, 1].
    Source: EPC-2.5; Reading R11.
    """
    counted = _counted(strategies)
    bins: dict[int, list[Calibrated]] = {}
    for strategy in counted:
        bins.setdefault(strategy.bin, []).append(strategy)
    # A bin's share times the difference of its means is the difference of its sums over all.
    gaps = (abs(fsum(s.win_rate - s.accuracy for s in group)) for group in bins.values())
    return fsum(gaps) / len(counted) if counted else None


def brier(strategies: Sequence[Calibrated]) -> float | None:
    """Return the mean squared difference of win rate and accuracy, or None as `ece` does.

    Unit:   dimensionless, 0 to 1.
    Raises: ShapeError for an accuracy outside [0, 1].
    Source: EPC-2.5; Reading R11.
    """
    counted = _counted(strategies)
    missed = (s.win_rate - s.accuracy for s in counted)
    return sum_of_squares(missed) / len(counted) if counted else None


def _counted(strategies: Sequence[Calibrated]) -> list[Calibrated]:
    """Leave out strategies without a decided trial (Reading R11)."""
    for strategy in strategies:
        if not 0 <= strategy.accuracy <= 1:
            raise ShapeError(f"accuracy is {strategy.accuracy!r}, expected 0 to 1")
    return [strategy for strategy in strategies if strategy.decided]
