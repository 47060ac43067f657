"""Asking models: once where an answer may be reused (Reading R16), never beyond their places."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from engine_support import DAY, PATIENCE_S, Told, call, measured, question, read_rows, verdict_of

from epc.engine import task_group
from epc.engine.calls import Caller
from epc.engine.journal import Journal
from epc.engine.model import CallError, Completion, Occasion, Prompt
from epc.engine.progress import Progress
from epc.engine.task_group import all_of, await_both
from epc.protocol.config import Decoding

Rows = list[dict[str, Any]]
Together = Callable[[list[Coroutine[Any, Any, Any]]], Coroutine[Any, Any, Any]]


async def pair(work: list[Coroutine[Any, Any, Any]]) -> object:
    """Await exactly two things."""
    first, second = work
    return await await_both(first, second)


class Gate(Told):
    """A model whose calls wait until as many as expected have come, and count their company."""

    def __init__(self, *, concurrency: int, fails: bool = False) -> None:
        super().__init__(concurrency=concurrency)
        self.open = asyncio.Event()
        self.entered = asyncio.Event()
        self.full = asyncio.Event()
        self.fails = fails
        self.inside = self.most = 0

    async def complete(self, prompt: Prompt, decoding: Decoding) -> Completion:
        self.inside += 1
        self.most = max(self.most, self.inside)
        self.entered.set()
        if self.inside == self.concurrency:
            self.full.set()
        await self.open.wait()
        self.inside -= 1
        if self.fails:
            raise CallError("test/told: HTTP 500")
        return await super().complete(prompt, decoding)


def with_caller(
    folder: Path, work: Callable[[Caller], Coroutine[Any, Any, None]], *, reuse: bool
) -> Caller:
    """Run a test's coroutine with a caller whose journal is closed in the end."""
    journal = Journal(folder)
    caller = Caller(journal=journal, reuse=reuse, progress=Progress(), clock=lambda: DAY)

    async def working() -> None:
        try:
            await asyncio.wait_for(work(caller), PATIENCE_S)
        finally:
            await caller.close()

    try:
        asyncio.run(working())
    finally:
        journal.close()
    return caller


def occasion(number: int) -> Occasion:
    return Occasion(seed=0, phase="text", round=number)


def test_reading_r16_a_hundred_askers_share_one_call(tmp_path: Path) -> None:
    answers: Rows = []

    async def work(caller: Caller) -> None:
        model = Gate(concurrency=64)
        sent_question = question(model, "same")
        pending = [asyncio.create_task(caller.ask(sent_question, occasion(n))) for n in range(100)]
        await model.entered.wait()
        model.open.set()
        answers.extend(await asyncio.gather(*pending))
        answers.append(await caller.ask(sent_question, occasion(100)))
        assert len(model.asked) == 1
        assert model.asked[0].occasion is None  # the answer may serve any round

    caller = with_caller(tmp_path, work, reuse=True)

    assert all(answer == answers[0] for answer in answers)
    assert (caller.progress.calls, caller.progress.reused) == (1, 100)
    assert read_rows(tmp_path / "journal.jsonl") == [answers[0]]
    assert answers[0]["occasion"] is None


def test_reading_r16_without_reuse_every_round_asks_afresh(tmp_path: Path) -> None:
    answers: Rows = []

    async def work(caller: Caller) -> None:
        model = Told(lambda prompt: str(prompt.occasion and prompt.occasion.round))
        sent_question = question(model, "same")
        answers.extend(
            await asyncio.gather(*(caller.ask(sent_question, occasion(n)) for n in range(100)))
        )
        assert len(model.asked) == 100

    caller = with_caller(tmp_path, work, reuse=False)

    assert [answer["answer"] for answer in answers] == [str(n) for n in range(100)]
    assert [a["occasion"] for a in answers[:2]] == ["0/text/0/evaluation", "0/text/1/evaluation"]
    assert len({answer["id"] for answer in answers}) == 100
    assert caller.progress.reused == 0


def test_reading_r16_without_reuse_both_sides_of_a_round_are_asked(tmp_path: Path) -> None:
    async def work(caller: Caller) -> None:
        model = Told()
        for side in ("response", "baseline", "response"):
            await caller.ask(question(model, "same", name="executor", side=side), occasion(0))
        assert len(model.asked) == 2  # the third is the first again

    with_caller(tmp_path, work, reuse=False)


def test_reading_r16_only_the_same_question_is_the_same(tmp_path: Path) -> None:
    async def work(caller: Caller) -> None:
        subject, other_subject = Told(), Told(name="test/other")
        await caller.ask(question(subject, "x"))
        await caller.ask(question(subject, "x", name="executor"))
        await caller.ask(question(subject, "y"))
        await caller.ask(question(other_subject, "x"))
        assert (len(subject.asked), len(other_subject.asked)) == (3, 1)

    assert len(with_caller(tmp_path, work, reuse=True).journal) == 4


