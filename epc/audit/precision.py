"""How many seeds a precision takes: for an interval of gamma, or for the audit to see something."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import sqrt
from typing import Final

from epc.audit.permutation import by_tasks
from epc.errors import UsageError
from epc.simulation.evaluators import evaluator
from epc.simulation.study_runs import RULE, Point, Reuse, simulate_runs
from epc.simulation.synthetic import GAMMA, Simulated
from epc.spec.coupling import LEVEL
from epc.spec.epc_v1 import DOMAINS
from epc.statistics.inference import t_point

WIDTH: Final = 0.1  # EPC-2.5(g)
RUNS: Final = 400  # puts at most 0.025 on a power
_A_POINT: Final = 40
_MOST_SEEDS: Final = 20_000
TRIED: Final = (10, 15, 20, 30, 50, 70, 100, 150, 200, 300)

Spread = Callable[[Callable[[Point], int], Sequence[Point], str], Iterable[int]]


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


def sd_of(found: Simulated) -> float:
    """Return the spread of gamma over single seeds, in the direction where it is wider."""
    return max(found.spread[name].sd for name in GAMMA)


def couples(text: str) -> bool:
    """Return whether a synthetic evaluator's preferences differ between the domains at all."""
    left, right = (evaluator(text)[domain] for domain in DOMAINS)
    return bool((left.a != right.a).any() or (left.tie != right.tie).any())


def power_points(text: str, seeds: int, reuse: Reuse) -> list[Point]:
    """Return the simulated runs from which a power is estimated."""
    return [
        Point(
            kind="decide",
            evaluator=text,
            seeds=seeds,
            reuse=reuse,
            runs=_A_POINT,
            number=number,
        )
        for number in range(RUNS // _A_POINT)
    ]


def rejected(point: Point) -> int:
    """Return in how many of a point's runs the audit's test rejects."""
    return sum(by_tasks(run.table, RULE).p_value <= LEVEL for run in simulate_runs(point))


def powers(text: str, wanted: float, spread: Spread) -> Iterator[tuple[int, float]]:
    """Yield seeds of a fresh run and the power they buy, until it is as wanted."""
    for seeds in TRIED:
        power = power_at(text, seeds, "fresh", spread)
        yield seeds, power
        if power >= wanted:
            return


def power_at(text: str, seeds: int, reuse: Reuse, spread: Spread) -> float:
    """Return the share of runs of which the audit would say `coupled`."""
    return sum(spread(rejected, power_points(text, seeds, reuse), f"{seeds} seeds")) / RUNS
