"""A judge's card in words."""

from types import SimpleNamespace
from typing import Any

import pytest

from epc.analysis.judge_card import Rest, Served
from epc.report.judge_card_text import _listed, _rest, _served, interval


def served(platform: str, status: str = "alive", **more: Any) -> Served:
    fixed = {"reason": None, "until": None, "pinned": False, "source": None, "note": ""}
    life = {"platform": platform, "model": "m", "status": status, "words": "", **fixed, **more}
    return Served(**life)


@pytest.mark.parametrize(
    ("lives", "said"),
    [
        ([], "no platform's dates are known"),
        ([served("openai")], "served at openai, which states no end"),
        ([served("open-weights", "current")], "its weights are public"),
        ([served("a", "unconfirmed")], "not confirmed lately at a"),
        (
            [served("anthropic", not_before="2027-07-24")],
            "served at anthropic until 2027-07-24 at the least",
        ),
        (
            [served("openai", until="2026-10-01"), served("openai", until="2026-10-01")],
            "served at openai until 2026-10-01",
        ),
        (
            [served("azure", until="2026-10-01"), served("openai", until="2026-10-01")],
            "served at azure and openai until 2026-10-01",
        ),
        (
            [
                served("a", "expired", reason="retired", until="2026-01-01"),
                served("b", "unknown"),
                served("c", pinned=True),
            ],
            (
                "retired at a on 2026-01-01, not known whether it is served at b, served at c with "
                "weights that nobody can change or retire"
            ),
        ),
    ],
)
def test_who_serves_a_judge_is_said_once_for_all_alike(lives: list[Served], said: str) -> None:
    assert _served(lives) == said


def test_names_are_listed_with_an_and() -> None:
    assert [_listed(names) for names in (["a"], ["a", "b"], ["a", "b", "c"])] == [
        "a",
        "a and b",
        "a, b and c",
    ]


def rest(**more: Any) -> Rest:
    fixed = {"of": "v1.0-X", "kind": "measured", "trust": "attested", "n": 1200, "unit": "seeds"}
    state = {"word": None, "failed": False, "state": "stands", "source": "here", "counts": True}
    return Rest(**{**fixed, **state, **more})


def test_what_a_card_rests_on_is_one_line() -> None:
    assert _rest(rest()) == "  v1.0-X  measured, attested; 1,200 seeds; stands; here"
    assert _rest(rest(trust="measured", word="no_detectable_coupling", failed=True)) == (
        "  v1.0-X  measured, no detectable coupling, FAILED; 1,200 seeds; stands; here"
    )


@pytest.mark.parametrize(
    ("name", "value", "ci95", "said"),
    [
        ("gamma", 0.25, (0.2, 0.3), "0.250 [0.200, 0.300]"),
        ("days_left", 30, (30, None), "30 [30, or more]"),
        ("days_left", None, (1_000, None), "- [1,000, or more]"),
        ("gamma", 0.25, None, "0.250 (no interval)"),
        ("gamma", None, None, "-"),
    ],
)
def test_a_figure_has_its_interval(name: str, value: Any, ci95: Any, said: str) -> None:
    figure: Any = SimpleNamespace(name=name, value=value, ci95=ci95)

    assert interval(figure) == said