def test_reading_r4_a_failed_call_reaches_whoever_waits_and_is_not_kept(tmp_path: Path) -> None:
    outcomes: list[object] = []

    async def work(caller: Caller) -> None:
        model = Gate(concurrency=64, fails=True)
        sent_question = question(model, "same")
        pending = [asyncio.create_task(caller.ask(sent_question)) for _ in range(10)]
        await model.entered.wait()
        model.open.set()
        outcomes.extend(await asyncio.gather(*pending, return_exceptions=True))

    async def later(caller: Caller) -> None:
        outcomes.append((await caller.ask(question(Told(), "same")))["answer"])

    with_caller(tmp_path, work, reuse=True)
    assert read_rows(tmp_path / "journal.jsonl") == []
    caller = with_caller(tmp_path, later, reuse=True)

    assert all(isinstance(outcome, CallError) for outcome in outcomes[:10])
    assert isinstance(outcomes[10], str)
    assert caller.progress.calls == 1
    assert len(read_rows(tmp_path / "journal.jsonl")) == 1


def test_a_model_serves_as_many_calls_at_once_as_it_has_places(tmp_path: Path) -> None:
    most: list[int] = []

    async def work(caller: Caller) -> None:
        model = Gate(concurrency=5)
        # Both roles of one model share its places.
        names = ("evaluator", "executor")
        questions = [question(model, str(n), name=names[n % 2]) for n in range(40)]
        pending = [asyncio.create_task(caller.ask(asked_question)) for asked_question in questions]
        await model.full.wait()
        for _ in range(50):  # time enough for a sixth, were there a place
            await asyncio.sleep(0)
        model.open.set()
        await asyncio.gather(*pending)
        most.append(model.most)

    with_caller(tmp_path, work, reuse=True)

    assert most == [5]


def test_an_answer_of_an_earlier_process_is_not_asked_again(tmp_path: Path) -> None:
    model = Told()

    async def work(caller: Caller) -> None:
        await caller.ask(question(model, "x"))

    with_caller(tmp_path, work, reuse=True)
    second = with_caller(tmp_path, work, reuse=True)

    assert len(model.asked) == 1
    assert (second.progress.from_journal, second.progress.calls) == (1, 0)


def test_epc_2_5_d_a_call_is_kept_with_what_its_provider_said(tmp_path: Path) -> None:
    class Chatty(Told):
        async def complete(self, prompt: Prompt, decoding: Decoding) -> Completion:
            return Completion(
                text="A\ud800",
                served_model="m-0806",
                system_fingerprint="fp",
                finish_reason="length",
                tokens_in=5,
                tokens_out=1,
                latency_s=0.5,
                retries=2,
            )

    async def work(caller: Caller) -> None:
        await caller.ask(question(Chatty(), "x"))

    with_caller(tmp_path, work, reuse=True)

    (kept_row,) = read_rows(tmp_path / "journal.jsonl")
    name, answer = kept_row.pop("id"), kept_row.pop("answer")
    assert answer.rstrip("\ufffd") == "A"  # a lone surrogate cannot be stored
    assert answer != "A"
    assert kept_row == {
        "role": "evaluator",
        "model": "test/told",
        "served_model": "m-0806",
        "system_fingerprint": "fp",
        "prompt": "x",
        "finish_reason": "length",
        "tokens_in": 5,
        "tokens_out": 1,
        "latency_s": 0.5,
        "retries": 2,
        "occasion": None,
        "answered_at": "2026-07-02T00:00:00Z",
        "origin": "asked",
    }
    assert len(name) == 20
    assert int(name, 16) >= 0


def test_an_answer_that_could_not_be_written_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(self: Journal, call: dict[str, Any]) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Journal, "append", full)

    async def work(caller: Caller) -> None:
        with pytest.raises(OSError, match="No space left"):
            await caller.ask(question(Told(), "x"))
        assert caller._calls_by_name == {}
        assert len(caller.journal) == 0
        assert caller.progress.calls == 0

    with_caller(tmp_path, work, reuse=True)


def test_reading_r16_a_hundred_trials_at_once_make_no_more_calls_than_prompts(
    tmp_path: Path,
) -> None:
    evaluator, executor = Told(verdict_of, concurrency=256), Told(concurrency=256)

    measured(tmp_path / "run", evaluator, executor, seeds=list(range(100)), rounds=1)

    for model in (evaluator, executor):
        texts = [prompt.text for prompt in model.asked]
        assert len(texts) == len(set(texts))
    calls = read_rows(tmp_path / "run" / "calls.jsonl")
    assert len(calls) == len(evaluator.asked) + len(executor.asked)


