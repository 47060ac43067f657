"""Figures of coupling: all of the rule, from a measurement's verdicts and its weights.

Sources: Readings R70 to R74; the numbers of the rule stand in `epc.spec.coupling`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import ceil, fsum, sqrt
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from epc.audit.control import rates, trained_twice
from epc.audit.permutation import PermutationTest
from epc.audit.redirection import RedirectionTest, redirected_interval, redirection_test
from epc.audit.side_checks import TieTest, clusters, tie_test
from epc.audit.transfer import Crossing, Crossings, carried, cost, crossings, upper_end, won_shares
from epc.audit.units import Groups, LeftOut, Units, units_of
from epc.protocol.config import Configuration
from epc.protocol.draws import generator
from epc.protocol.rules import Rule
from epc.protocol.table import VerdictTable
from epc.protocol.weights import Weights
from epc.simulation.training import Odds
from epc.spec.coupling import LEVEL, MARGIN, RULE
from epc.spec.domains import Direction, Domain, Pair, PhaseName
from epc.spec.epc_v1 import ControlMethod
from epc.statistics.inference import holm, t_point
from epc.statistics.intervals import Interval, mean, spread_interval, sum_of_squares

Both = tuple[Domain, Domain]  # in the order of the alphabet


def adjusted(tests: Mapping[Both, RedirectionTest]) -> dict[Both, RedirectionTest]:
    """Return tests with their p-values adjusted for their number."""
    p_values = holm({domain_pair: test.p_value for domain_pair, test in tests.items()})
    return {
        domain_pair: replace(test, p_value=p_values[domain_pair])
        for domain_pair, test in tests.items()
    }


def of_any(tests: Sequence[RedirectionTest]) -> RedirectionTest | None:
    """Return what adjusted tests say of any crossing, with the fewest splits of any."""
    if not tests:
        return None
    least = min(tests, key=lambda test: test.p_value)
    return replace(least, splits=min(test.splits for test in tests))


def any_differ(tests: Sequence[PermutationTest]) -> PermutationTest:
    """Return whether the preferences of any two domains differ: m times the least of m p-values."""
    n = len(tests)
    return replace(
        tests[0],
        p_value=min(1.0, n * min(test.p_value for test in tests)),
        smallest=min(1.0, n * min(test.smallest for test in tests)),
    )


def shared_figures(pairs: Sequence[Units]) -> dict[str, Any]:
    """Return what stands beside the figures of all pairs of domains.

    A domain is in several pairs: it has the fewest units of any, and whatever is left out of one.
    """
    domains = sorted({domain for units in pairs for domain in units.domains})
    dropped = [units.left_out for units in pairs]
    ties = [tie_test(units) for units in pairs]
    alike = [clusters(units) for units in pairs]
    return {
        "units": {d: min(u.numbers[d] for u in pairs if d in u.domains) for d in domains},
        "decided_share": min(units.decided_share for units in pairs),
        "left_out": LeftOut(
            strategies=tuple(dict.fromkeys(name for cells in dropped for name in cells.strategies)),
            tasks={
                d: tuple(sorted({task for cells in dropped for task in cells.tasks.get(d, ())}))
                for d in domains
            },
        ),
        "ties": TieTest(
            share={d: next(t.share[d] for t in ties if d in t.share) for d in domains},
            p_value=min(1.0, len(ties) * min(test.p_value for test in ties)),
        ),
        "clusters": {
            d: min((p for values in alike if (p := values.get(d)) is not None), default=None)
            for d in domains
        },
    }


_WHEELS: Final = 4096
_STREAM: Final = 20261125
_FEWEST_SPREAD: Final = 2  # tasks that have a spread
_MANY: Final = 10_000  # degrees of freedom, where Student's quantile is the normal one
_KEPT: Final = 256  # results, so that a run's many readers work them out once


class SeedFigures(Struct, frozen=True, kw_only=True):
    """Figures of the run's own seeds: true of these tasks, with the spread over seeds (R74).

    `control` says where pi(Y,Y) is from: the run's control phases, or its verdicts by simulation.
    """

    control: ControlMethod = msgspec.field(name="again")
    redirected: float
    redirected_ci95: Interval | None
    regret: float
    regret_ci95: Interval | None


class CrossingFigures(Struct, frozen=True, kw_only=True):
    """Effect, in one domain, of training in the other domain first (Reading R70).

    `redirected` is a share of choices, and `chance` what arrangements by chance redirect. `regret`
    and `harm` are points of win rate, against training twice in the domain and against training
    in it alone. `crossing` is the regret against an agent that was first trained on the other
    domain's win rates in this domain's order: what another order of strategies costs, strength and
    noise of the preferences left aside. All are corrected for bias; the intervals are for the
    domain, over its tasks or groups.
    """

    redirected: float
    redirected_ci95: Interval | None
    chance: float
    regret: float
    regret_ci95: Interval | None
    harm: float
    harm_ci95: Interval | None
    crossing: float
    crossing_ci95: Interval | None


class Into(CrossingFigures, frozen=True, kw_only=True):
    """The same of a measurement, with what its own seeds show."""

    these_tasks: SeedFigures


class Transfer(Struct, frozen=True, kw_only=True):
    """The figures of the rule; `test` and `directions` are None where too little was decided.

    `units` counts the tasks of each domain, or their groups. `clusters` has a p-value for each
    domain, small where verdicts fall into topics that nobody declared.

    Every two of three or more domains are looked at by themselves. Then the intervals are joint,
    `tests` has the p-value of each pair's two domains, adjusted for their number, and `test` the
    least of them (Reading R78).
    """

    rule: int
    margin: float
    test: RedirectionTest | None
    units: Mapping[Domain, int]
    decided_share: float
    left_out: LeftOut
    ties: TieTest
    clusters: Mapping[Domain, float | None]
    directions: Mapping[Direction, Into] | None
    tests: Mapping[Direction, RedirectionTest] | None = None

    @property
    def cost(self) -> float | None:
        """The least that crosses, in the direction where most does (Reading R71)."""
        return cost((into.regret, into.crossing) for into in self._telling())

    @property
    def regret(self) -> float | None:
        """The largest of the directions' regrets."""
        return max((into.regret for into in self._telling()), default=None)

    @property
    def upper_end(self) -> float | None:
        """The most that the intervals for the domain admit, of either regret; None without any."""
        intos = (self.directions or {}).values()
        return upper_end(
            bound for into in intos for bound in (into.regret_ci95, into.crossing_ci95)
        )

    def _telling(self) -> Iterator[Into]:
        """Yield the directions that the word may rest on: of several pairs, those that cross."""
        for direction, into in (self.directions or {}).items():
            if self.tests is None or self.tests[direction].p_value <= LEVEL:
                yield into


