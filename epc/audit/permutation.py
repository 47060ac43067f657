"""Does the evaluator prefer the same strategies in both domains? A fact beside the audit's word.

If it does, nothing that an agent learnt in one domain is wrong in the other (Reading R15). If it
does not, nothing need cross all the same: see `epc.audit.redirection` for what the word rests on.
These tests look at the verdicts themselves or, where only weights were kept, at the pure vectors.
"""

from functools import cache
from itertools import combinations
from math import comb, sqrt
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from epc.arrays import Array, Flags, np
from epc.protocol.rules import Rule
from epc.protocol.table import VerdictTable
from epc.protocol.weights import UpdateRule
from epc.simulation.training import Odds, train, uniform_start
from epc.spec.epc_v1 import MIN_TASKS

MOST_LISTED: Final = 2_000  # of arrangements to be simulated or compared; beyond it some are drawn
DRAWN: Final = 1_999
_MOST_LISTED: Final = 20_000  # splits or swaps; beyond it they are drawn
_DRAWN: Final = 9_999
_ARBITRARY: Final = 1_999
_BLOCKS: Final = 200
_AT_MOST: Final = 100
_STREAM: Final = 20260704
# Statistics that differ by less, as a share of the most that they could be, are equally extreme.
_ROUNDING: Final = 1e-11
_RANK: Final = 1e-10
_NEGLIGIBLE: Final = 1e-20  # of the most that a statistic could be: what rounding leaves
_TIED: Final = 1e-9
_COIN: Final = 0.5


class PermutationTest(Struct, frozen=True, kw_only=True):
    """A permutation test's outcome.

    `smallest` is the least p-value that so few units could have given.
    """

    p_value: float
    smallest: float
    unit: str


def by_tasks(table: VerdictTable, rule: Rule) -> PermutationTest:
    """Test whether strategies fare alike in both domains, with tasks as the unit.

    A verdict is worth the step it makes the weight take; by another rule a win counts 1 and a loss
    -1. An additive fit, one term a strategy and
    one a task and none a domain, is taken off; what is left of a strategy over all tasks of a
    domain, squared and summed over strategies, is the statistic. Under the hypothesis that a
    domain's name says nothing about its tasks beyond a common leaning, every split of the tasks
    into two sets of these sizes was as likely; all are listed, or `_DRAWN` drawn where they are
    too many. No verdict is assumed independent of another on the same task, so an answer that is
    repeated in a hundred rounds does not pass for a hundred answers. Additive is meant in rates: a
    leaning so strong that one domain's rates are pressed against 0 or 1 is seen as a difference.
    A pair without a verdict leaves nothing over, so it speaks neither for nor against a difference.

    Domains of unequal size are tested by `_unequal`, with all of their tasks.

    Source: Readings R39 and R72.
    """
    residual = residuals(table, rule)
    first, second = (table.tasks()[domain] for domain in table.domains.names)
    rounds = sum(counts.sum(axis=(1, 2)) for counts in table.counts.values())
    won, lost = rule.worth
    scale = float(((rounds * (won - lost)) ** 2).sum())
    if first != second:
        return _unequal(residual, first, negligible=_NEGLIGIBLE * scale)
    rows, listed = splits(first, second)
    statistics = ((residual @ rows.T) ** 2).sum(axis=0)
    observed = float((residual[:, :first].sum(axis=1) ** 2).sum())
    return _tested(statistics, observed, scale, listed=listed, unit="task")


