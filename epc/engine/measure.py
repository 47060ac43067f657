"""Carrying out a plan: draws, calls and verdicts in, a complete run folder out.

The protocol itself is `epc.protocol.phases`; this module only answers its comparisons. What does
not depend on each other runs at once: seeds, phases 1 and 2 of a seed, both answers of a round.
With enough connections a fresh run takes 2 R (executor + evaluator) latencies, however many seeds.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from epc.engine.calls import Caller
from epc.engine.finish import finish, in_order
from epc.engine.model import Occasion
from epc.engine.plan import Plan
from epc.engine.request import Questions
from epc.engine.roles import Question
from epc.engine.task_group import all_of, await_both
from epc.engine.user_programs import Label, Request
from epc.protocol.draws import pick_task, turns
from epc.protocol.phases import Comparison, Outcome, PhaseEnd, run_phase, start_of
from epc.protocol.results import Json
from epc.protocol.verdict import AnswerKind, Verdict, classify, parse_verdict, says_tie
from epc.records.derive import Derivation, PairCalls, tabulate
from epc.records.gold import write_gold
from epc.records.layout import GOLD, RECHECK
from epc.records.strict_json import dumps_line
from epc.spec.domains import Domain, Phase

_PROGRAMS: Final = 8  # runs of a checker under way
Trial = Json
Checker = Callable[[Request], Awaitable[Label]]


class Measurement(Struct, kw_only=True):
    """A plan under way: its questions, its caller, and the rounds played so far."""

    plan: Plan
    questions: Questions
    caller: Caller
    outcomes: dict[int, Outcome] = field(default_factory=dict)
    _trials: list[Trial] = field(default_factory=list)
    _played: dict[tuple[Domain, int, int], PairCalls] = field(default_factory=dict)
    _pair_calls: list[PairCalls] = field(default_factory=list)
    _derivation: Derivation | None = None

    async def run(self) -> None:
        """Get every answer and how each seed ended."""
        phases = self.questions.config.phases
        phase_rounds = len(self.plan.seeds) * self.plan.rounds
        rounds: dict[str, int] = {phase.name: phase_rounds for phase in phases}
        if self.plan.exhaustive:
            await self._ask_every_pair()
            self.caller.progress.begin("rounds", sum(rounds.values()))
            self._derive()
        else:
            self.caller.progress.begin("rounds", sum(rounds.values()), rounds)
            ends = await all_of(self._seed(seed) for seed in self.plan.seeds)
            self.outcomes = dict(zip(self.plan.seeds, ends, strict=True))
        await self._recheck()

    def trial_lines(self) -> Iterator[str]:
        """Yield the lines of trials.jsonl."""
        if self._derivation is not None:
            return self._derivation.trials()
        return (
            dumps_line(trial) for trial in in_order(self._trials, self.questions.config.domains)
        )

    async def labels(self, check: Checker) -> list[tuple[str, Domain, str, float]]:
        """Return how right a design's checker calls each answer: strategy, domain, task, gold.

        It is asked once about equal answers to one question.
        """
        config = self.questions.config
        written = {
            (strategy, pair_calls.domain, pair_calls.task, name)
            for pair_calls in self._pair_calls
            for strategy, name in (
                (pair_calls.strategy, pair_calls.response),
                (config.baseline_index, pair_calls.baseline),
            )
            if name is not None
        }
        texts = Counter((*place, self._call(name)["answer"]) for *place, name in sorted(written))
        self.caller.progress.begin("checker", len(texts))
        at_once = asyncio.Semaphore(_PROGRAMS)

        async def label(strategy: int, domain: Domain, task: int, answer: str) -> float:
            request = Request(
                candidate=config.strategies[strategy].name,
                text=config.strategies[strategy].prompt,
                item=f"{domain}/{task + 1}",
                value=config.tasks[domain][task],
                output=answer,
            )
            async with at_once:
                answer_label = await check(request)
            self.caller.progress.advance()
            return answer_label.gold

        gold = await all_of(label(*text_key) for text_key in texts)
        return [
            (config.strategies[strategy].name, domain, config.tasks[domain][task], value)
            for ((strategy, domain, task, _), times), value in zip(texts.items(), gold, strict=True)
            for _ in range(times)
        ]

    async def _ask_every_pair(self) -> None:
        """Ask both waves of an exhaustive run, a comparison as soon as its answers are in."""
        pairs = list(self.questions.pairs())
        domains = Counter(str(domain) for domain, *_ in pairs)
        self.caller.progress.begin("pairs", len(pairs), domains)

        async def play_pair(domain: Domain, task: int, strategy: int) -> None:
            key = domain, strategy, task
            self._played[key] = await self._play(*key, None)
            self.caller.progress.advance(domain)

        await all_of(play_pair(*pair) for pair in pairs)

    def _derive(self) -> None:
        """Play every round at once: each verdict is known."""
        config = self.questions.config
        table = tabulate(config, self._calls_of_pair)
        derivation = Derivation(config=config, seeds=self.plan.seeds, table=table)
        for _ in derivation.courses():
            pass
        self._derivation, self.outcomes = derivation, derivation.outcomes
        progress = self.caller.progress
        stage = progress.stages[-1]
        stage.done = stage.total
        progress.reused += stage.total * (1 if self.questions.executor is None else 3)

    def _calls_of_pair(self, domain: Domain, strategy: int, task: int) -> PairCalls:
        """Return what was asked about a pair, or that it is missing (Reading R72)."""
        name = self.questions.config.strategies[strategy].name
        missing = PairCalls(domain=domain, strategy=strategy, name=name, task=task)
        return self._played.get((domain, strategy, task), missing)

    def answered(self, question: Question) -> Json:
        """Return the answer that an earlier wave got."""
        return self._call(self.caller.name(question))

    def _call(self, name: str) -> Json:
        call = self.caller.existing_call(name)
        assert call is not None
        return call

    async def _recheck(self) -> None:
        """Ask a sample of comparisons a second time: temperature 0 promises no equal answer."""
        played = (
            self._played.values()
            if self._derivation is None
            else self._derivation.evaluations.values()
        )
        # The names are digests, so their order is a random one, and the same in every session.
        distinct = {answered.evaluation or "": answered for answered in played}
        sample = [distinct[name] for name in sorted(distinct)[: self.plan.recheck]]
        await self.caller.ask_all(
            "recheck",
            [
                (self._compared(pair_calls), f"{RECHECK}{number}")
                for number, pair_calls in enumerate(sample)
            ],
        )

    def _compared(self, answered: PairCalls) -> Question:
        """Return the comparison that a round asked for."""
        answers = None
        if answered.response is not None and answered.baseline is not None:
            answers = (self._call(answered.response), self._call(answered.baseline))
        return self.questions.comparison(answered.strategy, answered.domain, answered.task, answers)

    async def _seed(self, seed: int) -> Outcome:
        """Run a seed's phases: those that start uniform at once, each other after its start."""
        done: Outcome = {}
        phases = self.questions.config.phases

        async def branch(start: Phase) -> None:
            for phase in (
                start,
                *(follower for follower in phases if follower.start == start.name),
            ):
                done[phase.name] = await self._phase(seed, phase, done)

        await all_of(branch(phase) for phase in phases if phase.start is None)
        return done

    async def _phase(self, seed: int, phase: Phase, done: Outcome) -> PhaseEnd:
        config = self.questions.config
        start = start_of(phase, len(config.strategies), done, config.rule)
        draws = turns(seed, phase.stream, config.rounds)
        running = run_phase(phase, start, draws, config.rule)
        try:
            comparison = next(running)
            while True:
                comparison = running.send(await self._trial(seed, comparison))
        except StopIteration as stop:
            end: PhaseEnd = stop.value
            return end

    async def _trial(self, seed: int, comparison: Comparison) -> Verdict:
        """Get one round's verdict and keep the round's record."""
        phase, turn, config = comparison.phase, comparison.turn, self.questions.config
        u_task, u_strategy = turn.u_task or 0.0, turn.u_strategy or 0.0
        task = pick_task(u_task, len(config.tasks[phase.domain]))
        key = phase.domain, comparison.strategy, task
        played = self._played.get(key)
        if played is None:
            occasion = Occasion(seed=seed, phase=phase.name, round=comparison.round)
            played = await self._play(*key, occasion)
            if self.caller.reuse:
                self._played[key] = played
        else:
            self.caller.progress.reused += 3 if played.response else 1
        draws = (u_task, u_strategy)
        self._trials.append(played.trial(seed, phase.name, comparison.round, draws))
        self.caller.progress.advance(phase.name)
        return played.verdict

    async def _play(
        self, domain: Domain, strategy: int, task: int, occasion: Occasion | None
    ) -> PairCalls:
        """Ask what a round asks."""
        answers = await self._answers(strategy, domain, task, occasion)
        question = self.questions.comparison(strategy, domain, task, answers)
        evaluation = await self.caller.ask(question, occasion)
        response, baseline = (call["id"] for call in answers) if answers else (None, None)
        self.caller.progress.verdicts[_verdict_label(evaluation)] += 1
        played = PairCalls(
            domain=domain,
            strategy=strategy,
            name=self.questions.config.strategies[strategy].name,
            task=task,
            response=response,
            baseline=baseline,
            evaluation=evaluation["id"],
            raw=evaluation["answer"],
            verdict=parse_verdict(evaluation["answer"]),
        )
        self._pair_calls.append(played)
        return played

    async def _answers(
        self, strategy: int, domain: Domain, task: int, occasion: Occasion | None
    ) -> tuple[Json, Json] | None:
        if self.questions.executor is None:
            return None
        ask, questions = self.caller.ask, self.questions
        response = questions.answer(strategy, domain, task)
        baseline = questions.baseline(domain, task)
        if self.caller.reuse and strategy == questions.config.baseline_index:
            call = await ask(baseline, occasion)
            return call, call
        return await await_both(ask(response, occasion), ask(baseline, occasion))


