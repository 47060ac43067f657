"""What a run will ask for, before anything is sent (`--dry-run`)."""

from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from endpoint_support import serving
from engine_support import DAY, asked_for, sitting
from msgspec.structs import replace

from epc.engine import forecast
from epc.engine.forecast import Range, Share, sum_shares
from epc.engine.plan import Reuse
from epc.engine.session import expect, prepare
from epc.protocol.prompt import Pair, evaluation_text
from epc.spec.reference import EVALUATOR_PROMPT, STRATEGIES, TASKS

MOCK = ("mock/deterministic", "mock/deterministic")


def expected(evaluator: str, executor: str | None, **asked: Any) -> dict[str, Share]:
    return expect(prepare(asked_for(evaluator, executor, **asked), now=DAY))


def exactly(number: float) -> Range:
    return Range(lower=number, expected=number, upper=number)


@pytest.mark.parametrize(("seeds", "rounds"), [(1, 1), (3, 7), (30, 30)])
def test_a_fresh_run_asks_three_times_a_round(seeds: int, rounds: int) -> None:
    shares = expected(*MOCK, seeds=list(range(seeds)), rounds=rounds, reuse="none")

    assert shares["executor"].calls == exactly(2 * 4 * rounds * seeds)
    assert shares["evaluator"].calls == exactly(4 * rounds * seeds)


def test_an_exhaustive_run_asks_for_every_pair_whatever_the_seeds() -> None:
    for seeds in (1, 1000):
        shares = expected(*MOCK, seeds=list(range(seeds)), rounds=30, exhaustive=True)

        assert shares["executor"].calls == exactly(176)  # 11 strategies, 16 tasks
        assert shares["evaluator"].calls.expected == shares["evaluator"].calls.upper == 176


@pytest.mark.parametrize(("seeds", "rounds"), [(1, 1), (1, 30), (3, 10), (10, 30)])
def test_reading_r16_a_memo_run_asks_about_as_often_as_forecast(
    tmp_path: Path, seeds: int, rounds: int
) -> None:
    request = asked_for(*MOCK, seeds=list(range(seeds)), rounds=rounds, reuse="memo")
    shares = expect(prepare(request, now=DAY))

    calls = sitting(tmp_path / "run", request)["provenance"]["calls"]

    for role, share in shares.items():
        assert share.calls.lower <= calls[role] <= share.calls.upper
        assert calls[role] == pytest.approx(share.calls.expected, rel=0.2, abs=2)


@pytest.mark.parametrize("judges", [1, 2, 5])
def test_reading_r76_an_executor_is_asked_once_for_all_judges(judges: int) -> None:
    opened = prepare(asked_for(*MOCK, seeds=[0], rounds=10, reuse="none"), now=DAY)

    def of(reuse: Reuse, *, exhaustive: bool = False) -> Range:
        plan, questions = replace(opened.plan, exhaustive=exhaustive), opened.questions
        assert questions.executor is not None
        counted, decoding = Counter({reuse: judges}), questions.executor.decoding
        return forecast.forecast_shared(counted, plan, questions.config, decoding, None).calls

    assert of("memo", exhaustive=True) == exactly(176)
    fresh, memo = of("none"), of("memo")
    # 40 rounds: their baselines' answers are shared, and each judge may choose otherwise.
    assert (fresh.lower, fresh.upper) == (80, 40 * (1 + judges))
    assert 80 <= fresh.expected <= fresh.upper
    assert memo.lower <= memo.expected <= memo.upper <= 176
    if judges == 1:
        assert memo == expected(*MOCK, seeds=[0], rounds=10, reuse="memo")["executor"].calls


@pytest.mark.slow
@pytest.mark.parametrize("mode", [{"reuse": "none"}, {"reuse": "memo"}, {"exhaustive": True}])
def test_tokens_of_a_real_run_lie_within_the_forecast(tmp_path: Path, mode: Any) -> None:
    with serving() as endpoint, pytest.MonkeyPatch.context() as patch:
        patch.setenv("VLLM_BASE_URL", endpoint.url)
        request = asked_for("vllm/judge", "vllm/writer", **mode)
        shares = expect(prepare(request, now=DAY))
        assert endpoint.received == []
        sitting(tmp_path / "run", request)
        asked = {"writer": 0, "judge": 0}
        for request_ in endpoint.received:
            asked[request_.body["model"]] += len(request_.prompt.split())  # a word is a token

    assert shares["executor"].tokens_in.lower <= asked["writer"]
    assert asked["writer"] <= shares["executor"].tokens_in.upper
    assert asked["judge"] <= shares["evaluator"].tokens_in.upper