def transfer(
    vectors: Mapping[PhaseName, Sequence[Weights]], *, table: VerdictTable, config: Configuration
) -> Transfer:
    """Return what crosses between a measurement's domains, and how sure that is.

    Shapes: each phase's vectors (n, K), those of the control phases where they were measured.
    Source: Readings R70 to R74, and R78 for more than two domains.
    """
    names = [strategy.name for strategy in config.strategies]
    pairs = table.domains.pairs
    of_two = {
        pair.domains: units_of(table.of_domains(pair.domains), names, config.groups)
        for pair in pairs
    }
    several = len(of_two) > 1
    tests: dict[Direction, RedirectionTest] = {}
    directions: dict[Direction, Into] = {}
    # A domain in which too little was decided takes every pair's figures: it is in most of them.
    if all(units.bearable for units in of_two.values()):
        worked = {
            domain_pair: worked_out(u, config.rounds, config.rule)
            for domain_pair, u in of_two.items()
        }
        tests_of_two = adjusted({domain_pair: test for domain_pair, (_, test, _) in worked.items()})
        for pair in pairs:
            (crossed, _, chance), test = worked[pair.domains], tests_of_two[pair.domains]
            side = of_two[pair.domains].domains.index(pair.target)
            seed_figures = these_tasks(vectors, pair.key, table=table, config=config)
            figures = len(pairs) if several else 1
            tests[pair.key] = test
            into = figures_into(crossed.into[side], chance[side], test.p_value, figures)
            directions[pair.key] = Into(**into, these_tasks=seed_figures)
    return Transfer(
        rule=RULE,
        margin=MARGIN,
        test=of_any(list(tests.values())),
        directions=directions or None,
        tests=tests if several and tests else None,
        **shared_figures(list(of_two.values())),
    )


def tasks_for(intervals: Iterable[Interval | None], fewest: int) -> int | None:
    """Return how many tasks a domain needs for regrets within the margin either way.

    `intervals` are those of the regrets over so many tasks, or groups, of the smaller domain. What
    they spread falls with the root of that number. None where there is no interval.

    Source: Readings R74 and R75.
    """
    halves = [(high - low) / 2 for low, high in filter(None, intervals)]
    if not halves or fewest < _FEWEST_SPREAD:
        return None
    spread = max(halves) / t_point(fewest - 1)
    return ceil(fewest * (t_point(_MANY) * spread / MARGIN) ** 2)


@lru_cache(maxsize=_KEPT)
def worked_out(
    units: Units, rounds: int, rule: Rule
) -> tuple[Crossings, RedirectionTest, tuple[float, float]]:
    """Return what crosses, the test of it, and what chance redirects into either domain."""
    crossed = crossings(units, rounds=rounds, rule=rule)
    return crossed, *redirection_test(units, crossed.crossings, rounds=rounds, rule=rule)


