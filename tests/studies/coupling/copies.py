"""How often copies among tasks pass for coupling, and how often they are found, by strategies.

Copies: each of 8 tasks of a domain stands twice. Topics: 8 tasks of a domain are of two topics. No
group is declared. Writes `coupling-copies.csv`: `python tests/studies/coupling/copies.py FILE`.
"""

import csv
import sys
from pathlib import Path
from typing import Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[2]))  # as pytest has it for the tests

from studies.coupling.product import coupled, units

from epc.audit.copies import near_copies
from epc.audit.side_checks import clustered, clusters
from epc.spec.coupling import FEWEST_CHECKED

Counts = NDArray[np.int64]
TASKS: Final = 8
STRATEGIES: Final = (3, 4, 5, 6, 7, 8, 9, 10, 11)
FOUND: Final = 200  # runs of a check
CALLED: Final = 150  # runs of a word
FEWER: Final = 8  # wheels, so many times


def copies(strategies: int, rng: Generator) -> tuple[Counts, Counts]:
    """Return both domains' verdicts of one evaluator that answers a copy as it answered the task.

    Tasks vary about one ranking.
    """
    ranking = rng.normal(size=strategies)

    def domain() -> Counts:
        odds = ranking[:, None] + rng.normal(size=(strategies, TASKS))
        won = rng.random(odds.shape) < 1 / (1 + np.exp(-odds))
        return _counts(np.repeat(won, 2, axis=1))

    return domain(), domain()


def topics(strategies: int, rng: Generator) -> tuple[Counts, Counts]:
    """Return the same where 8 tasks of a domain are of two topics, which prefer otherwise."""
    ranking = rng.normal(size=strategies)

    def domain() -> Counts:
        odds = ranking[:, None] + np.repeat(rng.normal(size=(strategies, 2)), TASKS // 2, axis=1)
        return _counts(rng.random(odds.shape) < 1 / (1 + np.exp(-odds)))

    return domain(), domain()


def _counts(won: NDArray[np.bool_]) -> Counts:
    return np.stack([won, ~won, np.zeros_like(won)], axis=-1).astype(np.int64)


def found(strategies: int, runs: int = FOUND) -> float:
    """Return how often the check of verdicts finds copies."""
    rng = np.random.default_rng(41)
    hits = 0
    for _ in range(runs):
        pair = units(*copies(strategies, rng), recorded=True)
        hits += bool(clustered(clusters(pair)))
    return hits / runs


def called(kind: str, strategies: int, runs: int = CALLED) -> float:
    """Return how often rule 3 calls such a table coupled: each time is false."""
    rng = np.random.default_rng(42)
    drawn = {"copies": copies, "topics": topics}[kind]
    tables = (drawn(strategies, rng) for _ in range(runs))
    return sum(coupled(*pair, recorded=True, fewer=FEWER) for pair in tables) / runs


def written_again(text: str, changes: int, rng: Generator) -> str:
    """Return a text with some of its words replaced by others."""
    words = text.split()
    for place in rng.permutation(len(words))[:changes]:
        words[place] = f"word{rng.integers(10**6)}"
    return " ".join(words)


def by_text(words: int, changes: int, runs: int = FOUND) -> float:
    """Return how often two texts of so many words are near-copies, some words being changed."""
    rng = np.random.default_rng(43)
    hits = 0
    for _ in range(runs):
        text = " ".join(f"w{number}" for number in rng.integers(10**6, size=words))
        hits += bool(near_copies([text, written_again(text, changes, rng)]))
    return hits / runs


def main() -> None:
    """Write the table."""
    with Path(sys.argv[1]).open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        names = ("strategies", "check finds copies", "copies: coupled", "topics: coupled")
        table.writerow(names)
        for number in STRATEGIES:
            rates = [found(number)]
            if number <= FEWEST_CHECKED:
                rates += [called("copies", number), called("topics", number)]
            cells = [*(f"{rate:.3f}" for rate in rates), "", ""][:3]
            table.writerow([number, *cells])
            file.flush()


if __name__ == "__main__":
    main()
