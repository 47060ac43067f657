"""The intervals that figures of recorded verdicts have, as one set."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from epc.arrays import Array, Codes
from epc.statistics.calibration import Calibration, calibration
from epc.statistics.clusters import clustered_mean, clustered_mean_of_shares, clustered_share
from epc.statistics.correlation import correlation
from epc.statistics.intervals import Interval
from epc.statistics.paired import kappa


class Share(Protocol):
    """An interval of a share."""

    def __call__(  # noqa: D102
        self, hits: Array, n: Array, clusters: Codes, *, verdicts: float | None = None
    ) -> tuple[float, Interval | None]: ...


class Paired(Protocol):
    """An interval of what two raters said of the same."""

    def __call__(  # noqa: D102
        self, left: Array, right: Array, clusters: Codes, *, verdicts: float | None = None
    ) -> tuple[float | None, Interval | None]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervals:
    """How each kind of figure and its interval follow from observations in clusters."""

    share: Share
    mean: Callable[[Array, Codes], tuple[float, Interval | None]]
    mean_of_shares: Callable[[list[tuple[Array, Array, Codes]]], tuple[float, Interval | None]]
    kappa: Paired
    correlation: Callable[[Array, Array, Codes], tuple[float | None, Interval | None]]
    calibration: Callable[[Array, Array, Codes], Calibration]


TODAY: Final = Intervals(
    share=clustered_share,
    mean=clustered_mean,
    mean_of_shares=clustered_mean_of_shares,
    kappa=kappa,
    correlation=correlation,
    calibration=calibration,
)
