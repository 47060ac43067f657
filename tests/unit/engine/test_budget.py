"""The user's limits: never one call, one cent or one minute beyond them."""

import asyncio
import json
import random
import time
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from endpoint_support import (
    Endpoint,
    HoldsAfter,
    Received,
    Reply,
    answering,
    completion,
    refusal,
    serving,
)
from engine_support import (
    Told,
    asked_for,
    measured,
    plan_for,
    read_rows,
    same_files,
    sitting,
    verdict_of,
)

from epc.core.config import Decoding
from epc.engine import asking
from epc.engine import budget as budgets
from epc.engine.budget import BATCH_SHARE, Budget, BudgetError, Limits, most_tokens
from epc.engine.model import Completion, Prompt
from epc.engine.prices import FREE, Price
from epc.errors import ExitCode, UsageError

PRICE = Price(read=Decimal(1_000_000), written=Decimal(2_000_000))  # $1 and $2 a token
FILES = ("trials.jsonl", "calls.jsonl", "weights.jsonl", "manifest.json")


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with serving() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-0123456789abcdef")
        yield server


def call(tokens_in: int | None, tokens_out: int | None) -> dict[str, Any]:
    return {"role": "evaluator", "tokens_in": tokens_in, "tokens_out": tokens_out}


def test_no_limit_is_no_limit() -> None:
    budget = Budget()

    for _ in range(1000):
        budget.settle(budget.claim("evaluator", "x", 10), call(1, 1))

    assert budget.calls == 1000


def test_the_last_call_of_a_budget_is_claimed_and_the_next_is_not() -> None:
    budget = Budget(max_calls=3)
    for _ in range(3):
        budget.claim("evaluator", "x", 10)

    with pytest.raises(BudgetError, match="stopped at --max-calls 3") as stopped:
        budget.claim("evaluator", "x", 10)

    assert stopped.value.exit_code == ExitCode.RESUMABLE
    assert budget.calls == 3


def test_what_calls_under_way_may_cost_is_set_aside_together() -> None:
    most = most_tokens("x") + 2 * 10  # in dollars, by the price above
    budget = Budget(max_cost=Decimal(3 * most), prices={"evaluator": PRICE})
    claims = [budget.claim("evaluator", "x", 10) for _ in range(3)]

    with pytest.raises(BudgetError, match=rf"stopped at --max-cost {3 * most}: spent \$0\.0000"):
        budget.claim("evaluator", "x", 10)
    budget.settle(claims[0], call(2, 1))
    budget.settle(claims[1], None)  # no answer: nothing is paid

    assert claims == [most] * 3
    assert budget.cost == 4
    assert budget.claim("evaluator", "x", 10) == most


def test_an_answer_of_unknown_length_counts_as_the_longest() -> None:
    budget = Budget(max_cost=Decimal(1000), prices={"evaluator": PRICE})
    claim = budget.claim("evaluator", "x", 10)

    budget.settle(claim, call(None, 1))

    assert budget.cost == claim


@pytest.mark.parametrize("seed", range(20))
def test_a_cost_limit_holds_in_whatever_order_calls_come_and_go(seed: int) -> None:
    rng = random.Random(seed)
    limit = Decimal(rng.randrange(100, 5000))
    budget = Budget(max_cost=limit, prices={"evaluator": PRICE})
    under_way: list[tuple[Decimal, str, int]] = []
    for _ in range(500):
        prompt, tokens = "x" * rng.randrange(50), rng.randrange(1, 20)
        with suppress(BudgetError):
            under_way.append((budget.claim("evaluator", prompt, tokens), prompt, tokens))
        if under_way and rng.random() < 0.6:
            claim, prompt, tokens = under_way.pop(rng.randrange(len(under_way)))
            used = call(rng.randrange(most_tokens(prompt) + 1), rng.randrange(tokens + 1))
            budget.settle(claim, used if rng.random() < 0.9 else None)
        assert budget.cost + sum(claim for claim, _, _ in under_way) <= limit
    for claim, prompt, tokens in under_way:
        budget.settle(claim, call(most_tokens(prompt), tokens))
    assert budget.cost <= limit


def test_a_lost_answer_counts_as_a_call_at_the_most_it_can_have_cost() -> None:
    most = most_tokens("x") + 2 * 10
    budget = Budget(max_cost=Decimal(2 * most), prices={"evaluator": PRICE})
    claim = budget.claim("evaluator", "x", 10)

    budget.claim_again(claim)
    with pytest.raises(BudgetError, match="stopped at --max-cost"):
        budget.claim_again(claim)

    assert (int(budget.cost), budget.calls, budget.lost) == (2 * most, 2, 2)


