"""The phases as generators that yield the comparison they need and are sent the verdict.

One piece of code, three drivers: models drive it live (`epc.engine`), recorded trials drive it in
recomputation (`epc.records`), and cases drive it in conformance (`epc.protocol.results`).
"""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from msgspec import Struct

from epc.protocol.draws import Turn
from epc.protocol.rules import Rule, State
from epc.protocol.verdict import Verdict
from epc.protocol.weights import Weights, choose
from epc.spec.domains import Phase, PhaseName
from epc.spec.epc_v1 import PHASES


class Comparison(Struct, frozen=True, kw_only=True):
    """A question that a phase needs answered before it can go on: is A better than the baseline?

    `round` counts from 0 inside the phase; `strategy` is the index of the sampled strategy.
    """

    phase: Phase
    round: int
    turn: Turn
    strategy: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseEnd:
    """End of a phase: its final weights and how its rounds ended.

    `state` is what a phase that continues this one begins with; of many seeds in step it is not
    kept.
    """

    weights: Weights
    verdicts: Mapping[Verdict, int] = field(default_factory=lambda: dict.fromkeys(Verdict, 0))
    state: State = field(default=(), compare=False)


T = TypeVar("T")
Outcome = dict[PhaseName, PhaseEnd]
PhaseRun = Generator[Comparison, Verdict, PhaseEnd]
Measurement = Generator[Comparison, Verdict, Outcome]


def run_phase(phase: Phase, start: State, turns: Iterable[Turn], rule: Rule) -> PhaseRun:
    """Train for one round a turn, beginning from the state `start`.

    A tie uses up its round and moves nothing (EPC-2.6(c), Reading R4). The baseline against
    itself runs like any other strategy (Reading R6).

    Source: EPC-2.3.
    """
    state, weights, verdicts = start, rule.policy(start), dict.fromkeys(Verdict, 0)
    for number, turn in enumerate(turns):
        strategy = turn.strategy
        if strategy is None:
            strategy = choose(weights, turn.u_strategy or 0.0)
        verdict = yield Comparison(phase=phase, round=number, turn=turn, strategy=strategy)
        verdicts[verdict] += 1
        if verdict.decided:
            state = rule.after(state, chosen=strategy, won=verdict is Verdict.A)
            weights = rule.policy(state)
    return PhaseEnd(weights=weights, verdicts=verdicts, state=state)


def start_of(
    phase: Phase, strategies: int, done: Mapping[PhaseName, PhaseEnd], rule: Rule
) -> State:
    """Return the state that a phase begins with (EPC-2.1, Reading R1)."""
    return rule.start(strategies) if phase.start is None else done[phase.start].state


def in_order(phases: Sequence[Phase]) -> list[Phase]:
    """Return phases so that each comes after the one that it begins from."""
    return sorted(phases, key=lambda phase: phase.start is not None)


def measure(
    turns: Mapping[PhaseName, Iterable[Turn]],
    *,
    strategies: int,
    rule: Rule,
    initial: State | None = None,
    phases: Sequence[Phase] = PHASES,
) -> Measurement:
    """Run all phases of one seed, one after the other.

    `initial` replaces the uniform start of the two pure phases; only conformance cases use it.

    Source: EPC-2.1.
    """
    done: Outcome = {}
    for phase in in_order(phases):
        start = start_of(phase, strategies, done, rule)
        if phase.start is None and initial is not None:
            start = initial
        done[phase.name] = yield from run_phase(phase, start, turns[phase.name], rule)
    return done


def drive(running: Generator[Comparison, Verdict, T], answer: Callable[[Comparison], Verdict]) -> T:
    """Answer the comparisons of a phase or a measurement in order and return how it ended."""
    try:
        comparison = next(running)
        while True:
            comparison = running.send(answer(comparison))
    except StopIteration as stop:
        ended: T = stop.value
        return ended
