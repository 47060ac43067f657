"""The phases of many seeds in lock step, where every verdict is known beforehand.

The phases that start uniform go in step as well, and after them those that continue them. A column
is a seed. The arithmetic is that of `epc.protocol.rules` in the same order: running sums and totals
are added from strategy to strategy, and a tie divides nothing. So a column takes the very steps of
one seed there, to the last bit (ADR 3).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from msgspec import Struct

from epc.arrays import Array, Indices, np
from epc.protocol.draws import draws
from epc.protocol.phases import Outcome, PhaseEnd
from epc.protocol.rules import Rule, policies
from epc.protocol.table import OUTCOMES
from epc.protocol.verdict import Verdict
from epc.spec.domains import Domain, Domains, Phase

_INT8: Final = 127
_FEW: Final = 256  # columns; below it what a call costs outweighs what it adds


def play(
    state: Array,
    spun: Iterable[Array],
    ask: Callable[[int, Indices, Indices], Indices],
    rule: Rule,
) -> None:
    """Take every column through its rounds, in place: one for each of the wheel's draws.

    `ask` takes three arguments: the round's number, from 0; the strategy that each column chose;
    and the index of that choice in a flattened table of strategies by columns. It returns verdicts
    as indices of `OUTCOMES`.

    Shapes: state (as the rule's, seeds), in C order; the draws, what is chosen and the verdicts
            (seeds,).
    Source: EPC-2.3; `epc.protocol.weights.choose` and `epc.protocol.rules.Rule.after`.
    """
    columns = rule.columns(state)
    policy, move = columns.policy, columns.move
    seeds = state.shape[1]
    wheel = _Wheel(policy)
    seed_index = np.arange(seeds)
    for number, u in enumerate(spun):
        chosen = wheel.spin(u)
        flat_index = chosen * seeds
        flat_index += seed_index
        move(flat_index, ask(number, chosen, flat_index))


class _Wheel:
    """The roulette wheels of many columns, over one array of weights that changes between spins.

    Shapes: weights (K, seeds).
    """

    def __init__(self, weights: Array) -> None:
        # The last strategy is what is left where rounding leaves none.
        self._weights, self._rows = weights[:-1], list(weights[:-1])
        strategies, seeds = weights.shape
        self._few = seeds <= _FEW
        self._running = np.empty(seeds)
        self._passed = np.empty((strategies - 1, seeds), np.bool_)
        # Small numbers keep a block in the cache; most strategy sets are small.
        self._small = np.int8 if strategies <= _INT8 else np.intp

    def spin(self, u: Array) -> Indices:
        """Return where every wheel stops. Shapes: (seeds,) both."""
        passed = self._passed
        if self._few:
            np.less_equal(np.add.accumulate(self._weights), u, out=passed)
        else:
            running = None
            for row, passed_by in zip(self._rows, passed, strict=True):
                running = row if running is None else np.add(running, row, out=self._running)
                np.less_equal(running, u, out=passed_by)
        chosen: Indices = np.add.reduce(passed.view(np.int8), dtype=self._small)
        return chosen.astype(np.intp)  # what callers multiply them by need not be small


Known = Mapping[Domain, Sequence[Sequence[Verdict | None]]]  # by domain, strategy and task

UNKNOWN: Final = -1  # any other code is a place in OUTCOMES
_CODES: Final = {None: UNKNOWN} | {verdict: code for code, verdict in enumerate(OUTCOMES)}


class Course(Struct, frozen=True, kw_only=True):
    """How S seeds went, round by round, in the order of the P phases.

    Shapes: `drawn` (S, P, R, 2), the draws of task and strategy; `tasks`, `strategies`, `verdicts`
            (S, P, R), the last as codes; `weights` (S, P, K), where the phases ended.
    """

    phases: Sequence[Phase]
    drawn: Array
    tasks: Indices
    strategies: Indices
    verdicts: Indices
    weights: Array

    def first_met(self) -> list[tuple[int, int, int]]:
        """Return each distinct (phase, strategy, task) by index, in the order of the rounds."""
        streams = np.broadcast_to(np.arange(len(self.phases))[:, None], self.tasks.shape)
        shape = (len(self.phases), self.weights.shape[2], int(self.tasks.max(initial=0)) + 1)
        flat = np.ravel_multi_index((streams, self.strategies, self.tasks), shape).ravel()
        distinct, first = np.unique(flat, return_index=True)
        places = np.unravel_index(distinct[np.argsort(first)], shape)
        return list(zip(*(indices.tolist() for indices in places), strict=True))

    def outcomes(self) -> list[Outcome]:
        """Return how each seed ended, as the protocol's generator says it."""
        codes = range(len(OUTCOMES))
        counts = np.stack([(self.verdicts == code).sum(axis=2) for code in codes], axis=-1)
        return [
            {
                phase.name: PhaseEnd(
                    weights=tuple(weights[index]),
                    verdicts=dict(zip(OUTCOMES, counted[index], strict=True)),
                )
                for index, phase in enumerate(self.phases)
            }
            for weights, counted in zip(self.weights.tolist(), counts.tolist(), strict=True)
        ]


def run_course(
    seeds: Sequence[int],
    rounds: int,
    verdicts: Known,
    rule: Rule,
    phases: Sequence[Phase] | None = None,
) -> Course | None:
    """Run every seed's phases; None if a round meets a pair whose verdict is not known.

    Source: EPC-2.1, EPC-2.3; Readings R1 and R2.
    """
    phases = phases or Domains.from_names(verdicts).phases
    drawn = drawn_for(tuple(seeds), tuple(phase.stream for phase in phases), rounds)
    strategies = len(next(iter(verdicts.values())))
    course = Course(
        phases=phases,
        drawn=drawn,
        tasks=_tasks(drawn, [len(verdicts[phase.domain][0]) for phase in phases]),
        strategies=np.empty(drawn.shape[:3], dtype=np.intp),
        verdicts=np.empty(drawn.shape[:3], dtype=np.int8),
        weights=np.empty((*drawn.shape[:2], strategies)),
    )
    start = rule.start(strategies)
    states = np.empty((*drawn.shape[:2], len(start)))
    states[:] = start
    phase_index = {phase.name: index for index, phase in enumerate(phases)}
    first = [index for index, phase in enumerate(phases) if phase.start is None]
    _train(course, states, first, verdicts, rule)
    starts = {index: phase_index[phase.start] for index, phase in enumerate(phases) if phase.start}
    states[:, list(starts)] = states[:, list(starts.values())]
    _train(course, states, list(starts), verdicts, rule)
    ended = policies(rule, states.reshape(-1, len(start)).T)
    course.weights[:] = ended.T.reshape(course.weights.shape)
    return None if (course.verdicts == UNKNOWN).any() else course


@lru_cache(maxsize=8)
def drawn_for(seeds: tuple[int, ...], streams: tuple[int, ...], rounds: int) -> Array:
    """Return the draws of many seeds and streams; measurements of the same seeds share them.

    Shapes: (S, P, R, 2), not to be written to.
    """
    drawn = np.array([[draws(seed, stream, rounds) for stream in streams] for seed in seeds])
    drawn.flags.writeable = False
    return drawn


def _train(course: Course, states: Array, rows: list[int], outcomes: Known, rule: Rule) -> None:
    """Train every seed in phases that do not depend on each other; a column is one such phase.

    Shapes: states (S, P, n), which those of the own phases are replaced in.
    """
    codes = _codes(outcomes)
    seeds, _, rounds = course.tasks.shape
    columns, (strategies, tasks) = seeds * len(rows), codes.shape[1:]

    def by_round(array: Array | Indices) -> Any:
        return np.ascontiguousarray(array[:, rows].reshape(columns, -1).T)

    moved, spun = by_round(states), by_round(course.drawn[..., 1])
    places = {domain: place for place, domain in enumerate(outcomes)}
    domains = [places[course.phases[index].domain] for index in rows]
    # A cell is a place in the table of all codes; that of the first strategy, until one is chosen.
    cells = by_round(course.tasks)
    cells += np.tile([domain * strategies * tasks for domain in domains], seeds)
    flat_codes = codes.reshape(-1)

    def ask(number: int, chosen: Indices, _: Indices) -> Indices:
        cell = cells[number]
        cell += chosen * tasks
        # A pair that is not known makes the whole course void, so what it does here is no matter.
        verdicts: Indices = flat_codes.take(cell)
        return verdicts

    play(moved, spun, ask, rule)
    drawn_cells = cells.T.reshape(seeds, len(rows), rounds)
    course.strategies[:, rows] = drawn_cells // tasks % strategies
    course.verdicts[:, rows] = flat_codes[drawn_cells]
    states[:, rows] = moved.T.reshape(seeds, len(rows), -1)


def _tasks(drawn: Array, counts: Sequence[int]) -> Indices:
    """Return the tasks that the draws fall on (`epc.protocol.draws.pick_task`)."""
    task_counts = np.array(counts)[:, None]
    tasks: Indices = np.minimum((drawn[..., 0] * task_counts).astype(np.intp), task_counts - 1)
    return tasks


def _codes(verdicts: Known) -> Indices:
    """Return the verdicts' codes by domain, strategy and task."""
    width = max(len(row) for table in verdicts.values() for row in table)
    strategies = max(map(len, verdicts.values()))
    codes = np.full((len(verdicts), strategies, width), UNKNOWN, dtype=np.int8)
    for index, table in enumerate(verdicts.values()):
        for strategy, row in enumerate(table):
            codes[index, strategy, : len(row)] = [_CODES[verdict] for verdict in row]
    return codes
