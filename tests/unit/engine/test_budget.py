"""The user's limits: never one call, one cent or one minute beyond them."""

import asyncio
import json
import random
import time
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from budget_support import examples
from endpoint_support import (
    Endpoint,
    HoldsAfter,
    Received,
    Reply,
    answering,
    completion,
    refusal,
)
from engine_support import (
    DAY,
    Told,
    asked_for,
    measured,
    question,
    read_rows,
    same_files,
    sitting,
    verdict_of,
)

from epc.engine import asking
from epc.engine import budget as budgets
from epc.engine.budget import (
    FREE,
    Budget,
    BudgetError,
    Claim,
    Limits,
    Price,
    most_tokens,
)
from epc.engine.calls import Caller
from epc.engine.journal import Journal
from epc.engine.model import CallError, Completion, Prompt
from epc.engine.progress import Progress
from epc.engine.task_group import all_of
from epc.errors import ExitCode, UsageError
from epc.protocol.config import Decoding

if TYPE_CHECKING:
    from epc.engine.roles import Question

PRICE = Price(read=Decimal(1_000_000), written=Decimal(2_000_000))  # $1 and $2 a token


def call(tokens_in: int | None, tokens_out: int | None) -> dict[str, Any]:
    return {"model": "evaluator", "tokens_in": tokens_in, "tokens_out": tokens_out}


def claim(budget: Budget, prompt: str = "x", max_tokens: int = 10) -> Claim:
    """Claim what fits at once."""

    async def at_once() -> Claim:
        async with asyncio.timeout(1):
            return await budget.claim("evaluator", prompt, max_tokens)

    return asyncio.run(at_once())


def test_no_limit_is_no_limit() -> None:
    budget = Budget()

    for _ in range(1000):
        budget.settle(claim(budget), call(1, 1))

    assert budget.calls == 1000


def test_the_last_call_of_a_budget_is_claimed_and_the_next_is_not() -> None:
    budget = Budget(max_calls=3)
    for _ in range(3):
        claim(budget)

    with pytest.raises(BudgetError, match="stopped at --max-calls 3") as stopped:
        claim(budget)

    assert stopped.value.exit_code == ExitCode.RESUMABLE
    assert budget.calls == 3


MOST = most_tokens("x") + 2 * 10  # in dollars, by the price above: 33 tokens read, 10 written


def test_a_call_that_does_not_fit_waits_for_what_is_under_way() -> None:
    budget = Budget(max_cost=Decimal(2 * MOST + 4), prices={"evaluator": PRICE})

    async def three() -> Claim:
        first, second = [await budget.claim("evaluator", "x", 10) for _ in range(2)]
        third = asyncio.create_task(budget.claim("evaluator", "x", 10))
        await asyncio.sleep(0)
        assert not third.done()
        budget.settle(first, call(2, 1))  # $4: as much as is left with two more under way
        got = await third
        budget.settle(second, None)  # no answer: nothing is paid
        return got

    third = asyncio.run(three())

    assert (int(third.reserved), int(budget.cost), budget.calls) == (MOST, 4, 3)


def test_a_cap_stops_when_nothing_under_way_can_free_enough_and_says_why() -> None:
    budget = Budget(max_cost=Decimal(2 * MOST + 4), prices={"evaluator": PRICE})

    async def too_many() -> None:
        first, _ = [await budget.claim("evaluator", "x", 10) for _ in range(2)]
        third = asyncio.create_task(budget.claim("evaluator", "x" * 20, 20))
        await asyncio.sleep(0)
        budget.settle(first, call(33, 10))  # all of it: what is left is less than the third's
        await third

    with pytest.raises(BudgetError) as stopped:
        asyncio.run(too_many())

    assert str(stopped.value) == (
        "stopped at --max-cost 110: spent $53.000000, $53.000000 reserved for calls under way; "
        "the next may cost $92.000000"
    )


