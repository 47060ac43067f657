"""Win rates by strategy and domain, as a picture."""

from types import SimpleNamespace
from typing import Any

import pytest
from records_support import Run

from epc.site.charts.preferences import position_chart, ties_chart, win_rates_chart
from epc.site.pages import WinRate
from epc.statistics.intervals import share_interval


def test_win_rates_name_the_strategy_on_which_the_domains_part_most(made: dict[str, Run]) -> None:
    given = [
        WinRate(strategy="a", domain="text", wins=3, losses=1, ties=0),
        WinRate(strategy="a", domain="visual", wins=2, losses=2, ties=0),
        WinRate(strategy="b", domain="text", wins=1, losses=3, ties=0),
        WinRate(strategy="b", domain="visual", wins=4, losses=0, ties=1),
        WinRate(strategy="c", domain="text", wins=0, losses=0, ties=4),
        WinRate(strategy="c", domain="visual", wins=4, losses=0, ties=0),
    ]

    chart = win_rates_chart(given)

    assert chart.alternative == (
        "The domains part most on b: it wins 25% of its decided comparisons in text and 100% in "
        "visual."
    )
    # Wilson's interval of 3 in 4, from its formula by hand.
    assert chart.rows[0]["low"] == pytest.approx(0.3006, abs=1e-4)
    assert chart.rows[0]["high"] == pytest.approx(0.9544, abs=1e-4)
    assert chart.rows[4]["rate"] is None


def rate(strategy: str, domain: str, wins: int, losses: int) -> WinRate:
    return WinRate(strategy=strategy, domain=domain, wins=wins, losses=losses, ties=2)


def test_where_strategies_win_alike_or_in_one_domain_alone_it_is_said() -> None:
    alike = [rate(name, domain, 1, 3) for name in "ab" for domain in ("text", "visual")]

    assert win_rates_chart(alike).alternative == (
        "All 2 strategies that were decided in both domains win alike in both."
    )
    one = win_rates_chart([rate("a", "text", 1, 0), rate("a", "visual", 0, 0)])
    assert one.alternative == "No strategy has decided comparisons in both domains."
    keys = ("strategy", "domain", "rate", "wins", "decided", "ties")
    assert [tuple(row[key] for key in keys) for row in one.rows] == [
        ("a", "text", 1.0, 1, 1, 2),
        ("a", "visual", None, 0, 0, 2),
    ]
    half, *layers = one.content["layer"]
    assert half["data"]["values"] == [{"rate": 0.5}]
    # One seed has no interval, so there is a dot and no line.
    assert [len(layer["data"]["values"]) for layer in layers] == [1]
    assert layers[0]["encoding"]["x"]["scale"]["domain"] == [0, 1]


def estimate(mean: float, *ends: float) -> Any:
    return SimpleNamespace(mean=mean, ci95=ends or None)


def manifest(ties: dict[str, Any], diagnostics: Any = None) -> Any:
    summary = SimpleNamespace(
        tie_rate_by_phase=ties, tie_rate=estimate(0.125), diagnostics=diagnostics
    )
    return SimpleNamespace(
        results=SimpleNamespace(summary=summary),
        domains=SimpleNamespace(phase_names=["text", "visual", "text_to_visual"]),
    )


def test_ties_stand_in_the_order_of_phases_on_an_axis_that_reaches_a_tenth_at_least() -> None:
    small = {"text_to_visual": estimate(0.05), "text": estimate(0.025, 0.0, 0.0625)}

    chart = ties_chart(manifest(small))

    assert chart.rows == [
        {"phase": "text", "rate": 0.025, "low": 0.0, "high": 0.0625},
        {"phase": "text to visual", "rate": 0.05, "low": None, "high": None},
    ]
    assert chart.alternative == ("12.5% of the rounds were ties: text 2.5%, text to visual 5.0%.")
    rule, dot = chart.content["layer"]
    assert rule["data"]["values"] == chart.rows[:1]
    assert dot["encoding"]["x"]["scale"]["domain"] == [0, 0.1]
    large = ties_chart(manifest({"text": estimate(0.25, 0.125, 0.375), "visual": estimate(0.3)}))
    assert large.content["layer"][1]["encoding"]["x"]["scale"]["domain"] == [0, 0.375]


def test_the_first_place_s_share_is_counted_among_decided_answers() -> None:
    answers = SimpleNamespace(share_of_a=0.6, decided=50)
    none = SimpleNamespace(share_of_a=None, decided=0)

    chart = position_chart(manifest({}, SimpleNamespace(answers=answers, self_comparisons=none)))

    assert chart is not None
    low, high = share_interval(30, 50) or (0, 0)
    assert chart.rows == [
        {"between": "all answers", "rate": 0.6, "low": low, "high": high, "a": 30, "decided": 50},
        {"between": "two equal answers", "rate": None, "low": None, "high": None, "a": 0,
         "decided": 0},
    ]  # fmt: skip
    assert chart.alternative == (
        "Between all answers it said A in 30 of 50; between two equal answers it never decided."
    )
    assert [len(layer["data"]["values"]) for layer in chart.content["layer"]] == [1, 1, 1]
    assert position_chart(manifest({})) is None
