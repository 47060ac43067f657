"""Asking models: each answer journalled before it is used, and asked for once.

It is one class and what opens it: where an answer may come from is decided in one order, and here.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field

from epc.digests import sha256
from epc.engine.budget import Budget, CostCapError
from epc.engine.cache import Cache
from epc.engine.composite import Composite
from epc.engine.journal import Journal
from epc.engine.model import Completion, Occasion, Prompt
from epc.engine.progress import Progress
from epc.engine.roles import Question, Role, answered_row, composed_row
from epc.engine.task_group import Stopping, all_of
from epc.errors import EpcError
from epc.protocol.mitigation import Vote
from epc.protocol.results import Json
from epc.records.calls import call_of
from epc.records.layout import LONGEST_CALL, TOO_LARGE, occasion_of, recordable
from epc.records.rows import CACHED, Call

_HEX_DIGITS: Final = 8
_PANEL_PHASE: Final = "panel"
Watch = Callable[[Progress], AbstractAsyncContextManager[None]]


class _NamedQuestion(Struct, frozen=True, kw_only=True):
    """A question by the name of its answer, and the `place` in which alone the answer serves."""

    name: str
    question: Question
    occasion: Occasion | None
    place: str | None


class Caller(Struct, kw_only=True):
    """Asks in the name of a run.

    Under reuse an answer's name is what was asked, so that equal prompts share one answer, also
    while it is still under way. Without reuse the round is part of the name, and nothing is kept in
    memory but where the journal has it.

    An answer of another run serves only where the model has pinned weights (`cache`), or where the
    user named that run (`named_runs`, what could be taken over from it; Reading R76). The
    executor's answers may be those of all runs of a campaign (`siblings`). `places` are the calls
    that each model takes at once, from all callers that share them.
    """

    journal: Journal
    reuse: bool
    progress: Progress
    clock: Callable[[], datetime]
    cache: Cache | None = None
    named_runs: Journal | None = None
    siblings: "SharedAnswers | None" = None
    places: dict[str, asyncio.Semaphore] = field(default_factory=dict)
    _calls_by_name: dict[str, Json] = field(default_factory=dict)
    _under_way: dict[str, "asyncio.Future[Json]"] = field(default_factory=dict)
    _stopping: Stopping | None = None

    def __post_init__(self) -> None:
        self.progress.from_journal += len(self.journal)
        self.progress.torn += self.journal.torn
        self.progress.damaged += self.journal.damaged

    @property
    def budget(self) -> Budget:
        """Budget that the calls are counted against."""
        return self.progress.budget

    @property
    def stopping(self) -> Stopping:
        """Stop signal of this run."""
        if self._stopping is None:
            self._stopping = Stopping(budget=self.budget, stopped=self._leave)
        return self._stopping

    def name(self, question: Question, place: str | None = None) -> str:
        """Return the name that the answer to a question has."""
        return question.role.names.name(question.text, place)

    def existing_call(self, name: str) -> Json | None:
        """Return a call that this run has an answer to already."""
        if name in self._calls_by_name:
            return self._calls_by_name[name]
        if name not in self.journal:
            return None
        call = self.journal.read(name)
        if self.reuse:
            self._calls_by_name[name] = call
        return call

    async def ask(self, question: Question, occasion: Occasion | None = None) -> Json:
        """Return the call (a row of calls.jsonl) that answers a question.

        Raises: CallError if there is no answer; BudgetError at a limit of the user's.
        """
        named_question = self.with_name(question, occasion)
        if (call := self.existing_call(named_question.name)) is not None:
            self.progress.reused += 1
            return call
        if named_question.place is not None:
            return await self._answered(named_question)
        if named_question.name in self._under_way:
            self.progress.reused += 1
            return await asyncio.shield(self._under_way[named_question.name])
        future: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._under_way[named_question.name] = future
        try:
            call = await self._answered(named_question)
        except BaseException as error:
            future.set_exception(error)
            future.exception()  # whoever waits gets it; nobody waiting is no second error
            raise
        finally:
            del self._under_way[named_question.name]
        future.set_result(call)
        return call

    async def ask_again(
        self, question: Question, place: str, occasion: Occasion | None = None
    ) -> Json:
        """Ask what may have been answered before, under a name of its own."""
        name = self.name(question, place)
        named_question = _NamedQuestion(
            name=name, question=question, occasion=occasion, place=place
        )
        return self.existing_call(name) or await self._fresh(named_question)

    async def ask_all(
        self, stage: str, wanted: Iterable[tuple[Question, str | Occasion | None]]
    ) -> list[Json]:
        """Return the calls that answer the questions of a stage, asked at once.

        A question beside the rounds has a place of its own. A model that answers each round afresh
        gets a round of its own there.
        """
        listed = list(wanted)
        self.progress.begin(stage, len(listed))

        async def ask_listed(question: Question, place_or_occasion: str | Occasion | None) -> Json:
            if isinstance(place_or_occasion, str):
                seed = int(sha256(place_or_occasion)[:_HEX_DIGITS], 16)
                panel_occasion = Occasion(seed=seed, phase=_PANEL_PHASE, round=0)
                afresh = None if question.role.model.repeatable else panel_occasion
                call = await self.ask_again(question, place_or_occasion, afresh)
            else:
                call = await self.ask(question, place_or_occasion)
            self.progress.advance()
            return call

        return await all_of(ask_listed(*arguments) for arguments in listed)

    async def keep(self, call: Json) -> None:
        """Journal an answer, wherever it came from."""
        await self.journal.append(call)
        if self.reuse:
            self._calls_by_name[call["id"]] = call

    async def close(self) -> None:
        """See what was answered onto the disk."""
        self.stopping.close()
        await self.journal.drain()

    def with_name(self, question: Question, occasion: Occasion | None) -> _NamedQuestion:
        """Return a question with its name, of which the round is a part unless answers serve on."""
        if self.reuse or occasion is None:
            return _NamedQuestion(
                name=self.name(question), question=question, occasion=None, place=None
            )
        place = occasion_of(occasion.seed, occasion.phase, occasion.round, question.side)
        name = self.name(question, place)
        return _NamedQuestion(name=name, question=question, occasion=occasion, place=place)

    def _row(
        self, name: str, question: Question, completion: Completion, place: str | None
    ) -> Json:
        """Return the row that an answer makes, cut to what can be recorded."""
        row = answered_row(name, question, completion, place, self.clock())
        return recordable(row, self.journal.longest)

    def _of_another_run(self, named_question: _NamedQuestion) -> Json | None:
        role = named_question.question.role
        if isinstance(role.model, Composite):
            return None  # composed again of its members' answers, which may be taken over
        # Reading R76:
        if self.named_runs is not None and named_question.name in self.named_runs:
            self.progress.from_runs += 1
            return self.named_runs.read(named_question.name) | {"role": role.name}
        if self.cache is None or not role.model.pinned or self._is_shared(role):
            return None
        call = self.cache.get(named_question.name)
        if call is None or call["prompt"] != named_question.question.text:
            return None  # nothing is kept, or what is kept answers something else
        self.progress.from_cache += 1
        row = {**call, "role": role.name, "origin": CACHED}
        return recordable(row, self.journal.longest)

    def _is_shared(self, role: Role) -> bool:
        return self.siblings is not None and role.name == "executor"

    async def _answered(self, named_question: _NamedQuestion) -> Json:
        """Take an answer from wherever it may come, or ask."""
        call = None if named_question.place is not None else self._of_another_run(named_question)
        if call is None and self._is_shared(named_question.question.role):
            call = await self._of_siblings(named_question)
        if call is None:
            return await self._fresh(named_question)
        await self.keep(call)
        return call

    async def _of_siblings(self, named_question: _NamedQuestion) -> Json:
        """Return the answer that serves all runs of the campaign (Reading R76)."""
        assert self.siblings is not None
        self.stopping.require_going()
        try:
            call = await self.siblings.ask(named_question.question, named_question.occasion)
        except CostCapError:
            raise
        except EpcError as error:
            raise self.stopping.stop(error) from None
        self.progress.reused += 1
        return call

    def _leave(self, error: EpcError) -> None:
        if self.siblings is not None:
            self.siblings.leave(self, error)

    async def _fresh(self, named_question: _NamedQuestion) -> Json:
        """Ask in a place of the model's, and stop the run where there is no answer."""
        if isinstance(named_question.question.role.model, Composite):
            return await self._composed(named_question, named_question.question.role.model)
        async with self._place(named_question.question.role):
            with self.stopping.landing():
                call = await self._answer(named_question)
        self._count(call)
        return call

    async def _composed(self, named_question: _NamedQuestion, model: Composite) -> Json:
        """Ask a composite's members, and keep what it makes of their answers."""
        role, pair = named_question.question.role, named_question.question.pair
        assert pair is not None

        async def answer_to(vote: Vote) -> Call:
            member = role.members[vote.ask.member]
            question = Question(role=member, text=vote.text, side="vote", pair=vote.pair)
            if named_question.place is None:
                return call_of(await self.ask(question))
            place = f"{named_question.place}{vote.suffix}"
            return call_of(await self.ask_again(question, place, named_question.occasion))

        answers = await all_of(answer_to(vote) for vote in model.votes_on(pair))
        call = composed_row(
            named_question.name,
            named_question.question,
            answers,
            answer=model.composed([call.answer for call in answers]),
            place=named_question.place,
        )
        await self.keep(call)
        return call

    async def _answer(self, named_question: _NamedQuestion) -> Json:
        question, role, call = named_question.question, named_question.question.role, None
        claim = await self.budget.claim(
            role.model.identity.model,
            question.text,
            role.decoding.max_tokens,
            stopped=lambda: self.stopping.error,
        )
        try:
            prompt = Prompt(
                text=question.text,
                pair=question.pair,
                occasion=named_question.occasion,
                lost=lambda: self.budget.claim_again(claim),
                failed=self._note,
                cut=lambda: self.budget.lose(claim),
            )
            completion = await role.model.complete(prompt, role.decoding)
            self.stopping.failure = None
            call = self._row(named_question.name, question, completion, named_question.place)
        finally:
            self.budget.settle(claim, call)
        await self.keep(call)
        lasting = role.model.repeatable and role.model.pinned and named_question.place is None
        if self.cache is not None and lasting:
            self.cache.put(call)
        return call

    def _note(self, failure: str) -> None:
        self.stopping.failure = failure
        self.progress.failed(failure)

    def _count(self, call: Json) -> None:
        self.progress.calls += 1
        self.progress.retries += call["retries"]
        self.progress.too_large += call["finish_reason"] == TOO_LARGE
        self.progress.tokens += (call["tokens_in"] or 0) + (call["tokens_out"] or 0)
        if None not in self.budget.prices.values():
            self.progress.cost = float(self.budget.cost)

    def _place(self, role: Role) -> asyncio.Semaphore:
        key = role.model.identity.model
        if key not in self.places:
            self.places[key] = asyncio.Semaphore(role.model.concurrency)
        return self.places[key]