def test_what_waits_for_room_ends_with_its_run_and_no_other() -> None:
    budget = Budget(max_cost=Decimal(MOST), prices={"evaluator": PRICE})
    gone: list[CallError] = []

    async def stopped_meanwhile() -> Claim:
        first = await budget.claim("evaluator", "x", 10)
        second = asyncio.create_task(
            budget.claim("evaluator", "x", 10, stopped=lambda: gone[0] if gone else None)
        )
        third = asyncio.create_task(budget.claim("evaluator", "x", 10))
        await asyncio.sleep(0)
        gone.append(CallError("the provider is gone"))
        budget.look_again()
        with pytest.raises(CallError, match="the provider is gone"):
            await second
        budget.settle(first, None)
        return await third

    assert asyncio.run(stopped_meanwhile()).reserved == MOST
    assert budget.calls == 2


def test_an_answer_of_unknown_length_counts_as_the_longest() -> None:
    budget = Budget(max_cost=Decimal(1000), prices={"evaluator": PRICE})

    budget.settle(claim(budget), call(None, 1))

    assert budget.cost == MOST


def test_a_lost_answer_counts_as_a_call_at_the_most_it_can_have_cost() -> None:
    budget = Budget(max_cost=Decimal(2 * MOST), prices={"evaluator": PRICE})
    claimed = claim(budget)

    asyncio.run(budget.claim_again(claimed))
    with pytest.raises(BudgetError, match="stopped at --max-cost"):
        asyncio.run(budget.claim_again(claimed))

    assert (int(budget.cost), budget.calls, budget.lost) == (2 * MOST, 2, 2)


def test_a_lost_answer_leaves_no_room_at_the_last_call() -> None:
    budget = Budget(max_calls=1)
    claimed = claim(budget)

    with pytest.raises(BudgetError, match="stopped at --max-calls 1"):
        asyncio.run(budget.claim_again(claimed))


class Billed(Told):
    """Answers after a while, bills as it likes up to what was asked for, and loses answers."""

    def __init__(
        self, rng: random.Random, name: str, price: Price, *, losses: float, concurrency: int
    ) -> None:
        super().__init__(name=name, concurrency=concurrency)
        self.rng, self.price, self.losses, self.billed = rng, price, losses, Decimal(0)

    async def complete(self, prompt: Prompt, decoding: Decoding) -> Completion:
        bound = most_tokens(prompt.text), decoding.max_tokens
        while True:
            for _ in range(self.rng.randrange(6)):
                await asyncio.sleep(0)
            silent = self.rng.random() < 0.1
            used = bound if silent else tuple(self.rng.randrange(most + 1) for most in bound)
            self.billed += self.price.cost(*used)
            if self.rng.random() >= self.losses:
                break
            assert prompt.lost is not None
            await prompt.lost()
        said = (None, None) if silent else used
        return Completion(text="A", tokens_in=said[0], tokens_out=said[1])


@pytest.mark.parametrize("seed", range(examples(1000)))
def test_a_cost_cap_is_never_passed_and_leaves_less_than_any_call_left_can_cost(
    tmp_path: Path, seed: int
) -> None:
    rng = random.Random(seed)
    roles = ("executor", "evaluator")
    prices = {
        role: Price(read=Decimal(rng.randrange(1, 100)), written=Decimal(rng.randrange(1, 400)))
        for role in roles
    }
    losses, concurrency = rng.choice([0, 0.05, 0.3]), rng.choice([1, 2, 8, 64])
    models = {
        role: Billed(rng, role, prices[role], losses=losses, concurrency=concurrency)
        for role in roles
    }
    chosen = [rng.choice(roles) for _ in range(60)]
    questions = [
        question(models[role], f"{n} " + "x" * rng.randrange(400), name=role)
        for n, role in enumerate(chosen)
    ]
    bounds = {
        q: prices[q.role.name].cost(most_tokens(q.text), q.role.decoding.max_tokens)
        for q in questions
    }
    cap = sum(bounds.values(), Decimal(0)) * Decimal(str(round(rng.uniform(0.02, 1.2), 3)))
    budget = Budget(max_cost=cap, prices=dict(prices))
    left: list[Question] = []

    async def ask_all() -> None:
        journal = Journal(tmp_path)
        caller = Caller(
            journal=journal,
            reuse=True,
            progress=Progress(budget=budget),
            clock=lambda: DAY,
        )
        try:
            await all_of(caller.ask(asked_question) for asked_question in questions)
        finally:
            left.extend(q for q in questions if caller.existing_call(caller.name(q)) is None)
            await caller.close()
            journal.close()

    stopped = None
    try:
        asyncio.run(ask_all())
    except BudgetError as error:
        stopped = str(error)

    assert sum(model.billed for model in models.values()) <= budget.cost <= cap
    assert (stopped is None) == (not left)
    if left:
        least = min(bounds[asked_question] for asked_question in left)
        assert cap - budget.cost < least  # nothing more fits
        assert stopped == (
            f"stopped at --max-cost {cap}: spent ${budget.cost:.6f}, $0.000000 reserved for calls "
            f"under way; the next may cost ${least:.6f}"
        )