def _unequal(residual: Array, first: int, *, negligible: float) -> PermutationTest:
    """Test remainders of domains with unequal numbers of tasks; the first `first` are the one's.

    Permuted, a domain that merely varies more would pass for one that differs: a repeated coin on 8
    tasks against a leaning one on 60 was called coupled in most runs. So each task stays in its
    domain: the difference of the domains' means, divided by its own variance, is held against
    those of tasks whose deviations from their domain's mean had their signs drawn. The p-value is
    no smaller than the smaller domain's tasks could give against as many.

    Shapes: left (K, all tasks), the first domain's first.
    Source: Reading R39; C. F. J. Wu, Annals of Statistics 14 (1986), 1261-1295; R. Davidson and
    E. Flachaire, Journal of Econometrics 146 (2008), 162-169 (signs, the wild bootstrap).
    """
    sides = residual[:, :first], residual[:, first:]
    signs = _signs(residual.shape[1])[0]
    observed = _studentised(sides, np.ones((1, residual.shape[1])), negligible)[0]
    # A deviation from a mean of n tasks is short of one from the true mean by this factor.
    freed = [
        (side - side.mean(axis=1, keepdims=True)) * sqrt(n / max(1, n - 1))
        for side in sides
        for n in (side.shape[1],)
    ]
    statistics = _studentised((freed[0], freed[1]), signs, negligible)
    as_extreme = int((statistics >= observed * (1 - _TIED)).sum())
    fewest = min(side.shape[1] for side in sides)
    smallest = max(1 / (1 + len(signs)), 2 / comb(2 * fewest, fewest))
    p_value = max(smallest, (1 + as_extreme) / (1 + len(signs)))
    return PermutationTest(p_value=min(1.0, p_value), smallest=min(1.0, smallest), unit="task")


def _studentised(sides: tuple[Array, Array], signs: Array, negligible: float) -> Array:
    """Return the squared difference of two sides' means by its variance, for each row of signs.

    Shapes: sides (K, tasks of each); signs (rows, all tasks); (rows,).
    """
    split = sides[0].shape[1]
    means, variance = [], np.zeros(len(signs))
    for side, flips in zip(sides, (signs[:, :split], signs[:, split:]), strict=True):
        n = side.shape[1]
        means.append(side @ flips.T / n)
        squares = (side**2).sum() - n * (means[-1] ** 2).sum(axis=0)
        variance += squares / (n * max(1, n - 1))
    apart = ((means[0] - means[1]) ** 2).sum(axis=0)
    apart[apart <= negligible] = 0.0
    certain = np.where(apart > 0, np.inf, 0.0)
    ratio: Array = np.divide(apart, variance, out=certain, where=variance > negligible)
    return ratio


def by_seeds(left: Array, right: Array) -> PermutationTest:
    """Test whether the two pure vectors are alike, with seeds as the unit.

    Right for fresh answers only: see `by_weights`. A seed's two pure phases have streams of their
    own, so under the hypothesis they could be swapped in any seed; the statistic is the squared
    length of the mean difference.

    Shapes: both (n, K).
    Source: Reading R39.
    """
    moved = left - right
    if len(moved) > _BLOCKS:  # very many seeds are swapped block by block
        moved = np.stack([part.sum(axis=0) for part in np.array_split(moved, _BLOCKS)])
    signs, listed = _signs(len(moved))
    statistics = ((moved.T @ signs.T) ** 2).sum(axis=0)
    observed = float((moved.sum(axis=0) ** 2).sum())
    return _tested(statistics, observed, float(len(moved) ** 2), listed=listed, unit="seed")


def by_weights(left: Array, right: Array, *, rounds: int, rule: UpdateRule) -> PermutationTest:
    """Test pure vectors that were published without verdicts; the larger of two p-values.

    `by_seeds` alone would call an evaluator coupled that repeats arbitrary answers: its seeds all
    go by one arbitrary table, so they agree. Whether answers were repeated, weights do not say. So
    the mean difference is also held against that of `_ARBITRARY` evaluators that toss a coin once
    for every strategy and task, for as many tasks as the protocol asks for at least.

    Shapes: both (n, K).
    Source: Reading R39.
    """
    swapped = by_seeds(left, right)
    strategies = left.shape[1]
    seeds = min(len(left), _AT_MOST)  # fewer spread more, which errs on the safe side
    rng = np.random.default_rng(_STREAM)
    wins = rng.binomial(MIN_TASKS, _COIN, (2, strategies, _ARBITRARY)) / MIN_TASKS
    means = []
    for shares in wins:
        weights = np.repeat(shares, seeds, axis=1)
        odds = Odds(a=weights, tie=np.zeros_like(weights))
        ended = train(
            uniform_start(strategies, weights.shape[1]),
            rounds=rounds,
            rule=rule,
            odds=odds,
            rng=rng,
        )
        means.append(ended.reshape(strategies, _ARBITRARY, seeds).mean(axis=2))
    arbitrary = ((means[0] - means[1]) ** 2).sum(axis=0)
    observed = float(((left - right).mean(axis=0) ** 2).sum())
    share = (1 + int((arbitrary >= observed).sum())) / (1 + _ARBITRARY)
    return replace(swapped, p_value=max(swapped.p_value, share))


