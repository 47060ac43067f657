"""Carrying out a plan: draws, calls and verdicts in, a complete run folder out.

The protocol itself is `epc.core.protocol`; this module only answers its comparisons. Seeds, and
the phases that do not depend on each other, run concurrently.
"""

import asyncio
from collections.abc import Coroutine, Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from epc.core.config import Configuration
from epc.core.draws import pick_task, turns
from epc.core.prompt import Pair, evaluation_text, executor_prompt
from epc.core.protocol import Comparison, Outcome, PhaseEnd, run_phase, start_of
from epc.core.results import Json
from epc.core.verdict import parse_verdict
from epc.engine.calls import Caller, Progress, Role
from epc.engine.finish import finish
from epc.engine.journal import Journal
from epc.engine.model import Occasion
from epc.engine.plan import Plan
from epc.spec.epc_v1 import DOMAINS, PHASES, Domain, Phase

Trial = Json
T = TypeVar("T")


@dataclass(kw_only=True)
class Measurement:
    """A plan under way: its models, its configuration and what has been tried so far.

    `executor` is None for recorded verdicts, which need no answers.
    """

    plan: Plan
    config: Configuration
    evaluator: Role
    executor: Role | None
    caller: Caller
    trials: list[Trial]

    async def run(self) -> dict[int, Outcome]:
        """Measure every seed and return how each one ended."""
        if self.plan.exhaustive:
            await self._ask_everything()
        rounds = len(self.plan.seeds) * len(PHASES) * self.config.rounds
        self.caller.progress.begin("rounds", rounds)
        outcomes = await _all(self._seed(seed) for seed in self.plan.seeds)
        return dict(zip(self.plan.seeds, outcomes, strict=True))

    async def _ask_everything(self) -> None:
        """Ask all strategy-task pairs in two waves: answers, then comparisons (Reading R16)."""
        pairs = [
            (domain, task, strategy.name)
            for domain in DOMAINS
            for task in range(len(self.config.tasks[domain]))
            for strategy in self.config.strategies
        ]
        progress = self.caller.progress
        if self.executor is not None:
            progress.begin("answers", len(pairs))
            await _all(
                self._counted(self._answer(strategy, domain, task, None, "response"))
                for domain, task, strategy in pairs
            )
        progress.begin("comparisons", len(pairs))
        await _all(self._counted(self._compare(s, d, t, None)) for d, t, s in pairs)

    async def _seed(self, seed: int) -> Outcome:
        """Run a seed's phases: 1 and 2 at once, 3 after 1, 4 after 2."""
        done: Outcome = {}

        async def branch(pure: Domain) -> None:
            for phase in PHASES:
                if pure in (phase.name, phase.start):
                    done[phase.name] = await self._phase(seed, phase, done)

        await _all(branch(domain) for domain in DOMAINS)
        return done

    async def _phase(self, seed: int, phase: Phase, done: Outcome) -> PhaseEnd:
        start = start_of(phase, len(self.config.strategies), done)
        draws = turns(seed, phase.stream, self.config.rounds)
        running = run_phase(phase, start, draws, self.config.rule)
        try:
            comparison = next(running)
            while True:
                trial = await self._trial(seed, comparison)
                comparison = running.send(parse_verdict(trial["raw"]))
        except StopIteration as stop:
            end: PhaseEnd = stop.value
            return end

    async def _trial(self, seed: int, comparison: Comparison) -> Trial:
        """Get one round's verdict and keep the round's record."""
        phase, turn = comparison.phase, comparison.turn
        u_task, u_strategy = turn.u_task or 0.0, turn.u_strategy or 0.0
        task = pick_task(u_task, len(self.config.tasks[phase.domain]))
        strategy = self.config.strategies[comparison.strategy].name
        occasion = Occasion(seed=seed, phase=phase.name, round=comparison.round)
        calls = await self._compare(strategy, phase.domain, task, occasion)
        raw = str(calls.evaluation["answer"])
        verdict = parse_verdict(raw)
        trial = {
            "seed": seed,
            "phase": phase.name,
            "round": comparison.round,
            "task": task,
            "u_task": u_task,
            "u_strategy": u_strategy,
            "strategy": strategy,
            "verdict": verdict.value,
            "raw": raw,
            "response": None if calls.response is None else calls.response["id"],
            "baseline": None if calls.baseline is None else calls.baseline["id"],
            "evaluation": calls.evaluation["id"],
        }
        self.trials.append(trial)
        progress = self.caller.progress
        progress.done += 1
        progress.ties += not verdict.decided
        return trial

    async def _compare(
        self, strategy: str, domain: Domain, task: int, occasion: Occasion | None
    ) -> "_Asked":
        """Return the calls of one comparison: both answers, and what the evaluator said."""
        response = baseline = None
        if self.executor is not None:
            response, baseline = await asyncio.gather(
                self._answer(strategy, domain, task, occasion, "response"),
                self._answer(self.config.baseline, domain, task, occasion, "baseline"),
            )
        pair = Pair(
            domain=domain,
            task=self.config.tasks[domain][task],
            strategy=strategy,
            response=None if response is None else str(response["answer"]),
            baseline=None if baseline is None else str(baseline["answer"]),
        )
        text = evaluation_text(
            pair, method=self.config.method, template=self.config.evaluator_prompt
        )
        evaluation = await self.caller.ask(self.evaluator, text, pair=pair, occasion=occasion)
        return _Asked(response=response, baseline=baseline, evaluation=evaluation)

    async def _answer(
        self, strategy: str, domain: Domain, task: int, occasion: Occasion | None, side: str
    ) -> Json:
        assert self.executor is not None
        prompts = {s.name: s.prompt for s in self.config.strategies}
        text = executor_prompt(
            strategy_prompt=prompts[strategy], task=self.config.tasks[domain][task]
        )
        return await self.caller.ask(self.executor, text, occasion=occasion, side=side)

    async def _counted(self, call: Coroutine[Any, Any, object]) -> None:
        await call
        self.caller.progress.done += 1


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """The calls of one comparison; no answers where recorded verdicts stand in."""

    response: Json | None
    baseline: Json | None
    evaluation: Json


async def carry_out(
    plan: Plan,
    folder: Path,
    *,
    config: Configuration,
    evaluator: Role,
    executor: Role | None,
    progress: Progress,
    now: datetime,
) -> Json:
    """Finish a plan in its folder, from wherever it stands, and return the manifest.

    Raises: StoppedError if a call got no answer; WorldError if the disk fails. Every answer got
    so far is in the journal, and the same call goes on from there.
    """
    journal = Journal(folder)
    try:
        caller = Caller(journal=journal, reuse=plan.reuse == "memo", progress=progress)
        measurement = Measurement(
            plan=plan,
            config=config,
            evaluator=evaluator,
            executor=executor,
            caller=caller,
            trials=[],
        )
        outcomes = await measurement.run()
        progress.begin("writing", 1)
        manifest = finish(
            folder,
            plan=plan,
            config=config,
            roles=[role for role in (executor, evaluator) if role is not None],
            trials=measurement.trials,
            calls=list(caller.answered.values()),
            outcomes=outcomes,
            now=now,
        )
        journal.remove()
    finally:
        journal.close()
    return manifest


async def _all(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Await everything at once; the first failure stops the rest and is what is raised."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(item) for item in work]
    except BaseExceptionGroup as failures:
        raise _first(failures) from None
    return [task.result() for task in tasks]


def _first(failures: BaseExceptionGroup[BaseException]) -> BaseException:
    first = failures.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first
