"""Answers of a pilot: whether the evaluator repeats them, and whether tasks move them alike.

A verdict varies about its strategy's win rate. Part of that is the pair's own and comes again when
the pair is asked again; of this, part is the task's and moves all strategies alike. How many tasks
and how many repeats a measurement needs depends on these two shares (Reading R75).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from epc.arrays import Array, np
from epc.errors import UsageError
from epc.protocol.table import VerdictTable
from epc.spec.domains import Domain

FEWEST_CALLS: Final = 50
_FEWEST_AGAIN: Final = 10  # pairs, or comparisons, that were asked more than once
_TWICE: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Answering:
    """Two shares of a verdict's variance about its strategy's win rate, and where they are from.

    `repeats` is the pair's own: 1 for an evaluator that repeats its answers. `alike` is what all
    strategies on a task have in common; `interaction` what a strategy has on one task alone.
    """

    repeats: float
    alike: float
    source: str

    @property
    def interaction(self) -> float:
        """The share of the strategy x task interaction."""
        return self.repeats - self.alike


# The published model with a preference: SmolLM2-135M-Likelihood, v1.0 to v1.2. Of 80 comparisons of
# all published models that were asked again, none had another verdict.
PUBLISHED: Final = Answering(
    repeats=1.0, alike=0.2, source="as measured on the published snapshots"
)


def answering(table: VerdictTable, *, flips: int, asked_again: int, source: str) -> Answering:
    """Return what a pilot's verdicts say; where they say nothing, what the published ones said.

    `flips` counts the verdicts that changed of the comparisons that were asked again.

    Raises: UsageError for fewer than `FEWEST_CALLS` verdicts.
    """
    if table.verdict_count() < FEWEST_CALLS:
        raise UsageError(
            f"{source} has {table.verdict_count()} verdicts: a pilot takes at least {FEWEST_CALLS}"
        )
    pair_variance, shared, total = (0.0, 0.0, 0.0)
    pairs_repeated = 0
    for domain in table.domains.names:
        won, lost = (table.counts[domain][..., kind].astype(float) for kind in range(_TWICE))
        parts = _shares(won, won + lost)
        pairs_repeated, pair_variance = pairs_repeated + parts[0], pair_variance + parts[1]
        shared, total = shared + parts[2], total + parts[3]
    repeats = PUBLISHED.repeats
    if asked_again >= _FEWEST_AGAIN:
        # Two answers of one pair differ twice as often as one varies about the pair's own rate.
        mean = total / len(table.counts)
        repeats = 1 - min(1.0, flips / asked_again / 2 / mean) if mean else 1.0
    elif pairs_repeated >= _FEWEST_AGAIN and total:
        repeats = 1 - pair_variance / total
    repeats = min(1.0, max(0.0, repeats))
    alike = shared / total if total else PUBLISHED.alike
    return Answering(repeats=repeats, alike=min(repeats, max(0.0, alike)), source=source)


def _shares(won: Array, decided: Array) -> tuple[int, float, float, float]:
    """Return how many pairs were asked again, and three variances of a verdict.

    The first is that of a pair's answers about its own rate, the second what two strategies on one
    task have in common, the third that of a verdict about its strategy's rate.

    Shapes: (K, tasks) each.
    """
    has_verdict = decided > 0
    tasks = has_verdict.sum(axis=1)
    rates = np.divide(won, decided, out=np.zeros_like(won), where=has_verdict)
    means = rates.sum(axis=1) / np.maximum(1, tasks)
    # A mean of few tasks takes its own share of the spread.
    freed = np.sqrt(tasks / np.maximum(1, tasks - 1))[:, None]
    off = np.where(has_verdict, rates - means[:, None], 0.0) * freed
    pair_count = float((has_verdict.sum(axis=0) ** 2 - has_verdict.sum(axis=0)).sum())
    shared = float((off.sum(axis=0) ** 2 - (off**2).sum(axis=0)).sum()) / max(1.0, pair_count)
    has_repeat = decided > 1
    n = decided[has_repeat]
    variances = won[has_repeat] * (n - won[has_repeat]) / (n * (n - 1))
    pair_variance = float(variances.mean()) if len(variances) else 0.0
    among = (off**2)[has_verdict]
    # What a pair's mean of few answers has by chance is not its own.
    chance = np.divide(pair_variance, decided, out=np.zeros_like(decided), where=has_verdict)[
        has_verdict
    ]
    between = max(0.0, float((among - chance).mean())) if len(among) else 0.0
    total = (
        between + pair_variance if len(variances) else float(among.mean()) if len(among) else 0.0
    )
    return int(has_repeat.sum()), pair_variance, shared, total


_FEWEST: Final = 3  # strategies: through two points there is always a line


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskQuality:
    """Worth of the verdicts on one task, the baseline's comparison with itself left out.

    `asked` counts strategies with any verdict, `decided` those with an A or a B. `win_rate` is the
    mean over the decided strategies of how often their answer won, `spread` its population
    standard deviation, from 0 (all fare alike) to 0.5. `with_rest` is the correlation, over
    strategies, of their win rate here with that on the domain's other tasks; None where either
    does not vary or fewer than three strategies are decided.
    """

    domain: Domain
    task: int
    asked: int
    decided: int
    win_rate: float | None
    spread: float | None
    with_rest: float | None


def task_quality(
    table: VerdictTable, strategies: Sequence[str], baseline: str
) -> list[TaskQuality]:
    """Return the quality of each task, in the order of the record.

    Shapes: strategies (K,), in the order of the table.
    Source: item-rest correlation, as in L. Crocker and J. Algina, "Classical and modern test
    theory" (1986), chapter 14; rates are of decided verdicts (Reading R72).
    """
    candidates = [index for index, name in enumerate(strategies) if name != baseline]
    qualities = []
    for domain in table.domains.names:
        counts = table.counts[domain][candidates]
        decided = counts[..., 0] + counts[..., 1]
        rates = np.where(decided > 0, counts[..., 0] / np.maximum(decided, 1), np.nan)
        for task in range(rates.shape[1]):
            task_rates = rates[:, task]
            rated = task_rates[~np.isnan(task_rates)]
            qualities.append(
                TaskQuality(
                    domain=domain,
                    task=task,
                    asked=int((counts[:, task].sum(axis=1) > 0).sum()),
                    decided=len(rated),
                    win_rate=float(rated.mean()) if len(rated) else None,
                    spread=float(rated.std()) if len(rated) else None,
                    with_rest=_correlation(task_rates, np.delete(rates, task, axis=1)),
                )
            )
    return qualities


def _correlation(task_rates: Array, means: Array) -> float | None:
    """Return how a task's rates go with the mean of the others', over strategies with both."""
    usable = ~np.isnan(task_rates) & ~np.isnan(means).all(axis=1)
    if usable.sum() < _FEWEST:
        return None
    x, y = task_rates[usable], np.nanmean(means[usable], axis=1)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    return float(np.corrcoef(x, y)[0, 1])
