"""The top of an evaluator's page: what may be said of it, and what may not."""

from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest
from registry_support import ROOT

from epc.analysis.quotable import QuotableFigure, QuotableFigures
from epc.answers.domains import domains_of
from epc.records.choices import ALL, Choices, Domain, Way
from epc.registry.reading import of_folder
from epc.site import profile
from epc.statistics.figures import Figure

BALANCED = "balanced accuracy, the mean of TPR and TNR"
TODAY = date(2026, 11, 26)


def figure(value: float, half: float = 0.02) -> Figure:
    return Figure(value=value, ci95=(value - half, value + half))


RIGHT = {ALL: figure(0.6), "maths": figure(0.5), "chat": figure(0.9), "code": figure(0.7)}


def platform(
    name: str = "p", day: date | None = None, *, pinned: bool = False, **state: Any
) -> Any:
    service_state = {"status": "current", "until": None, "not_before": None} | state
    standing = SimpleNamespace(
        state=SimpleNamespace(**service_state), holds=True, day=lambda _: day
    )
    return SimpleNamespace(
        standing=standing,
        record=SimpleNamespace(platform=name, pinned=pinned),
        replacement=None,
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
        models=models, askings=askings, prompt="p", source="s",
        tags=tuple(f"v1.0-{model}" for model in models), settings=(), usd=None, priced="",
    )  # fmt: skip


def registry(*ways: Way) -> Any:
    domain = Domain(
        questions=100, right=tuple(0.25 + n / 8 for n in range(len(ways))), covariance=()
    )
    choices = Choices(
        benchmark="B", decides="d", chance=0.25, ways=ways,
        domains={ALL: domain, **dict.fromkeys(("maths", "chat", "code"), domain)},
    )  # fmt: skip
    return SimpleNamespace(choices=choices)


def quoted(value: float = 0.6, **further_fields: Any) -> QuotableFigure:
    fixed: dict[str, Any] = {
        "key": "right", "name": "all", "ci95": (value - 0.02, value + 0.02), "unit": "share",
        "n": 100, "items": 100, "item_set": "", "source": "B", "setting": "s", "tag": "v1.0-j",
        "month": "May 2026", "state": "stands", "askings": 8, "is_common": True,
        "says": "is right on 60.0 [58.0, 62.0] of 100, domains alike",
    }  # fmt: skip
    return QuotableFigure(value=value, **fixed | further_fields)


def quotable(*figures: QuotableFigure, history: tuple[QuotableFigure, ...] = ()) -> QuotableFigures:
    return QuotableFigures(
        target="j", as_of=TODAY, headline=figures[0] if figures else None,
        other_figures=figures[1:], history=history, missing=(),
    )  # fmt: skip


PEOPLE = quoted(
    0.75, key="people", is_common=False, month="by June 2026", says="agrees with most people on 75"
)
PLACES = quoted(0.8, key="places", ci95=None, is_common=False, marks=("f",), state="stale")


def test_what_may_be_said_is_the_headline_and_what_stands_behind() -> None:
    assert [*profile._may(quotable(quoted(), PEOPLE), platform())] == [
        "It is right on 60.0 [58.0, 62.0] of 100, domains alike.",
        "It agrees with most people on 75.",
        "p states no end.",
    ]
    history = (quoted(says="was right on 60 of 100", state="ended"),)
    assert [*profile._may(quotable(history=history), None)] == [
        "Before its end it was right on 60 of 100."
    ]
    assert [*profile._may(quotable(), None)] == []


def test_the_picture_has_all_domains_best_first_then_what_else_may_be_stated_in_its_order() -> None:
    ways = (way(1, "j"), way(8, "j"), way(1, "k"))

    forest = profile._forest(registry(*ways), quotable(quoted(), PEOPLE, PLACES), RIGHT)

    assert forest is not None
    right, recorded = forest.panels
    assert right.title == "Right of 100, best of four (B; guessing gives 25), May 2026"
    assert [(m.label, m.value, m.once) for m in right.marks][:2] == [
        ("all alike", 60, 25),
        ("chat", 90, 25),
    ]
    assert right.marks[1].interval == pytest.approx((88, 92))
    assert [(m.label, m.value, m.once) for m in recorded.marks] == [
        ("agrees with most people, B, by June 2026", 75, None),
        ("same verdict, places swapped, B, May 2026 (too old) †", 80, None),
    ]
    assert recorded.marks[1].interval is None
    assert (right.reach, recorded.reach, right.text(1.25)) == ((25, 100), (50, 100), "1.2")
    assert forest.note.startswith("Hollow: asked once.")
    once = quotable(quoted(askings=1))
    alone = profile._forest(registry(ways[0], ways[2]), once, RIGHT)
    assert alone is not None
    assert alone.note == ""
    assert {mark.once for mark in alone.panels[0].marks} == {None}
    assert profile._forest(registry(*ways), quotable(), {}) is None
    assert profile._once(registry(way(8, "j"), way(5, "j")).choices, quoted(), "chat") is None


@pytest.mark.parametrize(
    ("tag", "title", "label", "value", "interval"),
    [
        # NIST's grades: .56 [.48, .63]; TPR .87 and TNR .98, whose mean is .93 [.85, .95].
        (
            "v1.0-claude-opus-4-7",
            "Rank correlation, by domain, each on a benchmark of its own",
            "rag: rank correlation with NIST's grades, TREC RAG 2024, by April 2026",
            0.56,
            (0.48, 0.63),
        ),
        (
            "v1.0-claude-opus-4-8",
            "Of 100, by domain, each on a benchmark of its own",
            f"faithfulness: {BALANCED}, Faithfulness judge, July 2026",
            93,
            (85, 95),
        ),
    ],
)
def test_domains_stand_in_the_picture_with_benchmark_and_month(
    tag: str, title: str, label: str, value: float, interval: tuple[float, float]
) -> None:
    real = of_folder(ROOT)
    domains = [*domains_of(real, [real.snapshots[tag]], date(2026, 11, 29))]

    forest = profile._forest(real, quotable(), {}, domains)

    assert forest is not None
    (panel,) = forest.panels
    (mark,) = panel.marks
    assert (panel.title, mark.label) == (title, label)
    assert mark.value == pytest.approx(value, rel=0.01)
    assert mark.interval == pytest.approx(interval, rel=0.01)


def test_a_day_is_read_without_a_nought() -> None:
    assert profile.long_day(date(2026, 3, 7)) == "7 March 2026"


def test_weights_by_digest_end_by_nobody() -> None:
    assert [*profile._service(platform("local", pinned=True))] == [
        "Nobody can change or retire it."
    ]