@lru_cache(maxsize=_KEPT)
def changes(units: Units, rounds: int, rule: Rule) -> dict[Domain, dict[str, float]]:
    """Return by how much each strategy's choices change; whoever reads an audit asks for it."""
    return carried(units, rounds=rounds, rule=rule)


def carried_over(
    table: VerdictTable, names: Sequence[str], groups: Groups | None, *, rounds: int, rule: Rule
) -> dict[Direction, dict[str, float]]:
    """Return by how much each strategy's choices change, by direction: see `carried`."""
    over = {}
    for pair in table.domains.pairs:
        units = units_of(table.of_domains(pair.domains), names, groups)
        if units.bearable:
            over[pair.key] = changes(units, rounds, rule)[pair.target]
    return over


def figures_into(
    crossed: Crossing, chance: float, p_value: float, figures: int = 1
) -> dict[str, Any]:
    """Return `CrossingFigures` fields of one direction, intervals joint with so many figures'."""
    return {
        "redirected": _share(crossed.redirected.value),
        "redirected_ci95": redirected_interval(crossed.redirected, p_value, figures),
        "chance": _share(chance),
        "regret": crossed.regret.value,
        "regret_ci95": crossed.regret.interval_of(figures),
        "harm": crossed.harm.value,
        "harm_ci95": crossed.harm.interval_of(figures),
        "crossing": crossed.crossing.value,
        "crossing_ci95": crossed.crossing.interval_of(figures),
    }


def _share(value: float) -> float:
    return min(1.0, max(0.0, value))


def these_tasks(
    vectors: Mapping[PhaseName, Sequence[Weights]],
    direction: Direction,
    *,
    table: VerdictTable,
    config: Configuration,
) -> SeedFigures:
    """Return what the seeds themselves show, each held against its control or a simulated one.

    Source: Readings R70 and R74.
    """
    domain = Pair.parse(direction).target
    coupled = vectors[direction]
    if config.control == "measured":
        control = vectors[config.domains.control[direction]]
    else:
        control = [_trained_again(table, domain, config)] * len(coupled)
    wins = _win_rates(table, domain)
    moved = [
        [a - c for a, c in zip(*pair, strict=True)] for pair in zip(control, coupled, strict=True)
    ]
    lost = [fsum(step * win for step, win in zip(row, wins, strict=True)) for row in moved]
    redirected, low_high = _redirected(moved)
    return SeedFigures(
        control=config.control,
        redirected=redirected,
        redirected_ci95=low_high,
        regret=mean(lost),
        regret_ci95=spread_interval(lost),
    )


def _trained_again(table: VerdictTable, domain: Domain, config: Configuration) -> Weights:
    """Return pi(Y,Y) of a run's own verdicts, its ties and its missing pairs among them.

    Strategies are put in the order of their names before any draw, both domains have the same
    draws, and verdicts were asked once where no pair has two, whatever the run calls them.

    Source: Reading R73.
    """
    once = all(bool((counts.sum(axis=2) <= 1).all()) for counts in table.counts.values())
    odds = rates(replace(table, repeated=once), domain)
    names = [strategy.name for strategy in config.strategies]
    order = sorted(range(len(names)), key=lambda index: names[index])
    ended = trained_twice(
        Odds(a=odds.a[order], tie=odds.tie[order]),
        rounds=config.rounds,
        rule=config.rule,
        seeds=_WHEELS,
        rng=generator([_STREAM]),
    )
    weights = dict(zip(order, ended.tolist(), strict=True))
    return tuple(mean(weights[index]) for index in range(len(names)))


def _win_rates(table: VerdictTable, domain: Domain) -> list[float]:
    won, lost, _ = table.counts[domain].sum(axis=1).astype(float).T
    shares: list[float] = won_shares(won[None], (won + lost)[None])[:, 0].tolist()
    return shares


def _redirected(moved: Sequence[Sequence[float]]) -> tuple[float, Interval | None]:
    """Return half the length of the mean move, corrected for the noise of so many seeds.

    Each seed is left out in turn (the jackknife): a mean of few has an absolute value that is too
    large on average.

    Shapes: (n, K).
    """
    n = len(moved)
    sums = [fsum(column) for column in zip(*moved, strict=True)]
    redirected = fsum(map(abs, sums)) / n / 2
    if n == 1:
        return _share(redirected), None
    left = [
        fsum(abs(total - move) for total, move in zip(sums, row, strict=True)) / (n - 1) / 2
        for row in moved
    ]
    middle = mean(left)
    value = n * redirected - (n - 1) * middle
    variance = (n - 1) / n * sum_of_squares(estimate - middle for estimate in left)
    half = t_point(n - 1) * sqrt(variance)
    return _share(value), (_share(value - half), _share(value + half))
