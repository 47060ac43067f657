"""Which learning rule resists a biased judge? Transfer regret by rule, over many judges.

A rule that learns little loses little, so what it gained in its own domain is said beside what the
detour cost. All rules meet the same verdicts, and the same wheels where they draw alike.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from epc.arrays import Array, Flags, Generator, np
from epc.audit.transfer import Rates, estimates, figures_of, policies, won_shares
from epc.audit.units import Units, units_of
from epc.engine.verdicts import Table
from epc.protocol.draws import stream_of
from epc.protocol.rules import Bayes, BradleyTerry, Rule, Thompson
from epc.protocol.table import Cell as Comparison
from epc.protocol.table import VerdictTable, tabulate
from epc.protocol.verdict import Verdict
from epc.protocol.weights import UpdateRule
from epc.simulation.populations import Population, drawn
from epc.simulation.study_runs import simulate_runs
from epc.simulation.training import Odds, concentrations, measure
from epc.spec.epc_v1 import DOMAINS, ROUNDS

PROTOCOLS: Final = UpdateRule()
OTHERS: Final[tuple[Rule, ...]] = (Thompson(), BradleyTerry(), Bayes())
STUDIED: Final[tuple[Rule, ...]] = (PROTOCOLS, *OTHERS)

# Nothing crosses for the first three: every rule's regret is 0.
JUDGES: Final[Mapping[str, Population]] = {
    "noise": Population(evaluator="coin-flip"),
    "one ranking": Population(evaluator="scattered-alike:sd=1"),
    "says A in 80%": Population(evaluator="position-bias:a=0.8"),
    "carries a favourite": Population(evaluator="domain-favourites:high=0.8,low=0.3"),
    "carries it and says A often": Population(evaluator="domain-favourites:high=0.95,low=0.75"),
}
NULLS: Final = ("noise", "one ranking", "says A in 80%")
LEVELLED: Final = ("noise", "one ranking", "carries a favourite")
TASKS: Final = (8, 64)
RATES: Final = (0.02, 0.04, 0.06, 0.08, 0.12, 0.16)  # of the grid

A_POINT: Final = 5  # judges
_FEWER: Final = 8  # wheels than the audit takes, of every estimate
_WHEELS: Final = 16_384
_GRID_WHEELS: Final = 8_192
_STREAM: Final = 20261129
_MANY_TASKS: Final = 1_024

Kind = Literal["truth", "words", "grid"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A part of the study: what is true of a judge, some judges with few tasks, a row of rates."""

    kind: Kind
    judge: str
    tasks: int = 0
    runs: int = 0
    number: int = 0

    @property
    def rng(self) -> Generator:
        """A stream that stays the same when other parts join."""
        return stream_of(_STREAM, (self.kind, self.judge, self.tasks), self.number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """What a rule comes to with a judge whose tasks have no end: means of both directions."""

    judge: str
    rule: str
    regret: float
    redirected: float
    gain: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What two rates of the protocol's rule come to with a judge: means of both directions."""

    judge: str
    alpha_win: float
    alpha_lose: float
    regret: float
    gain: float
    pci: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """In how many judges' runs each rule was said to differ from the protocol's."""

    judge: str
    tasks: int
    runs: int
    differ: Mapping[str, int]
    any_differs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """A rule's regret by recorded verdicts, and how far it is from the protocol's rule's.

    `apart` and its interval are None for the protocol's rule. The intervals of the differences
    hold together in 95%.
    """

    judge: str
    rule: str
    regret: float
    ci95: tuple[float, float] | None
    gain: float
    apart: float | None = None
    apart_ci95: tuple[float, float] | None = None

    @property
    def differs(self) -> bool:
        """Return whether the interval of the difference leaves 0 out."""
        interval = self.apart_ci95
        return interval is not None and not interval[0] <= 0 <= interval[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What a point came to."""

    truths: Sequence[Truth] = ()
    said: Said | None = None
    cells: Sequence[Cell] = field(default=())


def points(runs: int) -> list[Point]:
    """Return the study: every judge, the grid, and so many judges of a kind for level and power."""
    return [
        *(Point(kind="truth", judge=name) for name in JUDGES),
        *(
            Point(kind="grid", judge=name, number=position)
            for name in ("noise", "carries a favourite")
            for position in range(len(RATES))
        ),
        *(
            Point(
                kind="words",
                judge=name,
                tasks=n,
                runs=min(A_POINT, runs - position),
                number=position,
            )
            for name in LEVELLED
            for n in TASKS
            for position in range(0, runs, A_POINT)
        ),
    ]


def work(point: Point) -> Part:
    """Work a part of the study out."""
    if point.kind == "truth":
        return Part(truths=_truths(point))
    if point.kind == "grid":
        return Part(cells=_row(point))
    population = replace(JUDGES[point.judge], tasks=(point.tasks, point.tasks))
    differ, any_differs = dict.fromkeys((rule.name for rule in OTHERS), 0), 0
    runs = simulate_runs(population, runs=point.runs, seeds=1, reuse="exhaustive", rng=point.rng)
    names = [f"{index:03}" for index in range(population.strategies)]
    for run in runs:
        units = units_of(run.table, names)
        outcomes = loops(point.judge, units, rounds=population.rounds)
        for loop in outcomes:
            if loop.differs:
                differ[loop.rule] += 1
        any_differs += any(loop.differs for loop in outcomes)
    return Part(
        said=Said(
            judge=point.judge,
            tasks=point.tasks,
            runs=point.runs,
            differ=differ,
            any_differs=any_differs,
        )
    )


def loops(judge: str, units: Units, *, rounds: int = ROUNDS, fewer: int = _FEWER) -> list[Loop]:
    """Return every rule's regret by a judge's verdicts, the mean of both directions.

    The difference from the protocol's rule is a figure of its own, with the spread that it has
    over the tasks: both rules meet the same ones.

    Source: Readings R70, R74 and R81.
    """

    def figures(rates: Rates, wheels: int, alike: bool) -> list[dict[str, Array]]:  # noqa: FBT001
        regrets = {}
        for rule in STUDIED:
            into = figures_of(
                rates, units.ties, rounds=rounds, rule=rule, wheels=wheels, alike=alike
            )
            regrets[rule.name] = (into[0]["regret"] + into[1]["regret"]) / 2
        own_regret = regrets[PROTOCOLS.name]
        return [regrets, {rule.name: regrets[rule.name] - own_regret for rule in OTHERS}]

    regrets, apart = estimates(units, figures, fewer=fewer)
    sides = np.arange(len(units.won)) < units.first
    rates = Rates(*(_rates(units, side) for side in (sides, ~sides)))
    return [
        Loop(
            judge=judge,
            rule=rule.name,
            regret=regrets[rule.name].value,
            ci95=regrets[rule.name].interval,
            gain=_gain(rates, units.ties, rounds=rounds, rule=rule),
            apart=apart[rule.name].value if rule.name in apart else None,
            apart_ci95=apart[rule.name].interval_of(len(OTHERS)) if rule.name in apart else None,
        )
        for rule in STUDIED
    ]


def _rates(units: Units, side: Flags) -> Array:
    return won_shares(units.won[side].sum(axis=0)[None], units.decided[side].sum(axis=0)[None])


def _gain(rates: Rates, ties: tuple[Array, Array], *, rounds: int, rule: Rule) -> float:
    """Return by how much training on a domain alone raises the win rate there; mean of both."""
    ways = [(own,) for own in zip(rates, ties, strict=True)]
    ended = policies(ways, rounds=rounds, rule=rule, wheels=_WHEELS // 8)
    gains = [
        ((policy.mean(axis=0) - 1 / len(own_rate)) * own_rate).sum(axis=0).mean()
        for policy, own_rate in zip(ended, rates, strict=True)
    ]
    return float(sum(gains) / len(gains))


def _truths(point: Point) -> list[Truth]:
    rates, ties, rounds = _endless(point)
    truths = []
    for rule in STUDIED:
        into = figures_of(rates, ties, rounds=rounds, rule=rule, wheels=_WHEELS)
        truths.append(
            Truth(
                judge=point.judge,
                rule=rule.name,
                regret=_mean_of(into, "regret"),
                redirected=_mean_of(into, "redirected"),
                gain=_gain(rates, ties, rounds=rounds, rule=rule),
            )
        )
    return truths


def _row(point: Point) -> list[Cell]:
    """Return a row of the grid: one rate on a win, every rate on a loss."""
    rates, ties, rounds = _endless(point)
    cells = []
    for lose in RATES:
        rule = UpdateRule(alpha_win=RATES[point.number], alpha_lose=lose)
        into = figures_of(rates, ties, rounds=rounds, rule=rule, wheels=_GRID_WHEELS)
        cells.append(
            Cell(
                judge=point.judge,
                alpha_win=rule.alpha_win,
                alpha_lose=lose,
                regret=_mean_of(into, "regret"),
                gain=_gain(rates, ties, rounds=rounds, rule=rule),
                pci=_pci(rates, ties, rounds=rounds, rule=rule),
            )
        )
    return cells


def _pci(rates: Rates, ties: tuple[Array, Array], *, rounds: int, rule: Rule) -> float:
    """Return the mean PCI of single seeds after training on a domain alone, of both domains."""
    preferences = {
        domain: Odds(a=own_rate[:, 0] * (1 - tie), tie=tie)
        for domain, own_rate, tie in zip(DOMAINS, rates, ties, strict=True)
    }
    seeds = _GRID_WHEELS // 4
    ended = measure(preferences, seeds=seeds, rounds=rounds, rule=rule, entropy=[_STREAM])
    means = [float(concentrations(block[d]).mean()) for block in ended for d in DOMAINS]
    return sum(means) / len(means)


def _endless(point: Point) -> tuple[Rates, tuple[Array, Array], int]:
    """Return a judge's win rates over tasks without end, its ties, and the rounds."""
    judge = replace(JUDGES[point.judge], tasks=(_MANY_TASKS, _MANY_TASKS))
    judged = drawn(judge, 1, point.rng).values()
    first, second = (
        np.ascontiguousarray((odds.a / np.maximum(1 - odds.tie, 1e-9)).mean(axis=2).T)
        for odds in judged
    )
    left, right = (odds.tie.mean(axis=(0, 2)) for odds in judged)
    return Rates(first, second), (left, right), judge.rounds


def _mean_of(into: list[dict[str, Array]], name: str) -> float:
    return float(sum(side[name].mean() for side in into) / len(into))


def summed(parts: Sequence[Part]) -> list[Said]:
    """Return the judges of a kind together."""
    cells: dict[tuple[str, int], list[Said]] = {}
    for part in parts:
        if part.said is not None:
            cells.setdefault((part.said.judge, part.said.tasks), []).append(part.said)
    return [
        Said(
            judge=judge,
            tasks=tasks,
            runs=sum(answer.runs for answer in answers),
            differ={
                rule.name: sum(answer.differ[rule.name] for answer in answers) for rule in OTHERS
            },
            any_differs=sum(answer.any_differs for answer in answers),
        )
        for (judge, tasks), answers in cells.items()
    ]


def verdicts_of(read: Table) -> VerdictTable:
    """Return a file's verdicts as a table of counts; a pair that it does not hold is missing."""
    strategies = {strategy.name: position for position, strategy in enumerate(read.strategies)}
    places = {
        (d, task): position for d, own in read.tasks.items() for position, task in enumerate(own)
    }
    cells = (
        Comparison(
            domain=domain,
            strategy=strategies[name],
            task=places[domain, task],
            verdict=Verdict(verdict),
        )
        for (name, domain, task), verdict in read.verdicts.items()
    )
    return tabulate(
        cells,
        strategies=len(strategies),
        tasks={domain: len(own) for domain, own in read.tasks.items()},
        repeated=True,
        is_whole=True,
    )