def test_rechecks_are_calls_too() -> None:
    shares = expected(*MOCK, exhaustive=True, recheck=20)
    few = expected(*MOCK, seeds=[0], rounds=1, reuse="memo", recheck=1000)

    assert shares["executor"].calls == exactly(176)
    assert shares["evaluator"].calls.expected == 196
    assert few["evaluator"].calls.expected == 8  # four comparisons, each asked twice


def test_cost_by_hand() -> None:
    evaluator, executor = "openai/gpt-4o-2024-08-06", "mock/deterministic"

    shares = expected(evaluator, executor, exhaustive=True)

    share = shares["evaluator"]
    assert share.cost is not None
    # $2.50 for a million tokens read, $10 for a million written.
    for end in ("lower", "expected", "upper"):
        read, written = getattr(share.tokens_in, end), getattr(share.tokens_out, end)
        by_hand = (2.5 * read + 10 * written) / 1e6
        assert getattr(share.cost, end) == pytest.approx(by_hand, rel=1e-12)
    assert share.tokens_out.upper == 176 * 10
    assert share.cost.lower < share.cost.expected < share.cost.upper
    assert shares["executor"].cost == exactly(0)


def test_an_unknown_price_is_said_and_not_guessed() -> None:
    shares = expected("openai/no-such-model-at-all", "vllm/m")

    assert [share.cost for share in shares.values()] == [None, None]


def test_recorded_verdicts_cost_nothing(tmp_path: Path) -> None:
    table = tmp_path / "v.csv"
    table.write_text("strategy,domain,task,verdict\ns,text,t,A\ns,visual,v,B\n")

    shares = expected(f"recorded:{table}", None, seeds=[0], rounds=3)

    assert set(shares) == {"evaluator"}
    assert shares["evaluator"].cost == exactly(0)


def test_no_rounds_are_no_calls() -> None:
    shares = expected(*MOCK, rounds=0, reuse="memo")

    assert {role: share.calls for role, share in shares.items()} == {
        "executor": exactly(0),
        "evaluator": exactly(0),
    }


@pytest.mark.parametrize("character", ["x", "\u00e9", "\u4e2d", "\U0001f600"])
def test_no_prompt_is_longer_than_the_upper_end_whatever_script_answers_are_in(
    character: str,
) -> None:
    shares = expected("openai/gpt-4o", "openai/gpt-4o", seeds=[0], rounds=1, reuse="none")
    share = shares["evaluator"]
    longest = character * 300  # what is judged of an answer

    largest = max(
        len(evaluation_text(pair, method="prompt", template=EVALUATOR_PROMPT).encode())
        for domain, tasks in TASKS.items()
        for task in tasks
        for strategy in STRATEGIES
        for pair in [
            Pair(
                domain=domain,
                task=task,
                strategy=strategy.name,
                response=longest,
                baseline=longest,
            )
        ]
    )

    assert share.calls.upper * largest <= share.tokens_in.upper


def test_a_price_multiplies_out() -> None:
    from epc.engine.budget import Price

    spread = Range(lower=10, expected=100, upper=1000)

    cost = forecast.cost_of(Price(read=Decimal(1), written=Decimal(3)), spread, spread)

    assert cost == Range(lower=40e-6, expected=400e-6, upper=4000e-6)


def test_reading_r80_a_member_is_asked_for_each_place_and_the_executor_as_without_it() -> None:
    shares = expected("balanced:mock/deterministic", MOCK[1], exhaustive=True)

    (member,) = shares.keys() - {"executor"}
    assert shares["executor"].calls == exactly(176)
    assert shares[member].calls.expected == 2 * 176


def test_what_all_models_cost_is_known_where_each_one_s_cost_is() -> None:
    share, two_shares = (
        Share(calls=exactly(n), tokens_in=exactly(n), tokens_out=exactly(n), cost=exactly(n))
        for n in (1, 2)
    )

    assert sum_shares([share, two_shares]).cost == exactly(3)
    assert sum_shares([share, replace(two_shares, cost=None)]).cost is None
    assert sum_shares([share, replace(two_shares, cost=None)]).calls == exactly(3)
