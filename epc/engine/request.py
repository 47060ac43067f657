"""Request of a user for a run, and what follows from it before any model is asked."""

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from epc.engine.catalog import open_model
from epc.engine.plan import Reuse
from epc.engine.roles import Question, Role
from epc.engine.verdicts import RecordedVerdicts
from epc.errors import UsageError
from epc.protocol.config import Configuration
from epc.protocol.mitigation import members_named
from epc.protocol.prompt import Pair, evaluation_text, executor_prompt
from epc.protocol.results import Json
from epc.records.designs import Design
from epc.spec.domains import Domain
from epc.spec.epc_v1 import ROUNDS, ControlMethod


class Request(Struct, frozen=True, kw_only=True):
    """Request of a user, before anything has been looked up.

    `decoding` is what a role shall do otherwise than its model would, setting by setting. Without
    a `design` the reference is measured.
    """

    evaluator: str
    executor: str | None
    seeds: list[int]
    rounds: int
    reuse: Reuse | None
    exhaustive: bool
    recheck: int = 0
    control: ControlMethod = "simulated"
    controls: int = 0
    decoding: dict[str, dict[str, Any]] = field(default_factory=dict)
    reuse_answers_of: tuple[Path, ...] = ()
    design: Design | None = None


def rounds_of(rounds: int | None, design: Design | None) -> int:
    """Return the rounds of each phase.

    A design says all that it decides, so that a run of it can be repeated from its file alone.

    Raises: UsageError if other rounds are asked for than the design's.
    """
    if design is None:
        return ROUNDS if rounds is None else rounds
    if rounds not in (None, design.config.rounds):
        raise UsageError(
            f"the design has {design.config.rounds} rounds: leave --rounds out, or change the file"
        )
    return design.config.rounds


def default_folder(evaluator: str, began: datetime) -> Path:
    """Return a new folder below `runs/`, named for the day and the evaluator."""
    name = re.sub(r"[^A-Za-z0-9.]+", "-", evaluator.partition("/")[2] or evaluator).strip("-")
    folder = Path("runs") / f"{began.date().isoformat()}-{name}"
    count = 1
    while folder.exists():
        count += 1
        folder = folder.with_name(f"{began.date().isoformat()}-{name}-{count}")
    return folder


def fetch_weights(names: Iterable[str | None], say: Callable[[str], None]) -> None:
    """Have the embedded weights, if a model that needs them is named.

    A name that is no model's is refused first, whichever it is: then nothing is downloaded.

    Raises: UsageError if there is no such model; WorldError if the weights cannot be had.
    """
    members = [member for name in names if name is not None for member in members_named(name)]
    local = [name.removeprefix("local/") for name in members if name.startswith("local/")]
    if not local:
        return
    from epc.engine.local.fetching import fetch
    from epc.engine.local.models import embedded_model
    from epc.engine.local.weights import weights_of

    with_weights = [name for name in local if embedded_model(name).has_weights]
    for name in members:
        if not name.startswith("local/"):
            open_model(name)
    for weights in dict.fromkeys(map(weights_of, with_weights)):
        fetch(weights, say)


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

    def comparisons(self, answer_to: Callable[[Question], Json]) -> list[Question]:
        """Return the second wave: every pair's comparison, the answers being known."""
        if self.executor is None:
            return [self.comparison(s, d, t, None) for d, t, s in self.pairs()]
        return [
            self.comparison(
                s, d, t, (answer_to(self.answer(s, d, t)), answer_to(self.baseline(d, t)))
            )
            for d, t, s in self.pairs()
        ]

    def pairs(self) -> Iterator[tuple[Domain, int, int]]:
        """Yield every domain, task and strategy that can be asked about."""
        model = self.evaluator.model
        for domain, tasks in self.config.tasks.items():
            for task, text in enumerate(tasks):
                for index, strategy in enumerate(self.config.strategies):
                    # Reading R72: what recorded verdicts do not hold is not asked, and no tie.
                    if not isinstance(model, RecordedVerdicts) or model.holds(
                        strategy.name, domain, text
                    ):
                        yield domain, task, index
