"""How often `epc which` is wrong: ways called less often right, and shares that are called reached.

Worlds are drawn here, apart from the program. Writes `which-levels.csv` and `which-shares.csv`:
`nice python tests/studies/which.py site/docs/data`.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import stats

sys.path.insert(0, str(Path(__file__).parents[1]))  # as pytest has it for the tests

from studies.loops import Rate, write

from epc.protocol.draws import generator
from epc.records.choices import Choices, Domain, Way
from epc.statistics.all_pairs import all_pairs_point

Array = NDArray[np.float64]
RUNS: Final = 300  # a standard error of 1.3 points at 5%
OFTEN: Final = 4000  # of a quarter of a point at 2.5%
DRAWS: Final = 4_000
SHARED: Final = 0.8  # of the ease of questions, which all ways share
QUESTIONS: Final = (50, 150, 400)
# Ways of equal skill, further ones that are better by so much, and the number of questions.
LEVELS: Final = (
    *((6, 0, 0.0, 150), (13, 0, 0.0, 150), (39, 0, 0.0, 150), (7, 6, 0.6, 150)),
    *((6, 0, 0.0, 400), (13, 0, 0.0, 400)),
)
SHARES: Final = (0.5, 0.8, 0.9, 0.95, 0.98)


def answers(skills: Array, questions: int, askings: int, rng: np.random.Generator) -> Array:
    """Return how often each way is right on each question, the mean of so many askings.

    Shapes: (ways,); (ways, questions).
    """
    ease = SHARED * rng.normal(size=questions)
    taste = 0.5 * rng.normal(size=(len(skills), questions))
    right = stats.norm.cdf(skills[:, None] + ease + taste)
    return rng.binomial(askings, right, size=right.shape) / askings


def skill_of(share: float) -> float:
    """Return the skill of a way that is right in such a share of all questions."""
    return float(stats.norm.ppf(share) * np.sqrt(1 + SHARED**2 + 0.5**2))


def choices_of(right: Array, askings: int, point: float = np.inf) -> Choices:
    """Return a table of ways, as the program keeps it."""
    spread = np.atleast_2d(np.cov(right)) / right.shape[1]
    rows = tuple(tuple(row[: n + 1]) for n, row in enumerate(spread.tolist()))
    domain = Domain(
        questions=right.shape[1], right=tuple(right.mean(axis=1)), covariance=rows, point=point
    )
    way = Way(
        models=("m",), askings=1, prompt="p", source="s", tags=("t",), settings=("s",),
        usd=None, priced="", times=askings,
    )  # fmt: skip
    return Choices(
        benchmark="b", decides="d", chance=0.25, ways=(way,) * len(right), domains={"d": domain}
    )


def beaten_before(right: Array) -> set[int]:
    """Return the ways that another one beats, at 5% divided by the number of others."""
    ways, n = right.shape
    point = stats.t.ppf(1 - 0.05 / (ways - 1), n - 1)
    error = np.sqrt(((right[:, None] - right[None]).var(axis=2, ddof=1)) / n)
    gap = right.mean(axis=1)[None] - right.mean(axis=1)[:, None]
    return {way for way in range(ways) if (gap[way] > point * error[way]).any()}


def beaten_now(right: Array, askings: int, seed: int) -> set[int]:
    """Return the ways that another one beats, as the program decides."""
    point = all_pairs_point(right, generator([seed]), DRAWS)
    domain = choices_of(right, askings, point).domains["d"]
    ways = range(len(right))
    return {way for way in ways if any(domain.beats(other, way) for other in ways)}


def levels(equal: int, better: int, by: float, questions: int, runs: int = RUNS) -> Rate:
    """Return how often a way is called worse that no other one exceeds, and how many are called so.

    The equal ways are beaten by the better ones alone, so of those none is called worse rightly.
    """
    rng, skills = np.random.default_rng(31), np.full(equal + better, skill_of(0.7))
    skills[equal:] += by
    best = set(range(equal, equal + better)) or set(range(equal))
    found = np.zeros((runs, 4))
    for run in range(runs):
        right = answers(skills, questions, 8, rng)
        for place, beaten in enumerate((beaten_before(right), beaten_now(right, 8, run))):
            found[run, place], found[run, 2 + place] = bool(beaten & best), len(beaten - best)
    false_before, false_now, shown_before, shown_now = found.mean(axis=0).tolist()
    return {
        "ways": f"{equal} equal" + (f", {better} better ones, equal" if better else ""),
        "questions": questions,
        "false before": false_before,
        "false now": false_now,
        "worse ones shown before": f"{shown_before:.1f}",
        "worse ones shown now": f"{shown_now:.1f}",
    }


def shares(share: float, questions: int, askings: int, runs: int = OFTEN) -> Rate:
    """Return how often a share is called reached, or passed, that is exactly the truth."""
    rng, skill = np.random.default_rng(32), np.array([skill_of(share)])
    ends = np.zeros((runs, 2, 2))
    for run in range(runs):
        right = answers(skill, questions, askings, rng)
        table = choices_of(right, askings)
        error = stats.t.ppf(0.975, questions - 1) * right.std(ddof=1) / np.sqrt(questions)
        middle = right.mean()
        ends[run] = (middle - error, middle + error), table.figure(table.domains["d"], 0).ci95
    below, above = ends[:, :, 0] > share, ends[:, :, 1] < share
    width = (ends[:, :, 1] - ends[:, :, 0]).mean(axis=0) / 2
    return {
        "right in": f"{share:.0%}",
        "questions": questions,
        "askings": askings,
        "reached falsely before": float(below[:, 0].mean()),
        "reached falsely now": float(below[:, 1].mean()),
        "held before": 1 - float((below | above)[:, 0].mean()),
        "held now": 1 - float((below | above)[:, 1].mean()),
        "half before": f"{100 * width[0]:.2f}",
        "half now": f"{100 * width[1]:.2f}",
    }


def main(arguments: Sequence[str]) -> None:
    """Write both tables."""
    folder = Path(arguments[0])
    rows = [shares(s, n, k) for k in (1, 8) for n in QUESTIONS for s in SHARES]
    write(folder / "which-shares.csv", rows)
    write(folder / "which-levels.csv", [levels(*world) for world in LEVELS])


if __name__ == "__main__":
    main(sys.argv[1:])
