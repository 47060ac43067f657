"""Readings R70 to R74 a second time, from their text alone: transfer, its size and the word.

Independent of the program: numpy and scipy only. Arrays carry any number of leading axes.

Three rules are told apart. `LITERAL` is R71 as it was first written: p of redirected choices and
R70's regret. `MIXED` also asks, of the same direction, the regret that another order of strategies
causes (the crossing regret). `ORDER` takes the crossing regret alone, for the p-value too.
"""

from dataclasses import dataclass, replace
from itertools import combinations
from math import comb

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.stats import t as student

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

WIN, LOSS, FLOOR, ROUNDS = 0.08, 0.04, 0.001, 30
LEVEL, MARGIN = 0.05, 0.02
PERMUTATIONS, WHEELS = 199, 2000
FEWEST_SPLITS = 20
NAN = float("nan")


# Training ---------------------------------------------------------------------------------


def mean_field(start: Array, rates: Array, rounds: int) -> Array:
    """Return the expected policy if each round's expectation stood for every wheel.

    Shapes: both (..., K); rates are of decided verdicts, so that no round is a tie.
    """
    policy = start
    for _ in range(rounds):
        win, loss = policy * rates, policy * (1 - rates)
        drop = policy - np.maximum(FLOOR, policy - LOSS)
        scaled = loss / (1 - drop)
        policy = (
            policy * (win.sum(-1, keepdims=True) / (1 + WIN) + scaled.sum(-1, keepdims=True))
            + win * (WIN / (1 + WIN))
            - scaled * drop
        )
        policy /= policy.sum(-1, keepdims=True)  # an error of rounding would double each round
    return policy


@dataclass(frozen=True, slots=True)
class Trained:
    """Wheels after a phase: weights, wins and losses, each (wheels, K)."""

    weights: Array
    wins: Array
    losses: Array


def wheels(start: Array, rates: Array, draws: Array) -> Trained:
    """Train single wheels. Shapes: start (M, K), rates (K,), draws (2, rounds, M)."""
    weights, rows = start.copy(), np.arange(len(start))
    tallies = np.zeros((2, *start.shape))
    for u, said in zip(*draws, strict=True):
        running = np.cumsum(weights, axis=1)
        chosen = np.minimum((running <= u[:, None]).sum(1), start.shape[1] - 1)
        won = said < rates[chosen]
        tallies[np.where(won, 0, 1), rows, chosen] += 1
        weights[rows, chosen] = np.maximum(FLOOR, weights[rows, chosen] + np.where(won, WIN, -LOSS))
        weights /= weights.sum(1, keepdims=True)
    return Trained(weights, tallies[0], tallies[1])


# The figures ------------------------------------------------------------------------------


def redirected(crossed: Array, pure: Array) -> Array:
    """Return the share of choices that are other: shapes (..., K) to (...)."""
    return np.asarray(0.5 * np.abs(crossed - pure).sum(-1))


def regret(crossed: Array, pure: Array, rates: Array) -> Array:
    """Return the win rate that the detour costs: shapes (..., K) to (...)."""
    return np.asarray(((pure - crossed) * rates).sum(-1))