def test_reading_r16_what_is_asked_again_has_a_name_of_its_own(tmp_path: Path) -> None:
    model = Told()

    async def work(caller: Caller) -> None:
        first = await caller.ask(question(model, "x"))
        again = [await caller.ask_again(question(model, "x"), "recheck/0") for _ in range(2)]
        assert again[0] == again[1]
        assert first["id"] != again[0]["id"]
        assert again[0]["occasion"] == "recheck/0"

    with_caller(tmp_path, work, reuse=True)

    assert len(model.asked) == 2


async def failing(caller: Caller, model: Gate) -> None:
    """Fail as soon as a call of another model is under way."""
    await model.entered.wait()
    refused = Gate(concurrency=1, fails=True)
    refused.open.set()
    await caller.ask(question(refused, "refused"))


@pytest.mark.parametrize("together", [all_of, pair], ids=["all", "both"])
def test_a_call_under_way_is_landed_before_the_run_is_left(
    tmp_path: Path, together: Together
) -> None:
    model = Gate(concurrency=8)

    async def work(caller: Caller) -> None:
        stopping = asyncio.create_task(
            together([caller.ask(question(model, "x")), failing(caller, model)])
        )
        for _ in range(50):  # time enough to be left early
            await asyncio.sleep(0)
        model.open.set()
        with pytest.raises(CallError, match="HTTP 500"):
            await stopping
        with pytest.raises(CallError, match="HTTP 500"):  # and nothing more is begun
            await caller.ask(question(model, "y"))

    with_caller(tmp_path, work, reuse=True)

    assert [row["prompt"] for row in read_rows(tmp_path / "journal.jsonl")] == ["x"]


@pytest.mark.parametrize("together", [all_of, pair], ids=["all", "both"])
def test_a_call_that_does_not_land_is_given_up_as_the_first_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, together: Together
) -> None:
    monkeypatch.setattr(task_group, "LANDING_S", 0.05)

    async def work(caller: Caller) -> None:
        held_gate = Gate(concurrency=8)
        nested = together(
            [caller.ask(question(held_gate, "x")), caller.ask(question(held_gate, "y"))]
        )
        with pytest.raises(CallError, match="HTTP 500"):
            await all_of([nested, failing(caller, held_gate)])

    with_caller(tmp_path, work, reuse=True)

    assert read_rows(tmp_path / "journal.jsonl") == []


@pytest.mark.parametrize("together", [all_of, pair], ids=["all", "both"])
def test_a_fault_of_the_program_cuts_the_other_calls_off(
    tmp_path: Path, together: Together
) -> None:
    async def work(caller: Caller) -> None:
        held_gate = Gate(concurrency=8)

        async def faulty() -> None:
            await held_gate.entered.wait()
            raise KeyError("a fault")

        with pytest.raises(KeyError, match="a fault"):
            await together([faulty(), caller.ask(question(held_gate, "x"))])

    with_caller(tmp_path, work, reuse=True)


@pytest.mark.parametrize("together", [all_of, pair], ids=["all", "both"])
def test_whoever_cancels_waits_until_everything_has_ended(together: Together) -> None:
    ended: list[int] = []

    async def slow(number: int) -> None:
        try:
            await asyncio.sleep(30)
        finally:
            await asyncio.sleep(0)
            ended.append(number)

    async def work() -> None:
        task = asyncio.create_task(together([slow(1), slow(2)]))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert sorted(ended) == [1, 2]

    asyncio.run(work())


class Kept:
    """A cache that holds one call under every name."""

    def __init__(self, call: dict[str, Any] | None) -> None:
        self.call = call

    def get(self, name: str) -> dict[str, Any] | None:
        return self.call

    def put(self, call: dict[str, Any]) -> None:
        """Keep nothing further."""


@pytest.mark.parametrize(("prompt", "taken"), [("same", True), ("another", False), (None, False)])
def test_reading_r76_what_another_run_kept_serves_the_same_question_alone(
    tmp_path: Path, prompt: str | None, *, taken: bool
) -> None:
    row = call(0) | {"prompt": prompt}
    model = Told()

    async def work(caller: Caller) -> None:
        cache: Any = Kept(None if prompt is None else row)
        caller.cache = cache
        await caller.ask(question(model, "same"))

    caller = with_caller(tmp_path, work, reuse=True)

    assert len(model.asked) == (0 if taken else 1)
    assert caller.progress.from_cache == int(taken)


def test_reading_r76_weights_that_are_not_pinned_take_nothing_over(tmp_path: Path) -> None:
    model = Told(pinned=False)

    async def work(caller: Caller) -> None:
        cache: Any = Kept(call(0) | {"prompt": "same"})
        caller.cache = cache
        await caller.ask(question(model, "same"))

    caller = with_caller(tmp_path, work, reuse=True)

    assert len(model.asked) == 1
    assert caller.progress.from_cache == 0
