"""Sentences about what crosses between two domains, for a person to repeat."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from epc.audit.copies import copies_found
from epc.audit.coupling import CrossingFigures, Into, Transfer, tasks_for
from epc.spec.coupling import LEVEL
from epc.spec.domains import Direction, Pair
from epc.statistics.figures import figure_text
from epc.statistics.intervals import Interval

MEANING: Final[dict[str, str]] = {
    "coupled": "training in one domain first redirects choices in the other, beyond chance, at a "
    "cost estimated at 2 points of win rate or more",
    "no_coupling_beyond_margin": "whatever training in one domain does to choices in the other, it "
    "costs less than 2 points of win rate",
    "no_detectable_coupling": "coupling at a cost of 2 points of win rate is neither shown nor "
    "ruled out",
    "no_verdicts_counted": "a failed run: its gamma of 0 measures nothing",
    "collapsed": "the runs ended on one strategy, so coupling had no room to show",
    "inconclusive": "no claim can rest on this, either way",
}
MATRICES: Final = {
    "redirected": "choices redirected, of 100",
    "regret": "transfer regret, points of win rate",
}
# Readings R73 and R74: two figures of one thing, which may differ in size and in sign.
TWO_FIGURES: Final = (
    "for the domain: from the verdicts, corrected for having few tasks; for these tasks: what "
    "these seeds gave, not corrected. Their signs may differ"
)
NOT_QUALITY: Final = "it says nothing of quality"  # of a picture, which knows no labels
NO_DETOUR: Final = "loss against no detour"  # `harm` in records (Reading R91)
_MOST_NAMED: Final = 2
_A_CHOICE: Final = 0.005  # rounds to one of 100
_AGAIN: Final = {"measured": "the run's own control", "simulated": "a simulated control"}


def headline(direction: Direction, into: CrossingFigures) -> str:
    """Return one direction in a sentence.

    Where nothing crosses the estimate is above 0 all the same, and is read against chance.
    """
    pair = Pair.parse(direction)
    moved, chance = (f"{100 * share:.0f}" for share in (into.redirected, into.chance))
    if beyond_chance(into):
        redirected_text = (
            f"an estimated {moved} of 100 choices in {pair.target} (chance alone: {chance})"
        )
    else:
        redirected_text = (
            f"no more choices in {pair.target} than chance alone: an estimated {moved} of 100, "
            f"chance {chance}"
        )
    return f"training in {pair.source} first redirects {redirected_text}{_cost(into)}"


def carried_text(carried: Mapping[Direction, Mapping[str, float]]) -> Iterator[str]:
    """Yield, for each direction, which strategies training in the first domain carries over.

    They are named where they gain or lose at least one choice of 100.
    """
    for direction, changes in carried.items():
        pair = Pair.parse(direction)
        ranked = sorted(changes, key=lambda name: -changes[name])
        gaining = [name for name in ranked if changes[name] >= _A_CHOICE]
        losing = [name for name in ranked[::-1] if changes[name] <= -_A_CHOICE]
        if gaining and losing:
            often, seldom = (
                " and ".join(f"{name} ({100 * changes[name]:+.0f})" for name in group[:_MOST_NAMED])
                for group in (gaining, losing)
            )
            yield (
                f"after {pair.source}, of 100 choices in {pair.target} the agent picks {often} "
                f"more often, {seldom} less often"
            )


def to_settle(
    word: str, intervals: Iterable[Interval | None], fewest: int, unit: str
) -> Iterator[tuple[str, str]]:
    """Yield what would settle an open word (Reading R75): how many tasks, and that seeds do not."""
    wanted = tasks_for(intervals, fewest) if word == "no_detectable_coupling" else None
    if wanted is not None and wanted > fewest:
        size = f"{float(f'{wanted:.2g}'):,.0f}"
        yield "to settle it", f"measure about {size} {unit}s a domain ({fewest:,} now)"
        yield "", "the regret is then known to within 2 points either way; more seeds do not help"


def beyond_chance(into: CrossingFigures) -> bool:
    """Return whether more choices of 100 are redirected than chance alone redirects."""
    return round(100 * into.redirected) > round(100 * into.chance)


def _cost(into: CrossingFigures) -> str:
    """Return a cost as one only where its interval for the domain excludes 0."""
    if into.regret_ci95 is None or into.regret_ci95[0] <= 0 <= into.regret_ci95[1]:
        return "; no cost in win rate is shown for the domain"
    kind = "cost" if into.regret > 0 else "gain"
    return f", at a {kind} estimated at {abs(100 * into.regret):.1f} points of win rate"


def tested(transfer: Transfer) -> str:
    """Return the p-value and how it came about."""
    test = transfer.test
    if test is None:
        return "none: too little was decided"
    numbers = " and ".join(str(number) for number in transfer.units.values())
    least = "" if transfer.tests is None else ", the least of all pairs, by Holm"
    if test.method == "permutation":
        how = f"dealing {numbers} {test.unit}s out to two domains anew"
    else:
        how = f"by the spread over {numbers} {test.unit}s, too unequal to be dealt out anew"
    return f"{p_value(test.p_value)}{least}, {how}"


def cell(into: Into, figure: str) -> tuple[str, ...]:
    """Return a figure of `MATRICES` for the domain, and its interval if it has one."""
    form = ".0c" if figure == "redirected" else "+.1c"
    text = figure_text(getattr(into, figure), getattr(into, f"{figure}_ci95"), form)
    return tuple(text.split(" ", 1))


def matrices(transfer: Transfer) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    """Yield what crosses between three or more domains as tables, each with its title.

    A row is of the domain that was trained in first. Two domains need no matrix.

    Source: Reading R78.
    """
    if not transfer.tests or not transfer.directions:
        return
    names, directions = sorted(transfer.units), transfer.directions
    head = ("first, then", *names)

    def table(text_of: Callable[[Direction], str]) -> list[tuple[str, ...]]:
        rows = [
            (
                source,
                *(
                    "" if source == target else text_of(Pair(source, target).key)
                    for target in names
                ),
            )
            for source in names
        ]
        return [head, *rows]

    for figure, title in MATRICES.items():
        yield title, table(lambda pair, f=figure: " ".join(cell(directions[pair], f)))  # type: ignore[misc]  # mypy infers no lambda with defaults
    tests = transfer.tests
    yield "p value of both directions, by Holm", table(lambda pair: f"{tests[pair].p_value:.2g}")


def figures(direction: Direction, into: Into) -> Iterator[tuple[str, str]]:
    """Yield a direction's figures, each with its label and its intervals."""
    seed_figures = into.these_tasks
    domain_text = figure_text(into.redirected, into.redirected_ci95, ".0%")
    tasks_text = figure_text(seed_figures.redirected, seed_figures.redirected_ci95, ".0%")
    yield "redirected", f"{domain_text} for the domain; {tasks_text} for these tasks"
    domain_text = figure_text(into.regret, into.regret_ci95, "+.1p")
    tasks_text = figure_text(seed_figures.regret, seed_figures.regret_ci95, "+.1p")
    control = _AGAIN[seed_figures.control]
    yield "regret", f"{domain_text} for the domain; {tasks_text} for these tasks, against {control}"
    crossing = figure_text(into.crossing, into.crossing_ci95, "+.1p")
    yield "crossing", f"{crossing}: what another order of strategies costs"
    alone = figure_text(into.harm, into.harm_ci95, "+.1p")
    yield NO_DETOUR, f"{alone}: with no training but that in {Pair.parse(direction).target}"


def copies_line(strategies: int, *, texts: bool) -> str:
    """Return how often copies among the tasks would have been found (Reading R102)."""
    by_texts = "no two texts of tasks are near-copies"
    if not texts:
        by_texts = "the tasks' texts are not there to compare"
    share = f"{copies_found(strategies):.0%}"
    by_verdicts = f"by verdicts on {strategies} strategies copies are found in {share} of runs"
    return f"{by_texts}; {by_verdicts}"


def conditions(transfer: Transfer) -> str:
    """Return what the word is conditional on (Reading R74)."""
    return condition(transfer.test.unit if transfer.test else "task")


def condition(unit: str) -> str:
    """Return what a word is conditional on that was found over tasks, or over groups of them."""
    if unit == "group":
        return "on the declared groups being independent of each other"
    return "on tasks being independent of each other: declare groups where some share a topic"


def p_value(value: float) -> str:
    """Return a p-value as it is printed, with which side of the level it lies on."""
    side = "at most" if value <= LEVEL else "above"
    return f"{value:.2g} ({side} {LEVEL})"
