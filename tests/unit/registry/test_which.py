"""Tests of which judges can be used on a day, and where, from what was measured."""

from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest

from epc.errors import UsageError
from epc.records.choices import Choices, Domain, Way
from epc.registry.which import best_judges, changed, reached

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


def state(**ends: date) -> Any:
    return SimpleNamespace(**{"until": None, "not_before": None} | ends)


class Registered:
    """A registry in which a is served on x and y, b on x until 2027, and c nowhere."""

    choices: Choices | None = CHOICES

    def __init__(self) -> None:
        fault = SimpleNamespace(id="client-context")
        cards = {"a": [], "b": [SimpleNamespace(id="other"), fault], "c": [fault]}
        self.snapshots = {
            f"v1-{name}": SimpleNamespace(card=SimpleNamespace(known_faults=faults))
            for name, faults in cards.items()
        }

    def serving(self, model: str, day: date) -> list[tuple[str, Any]]:
        ends, later = date(2027, 1, 1), date(2028, 1, 1)
        places = {
            "a": [("x", state()), ("y", state(not_before=later))],
            "b": [("x", state(until=ends))] if day < ends else [],
        }
        return places.get(model, [])

    def lives_named(self, name: str) -> list[tuple[Any, Any]]:
        return [(SimpleNamespace(name="a"), None)] if name == "a-latest" else []


def registry(choices: Choices | None = CHOICES) -> Any:
    registered_model = Registered()
    registered_model.choices = choices
    return registered_model


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
    assert reached(registry(), "all", "a-latest", 0.85).model == "a"
    assert reached(registry(), "all", "b", 0.85).model == "b"
