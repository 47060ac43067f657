"""The top of an evaluator's page: what may be said of it, and what may not."""

from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest

from epc.records.choices import ALL, Choices, Domain, Way
from epc.site import profile
from epc.statistics.figures import Figure

TODAY = date(2026, 11, 26)


def figure(value: float, half: float = 0.02) -> Figure:
    return Figure(value=value, ci95=(value - half, value + half))


RIGHT = {ALL: figure(0.6), "maths": figure(0.5), "chat": figure(0.9), "code": figure(0.7)}


def platform(name: str = "p", day: date | None = None, **state: Any) -> Any:
    service_state = {"status": "current", "until": None, "not_before": None} | state
    standing = SimpleNamespace(
        state=SimpleNamespace(**service_state), holds=True, day=lambda _: day
    )
    return SimpleNamespace(
        standing=standing, record=SimpleNamespace(platform=name), replacement=None
    )


def test_a_judge_is_best_and_weakest_where_the_intervals_do_not_meet() -> None:
    assert profile._title(RIGHT) == "Best on chat, weakest on maths"
    assert [name for name, _ in profile._domains(RIGHT)] == ["chat", "code", "maths"]
    for right in (
        {ALL: figure(0.6), "chat": figure(0.9)},
        {"chat": figure(0.75, 0.125), "maths": figure(0.5, 0.125)},  # they meet at 0.625
        {"chat": Figure(value=0.9, ci95=None), "maths": figure(0.5)},
    ):
        assert profile._title(right) == "What is known"


def test_the_other_platform_whose_end_comes_first_is_the_second() -> None:
    late, soon, never = (platform(day=day) for day in (date(2028, 1, 1), date(2027, 1, 1), None))
    lost = platform(day=date(2026, 12, 1))
    lost.standing.holds = False
    page: Any = SimpleNamespace(platforms=[late, soon, never, lost], gravest=None)

    assert profile._second(page, None, TODAY) is soon
    assert profile._second(page, soon, TODAY) is late
    page.platforms = [never]
    assert profile._second(page, None, TODAY) is None
    page.gravest = lost  # its maker's, in a graver state
    assert profile._second(page, never, TODAY) is lost


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ({"status": "expired", "until": date(2026, 1, 2)}, ["p ended it on 2 January 2026."]),
        ({"until": date(2027, 1, 2)}, ["p serves it until 2 January 2027."]),
        (
            {"not_before": date(2027, 1, 2)},
            ["p serves it until 2 January 2027 at the least."],
        ),
        ({}, ["p states no end."]),
        ({"status": "unknown"}, []),
    ],
)
def test_a_platform_s_service_is_said_with_its_day(state: dict[str, Any], words: list[str]) -> None:
    assert [*profile._service(platform(**state))] == words


def way(askings: int, *models: str) -> Way:
    return Way(
        models=models, askings=askings, prompt="p", source="s", tags=(), settings=(), usd=None,
        priced="",
    )  # fmt: skip


def site(*ways: Way) -> Any:
    domain = Domain(
        questions=100, right=tuple(0.25 + n / 8 for n in range(len(ways))), covariance=()
    )
    choices = Choices(
        benchmark="B", decides="d", chance=0.25, ways=ways,
        domains={ALL: domain, **dict.fromkeys(("maths", "chat", "code"), domain)},
    )  # fmt: skip
    return SimpleNamespace(registry=SimpleNamespace(choices=choices))


def card(counted: dict[str, Any] | None = None, **further_fields: Any) -> Any:
    fixed: dict[str, Any] = {
        "means": None,
        "rests_on": [],
        "counted": lambda name: (counted or {}).get(name, []),
    }
    return SimpleNamespace(name="j", card=SimpleNamespace(**fixed | further_fields))


def test_what_may_be_said_has_the_most_askings_and_the_best_domain() -> None:
    known = [(figure(0.75), "It agreed with people in {} of 100.")]

    found = [
        *profile._may(site(way(1, "j"), way(8, "j"), way(9, "k")), card(), platform(), RIGHT, known)  # type: ignore[arg-type]  # a figure
    ]

    assert found == [
        "Asked 8 times, it was right on 60.0 [58.0, 62.0] of 100 questions.",
        "It was right on 90.0 [88.0, 92.0] of 100 chat questions.",
        "It agreed with people in 75.0 [73.0, 77.0] of 100.",
        "p states no end.",
    ]
    once = profile._may(site(way(1, "k")), card(means="k"), None, {ALL: figure(0.6)}, [])
    assert [*once] == ["Asked once, it was right on 60.0 [58.0, 62.0] of 100 questions."]
    assert [*profile._may(site(), card(), None, {}, [])] == []


def test_the_picture_has_all_domains_best_first_and_what_it_was_once() -> None:
    ways = (way(1, "j"), way(8, "j"), way(1, "k"))
    others: Any = [(figure(0.75), "people"), (Figure(value=0.8, ci95=None), "place")]

    forest = profile._forest(site(*ways), "j", RIGHT, others)

    assert forest is not None
    right, recorded = forest.panels
    assert right.title == "Right of 100 questions, best of four (B; guessing gives 25)"
    assert [(m.label, m.value, m.once) for m in right.marks][:2] == [
        ("all domains", 60, 25),
        ("chat", 90, 25),
    ]
    assert right.marks[1].interval == pytest.approx((88, 92))
    assert [(m.label, m.value, m.once) for m in recorded.marks] == [
        ("place", 80, None),
        ("people", 75, None),
    ]
    assert recorded.marks[0].interval is None
    assert (right.reach, recorded.reach, right.text(1.25)) == ((25, 100), (50, 100), "1.2")
    assert forest.note.startswith("Hollow: asked once.")
    alone = profile._forest(site(ways[0], ways[2]), "j", RIGHT, [])
    assert alone is not None
    assert alone.note == ""
    assert {mark.once for mark in alone.panels[0].marks} == {None}
    assert profile._forest(site(*ways), "j", {}, []) is None
    assert profile._once(site(way(8, "j"), way(5, "j")).registry.choices, "j", "chat") is None


def test_a_day_is_read_without_a_nought() -> None:
    assert profile.long_day(date(2026, 3, 7)) == "7 March 2026"
