"""What the protocol's figures are when there is nothing to measure.

gamma has no built-in zero (Reading R15). Thirty rounds against a blind evaluator, one that does not
look at the answers, move the weights too. The blind evaluator of reference tosses a coin; the one
that a run is best held against says A, B and tie as often as the run's own evaluator did.
"""

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from epc.core.lockstep import spin, step
from epc.core.weights import UpdateRule

if TYPE_CHECKING:
    from numpy import float64
    from numpy.random import Generator
    from numpy.typing import NDArray

    Array = NDArray[float64]

BAND_SEEDS: Final = 2000
_BAND_STREAM: Final = 20260701
BAND_QUANTILES: Final = (0.05, 0.95)


@dataclass(frozen=True, slots=True, kw_only=True)
class Odds:
    """How often a blind evaluator says A and tie; the rest is B."""

    a: float
    tie: float


COIN: Final = Odds(a=0.5, tie=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """How a figure is spread over single seeds of a blind evaluator; 90% of them in low to high."""

    mean: float
    low: float
    high: float


@cache
def blind_band(
    *, strategies: int, rounds: int, rule: UpdateRule, odds: Odds = COIN
) -> dict[str, Band]:
    """Return a blind evaluator's bands of `gamma` and `jsd`, each direction alike.

    `BAND_SEEDS` are simulated from a fixed stream, which puts a Monte-Carlo standard error of
    about 0.006 on gamma's mean.

    Source: Readings R15 and R36; EPC-2.8 (the coin-flip evaluator).
    """
    import numpy as np

    rng = np.random.default_rng(_BAND_STREAM)
    gamma, jsd = simulate_blind(
        strategies=strategies, rounds=rounds, rule=rule, odds=odds, seeds=BAND_SEEDS, rng=rng
    )
    return {"gamma": _band(gamma), "jsd": _band(jsd)}


def simulate_blind(
    *, strategies: int, rounds: int, rule: UpdateRule, odds: Odds, seeds: int, rng: "Generator"
) -> tuple["Array", "Array"]:
    """Return gamma and JSD of one direction for many seeds of a blind evaluator at once.

    Shapes: two of (seeds,).
    Source: EPC-2.3 with verdicts that do not depend on the strategy.
    """
    import numpy as np

    start = np.full((seeds, strategies), 1 / strategies)
    coupled = train(train(start, rounds, rule, odds, rng), rounds, rule, odds, rng)
    pure = train(start, rounds, rule, odds, rng)
    norm = np.sqrt(((coupled - pure) ** 2).sum(axis=1)) / np.sqrt((pure**2).sum(axis=1))
    return norm, _jsd(coupled, pure)


def train(weights: "Array", rounds: int, rule: UpdateRule, odds: Odds, rng: "Generator") -> "Array":
    """Return the weights after `rounds` rounds against a blind evaluator in every row.

    Shapes: (seeds, K) in and out.
    """
    after = weights
    for _ in range(rounds):
        u = rng.random(len(after))
        said = rng.random(len(after))
        won, decided = said < odds.a, said < 1 - odds.tie
        after = step(after, spin(after, u), won=won, decided=decided, rule=rule)
    return after


def _jsd(left: "Array", right: "Array") -> "Array":
    import numpy as np

    middle = (left + right) / 2
    terms = left * np.log(left / middle) + right * np.log(right / middle)
    divergence: Array = np.maximum(0.0, terms.sum(axis=1) / 2)
    return divergence


def _band(values: "Array") -> Band:
    import numpy as np

    low, high = np.quantile(values, BAND_QUANTILES)
    return Band(mean=float(values.mean()), low=float(low), high=float(high))