def test_a_dear_call_that_does_not_fit_stops_no_cheaper_one(tmp_path: Path) -> None:
    cheap = [f"a cheap prompt, number {n}" for n in range(5)]
    total = sum((Decimal(most_tokens(text) + 2 * 10) for text in cheap), Decimal(0))
    budget = Budget(max_cost=total, prices={"test/told": PRICE})

    async def ask_all() -> None:
        journal, model = Journal(tmp_path), Told()
        caller = Caller(
            journal=journal, reuse=True, progress=Progress(budget=budget), clock=lambda: DAY
        )
        try:
            texts = ["x" * 1000, *cheap]
            await all_of(caller.ask(question(model, text)) for text in texts)
        finally:
            await caller.close()
            journal.close()

    with pytest.raises(BudgetError, match=r"the next may cost \$1052\."):
        asyncio.run(ask_all())

    assert [row["prompt"] for row in read_rows(tmp_path / "journal.jsonl")] == cheap


@pytest.mark.parametrize(
    ("failure", "counted"),
    [
        (Reply(status=200, body=b"{"), True),
        (Reply(body=completion("A").body, cut=25), True),
        (refusal(503), False),
        (refusal(429, retry_after_ms="1"), False),
    ],
)
def test_max_calls_counts_what_a_provider_may_bill(
    tmp_path: Path,
    endpoint: Endpoint,
    monkeypatch: pytest.MonkeyPatch,
    failure: Reply,
    counted: bool,  # noqa: FBT001  (pytest hands it over by name)
) -> None:
    monkeypatch.setattr(asking, "FIRST_PAUSE_S", 0.001)
    endpoint.script = [failure] * 3
    limits = Limits(max_calls=30, cache=False, concurrency=1)

    with pytest.raises(BudgetError, match="stopped at --max-calls 30"):
        sitting(tmp_path / "run", asked_for("openai/m", "mock/deterministic"), limits=limits)

    executor = sum(row["role"] == "executor" for row in rows_of(tmp_path / "run"))
    answered = len(rows_of(tmp_path / "run")) - executor
    assert answered == len(endpoint.received) - 3
    assert executor + answered + (3 if counted else 0) == 30


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return read_rows(folder / "journal.jsonl")


def test_time_is_up_when_it_is_up() -> None:
    budget = Budget(max_time_s=0.05)
    claim(budget)
    time.sleep(0.06)

    with pytest.raises(BudgetError, match=r"stopped at --max-time 0\.05 s"):
        claim(budget)


def test_a_call_under_way_has_a_tenth_of_the_time_and_three_seconds_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    budget = Budget(max_time_s=100)
    monkeypatch.setattr(time, "monotonic", lambda: budget.began + 60)

    assert budget.left_s() == pytest.approx(100 + 10 + 3 - 60)
    assert Budget().left_s() is None


