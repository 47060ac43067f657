"""How often is each kind of evaluator called coupled, by which rule?

    nice python tests/studies/coupling/run.py --quick
    nice python tests/studies/coupling/run.py --runs 2000 --jobs 2 --product

A null fails where the lower end of its 99% interval is above 5%. `--product` asks the program
too, at about a third of a second a table. `--only TEXT` restricts the kinds.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
from scipy.stats import binomtest

sys.path.insert(0, str(Path(__file__).parents[2]))
from studies.coupling import candidates, product, reference
from studies.coupling.generators import CROSSINGS, NULLS, Kind, tables

MODES = "exhaustive", "fresh 10", "fresh 30"
PERMUTATIONS = 199
COLUMNS = (*reference.RULES, "R39", "student", "BT", "flips", "product")


def verdicts(kind: Kind, mode: str, *, runs: int, ask: bool) -> dict[str, list[bool]]:
    """Return, for each column, whether each run was called coupled."""
    seed = [*kind.name.encode(), *mode.encode()]
    rng = np.random.default_rng(seed)
    drawn = tables(kind, mode, runs, rng)
    called: dict[str, list[bool]] = {column: [] for column in COLUMNS}
    for run in range(runs):
        text, visual = drawn.text[run], drawn.visual[run]
        groups = kind.groups(text.shape[1]), kind.groups(visual.shape[1])
        outcome = reference.judged(
            text, visual, rng, groups=groups, rounds=kind.rounds,
            permutations=PERMUTATIONS, count=0,
        )  # fmt: skip
        for rule in reference.RULES:
            called[rule].append(outcome.words[rule] == "coupled")
        one, two = reference.grouped(text, groups[0]), reference.grouped(visual, groups[1])
        recorded = mode == "exhaustive"
        p_values = {
            "R39": product.preferences_differ(text, visual, recorded=recorded),
            "student": candidates.studentised(one, two, PERMUTATIONS, rng),
            "BT": candidates.bradley_terry(one, two, PERMUTATIONS, rng),
            "flips": candidates.sign_flips(drawn.weights[:, run], PERMUTATIONS, rng),
        }
        for column, p_value in p_values.items():
            called[column].append(p_value <= reference.LEVEL)
        if ask and outcome.p_values is not None:
            told = product.answered(
                text, visual, recorded=recorded, rounds=kind.rounds, groups=groups
            )
            called["product"].append(told.coupled)
    return called


def line(kind: Kind, mode: str, called: dict[str, list[bool]]) -> str:
    """Return one row of the table: percentages, `!` where a null fails."""
    cells = []
    for column in COLUMNS:
        told = called[column]
        if not told:
            cells.append("     -")
            continue
        low = binomtest(sum(told), len(told)).proportion_ci(0.99).low
        failed = not kind.crossing and low > reference.LEVEL
        cells.append(f"{100 * np.mean(told):5.1f}{'!' if failed else ' '}")
    return f"{kind.name[:50]:50s} {mode:10s} " + " ".join(cells)


def cells(only: str) -> Iterator[tuple[Kind, str]]:
    """Return what is asked: the nulls first."""
    for kind in (*NULLS, *CROSSINGS):
        for mode in MODES:
            if only in kind.name and not (kind.exhaustive_only and mode != "exhaustive"):
                yield kind, mode


def _cell(place: int, *, only: str, runs: int, ask: bool) -> str:
    kind, mode = list(cells(only))[place]
    return line(kind, mode, verdicts(kind, mode, runs=runs, ask=ask))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--product", action="store_true")
    parser.add_argument("--quick", action="store_true", help="40 runs a cell")
    asked = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    runs = 40 if asked.quick else asked.runs
    work = partial(_cell, only=asked.only, runs=runs, ask=asked.product)
    print(f"{'% called coupled':61s} " + " ".join(f"{name[:6]:>6s}" for name in COLUMNS))
    places = range(len(list(cells(asked.only))))
    with ProcessPoolExecutor(asked.jobs) as pool:
        for row in pool.map(work, places):
            print(row, flush=True)


if __name__ == "__main__":
    main()
