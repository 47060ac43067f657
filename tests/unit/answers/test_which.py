"""Tests of which judges can be used on a day, and where, from what was measured."""

from dataclasses import replace
from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest
from registry_support import Json, date_claim, generation_record, life_record

from epc.answers.which import best_judges, changed, reached
from epc.errors import UsageError
from epc.records.choices import Choices, Domain, Way
from epc.registry.registry import Registry

DAY, LATER = date(2026, 11, 26), date(2027, 3, 1)


def way(*models: str, askings: int = 1) -> Way:
    return Way(
        models=models, askings=askings, prompt="p", source="s", usd=1.0, priced="",
        tags=tuple(f"v1-{model}" for model in models), settings=models,
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
    document = {"evaluators": records, "snapshots": [], "events": [], "policy": policy}
    fault = SimpleNamespace(id="client-context")
    cards = {"a": [], "b": [SimpleNamespace(id="other"), fault], "c": [fault]}
    snapshots: Any = {
        f"v1-{name}": SimpleNamespace(
            card=SimpleNamespace(known_faults=faults),
            tag=SimpleNamespace(generation=name),
            model=name,
        )
        for name, faults in cards.items()
    }
    return replace(Registry.from_document(document), choices=choices, snapshots=snapshots)


def test_judges_that_somebody_serves_can_be_used_and_until_when_is_said() -> None:
    answer = best_judges(registry(), "all", DAY)

    assert answer.served == {
        "a": {"x": "without a stated end", "y": "not before 2028-01-01"},
        "b": {"x": "until 2027-01-01"},
    }
    assert answer.gone == ("c",)
    assert answer.by_client == ("b", "c")
    assert (answer.as_of, answer.benchmark, answer.chance) == ("2026-11-26", "B", 0.25)
    listed = {*answer.short.options, *answer.short.beaten}
    assert {option.way.models for option in listed} == {("a",), ("b",), ("a", "b")}
    assert [option.way.askings for option in answer.short.options] == [5]


def test_a_platform_leaves_those_that_it_serves_alone() -> None:
    answer = best_judges(registry(), "all", DAY, platform="y")

    assert answer.served == {"a": {"y": "not before 2028-01-01"}}
    assert answer.gone == ("b", "c")
    assert best_judges(registry(), "all", DAY, budget=0.5).short.too_dear != ()
    with pytest.raises(UsageError, match="z serves no judge"):
        best_judges(registry(), "all", DAY, platform="z")
    with pytest.raises(UsageError, match="compares no judges"):
        best_judges(registry(None), "all", DAY)


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