def field_redirected(one: Array, two: Array, rounds: int) -> Array:
    """Return both directions' redirected choices, added, by mean field: (..., K) to (...)."""
    both = np.stack([one, two])
    first = mean_field(np.full(both.shape, 1 / both.shape[-1]), both, rounds)
    same, other = mean_field(first, both, rounds), mean_field(first[::-1], both, rounds)
    return np.asarray(redirected(other, same).sum(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One domain by groups of tasks: verdicts won and decided, each (K, groups)."""

    won: Array
    decided: Array

    def rates(self, keep: Array | None = None) -> Array:
        """Return the win rates (..., K) over the groups that `keep` (..., groups) weighs."""
        keep = np.ones(self.won.shape[1]) if keep is None else keep
        decided = keep @ self.decided.T
        return np.asarray(
            np.divide(
                keep @ self.won.T, decided, out=np.full(decided.shape, 0.5), where=decided > 0
            )
        )


def grouped(counts: Counts, groups: list[int]) -> Table:
    """Return the table of one domain; counts (K, tasks, 3)."""
    member = np.equal.outer(np.array(groups), np.unique(groups)).astype(float)
    return Table(won=counts[..., 0] @ member, decided=counts[..., :2].sum(-1) @ member)


def covered(text: Counts, visual: Counts) -> tuple[NDArray[np.bool_], list[NDArray[np.bool_]]]:
    """Return which strategies, and which tasks of each domain, R72 keeps.

    A wheel that draws few of many tasks leaves pairs out at random, so shares are of what the
    median strategy and the median task have.
    """
    decided = [counts[..., :2].sum(-1) > 0 for counts in (text, visual)]
    strategies = np.all([told.sum(1) >= 0.5 * np.median(told.sum(1)) for told in decided], axis=0)
    tasks = []
    for told in decided:
        held = told[strategies].sum(0)
        tasks.append(held >= max(0.25 * float(np.median(held)), 1))
    return strategies, tasks


# What a single order explains -------------------------------------------------------------


def in_order(own: Array, other: Array) -> Array:
    """Return `own` rates dealt out in the order of `other`.

    Equal ranks get the mean of both orders of their places.
    """
    dealt = np.zeros(own.shape)
    for step in (1, -1):
        order = np.argsort(other[..., ::step], axis=-1, kind="stable")
        one = np.empty(own.shape)
        np.put_along_axis(one, order, np.sort(own, axis=-1), -1)
        dealt += one[..., ::step] / 2
    return dealt


def field_regrets(one: Array, two: Array, rounds: int) -> Array:
    """Return R70's regret and the crossing regret into both domains: (..., K) to (2, 2, ...)."""
    target, start = np.stack([one, two]), np.stack([two, one])
    begun = np.stack([start, target, in_order(start, target)])
    first = mean_field(np.full(begun.shape, 1 / begun.shape[-1]), begun, rounds)
    crossed, pure, ordered = mean_field(first, np.broadcast_to(target, begun.shape), rounds)
    return np.stack([regret(crossed, pure, target), regret(crossed, ordered, target)])


@dataclass(frozen=True, slots=True)
class Spread:
    """What a jackknife over groups says of figures: value, bias and variance, one shape each."""

    value: Array
    bias: Array
    variance: Array

    def interval(self, value: float, at: tuple[int, int], freedom: int) -> tuple[float, float]:
        """Return the 95% interval of the domain about a value that is already corrected."""
        half = float(student.ppf(0.975, freedom)) * float(np.sqrt(self.variance[at]))
        return value - half, value + half


def field_jackknife(one: Table, two: Table, rounds: int) -> Spread:
    """Return value, bias and variance (2 regrets; into text, into visual, both added).

    By mean field: replicates of wheels that are trained again have noise of their own, which
    the jackknife multiplies by the number of groups.
    """
    counts = one.won.shape[1], two.won.shape[1]
    keeps = [np.vstack([np.ones(n), 1 - np.eye(n)]) for n in counts]
    steady = [np.ones((n + 1, m)) for n, m in zip(counts, counts[::-1], strict=True)]
    value, bias, variance = np.zeros((2, 3)), np.zeros((2, 3)), np.zeros((2, 3))
    for at, pair in enumerate(((keeps[0], steady[0]), (steady[1], keeps[1]))):
        told = field_regrets(one.rates(pair[0]), two.rates(pair[1]), rounds)
        told = np.concatenate([told, told.sum(1, keepdims=True)], axis=1)
        value, left, groups = told[..., 0], told[..., 1:], counts[at]
        bias += (groups - 1) * (left.mean(-1) - value)
        spread = ((left - left.mean(-1, keepdims=True)) ** 2).sum(-1)
        variance += (groups - 1) / groups * spread
    return Spread(value, bias, variance)


def wheel_crossing(start: Array, target: Array, rounds: int, count: int, rng: Generator) -> float:
    """Return the crossing regret into `target` over single wheels, not corrected."""
    draws = rng.random((2, 2, rounds, count))
    uniform = np.full((count, len(start)), 1 / len(start))
    crossed, ordered = (
        wheels(wheels(uniform, rates, draws[0]).weights, target, draws[1]).weights.mean(0)
        for rates in (start, in_order(start, target))
    )
    return float(regret(crossed, ordered, target))


# The word ---------------------------------------------------------------------------------

LITERAL, MIXED, ORDER = "literal", "mixed", "order"
RULES = LITERAL, MIXED, ORDER


@dataclass(frozen=True, slots=True, kw_only=True)
class Direction:
    """Figures of one direction; each interval is for the domain."""

    regret: float
    regret_ci95: tuple[float, float]
    redirected: float = NAN
    harm: float = NAN
    crossing: float = NAN
    crossing_ci95: tuple[float, float] = (NAN, NAN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The words of the three rules and what they rest on; text to visual, visual to text."""

    words: dict[str, str]
    p_values: dict[str, float] | None = None
    bound_p: float | None = None  # one-sided t of the crossing regrets, added
    chance: float | None = None
    directions: tuple[Direction, Direction] | None = None


def splits(sizes: tuple[int, int], permutations: int, rng: Generator) -> Array:
    """Return which groups stand in the first domain: (permutations, groups), 1 or 0."""
    total = sum(sizes)
    if comb(total, sizes[0]) <= permutations:
        chosen = [list(pick) for pick in combinations(range(total), sizes[0])]
    else:
        chosen = list(rng.random((permutations, total)).argsort(1)[:, : sizes[0]])
    keep = np.zeros((len(chosen), total))
    keep[np.arange(len(chosen))[:, None], chosen] = 1
    return keep


def permutation(
    text: Table, visual: Table, rounds: int, permutations: int, rng: Generator
) -> tuple[float, float, float]:
    """Return p of redirected choices, p of the crossing regret, and the chance share."""
    sizes = text.won.shape[1], visual.won.shape[1]
    pooled = Table(
        won=np.hstack([text.won, visual.won]), decided=np.hstack([text.decided, visual.decided])
    )
    keep = np.vstack(
        [np.r_[np.ones(sizes[0]), np.zeros(sizes[1])], splits(sizes, permutations, rng)]
    )
    one, two = pooled.rates(keep), pooled.rates(1 - keep)
    told = [field_redirected(one, two, rounds), field_regrets(one, two, rounds)[1].sum(0)]
    seen = 0 if comb(sum(sizes), sizes[0]) <= permutations else 1
    redirect, crossing = (
        float((seen + (one[1:] >= one[0] - 1e-9).sum()) / (seen + len(one) - 1)) for one in told
    )
    return redirect, crossing, float(told[0][1:].mean()) / 2


def log_ratio(new: Array, old: Array) -> Array:
    """Return log(new / old), 0 where old is 0 and very small where only new is 0."""
    return np.where(old > 0, np.log(np.maximum(new, 1e-30) / np.where(old > 0, old, 1)), 0.0)


def transfer(start: Table, target: Table, rounds: int, count: int, rng: Generator) -> Direction:
    """Return the figures of training in `start`, then in `target`.

    The wheels run once. Each replicate of the jackknife reweighs them by the likelihood of their
    verdicts, which keeps its noise from being multiplied by the number of groups.
    """
    one, two = start.rates(), target.rates()
    draws = rng.random((2, 2, rounds, count))
    uniform = np.full((count, len(one)), 1 / len(one))
    detour, first = wheels(uniform, one, draws[0]), wheels(uniform, two, draws[0])
    crossed, pure = (wheels(came.weights, two, draws[1]) for came in (detour, first))

    def at(one_new: Array, two_new: Array) -> Array:
        """Return redirected, regret and harm under other rates (n, K): (3, n)."""
        there = [log_ratio(one_new, one), log_ratio(1 - one_new, 1 - one)]
        here = [log_ratio(two_new, two), log_ratio(1 - two_new, 1 - two)]

        def policy(last: Trained, logs: Array) -> Array:
            chance = np.exp(logs - logs.max(0))
            return np.asarray((chance / chance.sum(0)).T @ last.weights)

        def told(phase: Trained, logs: list[Array]) -> Array:
            return np.asarray(phase.wins @ logs[0].T + phase.losses @ logs[1].T)

        came = policy(crossed, told(detour, there) + told(crossed, here))
        same = policy(pure, told(first, here) + told(pure, here))
        alone = policy(first, told(first, here))
        return np.stack(
            [redirected(came, same), regret(came, same, two_new), regret(came, alone, two_new)]
        )

    whole = at(one[None], two[None])[:, 0]
    bias, variance = np.zeros(3), np.zeros(3)
    for table, first_moves in ((start, True), (target, False)):
        groups = table.won.shape[1]
        without = table.rates(1 - np.eye(groups))
        steady = np.broadcast_to(two if first_moves else one, without.shape)
        left = at(without, steady) if first_moves else at(steady, without)
        bias += (groups - 1) * (left.mean(1) - whole)
        variance += (groups - 1) / groups * ((left - left.mean(1, keepdims=True)) ** 2).sum(1)
    value = whole - bias
    fewest = min(start.won.shape[1], target.won.shape[1])
    reach = float(student.ppf(0.975, fewest - 1)) * np.sqrt(variance[1])
    return Direction(
        redirected=float(value[0]),
        regret=float(value[1]),
        regret_ci95=(float(value[1] - reach), float(value[1] + reach)),
        harm=float(value[2]),
    )


def judged(
    text: Counts,
    visual: Counts,
    rng: Generator,
    *,
    groups: tuple[list[int], list[int]] | None = None,
    rounds: int = ROUNDS,
    permutations: int = PERMUTATIONS,
    count: int = WHEELS,
) -> Outcome:
    """Return the words for one pair of domains; counts (K, tasks, 3) of A, B and ties.

    Without wheels (`count=0`) both regrets are those of the mean field, for studies at R = 30.
    """
    groups = groups or (list(range(text.shape[1])), list(range(visual.shape[1])))
    decided = int(text[..., :2].sum() + visual[..., :2].sum())
    if not decided:
        return Outcome(words=dict.fromkeys(RULES, "no_verdicts_counted"))
    nothing = Outcome(words=dict.fromkeys(RULES, "inconclusive"))
    if decided < 0.25 * int(text.sum() + visual.sum()):
        return nothing
    strategies, tasks = covered(text, visual)
    if strategies.sum() < 2 or any(not kept.any() for kept in tasks):
        return nothing
    one, two = (
        grouped(counts[strategies][:, kept], [g for g, k in zip(names, kept, strict=True) if k])
        for counts, kept, names in zip((text, visual), tasks, groups, strict=True)
    )
    sizes = one.won.shape[1], two.won.shape[1]
    if comb(sum(sizes), sizes[0]) < FEWEST_SPLITS or min(sizes) < 2:
        return nothing
    return _outcome(one, two, rng, rounds=rounds, permutations=permutations, count=count)


def _outcome(
    one: Table, two: Table, rng: Generator, *, rounds: int, permutations: int, count: int
) -> Outcome:
    sizes = one.won.shape[1], two.won.shape[1]
    redirect, crossing, chance = permutation(one, two, rounds, permutations, rng)
    spread, freedom = field_jackknife(one, two, rounds), min(sizes) - 1
    directions = []
    for start, target, into in ((one, two, 1), (two, one, 0)):
        value = float(spread.value[0, into] - spread.bias[0, into])
        base, raw = (
            Direction(regret=value, regret_ci95=spread.interval(value, (0, into), freedom)),
            float(spread.value[1, into]),
        )
        if count:
            base = transfer(start, target, rounds, count, rng)
            raw = wheel_crossing(start.rates(), target.rates(), rounds, count, rng)
        value = raw - float(spread.bias[1, into])
        interval = spread.interval(value, (1, into), freedom)
        directions.append(replace(base, crossing=value, crossing_ci95=interval))
    figures = directions[0], directions[1]
    deviation = max(float(np.sqrt(spread.variance[1, 2])), 1e-12)
    bound_p = float(student.sf(sum(d.crossing for d in figures) / deviation, freedom))
    if max(sizes) > 2 * min(sizes):
        redirect = crossing = bound_p
    regrets, crossings = [d.regret for d in figures], [d.crossing for d in figures]
    costs = {
        LITERAL: max(regrets),
        MIXED: max(min(pair) for pair in zip(regrets, crossings, strict=True)),
        ORDER: max(crossings),
    }
    # Nothing crosses beyond the margin only where nothing is lost for another reason either.
    upper = max(*(d.regret_ci95[1] for d in figures), *(d.crossing_ci95[1] for d in figures))
    p_values = {LITERAL: redirect, MIXED: redirect, ORDER: crossing}
    words = {rule: _word(p_values[rule], costs[rule], upper) for rule in RULES}
    return Outcome(
        words=words, p_values=p_values, bound_p=bound_p, chance=chance, directions=figures
    )


def _word(p_value: float, cost: float, upper: float) -> str:
    if p_value <= LEVEL and cost >= MARGIN:
        return "coupled"
    return "no_coupling_beyond_margin" if upper < MARGIN else "no_detectable_coupling"
