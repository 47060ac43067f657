"""What the protocol's figures are when there is nothing to measure.

gamma has no built-in zero (Reading R15). Thirty rounds against a blind evaluator, one that does not
look at the answers, move the weights too. The blind evaluator of reference tosses a coin; the one
that a run is best held against says A, B and tie as often as the run's own evaluator did.
"""

from functools import cache
from typing import Final

from msgspec import Struct

from epc.arrays import Array, np
from epc.protocol.columns import policies
from epc.protocol.config import Configuration
from epc.protocol.rules import Rule
from epc.simulation.training import blind, divergences, gammas, train, uniform_start
from epc.statistics.intervals import quantiles

BAND_SEEDS: Final = 2000
_BAND_STREAM: Final = 20260701
BAND_QUANTILES: Final = (0.05, 0.95)


class Band(Struct, frozen=True, kw_only=True):
    """How a figure is spread over single seeds of a blind evaluator; 90% of them in low to high."""

    mean: float
    low: float
    high: float


@cache
def blind_band(*, strategies: int, rounds: int, rule: Rule, a: float = 0.5) -> dict[str, Band]:
    """Return a blind evaluator's bands of `gamma` and `jsd`, each direction alike.

    It says A with odds `a`, else B; a coin unless told otherwise. `BAND_SEEDS` are simulated from a
    fixed stream, which puts a Monte-Carlo standard error of about 0.006 on gamma's mean.

    Source: Readings R15 and R36; EPC-2.8 (the coin-flip evaluator).
    """
    rng = np.random.default_rng(_BAND_STREAM)
    odds = blind(strategies, a=a)
    start = uniform_start(strategies, BAND_SEEDS, rule)

    def trained(before: Array) -> Array:
        return train(before, rounds=rounds, rule=rule, odds=odds, rng=rng)

    coupled, pure = (policies(rule, end) for end in (trained(trained(start)), trained(start)))
    return {"gamma": _band(gammas(coupled, pure)), "jsd": _band(divergences(coupled, pure))}


def coin_bands(config: Configuration) -> dict[str, Band]:
    """Return what a coin flip's `gamma` and `jsd` are under a configuration."""
    return blind_band(strategies=len(config.strategies), rounds=config.rounds, rule=config.rule)


def _band(values: Array) -> Band:
    low, high = quantiles(values, BAND_QUANTILES)
    return Band(mean=float(values.mean()), low=float(low), high=float(high))
