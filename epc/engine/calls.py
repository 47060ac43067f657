"""Asking models: each answer journalled before it is used, and asked for once."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, field
from msgspec.structs import asdict

from epc.analysis.sharing import ASKED, BATCHED, CACHED, COMPOSED, RECORDED
from epc.engine.budget import Budget, BudgetError, CostCapError
from epc.engine.cache import Cache
from epc.engine.journal import Journal
from epc.engine.mitigated import Mitigated
from epc.engine.model import Completion, Model, Occasion, Prompt
from epc.engine.progress import Progress
from epc.engine.task_group import all_of
from epc.errors import EpcError
from epc.json_text import storable
from epc.protocol.config import Decoding
from epc.protocol.mitigation import EXCHANGED, MEMBER, Mitigation, composed
from epc.protocol.prompt import Pair
from epc.protocol.results import Json
from epc.protocol.votes import Vote
from epc.records.calls import call_of
from epc.records.config_json import TOO_LARGE, recordable
from epc.records.layout import CallNames, decoding_json, occasion_of
from epc.records.rows import Call

if TYPE_CHECKING:
    from epc.engine.reusing import SharedAnswers

_TO_SECONDS: Final = len("2026-07-02T00:00:00")
LANDING_S: Final = 30.0  # how long a stopped run waits for calls that are under way


class Role(Struct, frozen=True, kw_only=True, dict=True):
    """A model as executor or evaluator, with the decoding it is asked for."""

    name: str
    model: Model
    decoding: Decoding

    @cached_property
    def decoding_json(self) -> Json:
        """The decoding, as it stands in the manifest."""
        return decoding_json(self.decoding)

    def member(self, number: int) -> "Role":
        """Return a wrapper's member as the role that it is asked in."""
        assert isinstance(self.model, Mitigated)
        return Role(
            name=f"{MEMBER}{number}",
            model=self.model.members[number - 1],
            decoding=self.model.decoding_of(number, self.decoding),
        )

    @cached_property
    def members(self) -> "dict[int, Role]":
        """Every member of a wrapper by its number."""
        assert isinstance(self.model, Mitigated)
        return {number: self.member(number) for number in range(1, len(self.model.members) + 1)}

    @cached_property
    def names(self) -> CallNames:
        """The names of what it is asked; of a wrapper's member, those that its own run gives."""
        role = "evaluator" if self.name.startswith(MEMBER) else self.name
        return CallNames(role, asdict(self.model.identity), self.decoding_json)