@asynccontextmanager
async def calling(
    folder: Path,
    *,
    progress: Progress,
    clock: Callable[[], datetime],
    watch: Watch | None = None,
    longest: int = LONGEST_CALL,
    **means: Any,
) -> AsyncIterator[Caller]:
    """Have questions asked in a folder's name while the block runs; its journal keeps the answers.

    `means` are the other fields of the caller. A journal without any answer is taken away again.

    Raises: UsageError if another process works on the folder; WorldError if the disk fails.
    """
    journal = Journal(folder, longest=longest)
    async with AsyncExitStack() as stack:
        stack.callback(lambda: journal.close() if len(journal) else journal.remove())
        caller = Caller(journal=journal, progress=progress, clock=clock, **means)
        stack.push_async_callback(caller.close)
        if watch is not None:
            await stack.enter_async_context(watch(progress))
        yield caller


class SharedAnswers(Struct, kw_only=True):
    """Answers of one executor, asked once for all runs of a campaign (Reading R76).

    `caller` asks, and keeps them in a journal of the campaign's; each run then keeps its own
    copy. Once every run of `runs` has stopped for an error, nothing more is asked.
    """

    caller: Caller
    runs: int
    _under_way: dict[str, "asyncio.Task[Json]"] = field(default_factory=dict)
    _left: set[int] = field(default_factory=set)

    async def ask(self, question: Question, occasion: Occasion | None) -> Json:
        """Return the call that answers a question; a run that stops takes it from no other.

        Raises: as `Caller.ask`.
        """
        name = self.caller.with_name(question, occasion).name
        task = self._under_way.get(name)
        if task is None:
            task = asyncio.create_task(self.caller.ask(question, occasion))
            self._under_way[name] = task
            task.add_done_callback(lambda done: self._end(name, done))
        return await asyncio.shield(task)

    def leave(self, run: object, error: EpcError) -> None:
        """Note that a run wants no more, because of an error."""
        self._left.add(id(run))
        if len(self._left) == self.runs:
            self.caller.stopping.stop(error)

    async def close(self) -> None:
        """Give up what is still under way, and see what was answered onto the disk."""
        tasks = list(self._under_way.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.caller.close()

    def _end(self, name: str, task: "asyncio.Task[Json]") -> None:
        del self._under_way[name]
        if not task.cancelled():
            task.exception()  # whoever waits gets it; nobody waiting is no second error