def test_a_lost_answer_leaves_no_room_at_the_last_call() -> None:
    budget = Budget(max_calls=1)
    claim = budget.claim("evaluator", "x", 10)

    with pytest.raises(BudgetError, match="stopped at --max-calls 1"):
        budget.claim_again(claim)


def test_a_share_of_the_price_is_set_aside_and_paid() -> None:
    budget = Budget(max_cost=Decimal(1000), prices={"evaluator": PRICE})

    claim = budget.claim("evaluator", "x", 10, share=BATCH_SHARE)
    budget.settle(claim, call(2, 1), share=BATCH_SHARE)

    assert claim == Decimal(most_tokens("x") + 2 * 10) / 2
    assert budget.cost == 2


@pytest.mark.parametrize(
    ("failure", "counted"),
    [
        (Reply(status=200, body=b"{}"), True),
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
    budget.claim("evaluator", "x", 10)
    time.sleep(0.06)

    with pytest.raises(BudgetError, match=r"stopped at --max-time 0\.05 s"):
        budget.claim("evaluator", "x", 10)


@pytest.mark.parametrize("controls", [0, 3])
def test_a_call_under_way_when_the_time_is_up_is_given_up_a_little_later(
    tmp_path: Path, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, controls: int
) -> None:
    monkeypatch.setattr(budgets, "_LANDING_S", 0.3)
    asked = asked_for("openai/m", "mock/deterministic", controls=controls)
    sitting(tmp_path / "whole", asked, limits=Limits(cache=False))
    endpoint.received.clear()
    endpoint.behave = holding = HoldsAfter(2)

    with pytest.raises(BudgetError, match=r"stopped at --max-time 0\.5 s, with calls that got no"):
        sitting(tmp_path / "run", asked, limits=Limits(cache=False, max_time_s=0.5))
    sent = len(endpoint.received)
    holding.go_on.set()
    sitting(tmp_path / "run")

    assert sent > 2
    same_files(tmp_path / "whole", tmp_path / "run", ("trials.jsonl", "weights.jsonl"))


def test_a_limit_on_what_has_no_price_is_refused() -> None:
    prices = {"executor": FREE, "evaluator": None}

    with pytest.raises(UsageError, match="price of the evaluator is not known, so --max-cost"):
        Budget(max_cost=Decimal(1), prices=prices)
    Budget(max_calls=1, prices=prices)


@pytest.mark.parametrize("text", ["", "plain", "ü“四", "\ud800", "x" * 5000])
def test_no_tokeniser_makes_more_tokens_than_bytes(text: str) -> None:
    assert most_tokens(text) >= len(text.encode("utf-8", "replace"))


@pytest.mark.parametrize("reuse", ["memo", "none"])
@pytest.mark.parametrize("most", [1, 7, 40])
def test_a_run_cut_into_sittings_asks_as_often_and_ends_the_same(
    tmp_path: Path, reuse: Any, most: int
) -> None:
    plan = plan_for(Told(), Told(), seeds=[0, 1], rounds=4, reuse=reuse)
    whole = Told(verdict_of), Told()
    measured(tmp_path / "whole", *whole, plan=plan)
    expected = sum(len(model.asked) for model in whole)

    sittings, asked = 0, 0
    while not (tmp_path / "run" / "manifest.json").exists():
        evaluator, executor = Told(verdict_of), Told()
        try:
            budget = Budget(max_calls=most)
            measured(tmp_path / "run", evaluator, executor, plan=plan, budget=budget)
        except BudgetError:
            # What was sent was answered, and what was answered is kept.
            rows = read_rows(tmp_path / "run" / "journal.jsonl")
            assert len(rows) == asked + most
        sittings += 1
        assert len(evaluator.asked) + len(executor.asked) <= most
        asked += len(evaluator.asked) + len(executor.asked)

    assert asked == expected
    assert sittings == -(-expected // most)
    same_files(tmp_path / "whole", tmp_path / "run", FILES)


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
    usage = {"prompt_tokens": tokens, "completion_tokens": received.body["max_tokens"]}
    said = json.loads(answering(received).body)
    return Reply(body=json.dumps({**said, "usage": usage}).encode())


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
        billed += read * (len(asked.prompt.encode()) + 32) + written * asked.body["max_tokens"]
    assert 0.02 < billed / 1e6 <= 0.03
    assert len(read_rows(tmp_path / "run" / "journal.jsonl")) == len(endpoint.received)


def test_a_cost_limit_on_an_unknown_price_leaves_nothing_behind(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    request = asked_for("openai/no-such-model-at-all", "mock/deterministic")

    with pytest.raises(UsageError, match="use --max-calls"):
        sitting(tmp_path / "run", request, limits=Limits(max_cost=Decimal(1)))

    assert not (tmp_path / "run").exists()
    assert endpoint.received == []