class Question(Struct, frozen=True, kw_only=True):
    """Something to ask a role. `side` tells the two answers of a round apart."""

    role: Role
    text: str
    side: str
    pair: Pair | None = None


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
    budget: Budget = field(default_factory=Budget)
    cache: Cache | None = None
    named_runs: Journal | None = None
    siblings: "SharedAnswers | None" = None
    places: dict[str, asyncio.Semaphore] = field(default_factory=dict)
    _kept: dict[str, Json] = field(default_factory=dict)
    _under_way: dict[str, "asyncio.Future[Json]"] = field(default_factory=dict)
    _asking: set["asyncio.Task[Any]"] = field(default_factory=set)
    _loop: asyncio.AbstractEventLoop | None = None
    _alarm: asyncio.TimerHandle | None = None
    _failed: EpcError | None = None
    _given_up: bool = False
    _failing: str | None = None  # since the last answer

    def __post_init__(self) -> None:
        self.progress.from_journal += len(self.journal)
        self.progress.torn += self.journal.torn
        self.progress.damaged += self.journal.damaged
        self.progress.oversized += self.journal.oversized

    def name(self, question: Question, occasion_id: str | None = None) -> str:
        """Return the name that the answer to a question has."""
        return question.role.names.name(question.text, occasion_id)

    def known(self, name: str) -> Json | None:
        """Return a call that this run has an answer to already."""
        if name in self._kept:
            return self._kept[name]
        if name not in self.journal:
            return None
        call = self.journal.read(name)
        if self.reuse:
            self._kept[name] = call
        return call

    async def ask(self, question: Question, occasion: Occasion | None = None) -> Json:
        """Return the call (a row of calls.jsonl) that answers a question.

        Raises: CallError if there is no answer; BudgetError at a limit of the user's.
        """
        occasion_id = self.place(question, occasion)
        name = self.name(question, occasion_id)
        if (call := self.known(name)) is not None:
            self.progress.reused += 1
            return call
        if occasion_id is not None:
            return await self._answered(name, question, occasion, occasion_id)
        if name in self._under_way:
            self.progress.reused += 1
            return await asyncio.shield(self._under_way[name])
        future: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._under_way[name] = future
        try:
            call = await self._answered(name, question, None, None)
        except BaseException as error:
            future.set_exception(error)
            future.exception()  # whoever waits gets it; nobody waiting is no second error
            raise
        finally:
            del self._under_way[name]
        future.set_result(call)
        return call

    def place(self, question: Question, occasion: Occasion | None) -> str | None:
        """Return the round in which alone an answer serves; None where answers are reused."""
        if self.reuse or occasion is None:
            return None
        return occasion_of(occasion.seed, occasion.phase, occasion.round, question.side)

    async def ask_again(
        self, question: Question, occasion_id: str, occasion: Occasion | None = None
    ) -> Json:
        """Ask what may have been answered before, under a name of its own."""
        name = self.name(question, occasion_id)
        return self.known(name) or await self._fresh(name, question, occasion, occasion_id)

    async def recall(self, question: Question) -> bool:
        """Take an answer over from another run; return whether there was one."""
        name = self.name(question)
        call = self._of_another_run(name, question)
        if call is not None:
            await self.keep(call)
        return call is not None

    async def take(self, call: Json, *, share: Decimal) -> None:
        """Journal a batch's answer, and count it; `share` is how much of the price was paid."""
        self.budget.count(call, share=share)
        await self.keep({**call, "origin": BATCHED})
        self._count(call)

    async def keep(self, call: Json) -> None:
        """Journal an answer, wherever it came from."""
        await self.journal.append(call)
        if self.reuse:
            self._kept[call["id"]] = call

    async def close(self) -> None:
        """See what was answered onto the disk."""
        if self._alarm is not None:
            self._alarm.cancel()
        await self.journal.drain()

    def row(
        self, name: str, question: Question, completion: Completion, occasion_id: str | None = None
    ) -> Json:
        """Return the row of calls.jsonl that an answer which has just come in makes.

        It is cut to what can be recorded. Nobody knows when a recorded verdict was given.
        """
        recorded = question.role.model.method == "recorded"
        at = None if recorded else f"{self.clock().astimezone(UTC).isoformat()[:_TO_SECONDS]}Z"
        call: Json = {
            "id": name,
            "role": question.role.name,
            "model": question.role.model.identity.model,
            "served_model": completion.served_model,
            "system_fingerprint": completion.system_fingerprint,
            "prompt": question.text,
            "answer": storable(completion.text),
            "finish_reason": completion.finish_reason,
            "tokens_in": completion.tokens_in,
            "tokens_out": completion.tokens_out,
            "latency_s": completion.latency_s,
            "retries": completion.retries,
            "occasion": occasion_id,
            "answered_at": at,
            "origin": RECORDED if recorded else ASKED,
        }
        if completion.reasoning:
            call["reasoning"] = storable(completion.reasoning)
        if completion.reasoning_tokens:
            call["reasoning_tokens"] = completion.reasoning_tokens
        if completion.limit_field is not None:
            call["limit_field"] = completion.limit_field
        if completion.reply is not None:
            call["reply"] = storable(completion.reply)
        if completion.headers is not None:
            call["headers"] = {key: storable(value) for key, value in completion.headers.items()}
        if completion.request_id is not None:
            call["request_id"] = storable(completion.request_id)
        return recordable(call, self.journal.longest)

    def _of_another_run(self, name: str, question: Question) -> Json | None:
        if isinstance(question.role.model, Mitigated):
            return None  # composed again of its members' answers, which may be taken over
        # Reading R76:
        if self.named_runs is not None and name in self.named_runs:
            self.progress.from_runs += 1
            return self.named_runs.read(name) | {"role": question.role.name}
        if self.cache is None or not question.role.model.pinned or self._is_shared(question):
            return None
        call = self.cache.get(name)
        if call is None or call["prompt"] != question.text:
            return None  # nothing is kept, or what is kept answers something else
        self.progress.from_cache += 1
        own = {**call, "role": question.role.name, "origin": CACHED}
        return recordable(own, self.journal.longest)

    def _is_shared(self, question: Question) -> bool:
        return self.siblings is not None and question.role.name == "executor"

    async def _answered(
        self, name: str, question: Question, occasion: Occasion | None, occasion_id: str | None
    ) -> Json:
        """Take an answer from wherever it may come, or ask."""
        call = None if occasion_id is not None else self._of_another_run(name, question)
        if call is None and self._is_shared(question):
            call = await self._of_siblings(question, occasion)
        if call is None:
            return await self._fresh(name, question, occasion, occasion_id)
        await self.keep(call)
        return call

    async def _of_siblings(self, question: Question, occasion: Occasion | None) -> Json:
        """Return the answer that serves all runs of the campaign (Reading R76)."""
        assert self.siblings is not None
        if self._failed is not None:
            raise self._failed
        try:
            call = await self.siblings.ask(question, None if self.reuse else occasion)
        except CostCapError:
            raise
        except EpcError as error:
            raise self.stop(error) from None
        self.progress.reused += 1
        return call

    def stop(self, error: EpcError) -> EpcError:
        """Let nothing more be asked, because of an error; return the first that there was."""
        if self._failed is None:
            self._failed = self._explained(error)
            self.budget.look_again()
            self._set_alarm(LANDING_S, self._failed)
            if self.siblings is not None:
                self.siblings.leave(self, self._failed)
        return self._failed

    async def _fresh(
        self, name: str, question: Question, occasion: Occasion | None, occasion_id: str | None
    ) -> Json:
        """Ask in a place of the model's, and stop the run where there is no answer."""
        if isinstance(question.role.model, Mitigated):
            return await self._composed(name, question, occasion, occasion_id)
        if not self._asking:
            self._loop = asyncio.get_running_loop()  # which asks the system each time
        task = asyncio.current_task(self._loop)
        assert task is not None
        async with self._place(question.role):
            if self._failed is not None:
                raise self._failed  # the run is stopping: an answer might find nobody to keep it
            if self._alarm is None and (left_s := self.budget.left_s()) is not None:
                self._set_alarm(left_s, self.budget.too_late())
            self._asking.add(task)
            try:
                call = await self._answer(name, question, occasion, occasion_id)
            except CostCapError:
                raise  # a cheaper call may fit: the others go on
            except EpcError as error:
                raise self.stop(error) from None
            except asyncio.CancelledError:
                if self._failed is not None and self._given_up and not task.uncancel():
                    raise self._failed from None
                raise
            finally:
                self._asking.discard(task)
        self._count(call)
        return call

    async def _composed(
        self, name: str, question: Question, occasion: Occasion | None, occasion_id: str | None
    ) -> Json:
        """Ask a wrapper's members, and keep the verdict that follows from what they say."""
        role, model = question.role, question.role.model
        assert isinstance(model, Mitigated)
        assert question.pair is not None
        cast = model.votes(question.pair)

        async def voted(vote: Vote) -> Json:
            member_question = Question(
                role=role.members[vote.ask.member], text=vote.text, side="vote", pair=vote.pair
            )
            if occasion_id is None:
                return await self.ask(member_question)
            own = f"{occasion_id}{EXCHANGED}" if vote.ask.exchanged else occasion_id
            return await self.ask_again(member_question, own, occasion)

        calls = await all_of(voted(vote) for vote in cast)
        voices = list(zip(cast, map(call_of, calls), strict=True))
        call = composed_row(
            name, question, voices, mitigation=model.mitigation, occasion_id=occasion_id
        )
        await self.keep(call)
        return call

    async def _answer(
        self, name: str, question: Question, occasion: Occasion | None, occasion_id: str | None
    ) -> Json:
        role, call = question.role, None
        claim = await self.budget.claim(
            role.model.identity.model,
            question.text,
            role.decoding.max_tokens,
            stopped=lambda: self._failed,
        )
        try:
            prompt = Prompt(
                text=question.text,
                pair=question.pair,
                occasion=occasion,
                lost=lambda: self.budget.claim_again(claim),
                failed=self._note,
                cut=lambda: self.budget.lose(claim),
            )
            completion = await role.model.complete(prompt, role.decoding)
            self._failing = None
            call = self.row(name, question, completion, occasion_id)
        finally:
            self.budget.settle(claim, call)
        await self.keep(call)
        if (
            self.cache is not None
            and occasion_id is None
            and role.model.repeatable
            and role.model.pinned
        ):
            self.cache.put(call)
        return call

    def _note(self, failure: str) -> None:
        self._failing = failure
        self.progress.failed(failure)

    def _explained(self, error: EpcError) -> EpcError:
        """Return an error with what kept the endpoint from answering before a limit was reached."""
        if self._failing is None or not isinstance(error, BudgetError):
            return error
        return BudgetError(f"{error}\n  last error: {self._failing}")

    def _set_alarm(self, seconds: float, error: EpcError) -> None:
        """Let the calls that are still under way after so long end in an error."""
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm = asyncio.get_running_loop().call_later(seconds, self._give_up, error)

    def _give_up(self, error: EpcError) -> None:
        self._failed, self._given_up = self._failed or self._explained(error), True
        for task in self._asking:
            task.cancel()

    def _count(self, call: Json) -> None:
        self.progress.asked += 1
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


def composed_row(
    name: str,
    question: Question,
    votes: Sequence[tuple[Vote, Call]],
    *,
    mitigation: Mitigation,
    occasion_id: str | None,
) -> Json:
    """Return the row of calls.jsonl of a wrapper's verdict.

    It follows from its members' calls alone, so it is the same whenever it is made. What they cost
    stands with them.
    """
    replies = {vote.ask: call.answer for vote, call in votes}
    times = [call.answered_at for _, call in votes]
    known = [time for time in times if time is not None]
    ends = {call.finish_reason for _, call in votes}
    return {
        "id": name,
        "role": question.role.name,
        "model": question.role.model.identity.model,
        "served_model": None,
        "system_fingerprint": None,
        "prompt": question.text,
        "answer": composed(mitigation.judging, replies, mitigation.fits),
        "finish_reason": ends.pop() if len(ends) == 1 else None,
        "tokens_in": None,
        "tokens_out": None,
        "latency_s": None,
        "retries": 0,
        "occasion": occasion_id,
        "answered_at": max(known) if len(known) == len(times) else None,
        "origin": COMPOSED,
        "votes": [call.id for _, call in votes],
    }
