"""The same-domain control: what gamma is when the domain does not change (Reading R15).

gamma of B-trained to B against an independent pure-B vector has the noise of the rounds and of the
start in it but no crossing between domains. Excess coupling is gamma minus that.
"""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from epc.arrays import Array, Generator, np
from epc.protocol.draws import generator
from epc.protocol.rules import Rule, policies
from epc.protocol.table import VERDICTS, VerdictTable
from epc.protocol.verdict import Verdict
from epc.simulation.training import Odds, blind, train, uniform_start
from epc.spec.domains import Domain
from epc.statistics.intervals import Interval, mean, quantiles, spread_interval, variance_of

STARTS: Final = 1000  # simulated; puts about 0.005 on the floor's mean
_FEWEST: Final = 50  # starts, however many seeds they are held against
_COMPARED: Final = 500_000  # starts times seeds, which bounds memory and time
QUANTILES: Final = (0.025, 0.975)
_PRIOR: Final = 0.5  # verdicts; how much a strategy's rates lean on its domain's
_TABLES: Final = 20  # verdict tables that this one might have been
_SEEDS_A_TABLE: Final = 100
_STREAM: Final = 20260703
_A, _B, _TIE = (VERDICTS.index(verdict) for verdict in (Verdict.A, Verdict.B, Verdict.TIE))


class Control(Struct, frozen=True, kw_only=True):
    """Noise floor of one direction, and what gamma has beyond it.

    `low` and `high` hold 95% of single seeds of the control. `excess` is None beside `interval`
    where a single seed was measured.
    """

    floor: float
    low: float
    high: float
    excess: float
    interval: Interval | None


def measured(gammas: Sequence[float], controls: Sequence[float]) -> Control:
    """Return the control of a run that measured it, seed by seed against the same pure vector.

    Shapes: both (n,).
    Source: Reading R15.
    """
    return _control(gammas, controls, controls, variance=0.0)


def simulated(
    gammas: Sequence[float],
    pure: Sequence[Sequence[float]],
    *,
    table: VerdictTable,
    domain: Domain,
    rounds: int,
    rule: Rule,
) -> Control:
    """Return the control simulated from the run's own verdicts in a domain, at no further call.

    Every seed's gamma is held against the mean over `STARTS` simulated vectors, each trained on
    the domain from an independently trained start, all compared with that seed's own pure vector:
    what the pure vector adds to both then cancels. How uncertain the verdict table is enters as
    the variance between `_TABLES` tables drawn from it, each with a control of its own.

    Shapes: gammas (n,), pure (n, K).
    Source: Readings R15 and R38 (how rates are taken from the table).
    """
    vectors = np.asarray(pure).T
    streams = _streams(table.domains.names.index(domain))
    unasked = (table.counts[domain].sum(axis=2) == 0).any()
    odds, uncertain = (
        rates(table, domain),
        not table.repeated or (not table.is_whole and bool(unasked)),
    )
    starts = _starts(len(pure))
    distances = _distances(
        trained_twice(odds, rounds=rounds, rule=rule, seeds=starts, rng=streams[0]), vectors
    )
    start_variance = variance_of(_means(distances))  # between starts, of the mean over seeds
    variance = start_variance / starts
    if uncertain:
        drawn = _redrawn(table, domain, streams[1])
        twice = trained_twice(
            drawn, rounds=rounds, rule=rule, seeds=drawn.a.shape[1], rng=streams[2]
        )
        means = (
            _distances(twice, vectors).mean(axis=1).reshape(_TABLES, _SEEDS_A_TABLE).mean(axis=1)
        )
        variance += max(0.0, float(means.var(ddof=1)) - start_variance / _SEEDS_A_TABLE)
    return _control(gammas, _means(distances.T), distances.reshape(-1), variance=variance)


def coin_flip(
    gammas: Sequence[float],
    pure: Sequence[Sequence[float]],
    *,
    rounds: int,
    rule: Rule,
) -> Control:
    """Return the control of a coin flip, for records that do not say what their evaluator did.

    Shapes: gammas (n,), pure (n, K).
    Source: Reading R36.
    """
    vectors = np.asarray(pure).T
    starts = _starts(len(pure))
    twice = trained_twice(
        blind(len(vectors), a=0.5), rounds=rounds, rule=rule, seeds=starts, rng=_streams(0)[0]
    )
    distances = _distances(twice, vectors)
    variance = variance_of(_means(distances)) / starts
    return _control(gammas, _means(distances.T), distances.reshape(-1), variance=variance)


