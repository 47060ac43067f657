"""How often is an evaluator called coupled by today's rule, and how often is a crossing missed?

    nice python tests/studies/coupling/levels.py --out levels.csv
    nice python tests/studies/coupling/levels.py --only coin --runs 50

Evaluators come from `generators`, which shares no code with the program; the word is the program's.
A regret is an estimate over a quarter of the wheels: unbiased, and off by less than a tenth of the
margin.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from sys import path

import numpy as np
from numpy.random import Generator
from scipy.stats import binomtest

path.insert(0, str(Path(__file__).parents[2]))
from studies.coupling import product
from studies.coupling.cells import write
from studies.coupling.generators import (
    Chances,
    Domain,
    Kind,
    favourites,
    flat,
    ranked,
    tables,
)
from studies.coupling.intervals import exchanged

SEED, LEVEL, SIZES, FRESH = 20261132, 0.05, (8, 16, 40, 100), "fresh 30"
COLUMNS = "evaluator", "asked", "tasks", "runs", "coupled", "low", "high"


def best_two_exchanged(domain: Domain, rng: Generator, runs: int) -> Chances:
    """Return four strategies, of which the best two are exchanged in visual: a regret of 0.047."""
    text, visual = (np.tile(odds, (runs, 1)) for odds in exchanged(4, place=1))
    return Chances(text=domain.cells(text, rng), visual=domain.cells(visual, rng))


def kinds(tasks: int) -> list[Kind]:
    """Return the evaluators, those in which nothing crosses first."""
    plain = Domain(tasks=tasks)
    return [
        Kind(name="coin", chances=flat(0.5, 0.5, tasks=(tasks, tasks))),
        Kind(name="one ranking", chances=ranked(plain)),
        Kind(
            name="one ranking, interaction sd 1",
            chances=ranked(Domain(tasks=tasks, interaction_sd=1.0)),
        ),
        Kind(
            name="one ranking, noise x4 in one domain",
            chances=ranked(plain, Domain(tasks=tasks, noise=4.0)),
        ),
        Kind(
            name="favourites 0.7/0.4 exchanged",
            chances=favourites(0.7, 0.4, text=plain),
            crossing=True,
        ),
        Kind(
            name="best two of 4 exchanged",
            chances=lambda rng, runs: best_two_exchanged(plain, rng, runs),
            crossing=True,
        ),
        Kind(
            name="favourites 0.8/0.3 exchanged",
            chances=favourites(0.8, 0.3, text=plain),
            crossing=True,
        ),
    ]


def cells(text: str) -> Iterator[tuple[Kind, str, int]]:
    """Yield what is asked: every pair once, and of 8 tasks also round by round."""
    for place in range(len(kinds(SIZES[0]))):
        for mode, tasks in (("exhaustive", 8), (FRESH, 8), *(("exhaustive", n) for n in SIZES[1:])):
            if text in (kind := kinds(tasks)[place]).name:
                yield kind, mode, tasks


def row(kind: Kind, mode: str, tasks: int, runs: int) -> tuple[object, ...]:
    """Return one line of the table, with the exact 99% interval of the share."""
    rng = np.random.default_rng([SEED, tasks, *kind.name.encode(), *mode.encode()])
    drawn = tables(kind, mode, runs, rng)
    coupled = sum(
        product.coupled(*both, recorded=mode == "exhaustive", fewer=4)
        for both in zip(drawn.text, drawn.visual, strict=True)
    )
    low, high = binomtest(coupled, runs).proportion_ci(0.99)
    return kind.name, mode, tasks, runs, coupled, f"{low:.3f}", f"{high:.3f}"


def page_rows(lines: Iterable[Mapping[str, str]]) -> list[str]:
    """Return the rows of `site/docs/data/coupling-*.csv`: percentages, bold where a null fails."""
    rates = {}
    for line in lines:
        rate = f"{100 * int(line['coupled']) / int(line['runs']):.0f}"
        rates[line["evaluator"], line["asked"], int(line["tasks"])] = rate, float(line["low"])
    rows: dict[str, list[str]] = {}
    for kind, mode, tasks in cells(""):
        rate, low = rates.get((kind.name, mode, tasks), ("not run", 0.0))
        fails = low > LEVEL and not kind.crossing
        rows.setdefault(kind.name, []).append(f"**{rate}**" if fails else rate)
    return [f"| {name} | {' | '.join(of)} |" for name, of in rows.items()]


def main() -> None:
    """Write the table, a cell after the other."""
    write(
        __doc__,
        COLUMNS,
        lambda only, runs: (row(kind, mode, tasks, runs) for kind, mode, tasks in cells(only)),
        runs=500,
    )


if __name__ == "__main__":
    main()