@pytest.mark.parametrize("controls", [0, 3])
def test_a_call_under_way_when_the_time_is_up_is_given_up_a_little_later(
    tmp_path: Path, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, controls: int
) -> None:
    monkeypatch.setattr(budgets, "_LANDING_S", 0.3)
    # Calls are begun at one moment, however long the machine takes over it.
    moment = time.monotonic()
    monkeypatch.setattr(budgets, "time", SimpleNamespace(monotonic=lambda: moment))
    request = asked_for("openai/m", "mock/deterministic", controls=controls)
    sitting(tmp_path / "whole", request, limits=Limits(cache=False))
    endpoint.behave = holding = HoldsAfter(2)

    with pytest.raises(BudgetError, match=r"stopped at --max-time 0\.5 s, with calls that got no"):
        sitting(tmp_path / "run", request, limits=Limits(cache=False, max_time_s=0.5))
    holding.go_on.set()
    sitting(tmp_path / "run")

    same_files(tmp_path / "whole", tmp_path / "run", ("trials.jsonl", "weights.jsonl"))


def test_a_limit_on_what_has_no_price_is_refused() -> None:
    prices = {"mock/deterministic": FREE, "openai/gpt-0": None}
    message = "price of openai/gpt-0 is not known, so --max-cost .* as in OPENAI_PRICE=0.15,0.60"

    with pytest.raises(UsageError, match=message):
        Budget(max_cost=Decimal(1), prices=prices)
    Budget(max_calls=1, prices=prices)


@pytest.mark.parametrize("text", ["", "plain", "ü“四", "\ud800", "x" * 5000])
def test_no_tokeniser_makes_more_tokens_than_bytes(text: str) -> None:
    assert most_tokens(text) >= len(text.encode("utf-8", "replace"))


def test_a_call_that_was_paid_for_when_the_budget_ends_is_waited_for(tmp_path: Path) -> None:
    class Slow(Told):
        async def complete(self, prompt: Prompt, decoding: Decoding) -> Completion:
            await asyncio.sleep(0.05)
            return await super().complete(prompt, decoding)

    executor = Slow()

    with pytest.raises(BudgetError):
        measured(
            tmp_path / "run",
            Told(verdict_of),
            executor,
            seeds=[0, 1, 2],
            reuse="none",
            budget=Budget(max_calls=5),
        )

    assert len(executor.asked) == 5
    assert len(read_rows(tmp_path / "run" / "journal.jsonl")) == 5


def test_a_server_sees_no_more_calls_than_allowed(tmp_path: Path, endpoint: Endpoint) -> None:
    request = asked_for("openai/judge", "openai/writer", exhaustive=True)

    with pytest.raises(BudgetError):
        sitting(tmp_path / "run", request, limits=Limits(max_calls=100))
    assert len(endpoint.received) == 100
    with pytest.raises(BudgetError):
        sitting(tmp_path / "run", limits=Limits(max_calls=251))
    assert len(endpoint.received) == 351
    sitting(tmp_path / "run", limits=Limits(max_calls=1))

    assert len(endpoint.received) == 352
    assert set(endpoint.prompts.values()) == {1}


def dear(received: Received) -> Reply:
    """Answer, and bill as much as can be billed."""
    tokens = len(received.prompt.encode()) + 32
    usage = {"prompt_tokens": tokens, "completion_tokens": received.body["max_completion_tokens"]}
    document = json.loads(answering(received).body)
    return Reply(body=json.dumps({**document, "usage": usage}).encode())


def test_many_calls_under_way_do_not_exceed_a_cost_together(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    endpoint.behave = dear
    request = asked_for("openai/gpt-4o-2024-08-06", "openai/gpt-4o-mini", seeds=list(range(10)))

    with pytest.raises(BudgetError, match=r"stopped at --max-cost 0\.03: spent \$0\.0"):
        sitting(tmp_path / "run", request, limits=Limits(max_cost=Decimal("0.03")))

    # $2.50 and $10 for a million tokens; $0.15 and $0.60.
    prices = {"gpt-4o-2024-08-06": (2.5, 10), "gpt-4o-mini": (0.15, 0.6)}
    billed = 0.0
    for asked in endpoint.received:
        read, written = prices[asked.body["model"]]
        billed += (
            read * (len(asked.prompt.encode()) + 32) + written * asked.body["max_completion_tokens"]
        )
    assert 0.02 < billed / 1e6 <= 0.03
    assert len(read_rows(tmp_path / "run" / "journal.jsonl")) == len(endpoint.received)
