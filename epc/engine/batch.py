"""An exhaustive run through batch endpoints: both waves are known in advance, at half the price.

A wave goes as one batch, or as several where a limit leaves no room for all of it; the provider
answers within a day; the answers are journalled like any others. `batch.json` in the run folder
says what is under way. It is written before anything is sent, with a mark that the batch carries
too: a batch whose id was lost on its way to us is found again among the provider's batches, and
not paid twice.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from msgspec import Struct, ValidationError, convert, field
from msgspec.structs import asdict, replace

from epc.engine.asking import TransientError
from epc.engine.batch_native import batching_of
from epc.engine.batch_protocols import (
    Batching,
    Failure,
    Order,
    PassingError,
    RefusedError,
    Standing,
    UndecidedError,
)
from epc.engine.budget import BATCH_SHARE, BudgetError, Claim
from epc.engine.calls import Caller
from epc.engine.measure import Measurement
from epc.engine.model import CallError
from epc.engine.roles import Question
from epc.errors import StoppedError, UsageError, WorldError
from epc.protocol.results import Json
from epc.records import strict_json
from epc.records.strict_json import dumps_line

_SHOWN: Final = 5  # reasons
_FIX: Final = "\n  fix: "
_STRANGE: Final = (LookupError, TypeError, AttributeError, ValueError)  # no line of the protocol's


class Results(Struct, kw_only=True):
    """The lines of a batch, as they are read: its answers go to the caller, failures are kept."""

    protocol: Batching
    caller: Caller
    wanted: dict[str, Question]
    _failures: dict[str, Failure] = field(default_factory=dict)

    async def take(self, line: Any) -> None:
        """Journal an answered line, or note why it is none; what was not asked is left out."""
        try:
            name = self.protocol.name_of(line)
            question = self.wanted.get(name)
        except _STRANGE:
            return
        if question is None or self.caller.known(name) is not None:
            return
        try:
            answer = self.protocol.answer(line)
        except TransientError as failure:
            self._failures[name] = Failure(reason=str(failure))
        except CallError as failure:
            reason, _, remedy = str(failure).partition(_FIX)
            self._failures[name] = Failure(reason=reason, remedy=remedy)
        except _STRANGE:
            self._failures[name] = Failure(reason="the line holds no answer")
        else:
            await self.caller.take(name, question, answer, share=BATCH_SHARE)

    def why(self, left: Iterable[str], standing: Standing) -> "Why":
        """Return why these questions are left, after what became of their batch as a whole."""
        whole = standing.unanswered
        return Why(failures=Counter(self._failures.get(name, whole) for name in left))


class Why(Struct, frozen=True, kw_only=True):
    """Why questions of a batch have no answer, and how many for each reason."""

    failures: Counter[Failure]

    @property
    def remedies(self) -> list[str]:
        """What must be done before asking again can help; nothing where it may at once."""
        return list(dict.fromkeys(f.remedy for f in self.failures if f.remedy is not None))

    def __str__(self) -> str:
        common = self.failures.most_common()
        shown = [f"\n  {count} x {failure.reason}" for failure, count in common[:_SHOWN]]
        more = len(common) - _SHOWN
        return "".join(shown) + (f"\n  and {more} more reasons" if more > 0 else "")


STATE: Final = "batch.json"
MOST_ATTEMPTS: Final = 3  # batches for one wave: what comes back thrice without an answer stays so
FIRST_LOOK_S: Final = 2.0
LONGEST_LOOK_S: Final = 60.0
_MOST_UNSEEN: Final = 8  # looks in a row that the endpoint does not answer


class BatchPendingError(StoppedError):
    """A batch is under way; the run goes on when it is done."""


class Wave(Struct, frozen=True, kw_only=True):
    """A batch: for which wave, with how many requests, under which mark of ours.

    `file` and `batch` are the provider's names for them; None until they are known. Without a
    mark nothing is under way. `names` are its questions, where it holds not the whole wave.
    `attempt` counts the batches of this wave; `failed` says why there will be no more of them.
    """

    stage: str
    requests: int
    mark: str
    file: str | None = None
    batch: str | None = None
    names: list[str] | None = None
    attempt: int = 1
    failed: str | None = None


async def advance(measurement: Measurement, folder: Path, *, wait: bool = False) -> None:
    """Take an exhaustive run as far as its batches allow; return when every answer is there.

    Roles whose provider takes no batches are asked directly. `wait`: look again, until the time
    is up, where a batch is under way.

    Raises: BatchPendingError while the provider works; StoppedError if what is left may be
    submitted again; WorldError if that cannot help, or as the provider fails.
    """
    for stage in ("answers", "comparisons"):
        while questions := await _missing(measurement, stage):
            protocol = batching_of(questions[0].role.model)
            if protocol is None:
                await measurement.caller.ask_all(stage, ((each, None) for each in questions))
                continue
            caller = measurement.caller
            protocol.budget = caller.budget
            try:
                submission = _Batches(
                    protocol=protocol, caller=caller, folder=folder, stage=stage, wait=wait
                )
                await submission.step(questions)
            finally:
                await protocol.close()


def pending(folder: Path) -> bool:
    """Return whether a batch of this run is under way."""
    wave = _load(folder)
    return wave is not None and bool(wave.mark)


def forget(folder: Path) -> None:
    """Remove the note of a run's batches: what they were to answer is answered."""
    (folder / STATE).unlink(missing_ok=True)


