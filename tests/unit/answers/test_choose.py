"""Tests of which judges can be used on a day, and where, from what was measured."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from registry_support import (
    FIGURES,
    ROOT,
    Json,
    date_claim,
    generation_record,
    life_record,
    observed_card,
)

from epc.answers.choose import changed, choose, reached, steps_by_turn, usable_on
from epc.errors import UsageError
from epc.records.choices import Choices, Domain, Way
from epc.registry.reading import of_folder
from epc.registry.registry import Registry

AZURE = {"platform": "azure-foundry"}
DAY, LATER = date(2026, 11, 26), date(2027, 3, 1)


def way(*models: str, askings: int = 1) -> Way:
    return Way(
        models=models, askings=askings, prompt="p", source="s", usd=1.0, priced="",
        tags=tuple(f"v1.0-{model}" for model in models), settings=models,
    )  # fmt: skip


CHOICES = Choices(
    benchmark="B", decides="d", chance=0.25,
    ways=(way("a"), way("b"), way("a", "b"), way("c"), way("a", askings=5)),
    domains={"all": Domain(questions=1001, right=(0.6, 0.61, 0.62, 0.3, 0.9),
                           covariance=tuple(tuple(1e-4 * (i == j) for j in range(i + 1))
                                            for i in range(5)),
                           point=4.0)},
)  # fmt: skip


POINTER = {"to": "a", "since": None, "source": "https://maker.example", "seen": None}


def checked(name: str, *lives: Json) -> Json:
    """Return a model's record, of which a source spoke on the day before."""
    seen = {"source": "https://maker.example", "via": "read", "seen": "2026-11-25"}
    return generation_record(name, *(life_record(model=name, checked=seen, **x) for x in lives))


def registry(choices: Choices | None = CHOICES) -> Registry:
    """Return a registry in which a is served on x and y, b until the end of 2026, and c nowhere."""
    promise = date_claim("2028-01-01", "not_before")
    ends = date_claim("2027-01-01")
    alias = {"platform": "x", "points_to": [POINTER]}
    records = [
        checked("a", {"platform": "x"}, {"platform": "y", "retires": promise}),
        checked("b", {"platform": "x", "retires": ends}),
        generation_record("a-latest", life_record(model="a-latest", **alias)),
    ]
    policy = {"maximum_age_days": 180, "notice_days": 30, "confirmation_days": 1000}
    # b and c were asked by a client; c's scores were published too long ago, on 1 May.
    known = {"a": (), "b": ("other", "client-context"), "c": ("client-context",)}
    published = {"a": "2026-10-01", "b": "2026-10-01", "c": "2026-05-01"}
    snapshots = [
        {
            "card": observed_card(
                f"v1.0-{name}", known_faults=[{"id": fault, "says": "s"} for fault in faults]
            ),
            "figures": FIGURES,
            "published": {"date": published[name], "source": "https://source.example"},
        }
        for name, faults in known.items()
    ]
    document = {"evaluators": records, "snapshots": snapshots, "events": [], "policy": policy}
    document["faults"] = [
        {"id": "client-context", "touches": ["b", "c"], "effect": "mark", "says": "By a client",
         "may_not": "That it is the model's alone."},
        {"id": "other", "touches": ["elsewhere"], "effect": "mark", "says": "x", "may_not": "y"},
    ]  # fmt: skip
    return replace(Registry.from_document(document), choices=choices)


def test_judges_that_somebody_serves_can_be_used_and_until_when_is_said() -> None:
    answer = choose(registry(), "all", DAY)

    assert answer.served == {
        "a": {"x": "without a stated end", "y": "not before 2028-01-01"},
        "b": {"x": "until 2027-01-01"},
    }
    assert answer.gone == ("c",)
    assert answer.untried == ()
    assert (answer.as_of, answer.benchmark, answer.chance) == ("2026-11-26", "B", 0.25)
    listed = {*answer.short.options, *answer.short.beaten}
    assert {option.way.models for option in listed} == {("a",), ("b",), ("a", "b")}
    assert [option.way.askings for option in answer.short.options] == [5]


def test_a_platform_leaves_those_that_it_serves_alone() -> None:
    answer = choose(registry(), "all", DAY, platform="y")

    assert answer.served == {"a": {"y": "not before 2028-01-01"}}
    assert answer.gone == ("b", "c")
    assert choose(registry(), "all", DAY, budget=0.5).short.too_dear != ()
    with pytest.raises(UsageError, match="z serves no judge"):
        choose(registry(), "all", DAY, platform="z")
    with pytest.raises(UsageError, match="compares no judges"):
        choose(registry(None), "all", DAY)