def _verdict_label(evaluation: Json) -> str:
    """Return what a verdict was, for whoever watches; in the record all but A and B are ties."""
    outcome = classify(evaluation["answer"], finish_reason=evaluation["finish_reason"])
    if outcome is AnswerKind.UNPARSEABLE:
        return "tie" if says_tie(evaluation["answer"]) else "unreadable"
    return "refused" if outcome is AnswerKind.REFUSAL else outcome.value


async def carry_out(
    plan: Plan,
    folder: Path,
    *,
    questions: Questions,
    caller: Caller,
    now: datetime,
    check: Checker | None = None,
) -> Json:
    """Finish a plan in its folder, from wherever its journal stands, and return the manifest.

    Raises: StoppedError if a call got no answer or a limit was reached; WorldError if the disk
    fails. Every answer got so far is in the journal, and the same call goes on from there.
    """
    measurement = Measurement(plan=plan, questions=questions, caller=caller)
    await measurement.run()
    if check is not None:
        write_gold(folder / GOLD, await measurement.labels(check))
    caller.progress.begin("writing", 1)
    manifest = finish(
        folder,
        plan=plan,
        questions=questions,
        trials=measurement.trial_lines(),
        journal=caller.journal,
        outcomes=measurement.outcomes,
        now=now,
    )
    caller.journal.remove()
    return manifest
