"""Trials of a run that reuses its answers, from its seeds and calls alone.

Under reuse (Reading R16) a strategy on a task has one answer and one verdict, so the draws decide
all the rest: the trials of such a run can be written down without asking anybody. What a file of
trials says is replayed row by row all the same (`epc.records.trials`).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct, field

from epc.protocol.batch_replay import Course, Known, drawn_for, run_course
from epc.protocol.config import Configuration
from epc.protocol.phases import Outcome
from epc.protocol.prompt import Pair, evaluation_text, executor_prompt
from epc.protocol.results import Json
from epc.protocol.table import Cell
from epc.protocol.verdict import Verdict, parse_verdict
from epc.records.composed import misasked
from epc.records.rows import Call
from epc.records.strict_json import dumps_line
from epc.spec.domains import Domain, PhaseName

_BLOCK: Final = 2**15  # rounds that are derived at a time, which bounds the memory


class PairCalls(Struct, frozen=True, kw_only=True):
    """A strategy on a task under reuse: the calls that every round of it refers to.

    A pair that recorded verdicts do not hold has no call and nothing was said of it (Reading R72).
    """

    domain: Domain
    strategy: int
    name: str
    task: int
    response: str | None = None
    baseline: str | None = None
    evaluation: str | None = None
    raw: str = ""
    verdict: Verdict = Verdict.MISSING

    def trial(self, seed: int, phase: PhaseName, number: int, draws: Sequence[float]) -> Json:
        """Return the row of a round that met the pair."""
        u_task, u_strategy = draws
        return {
            "seed": seed,
            "phase": phase,
            "round": number,
            "task": self.task,
            "u_task": u_task,
            "u_strategy": u_strategy,
            "strategy": self.name,
            "verdict": self.verdict.value,
            "raw": self.raw,
            "response": self.response,
            "baseline": self.baseline,
            "evaluation": self.evaluation,
        }


Table = Mapping[Domain, Sequence[Sequence[PairCalls | None]]]  # by domain, strategy and task


class Derivation(Struct, kw_only=True):
    """The trials of some seeds as they follow from a table of answers.

    `outcomes` and `evaluations` (in the order of the rounds) fill as seeds are taken.
    """

    config: Configuration
    seeds: Sequence[int]
    table: Table
    outcomes: dict[int, Outcome] = field(default_factory=dict)
    evaluations: dict[str, PairCalls] = field(default_factory=dict)

    def answered(self) -> list[PairCalls]:
        """Return every pair that was asked, whether a round met it or not."""
        rows = (row for table in self.table.values() for row in table)
        return [cell for row in rows for cell in row if cell is not None and cell.evaluation]

    def cells(self) -> list[Cell]:
        """Return the comparisons of all pairs that were asked, each once (Reading R38)."""
        return [
            Cell(domain=a.domain, strategy=a.strategy, task=a.task, verdict=a.verdict)
            for a in self.answered()
        ]

    def courses(self) -> Iterator[tuple[Sequence[int], Course]]:
        """Yield some seeds at a time and how they went.

        Raises: LookupError where a round meets a pair that was never asked.
        """
        verdicts: Known = {
            domain: [[cell.verdict if cell else None for cell in row] for row in table]
            for domain, table in self.table.items()
        }
        size = max(1, _BLOCK // max(1, len(self.config.phases) * self.config.rounds))
        for first in range(0, len(self.seeds), size):
            seeds = self.seeds[first : first + size]
            course = run_course(
                seeds, self.config.rounds, verdicts, self.config.rule, self.config.phases
            )
            if course is None:
                raise LookupError
            self.outcomes.update(zip(seeds, course.outcomes(), strict=True))
            for phase, strategy, task in course.first_met():
                cell = self.table[self.config.phases[phase].domain][strategy][task]
                if cell is not None and cell.evaluation is not None:
                    self.evaluations.setdefault(cell.evaluation, cell)
            yield seeds, course

    def trials(self) -> Iterator[str]:
        """Yield the lines of trials.jsonl. Raises: as `courses`."""
        streams = tuple(phase.stream for phase in self.config.phases)
        for seeds, course in self.courses():
            drawn = drawn_for(tuple(seeds), streams, self.config.rounds).tolist()
            columns = (course.strategies.tolist(), course.tasks.tolist(), drawn)
            for seed, *phases in zip(seeds, *columns, strict=True):
                for phase, *rounds in zip(self.config.phases, *phases, strict=True):
                    table = self.table[phase.domain]
                    for number, (strategy, task, draws) in enumerate(zip(*rounds, strict=True)):
                        cell = table[strategy][task]
                        assert cell is not None  # or there would be no course
                        yield dumps_line(cell.trial(seed, phase.name, number, draws))


def derive(
    config: Configuration,
    seeds: Sequence[int],
    executor_template: str | None,
    calls: Mapping[str, Call],
    *,
    is_whole: bool = False,
) -> Derivation:
    """Return the derivation of a run that reused its answers.

    `executor_template` is None where recorded verdicts stand in for answers; `is_whole` says that a
    pair without a call is one that they do not hold.
    """
    reusable = {
        (call.role, call.prompt): (name, call)
        for name, call in calls.items()
        if call.occasion is None
    }
    answers = _Answers(config, executor_template, reusable, all_calls=calls, is_whole=is_whole)
    return Derivation(config=config, seeds=seeds, table=tabulate(config, answers.about))


def tabulate(
    config: Configuration, answered: Callable[[Domain, int, int], PairCalls | None]
) -> Table:
    """Return what is known of every domain, strategy and task of a configuration."""
    return {
        domain: [
            [answered(domain, strategy, task) for task in range(len(tasks))]
            for strategy in range(len(config.strategies))
        ]
        for domain, tasks in config.tasks.items()
    }


class _Answers:
    """Finds what was answered about a strategy on a task."""

    def __init__(
        self,
        config: Configuration,
        executor_template: str | None,
        calls: Mapping[tuple[str, str], tuple[str, Call]],
        *,
        all_calls: Mapping[str, Call],
        is_whole: bool,
    ) -> None:
        self._config, self._template, self._calls = config, executor_template, calls
        self._every, self._whole = all_calls, is_whole
        baselines = [s.prompt for s in config.strategies if s.name == config.baseline]
        self._baseline = baselines[0] if baselines else ""

    def about(self, domain: Domain, strategy: int, task: int) -> PairCalls | None:
        """Return a pair's calls, if all of them were answered."""
        config, definition = self._config, self._config.strategies[strategy]
        text = config.tasks[domain][task]
        response = self._written(definition.prompt, text)
        baseline = self._written(self._baseline, text)
        pair = Pair(
            domain=domain,
            task=text,
            strategy=definition.name,
            response=response[1].answer if response else None,
            baseline=baseline[1].answer if baseline else None,
        )
        prompt = evaluation_text(pair, method=config.method, template=config.evaluator_prompt)
        evaluation = self._calls.get(("evaluator", prompt))
        if evaluation is None and self._whole:
            return PairCalls(domain=domain, strategy=strategy, name=definition.name, task=task)
        if evaluation is None or (self._template is not None and not (response and baseline)):
            return None
        if misasked(config, pair, evaluation[1], self._every):
            return None  # row by row it is said which
        return PairCalls(
            domain=domain,
            strategy=strategy,
            name=definition.name,
            task=task,
            response=response[0] if response else None,
            baseline=baseline[0] if baseline else None,
            evaluation=evaluation[0],
            raw=evaluation[1].answer,
            verdict=parse_verdict(evaluation[1].answer),
        )

    def _written(self, prefix: str, task: str) -> tuple[str, Call] | None:
        """Return the executor's answer, if answers are written here and this one was."""
        if self._template is None:
            return None
        prompt = executor_prompt(strategy_prompt=prefix, task=task, template=self._template)
        return self._calls.get(("executor", prompt))
