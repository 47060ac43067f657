"""What a measurement can ask: answers of the executor, comparisons of the evaluator."""

from collections.abc import Callable, Iterator

from msgspec import Struct

from epc.engine.calls import Question, Role
from epc.engine.recorded import Recorded
from epc.protocol.config import Configuration
from epc.protocol.prompt import Pair, evaluation_text, executor_prompt
from epc.protocol.results import Json
from epc.spec.domains import Domain


class Questions(Struct, frozen=True, kw_only=True):
    """The questions of one configuration and its two roles.

    `executor` is None for recorded verdicts, which need no answers.
    """

    config: Configuration
    evaluator: Role
    executor: Role | None

    def answer(self, strategy: int, domain: Domain, task: int, side: str = "response") -> Question:
        """Return what the executor is asked for a strategy and a task (EPC-2.3 step 2)."""
        assert self.executor is not None
        text = executor_prompt(
            strategy_prompt=self.config.strategies[strategy].prompt,
            task=self.config.tasks[domain][task],
            template=self.config.executor_prompt,
        )
        return Question(role=self.executor, text=text, side=side)

    def baseline(self, domain: Domain, task: int) -> Question:
        """Return what the executor is asked for the baseline; the task alone decides it."""
        return self.answer(self.config.baseline_index, domain, task, "baseline")

    def comparison(
        self, strategy: int, domain: Domain, task: int, answers: tuple[Json, Json] | None
    ) -> Question:
        """Return what the evaluator is asked about two answers (EPC-2.3 step 3)."""
        response, baseline = (call["answer"] for call in answers) if answers else (None, None)
        pair = Pair(
            domain=domain,
            task=self.config.tasks[domain][task],
            strategy=self.config.strategies[strategy].name,
            response=response,
            baseline=baseline,
        )
        text = evaluation_text(
            pair, method=self.config.method, template=self.config.evaluator_prompt
        )
        return Question(role=self.evaluator, text=text, pair=pair, side="evaluation")

    def answers(self) -> list[Question]:
        """Return the first wave of an exhaustive run: every strategy on every task."""
        if self.executor is None:
            return []
        return [self.answer(s, d, t) for d, t, s in self.pairs()]

    def comparisons(self, known: Callable[[Question], Json]) -> list[Question]:
        """Return the second wave: every pair's comparison, the answers being known."""
        if self.executor is None:
            return [self.comparison(s, d, t, None) for d, t, s in self.pairs()]
        return [
            self.comparison(s, d, t, (known(self.answer(s, d, t)), known(self.baseline(d, t))))
            for d, t, s in self.pairs()
        ]

    def pairs(self) -> Iterator[tuple[Domain, int, int]]:
        """Yield every domain, task and strategy that can be asked about."""
        model = self.evaluator.model
        for domain, tasks in self.config.tasks.items():
            for task, text in enumerate(tasks):
                for index, strategy in enumerate(self.config.strategies):
                    # Reading R72: what recorded verdicts do not hold is not asked, and no tie.
                    if not isinstance(model, Recorded) or model.holds(strategy.name, domain, text):
                        yield domain, task, index