def rates(table: VerdictTable, domain: Domain) -> Odds:
    """Return how often each strategy wins and ties in a domain, as far as the table tells.

    Tasks are drawn evenly, so a strategy's rates are its mean over them. Where rounds were asked
    afresh, counts are pooled over tasks and lean on the domain's rates by the weight of half a
    verdict. Where verdicts are repeated, a pair that was asked has the verdict it got, and a pair
    that was not has the rates of the strategy's other tasks, leaning in the same way. In a whole
    table a pair without a verdict moves no weight in any round, like a tie, and so it does here.

    Source: Readings R38 and R72.
    """
    return _odds(_expected(table, domain, table.counts[domain].sum(axis=1).astype(float)))


def _expected(table: VerdictTable, domain: Domain, counts: Array) -> Array:
    """Return each strategy's shares of A, B and tie from its counts.

    Shapes: (K, 3) in and out.
    """
    pooled = table.counts[domain].sum(axis=(0, 1)) + np.full(len(VERDICTS), 1 / len(VERDICTS))
    leaning = (counts + _PRIOR * pooled / pooled.sum()) / (
        counts.sum(axis=1, keepdims=True) + _PRIOR
    )
    if not table.repeated:
        return np.asarray(leaning)
    tasks = table.tasks()[domain]
    unseen = tasks - table.counts[domain].sum(axis=(1, 2))
    if table.is_whole:  # Reading R72: there is nothing to guess
        leaning = np.eye(len(VERDICTS))[_TIE]
    return np.asarray((table.counts[domain].sum(axis=1) + unseen[:, None] * leaning) / tasks)


def _redrawn(table: VerdictTable, domain: Domain, rng: Generator) -> Odds:
    """Return the odds of tables that the same evaluator might have given, `_SEEDS_A_TABLE` each.

    Afresh: as many verdicts of each strategy again, at its rates. Repeated: the verdicts of the
    pairs that were not asked.

    Shapes: (K, `_TABLES` x `_SEEDS_A_TABLE`).
    """
    counts = table.counts[domain].sum(axis=1).astype(float)
    shares = _expected(table, domain, counts)
    tasks = table.tasks()[domain]
    number = counts.sum(axis=1).astype(int)
    if table.repeated:
        number = tasks - number
        shares = np.clip((shares * tasks - counts) / np.maximum(1, number)[:, None], 0, 1)
    owner = np.repeat(np.arange(len(counts)), number)
    tables = []
    for _ in range(_TABLES):
        u = rng.random(len(owner))
        verdict = np.where(
            u < shares[owner, _A], _A, np.where(u >= 1 - shares[owner, _TIE], _TIE, _B)
        )
        counted = np.bincount(owner * len(VERDICTS) + verdict, minlength=counts.size)
        drawn = counted.reshape(counts.shape).astype(float)
        win_rates = (counts + drawn) / tasks if table.repeated else _expected(table, domain, drawn)
        tables.append(np.repeat(win_rates[:, None], _SEEDS_A_TABLE, axis=1))
    return _odds(np.concatenate(tables, axis=1))


def _odds(shares: Array) -> Odds:
    return Odds(a=shares[..., _A], tie=shares[..., _TIE])


def trained_twice(odds: Odds, *, rounds: int, rule: Rule, seeds: int, rng: Generator) -> Array:
    """Return the weights after two phases in one domain, a column a seed.

    Shapes: (K, seeds).
    """
    state = uniform_start(odds.strategies, seeds, rule)
    for _ in range(2):
        state = train(state, rounds=rounds, rule=rule, odds=odds, rng=rng)
    return policies(rule, state)


def _starts(seeds: int) -> int:
    """Return how many starts to simulate: fewer where many seeds average over them."""
    return max(_FEWEST, min(STARTS, _COMPARED // seeds))


def _distances(coupled: Array, pure: Array) -> Array:
    """Return gamma of every coupled vector against every pure one.

    Added strategy by strategy, not by a matrix product: the same bits on every machine (ADR 3).

    Shapes: (K, s) and (K, n); (s, n).
    """
    apart = np.zeros((coupled.shape[1], pure.shape[1]))
    length = np.zeros(pure.shape[1])
    for moved, still in zip(coupled, pure, strict=True):
        difference = moved[:, None] - still
        difference *= difference
        apart += difference
        length += still * still
    gamma: Array = np.sqrt(apart / length)
    return gamma


def _means(rows: Array) -> list[float]:
    """Return the mean of every row, correctly rounded in its sum."""
    return [mean(row) for row in rows.tolist()]


def _control(
    gammas: Sequence[float],
    expected: Sequence[float],
    spread: Sequence[float] | Array,
    *,
    variance: float,
) -> Control:
    beyond = [g - c for g, c in zip(gammas, expected, strict=True)]
    low, high = quantiles(np.asarray(spread, np.float64), QUANTILES)
    return Control(
        floor=mean(expected),
        low=float(low),
        high=float(high),
        excess=mean(beyond),
        interval=spread_interval(beyond, variance=variance),
    )


def _streams(domain: int) -> list[Generator]:
    entropy = [_STREAM, domain]
    return [generator([*entropy, part]) for part in range(3)]
