"""What the protocol's figures are when there is nothing to measure: the coin-flip band.

gamma has no built-in zero (Reading R15). Thirty rounds against an evaluator that tosses a coin
move the weights too, and every report draws its figures on top of that band.
"""

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from epc.core.weights import UpdateRule

if TYPE_CHECKING:
    from numpy import float64
    from numpy.random import Generator
    from numpy.typing import NDArray

    Array = NDArray[float64]

BAND_SEEDS: Final = 4000
_BAND_STREAM: Final = 20260701
BAND_QUANTILES: Final = (0.05, 0.95)


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """How a figure is spread over single seeds when every verdict is a coin toss."""

    mean: float
    low: float
    high: float


@cache
def coin_flip_band(*, strategies: int, rounds: int, rule: UpdateRule) -> dict[str, Band]:
    """Return the coin-flip bands of `gamma` and `jsd`, each direction alike.

    The low and high ends hold 90% of single seeds; `BAND_SEEDS` are simulated from a fixed
    stream, which puts a Monte-Carlo standard error of about 0.005 on gamma's mean.

    Source: Reading R15 (the noise of random rounds); EPC-2.8 (the coin-flip evaluator).
    """
    import numpy as np

    rng = np.random.default_rng(_BAND_STREAM)
    gamma, jsd = simulate_coin_flips(
        strategies=strategies, rounds=rounds, rule=rule, seeds=BAND_SEEDS, rng=rng
    )
    return {"gamma": _band(gamma), "jsd": _band(jsd)}


def simulate_coin_flips(
    *, strategies: int, rounds: int, rule: UpdateRule, seeds: int, rng: "Generator"
) -> tuple["Array", "Array"]:
    """Return gamma and JSD of one direction for many coin-flip seeds at once.

    Shapes: two of (seeds,).
    Source: EPC-2.3 with every verdict A or B at even odds.
    """
    import numpy as np

    start = np.full((seeds, strategies), 1 / strategies)
    coupled = train(train(start, rounds, rule, rng), rounds, rule, rng)
    pure = train(start, rounds, rule, rng)
    norm = np.sqrt(((coupled - pure) ** 2).sum(axis=1)) / np.sqrt((pure**2).sum(axis=1))
    return norm, _jsd(coupled, pure)


def train(weights: "Array", rounds: int, rule: UpdateRule, rng: "Generator") -> "Array":
    """Return the weights after `rounds` coin-flip rounds in every row.

    The same arithmetic in the same order as `epc.core.weights`, a row a seed: running sums and
    totals come from one cumulative sum, which adds from left to right.

    Shapes: (seeds, K) in and out.
    """
    import numpy as np

    after: Array = weights.copy()
    rows = np.arange(len(after))
    last = after.shape[1] - 1
    for _ in range(rounds):
        u = rng.random(len(after))
        won = rng.random(len(after)) < 0.5  # noqa: PLR2004  (even odds are what a coin is)
        running = np.cumsum(after, axis=1)
        chosen = np.minimum((running <= u[:, None]).sum(axis=1), last)
        step = np.where(won, rule.alpha_win, -rule.alpha_lose)
        after[rows, chosen] = np.maximum(rule.weight_floor, after[rows, chosen] + step)
        after /= np.cumsum(after, axis=1)[:, -1:]
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
