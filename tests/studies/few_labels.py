"""How often intervals of judges hold the truth where questions or labels are few.

Questions, people and judges are drawn here, apart from the program; only the intervals are the
program's. Prints the tables that few_labels.csv holds row by row:
`.venv/bin/python tests/studies/few_labels.py`.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))  # as pytest has it for the tests

from epc.analysis.judging.labels import Counted, labels_for, passes_by_people
from epc.analysis.judging.shares import mean, share
from epc.statistics.clusters import agreement_interval

Array = NDArray[np.float64]
Ends = tuple[float, float] | None
PASSING = 0.6


def main() -> None:
    """Print every table."""
    parts = (shares, means, corrections, recommended, kappas)
    for number, part in enumerate(parts):
        print(f"\n## {part.__doc__}\n")
        for line in part(np.random.default_rng(number)):
            print(line, flush=True)


def shares(rng: Generator) -> Iterator[str]:
    """Shares of one output a question, 2,000 sets each"""
    rates = (0.05, 0.1, 0.2, 0.35, 0.5)
    yield f"| questions | {' | '.join(f'{rate:.0%}' for rate in rates)} |"
    yield f"|---|{'---|' * len(rates)}"
    for n in (3, 5, 8, 12, 20, 40):
        cells = []
        for rate in rates:
            hits = rng.binomial(1, rate, (2000, n)).tolist()
            cells.append(
                _coverage(
                    (share([(str(q), h, 1) for q, h in enumerate(s)]).ci95 for s in hits), rate
                )
            )
        yield f"| {n} | {' | '.join(cells)} |"


def means(rng: Generator) -> Iterator[str]:
    """Mean scores of 0 to 2, 2,000 sets each"""
    kinds = {"near 2": (9, 0.6), "near 0": (0.5, 6), "in the middle": (2, 2), "0 or 2": (0.3, 0.3)}
    heads = [f"{kind}, {m} a question" for kind in kinds for m in (1, 4)]
    yield f"| questions | {' | '.join(heads)} |"
    yield f"|---|{'---|' * len(heads)}"
    for n in (3, 5, 8, 12, 20, 40):
        cells = []
        for a, b in kinds.values():
            for outputs in (1, 4):
                chances = rng.beta(a, b, (2000, n, 1))
                scores = rng.binomial(2, np.broadcast_to(chances, (2000, n, outputs))).tolist()
                found = (
                    mean(
                        [(str(q), s) for q, one in enumerate(score) for s in one], ends=(0, 2)
                    ).ci95
                    for score in scores
                )
                cells.append(_coverage(found, 2 * a / (a + b)))
        yield f"| {n} | {' | '.join(cells)} |"


def judged(
    questions: int, labels: int, erring: float, kind: float, rng: Generator
) -> list[Counted]:
    """Return a set of one output a question, some with labels.

    The judge errs on a share of all outputs; `kind` of its errors are PASS where people say FAIL.
    """
    cells = rng.choice(
        4,
        questions,
        p=[
            PASSING - erring * (1 - kind),
            erring * (1 - kind),
            erring * kind,
            1 - PASSING - erring * kind,
        ],
    )  # both pass, people alone, the judge alone, neither
    return [
        (str(q), float(cell in (0, 2)), float(cell in (0, 1)) if q < labels else None)
        for q, cell in enumerate(cells.tolist())
    ]


def corrections(rng: Generator) -> Iterator[str]:
    """PASS shares as people would have them, 500 sets each"""
    yield "| outputs | labels | errs in 2%, kindly | 2%, both ways | 5%, kindly | 5%, both ways |"
    yield "|---|---|---|---|---|---|"
    for questions, labels in (
        (60, 20),
        (60, 40),
        (120, 30),
        (120, 40),
        (400, 40),
    ):
        cells = []
        for erring in (0.02, 0.05):
            for kind in (1.0, 0.5):
                found = [
                    _corrected(judged(questions, labels, erring, kind, rng)) for _ in range(500)
                ]
                cells.append(_coverage(found, PASSING))
        yield f"| {questions} | {labels} | {' | '.join(cells)} |"


def recommended(rng: Generator) -> Iterator[str]:
    """What `--labels-for 0.08` recommends, of 200 sets each: share that holds, mean half-width"""
    yield "| outputs | judge errs in | labels | holds | half the width |"
    yield "|---|---|---|---|---|"
    for outputs in (200, 400):
        for erring, labels in labels_for(0.08, outputs)[:-1]:
            if labels is None:
                yield f"| {outputs} | {erring:.0%} | none | | |"
                continue
            found = [_corrected(judged(outputs, labels, erring, 0.5, rng)) for _ in range(200)]
            half = np.mean([(ends[1] - ends[0]) / 2 for ends in found if ends is not None])
            covered = _coverage(found, PASSING)
            yield f"| {outputs} | {erring:.0%} | {labels} | {covered} | {half:.3f} |"


def _corrected(counted: list[Counted]) -> Ends:
    return passes_by_people(counted).figures["corrected_pass_share"].ci95


def kappas(rng: Generator) -> Iterator[str]:
    """Weighted kappa where judges differ by one point on a share of outputs, 1,000 sets each"""
    differs = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4)
    yield f"| scores | questions | {' | '.join(f'{share:.0%} differ' for share in differs)} |"
    yield f"|---|---|{'---|' * len(differs)}"
    for top in (2, 8):
        for questions in (20, 40, 100):
            cells = []
            for differing in differs:
                truth = _kappa(*_rated(top, differing, 1_000_000, rng))
                intervals = [
                    _interval(*_rated(top, differing, questions, rng)) for _ in range(1000)
                ]
                cells.append(f"{_coverage(intervals, truth)} of {_share_with_interval(intervals)}")
            yield f"| 0 to {top} | {questions} | {' | '.join(cells)} |"


def _rated(top: int, differing: float, questions: int, rng: Generator) -> tuple[Array, Array]:
    first = rng.binomial(top, rng.beta(2, 1.2, questions)).astype(np.float64)
    step = rng.choice([-1.0, 1.0], questions) * (rng.random(questions) < differing)
    return first, np.clip(first + step, 0, top)


def _kappa(first: Array, second: Array) -> float:
    """Return kappa with quadratic weights: mean squared distance, seen against by chance."""
    by_chance = (first**2).mean() + (second**2).mean() - 2 * first.mean() * second.mean()
    return float(1 - ((first - second) ** 2).mean() / by_chance)


def _interval(first: Array, second: Array) -> Ends:
    def without(left_out: frozenset[int]) -> float:
        kept = np.ones(len(first), bool)
        kept[list(left_out)] = False
        return _kappa(first[kept], second[kept])

    return agreement_interval(without, len(first), int((first != second).sum()))


def _coverage(found: "Iterator[Ends] | Sequence[Ends]", truth: float) -> str:
    """Return how often an interval that was given holds the truth."""
    intervals = [ends for ends in found if ends is not None]
    if not intervals:
        return "none given"
    return f"{np.mean([low <= truth <= high for low, high in intervals]):.0%}"


def _share_with_interval(found: Sequence[Ends]) -> str:
    return f"{np.mean([ends is not None for ends in found]):.0%}"


if __name__ == "__main__":
    main()
