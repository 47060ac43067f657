"""How many seeds an interval of gamma takes, for these tasks."""

from math import sqrt
from typing import Final

from epc.errors import UsageError
from epc.simulation.evaluators import evaluator
from epc.simulation.synthetic import GAMMA, Simulated
from epc.spec.epc_v1 import DOMAINS
from epc.statistics.inference import t_point

WIDTH: Final = 0.1  # EPC-2.5(g)
_MOST_SEEDS: Final = 20_000


def width_at(sd: float, seeds: int) -> float:
    """Return the expected width of the 95% interval of a mean, by Student's t.

    Unit:   that of the standard deviation.
    Source: EPC-2.5(g); Reading R39.
    """
    return 2 * t_point(seeds - 1) * sd / sqrt(seeds)


def seeds_for_width(sd: float, width: float = WIDTH) -> int:
    """Return the fewest seeds whose 95% interval is expected to be no wider than `width`.

    Raises: UsageError if that is far beyond what is worth planning.
    """
    low, high = 1, 2
    while width_at(sd, high) > width:
        low, high = high, 2 * high
        if low > _MOST_SEEDS:
            raise UsageError(
                f"a width of {width:g} takes more than {_MOST_SEEDS:,} seeds: ask for a wider one"
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if width_at(sd, middle) <= width else (middle, high)
    return high


def sd_of(simulation: Simulated) -> float:
    """Return the spread of gamma over single seeds, in the direction where it is wider."""
    return max(simulation.spread[name].sd for name in GAMMA)


def couples(text: str) -> bool:
    """Return whether a synthetic evaluator's preferences differ between the domains at all."""
    left, right = (evaluator(text)[domain] for domain in DOMAINS)
    return bool((left.a != right.a).any() or (left.tie != right.tie).any())
