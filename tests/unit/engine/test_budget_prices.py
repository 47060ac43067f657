"""What calls cost, by the table of a maintained package (budgets and forecasts rest on it)."""

from decimal import Decimal

import pytest

from epc.engine.budget import FREE, Price, price_of


def test_a_price_is_by_the_million() -> None:
    price = Price(read=Decimal("2.50"), written=Decimal(10))

    assert price.cost(1_000_000, 0) == Decimal("2.5")
    assert price.cost(100, 10) == Decimal("0.00035")
    assert price.cost(0, 0) == 0


@pytest.mark.parametrize(
    "name", ["mock/deterministic", "mock/coin-flip", "local/smollm2-135m", "recorded:v.csv"]
)
def test_what_runs_here_costs_nothing(name: str) -> None:
    assert price_of(name) == FREE


def test_a_hosted_model_has_the_price_of_the_table() -> None:
    # As published for this snapshot: $2.50 and $10 for a million tokens.
    assert price_of("openai/gpt-4o-2024-08-06") == Price(read=Decimal("2.5"), written=Decimal(10))
    assert price_of("deepseek/deepseek-chat") not in (None, FREE)


@pytest.mark.parametrize(
    "name",
    ["openai/no-such-model-at-all", "vllm/gpt-4o", "ollama/llama3", "openai-compatible/gpt-4o"],
)
def test_a_price_that_nobody_states_is_unknown_and_not_zero(name: str) -> None:
    assert price_of(name) is None


@pytest.mark.parametrize(
    ("name", "read", "written"),
    [
        ("openai/gpt-5.4", "2.5", 15),
        ("openai/gpt-5.5", "5", 30),
        ("anthropic/claude-sonnet-4-5", "3", 15),
    ],
)
def test_a_price_is_that_of_a_prompt_and_not_of_a_very_long_one(
    name: str, read: str, written: int
) -> None:
    """As the makers' price lists have it below 200,000 tokens; above, input costs twice as much."""
    assert price_of(name) == Price(read=Decimal(read), written=Decimal(written))