def _tested(
    statistics: Array, observed: float, scale: float, *, listed: bool, unit: str
) -> PermutationTest:
    as_extreme = int((statistics >= observed - _ROUNDING * scale).sum())
    if listed:  # the arrangement that was observed is one of them
        return PermutationTest(
            p_value=as_extreme / len(statistics), smallest=1 / len(statistics), unit=unit
        )
    return PermutationTest(
        p_value=(1 + as_extreme) / (1 + len(statistics)),
        smallest=1 / (1 + len(statistics)),
        unit=unit,
    )


def residuals(table: VerdictTable, rule: Rule) -> Array:
    """Return what strategies and tasks do not explain, in steps of the weight times rounds.

    Shapes: (K, all tasks), the first domain's first.
    """
    counts = np.concatenate(
        [table.counts[domain] for domain in table.domains.names], axis=1
    ).astype(float)
    rounds = counts.sum(axis=2)
    steps = counts @ np.array([*rule.worth, 0.0])
    # Weighted least squares by its normal equations; a strategy that was never asked about has an
    # empty row, which the least-norm solution sets to 0.
    strategies, tasks = rounds.shape
    normal = np.zeros((strategies + tasks, strategies + tasks))
    normal[:strategies, :strategies] = np.diag(rounds.sum(axis=1))
    normal[strategies:, strategies:] = np.diag(rounds.sum(axis=0))
    normal[:strategies, strategies:] = rounds
    normal[strategies:, :strategies] = rounds.T
    right = np.concatenate([steps.sum(axis=1), steps.sum(axis=0)])
    terms = np.linalg.lstsq(normal, right, rcond=_RANK)[0]
    fitted = terms[:strategies, None] + terms[None, strategies:]
    residual: Array = steps - rounds * fitted
    return residual


@cache
def splits(
    first: int, second: int, *, listed_limit: int = _MOST_LISTED, drawn: int = _DRAWN
) -> tuple[Array, bool]:
    """Return indicator rows of the tasks of the first domain, and whether they are all there are.

    More than `listed_limit` are not listed; `drawn` of them are drawn.

    Where the domains are of one size, a split and its mirror image have the same statistic, so
    one of the two is listed.

    Shapes: (splits, first + second).
    """
    total = first + second
    half = first == second
    number = comb(total - 1, first - 1) if half and first else comb(total, first)
    if number <= listed_limit:
        labels = range(1, total) if half and first else range(total)
        chosen = combinations(labels, first - 1 if half and first else first)
        rows = np.zeros((number, total))
        for row, tasks in zip(rows, chosen, strict=True):
            row[list(tasks)] = 1
            row[0] = 1 if half and first else row[0]
        return rows, True
    rng = np.random.default_rng(_STREAM)
    order = rng.random((drawn, total)).argsort(axis=1)
    return (order < first).astype(np.float64), False


def arrangements(
    first: int, second: int, *, listed_limit: int = MOST_LISTED, drawn: int = DRAWN
) -> Array:
    """Return ways to deal units out to two domains, the one that was observed first.

    Shapes: (ways, first + second), 1 for the first domain's.
    """
    rows, listed = splits(first, second, listed_limit=listed_limit, drawn=drawn)
    if listed:  # the list begins with the one that was observed
        return rows
    is_first = np.arange(first + second) < first
    return np.concatenate([is_first[None].astype(np.float64), rows])


def share_as_large(statistics: Array) -> float:
    """Return the share of arrangements whose statistic is as large as the first's: a p-value.

    Shapes: (ways,).
    """
    return float((statistics >= statistics[0] * (1 - _TIED)).mean())


@cache
def _signs(seeds: int) -> tuple[Array, bool]:
    """Return rows of signs, one a seed, and whether they are all there are up to the mirror image.

    Shapes: (rows, seeds).
    """
    if 2 ** (seeds - 1) <= _MOST_LISTED:
        numbers = np.arange(2 ** (seeds - 1))
        flips: Flags = (numbers[:, None] >> np.arange(seeds)) & 1 == 1
    else:
        flips = np.random.default_rng(_STREAM).random((_DRAWN, seeds)) < _COIN
    return np.where(flips, -1.0, 1.0), 2 ** (seeds - 1) <= _MOST_LISTED
