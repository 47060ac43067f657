"""A judge's card in words."""

from types import SimpleNamespace
from typing import Any

from golden_support import Golden

from epc.analysis.judge_card import Rest, Served
from epc.report.judge_card_text import _listed, _rest, _served, interval


def served(platform: str, status: str = "alive", **more: Any) -> Served:
    fixed = {"reason": None, "until": None, "pinned": False, "source": None, "note": ""}
    life = {"platform": platform, "model": "m", "status": status, "words": "", **fixed, **more}
    return Served(**life)


def rest(**more: Any) -> Rest:
    fixed = {"of": "v1.0-X", "kind": "measured", "trust": "attested", "n": 1200, "unit": "seeds"}
    state = {"word": None, "failed": False, "state": "stands", "source": "here", "counts": True}
    return Rest(**{**fixed, **state, **more})


def test_the_words_of_a_judge_s_card(golden: Golden) -> None:
    soon = {"until": "2026-10-01"}
    lives = {
        "nobody serves it": [],
        "served": [served("openai")],
        "weights": [served("open-weights", "current")],
        "not confirmed": [served("a", "unconfirmed")],
        "not before a day": [served("anthropic", not_before="2027-07-24")],
        "twice by one": [served("openai", **soon), served("openai", **soon)],
        "by two": [served("azure", **soon), served("openai", **soon)],
        "three states": [
            served("a", "expired", reason="retired", until="2026-01-01"),
            served("b", "unknown"),
            served("c", pinned=True),
        ],
    }
    failed = rest(trust="measured", word="no_detectable_coupling", failed=True)
    figures = [
        ("gamma", 0.25, (0.2, 0.3)),
        ("days_left", 30, (30, None)),
        ("days_left", None, (1_000, None)),
        ("gamma", 0.25, None),
        ("gamma", None, None),
    ]
    cases = {
        **{case: _served(each) for case, each in lives.items()},
        "names": "\n".join(_listed("abc"[:count]) for count in (1, 2, 3)),
        "what it rests on": f"{_rest(rest())}\n{_rest(failed)}",
        "figures": "\n".join(
            interval(SimpleNamespace(name=name, value=value, ci95=ci95))  # type: ignore[arg-type]  # what it reads of a figure
            for name, value, ci95 in figures
        ),
    }

    golden("judge_card", cases)