def test_a_change_is_who_is_listed_first_on_two_days() -> None:
    assert changed(registry(), DAY, DAY) == {}
    assert changed(registry(None), DAY, LATER) is None
    best_alone = Choices(
        benchmark="B", decides="d", chance=0.5, ways=(way("a"), way("b")),
        domains={"all": Domain(questions=1001, right=(0.5, 0.9),
                               covariance=((1e-4,), (0.0, 1e-4)), point=4.0)},
    )  # fmt: skip
    found = changed(registry(best_alone), DAY, LATER)
    assert found is not None
    (before, after) = found["all"]
    assert [option.way.models for option in before] == [("b",)]
    assert [option.way.models for option in after] == [("a",)]


def test_a_judge_is_found_by_another_name_of_it() -> None:
    assert reached(registry(), "all", "A-Latest", 0.85, DAY).model == "a"
    assert reached(registry(), "all", "b", 0.85, DAY).model == "b"


def test_options_have_the_month_of_their_figures_and_what_marks_them() -> None:
    options = [
        *choose(registry(), "all", DAY).short.options,
        *choose(registry(), "all", DAY).ranked,
    ]
    marks = {option.way.models: (option.month, option.marks) for option in options}

    assert marks["a",] == ("by October 2026", ())
    assert marks["b",] == ("by October 2026", ("client-context",))
    assert marks["a", "b"] == ("by October 2026", ("client-context",))


@pytest.mark.parametrize(
    ("typed", "domain"),
    [("maths", "Math"), ("gsm8k", "Math"), ("instruction following", "Precise IF"),
     ("hallucination", "Factuality"), ("toxicity", "Safety"), ("relevance", "Focus"),
     ("SAFE", "Safety"), ("precise-if", "Precise IF")],
)  # fmt: skip
def test_near_words_of_a_domain_are_understood(typed: str, domain: str) -> None:
    assert choose(of_folder(ROOT), typed, DAY).short.domain == domain


def test_a_word_of_several_domains_says_which_are_near() -> None:
    with pytest.raises(UsageError, match="near it: Factuality and Focus"):
        choose(of_folder(ROOT), "summarization", DAY)


@pytest.mark.parametrize(
    ("domain", "limits", "words", "usd", "on"),
    [
        # gpt-5.4-mini's figures are too old since 27 October, and marked by no known fault.
        ("Safety", {}, "gpt-5.4-mini, 4 times", 8.5395, date(2026, 11, 28)),
        # Nine ways that take instructions have no mark on 1 June; the cheapest of them is first.
        ("Safety", {}, "gpt-5.4-mini, 4 times", 8.5395, date(2026, 6, 1)),
        ("Math", {"budget": 10.0}, "gpt-5.4-nano, 4 times", 3.1144, date(2026, 11, 28)),
        # Its promise holds, so that both days have one answer.
        ("Safety", AZURE, "gpt-5.4-mini, twice", 5.1333, date(2026, 11, 28)),
        ("Safety", AZURE, "gpt-5.4-mini, twice", 5.1333, date(2026, 11, 29)),
    ],
)
def test_the_first_takes_instructions_and_has_its_price(
    domain: str, limits: dict[str, Any], words: str, usd: float, on: date
) -> None:
    choice = choose(of_folder(ROOT), domain, on, **limits)

    assert choice.first
    assert (choice.first.way.words, choice.first.way.usd) == (words, usd)
    assert choice.first.month == "by April 2026"
    assert ("stale" in choice.first.marks) == (on >= date(2026, 10, 27))
    reward = [option.way.words for option in choice.scorers.options]
    # They were first seen on 16 August, and no source states a release.
    assert bool(reward) == (not limits and on >= date(2026, 8, 16))
    assert all("Reward" in name for name in reward)


def test_what_is_served_and_was_not_tried_is_counted() -> None:
    """Neither an alias nor a model that embeds texts is a judge that one could try."""
    registry = of_folder(ROOT)
    untried = choose(registry, "Math", date(2026, 11, 28)).untried

    assert len(untried) > 200
    assert {"gemini-3.5-flash-lite", "gpt-5.6-sol", "claude-opus-5"} <= {*untried}
    assert not {"gpt-5.4-mini", "claude-haiku-4-5", "text-embedding-3-small"} & {*untried}


def test_the_answer_for_each_budget_is_that_of_the_question() -> None:
    """Asked for each price of the table and for 1 cent less, both give the same lists."""
    registry, day = of_folder(ROOT), date(2026, 11, 28)
    assert registry.choices
    ((_, steps),) = steps_by_turn(registry.choices, usable_on(registry, [day]), "openai")
    for usd, choice in steps:
        budget = None if usd == float("inf") else usd + 0.001
        told = choose(registry, choice.short.domain, day, platform="openai", budget=budget)
        assert told.short == choice.short, (choice.short.domain, usd)
