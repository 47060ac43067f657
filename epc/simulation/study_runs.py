"""Whole runs of synthetic evaluators, as a measurement would record them: weights and verdicts.

Where `epc.simulation.synthetic` simulates seeds, these are runs of ten or thirty of them, each
with the verdict table that tests and controls are made from.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from epc.arrays import Array, Counts, Generator, Indices, np
from epc.protocol.batch_replay import play
from epc.protocol.table import VERDICTS, VerdictTable
from epc.protocol.weights import UpdateRule
from epc.simulation.populations import Population, VerdictOdds, drawn
from epc.simulation.training import uniform_start
from epc.spec.domains import Domain, PhaseName
from epc.spec.epc_v1 import DOMAINS, PHASES

RULE: Final = UpdateRule()

Reuse = Literal["fresh", "exhaustive"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A simulated run: the final weights of its seeds, and its verdict table.

    Shapes: vectors (K, seeds).
    """

    vectors: dict[PhaseName, Array]
    table: VerdictTable


def simulate_runs(
    population: Population, *, runs: int, seeds: int, reuse: Reuse, rng: Generator
) -> list[Run]:
    """Return so many runs of one population, each with tasks of its own.

    In an exhaustive run every pair is asked once and that answer used by all of the run's seeds; in
    a fresh one every round asks anew.
    """
    judged = drawn(population, runs, rng)
    counts = {
        domain: np.zeros((*flags.a.shape, len(VERDICTS)), np.int64)
        for domain, flags in judged.items()
    }
    if reuse == "exhaustive":
        judged, counts = _asked_once(judged, rng)
    columns = runs * seeds
    done: dict[PhaseName, Array] = {}
    for phase in PHASES:
        weights = (
            uniform_start(population.strategies, columns)
            if phase.start is None
            else done[phase.start].copy()
        )
        spins, ask, outcomes = _asking(judged[phase.domain], population.rounds, columns, rng)
        play(weights, spins, ask, RULE)
        done[phase.name] = weights
        if reuse == "fresh":
            tally = counts[phase.domain]
            tally += np.bincount(outcomes.ravel(), minlength=tally.size).reshape(tally.shape)
    for domain in DOMAINS:
        counts[domain] *= judged[domain].present[..., None]
    with_missing = population.missing > 0
    return [
        Run(
            vectors={
                name: weights[:, number * seeds : (number + 1) * seeds]
                for name, weights in done.items()
            },
            table=VerdictTable(
                counts={domain: counts[domain][number] for domain in DOMAINS},
                repeated=reuse == "exhaustive",
                is_whole=with_missing,
            ),
        )
        for number in range(runs)
    ]


def _asked_once(
    judged: dict[Domain, VerdictOdds], rng: Generator
) -> tuple[dict[Domain, VerdictOdds], dict[Domain, Counts]]:
    """Return an evaluator that repeats the one answer drawn for each pair, and its tables."""
    answers, counts = {}, {}
    for domain, flags in judged.items():
        uniforms = rng.random(flags.a.shape)
        verdict = (uniforms >= flags.a).astype(np.int64) + (uniforms >= flags.a + flags.tie)
        verdict = np.array([0, 2, 1])[verdict]  # drawn in the order A, tie, B
        counts[domain] = (verdict[..., None] == np.arange(len(VERDICTS))).astype(np.int64)
        sure = counts[domain].astype(np.float64)
        answers[domain] = VerdictOdds(sure[..., 0], sure[..., 2], flags.present)
    return answers, counts


def _asking(
    judged: VerdictOdds, rounds: int, columns: int, rng: Generator
) -> tuple[Iterator[Array], Callable[[int, Indices, Indices], Indices], Indices]:
    """Return the wheel's draws, who answers, and where what was said is kept.

    Each round draws three uniforms a seed: the wheel's, the task's and the verdict's. A missing
    pair moves no weight, as a tie does.

    Shapes: what was said (rounds, columns), each a place in a flat verdict table.
    """
    runs, strategies, tasks = judged.a.shape
    a = np.where(judged.present, judged.a, 0.0).ravel()
    undecided = np.where(judged.present, judged.a + judged.tie, 1.0).ravel()
    run = np.arange(columns) // (columns // runs) * strategies
    uniforms = np.empty((3, columns))
    outcomes = np.empty((rounds, columns), np.int64)

    def spins() -> Iterator[Array]:
        for _ in range(rounds):
            uniforms[:] = rng.random(uniforms.shape)
            yield uniforms[0]

    def ask(number: int, chosen: Indices, _: Indices) -> Indices:
        pair = (run + chosen) * tasks + (uniforms[1] * tasks).astype(np.int64)
        lost = uniforms[2] >= undecided.take(pair)
        verdict: Indices = np.where(uniforms[2] < a.take(pair), 0, np.where(lost, 1, 2))
        outcomes[number] = pair * len(VERDICTS) + verdict
        return verdict

    return spins(), ask, outcomes