class _Batches(Struct, kw_only=True):
    """The batches of one wave."""

    protocol: Batching
    caller: Caller
    folder: Path
    stage: str
    wait: bool
    _claims: list[Claim] = field(default_factory=list)
    _unseen: int = 0

    async def step(self, questions: list[Question]) -> None:
        """Order a batch for questions, or collect the one that was ordered."""
        wave = _load(self.folder)
        if wave is not None and not wave.mark and wave.stage != self.stage:
            wave = None  # of an earlier wave, which has its answers by now
        if wave is not None and wave.failed is not None:
            raise _given_up(self.folder, wave)
        attempt = 1 if wave is None else wave.attempt
        if wave is not None and wave.mark and wave.batch is None:
            wave = await self._found_again(wave)
        if wave is None or not wave.mark:
            wave = await self._submit(questions, attempt=attempt)
            message = f"submitted {wave.requests} {self.stage} as batch {wave.batch}"
            if not self.wait:
                raise BatchPendingError(f"{message}: collect them later")
        standing = await self._ended(wave)
        wanted = {self.caller.name(question): question for question in questions}
        if wave.names is not None:
            wanted = {name: wanted[name] for name in wave.names if name in wanted}
        results = Results(protocol=self.protocol, caller=self.caller, wanted=wanted)
        for line in await self.protocol.lines(standing):
            await results.take(line)
        while self._claims:
            self.caller.budget.settle(self._claims.pop(), None)
        left = [name for name in wanted if self.caller.known(name) is None]
        if left:
            self._leave(wave, left, results.why(left, standing))
        else:
            forget(self.folder)

    async def _submit(self, questions: list[Question], *, attempt: int) -> Wave:
        """Upload a wave, or as much of it as there is room for, and order its batch.

        Each step is noted before the next.
        """
        requests = self._room_for(questions)
        names = [self.caller.name(question) for question in questions[: len(requests)]]
        wave = Wave(
            stage=self.stage,
            requests=len(requests),
            mark=uuid4().hex,
            names=names if len(names) < len(questions) else None,
            attempt=attempt,
        )
        self._note(wave)
        order = Order(mark=wave.mark, count=len(requests), requests=requests)
        try:
            wave = replace(wave, file=await self.protocol.upload(order))
            self._note(wave)
            batch = await self.protocol.place(replace(order, file=wave.file))
        except RefusedError:
            forget(self.folder)
            raise
        wave = replace(wave, batch=batch)
        self._note(wave)
        return wave

    def _room_for(self, questions: list[Question]) -> list[Json]:
        """Return the first questions as requests: as many as a batch and the user's limits take.

        Raises: BudgetError if a limit leaves no room for one.
        """
        requests: list[Json] = []
        size = 0
        for question in questions[: self.protocol.most_requests]:
            decoding = question.role.decoding
            request = self.protocol.request(self.caller.name(question), question.text, decoding)
            size += len(dumps_line(request).encode())
            if requests and size > self.protocol.most_bytes:
                break
            try:
                claim = self.caller.budget.claim_batched(
                    question.role.model.identity.model, question.text, decoding.max_tokens
                )
            except BudgetError:
                if not requests:
                    raise
                break
            self._claims.append(claim)
            requests.append(request)
        return requests

    async def _found_again(self, wave: Wave) -> Wave | None:
        """Return a wave with the batch that was ordered for it, or None if none ever was.

        Raises: WorldError if the endpoint does not say which batches it has.
        """
        try:
            order = Order(mark=wave.mark, count=wave.requests, file=wave.file)
            batch = await self.protocol.find(order)
        except UndecidedError as error:
            raise BatchPendingError(str(error)) from None
        except WorldError as error:
            raise WorldError(
                f"{error}: a batch may be under way there, or have been; delete "
                f"{self.folder / STATE} to submit again (this may be paid twice)"
            ) from None
        if batch is None:
            forget(self.folder)
            return None
        wave = replace(wave, batch=batch)
        self._note(wave)
        return wave

    async def _ended(self, wave: Wave) -> Standing:
        """Return the standing of a batch that has ended.

        Raises: BatchPendingError while it is under way and is not waited for any longer.
        """
        assert wave.batch is not None
        pause_s = FIRST_LOOK_S
        progress, budget = self.caller.progress, self.caller.budget
        progress.begin(f"{self.stage} in a batch", wave.requests)
        while True:
            standing = await self._look(wave.batch)
            if standing is not None:
                if standing.ended:
                    return standing
                progress.stages[-1].done = standing.done
                under_way = (
                    f"batch {wave.batch} is {standing.status}: "
                    f"{standing.done} of {wave.requests} done"
                )
                if not self.wait:
                    raise BatchPendingError(under_way)
                budget.require_time(after_s=pause_s, otherwise=under_way)
            await asyncio.sleep(pause_s)
            pause_s = min(pause_s * 1.5, LONGEST_LOOK_S)

    async def _look(self, batch: str) -> Standing | None:
        """Return where a batch stands, or None if the endpoint may say so at another time."""
        try:
            standing = await self.protocol.standing(batch)
        except PassingError:
            self._unseen += 1
            if not self.wait or self._unseen >= _MOST_UNSEEN:
                raise
            return None
        self._unseen = 0
        return standing

    def _leave(self, wave: Wave, left: list[str], why: Why) -> None:
        """Note what a collected batch has left without an answer, and stop if nobody waits.

        Raises: WorldError if submitting it again cannot help, or has not; StoppedError if it may.
        """
        after = replace(
            wave,
            requests=len(left),
            mark="",
            file=None,
            batch=None,
            names=None,
            attempt=wave.attempt + 1,
        )
        message = f"{len(left)} of {wave.requests} {wave.stage} came back without an answer"
        if not why.remedies and after.attempt <= MOST_ATTEMPTS:
            self._note(after)
            if self.wait:
                return
            raise StoppedError(f"{message}; collecting again submits those{why}")
        tried = "" if why.remedies else f"; {wave.attempt} batches have tried"
        fix = "; ".join(why.remedies) or "see why before they are submitted again"
        after = replace(after, failed=f"{message}{tried}{why}\n  fix: {fix}")
        self._note(after)
        raise _given_up(self.folder, after)

    def _note(self, wave: Wave) -> None:
        strict_json.write(self.folder / STATE, asdict(wave))


def _given_up(folder: Path, wave: Wave) -> WorldError:
    return WorldError(
        f"{wave.failed}\n  next: `epc resume {folder}` asks those one by one, at the full price; "
        f"without {folder / STATE} collecting submits them again"
    )


async def _missing(measurement: Measurement, stage: str) -> list[Question]:
    """Return the distinct questions of a wave that have no answer yet, in the run or the cache."""
    questions = measurement.questions
    wave = (
        questions.answers() if stage == "answers" else questions.comparisons(measurement.answered)
    )
    caller = measurement.caller
    named = {caller.name(question): question for question in wave}
    unknown = [question for name, question in named.items() if caller.known(name) is None]
    return [question for question in unknown if not await caller.recall(question)]


def _load(folder: Path) -> Wave | None:
    if not (folder / STATE).exists():
        return None
    value, problems = strict_json.read(folder / STATE)
    try:
        if not problems:
            return convert(value, Wave)
    except ValidationError:
        pass
    message = f"{folder / STATE} is damaged: delete it to submit again (this is paid again)"
    raise UsageError(message)
