"""What settles the word about coupling, and what to read beside it (Readings R70 to R74)."""

from types import SimpleNamespace
from typing import Any

import pytest

from epc.audit.coupling_reasons import BESIDE, SETTLING, coupled


def facts(**changed: Any) -> Any:
    """Return facts of a measurement in which nothing crosses, with some of the transfer changed."""
    outside: dict[str, Any] = {
        key: changed.pop(key)
        for key in ("missing", "preferences", "copies", "declared", "compared")
        if key in changed
    }
    transfer = {
        "test": SimpleNamespace(p_value=0.5, splits=100, unit="task"),
        "directions": {"text_to_visual": None},
        "cost": None,
        "regret": None,
        "decided_share": 1.0,
        "left_out": SimpleNamespace(strategies=(), tasks={}),
        "ties": SimpleNamespace(p_value=1.0, share={"text": 0.1, "visual": 0.3}),
        "clusters": {"text": None, "visual": None},
    }
    record: dict[str, Any] = {"missing": None, "preferences": None, "copies": {}, "declared": False}
    record |= {"compared": 11, **outside}
    return SimpleNamespace(transfer=SimpleNamespace(**{**transfer, **changed}), **record)


def reason_places(of: Any) -> list[tuple[str, str]]:
    """Return where each reason points to, and the words that it is known by."""
    reasons = [reason for each in (*SETTLING, *BESIDE) for reason in each(of)]
    return [(reason.finding.where, reason.finding.problem) for reason in reasons]


def by_chance(p_value: float, splits: int = 100) -> SimpleNamespace:
    return SimpleNamespace(p_value=p_value, splits=splits, unit="task")


@pytest.mark.parametrize(
    ("p_value", "cost", "expected"),
    [
        (0.05, 0.02, True),
        (0.051, 0.02, False),
        (0.05, 0.019, False),
        (0.01, None, False),
    ],
)
def test_reading_r71_coupled_is_beyond_chance_and_at_a_cost(
    p_value: float, cost: float | None, *, expected: bool
) -> None:
    assert coupled(facts(test=by_chance(p_value), cost=cost)) == expected


@pytest.mark.parametrize(
    ("regret", "p_value", "cost", "expected"),
    [
        (0.02, 0.05, 0.0, 1),
        (0.019, 0.05, 0.0, 0),
        (None, 0.05, 0.0, 0),
        (0.02, 0.06, 0.0, 0),
        (0.02, 0.05, 0.02, 0),  # that is coupling, and explained
    ],
)
def test_reading_r71_regret_without_a_crossing_is_training_that_a_domain_did_not_get(
    regret: float | None, p_value: float, cost: float, expected: int
) -> None:
    found = reason_places(facts(test=by_chance(p_value), regret=regret, cost=cost))

    assert len(found) == expected
    assert all("prefers more weakly or with more noise" in problem for _, problem in found)


@pytest.mark.parametrize(("splits", "expected"), [(19, 1), (20, 0)])
def test_reading_r74_fewer_than_twenty_splits_say_nothing(splits: int, expected: int) -> None:
    assert len(reason_places(facts(test=by_chance(0.5, splits)))) == expected


def test_reading_r72_where_too_little_was_decided_no_other_reason_is_looked_for() -> None:
    found = reason_places(facts(directions=None, decided_share=0.2, test=None))

    assert [where for where, _ in found] == ["/results/verdict_table"]
    assert "20% of the verdicts were decided" in found[0][1]


def test_reading_r72_the_first_three_of_what_is_left_out_are_named() -> None:
    left = SimpleNamespace(strategies=["p"], tasks={"text": [2, 5], "visual": [1]})
    three = SimpleNamespace(strategies=["p"], tasks={"text": [2, 5], "visual": []})

    ((_, further_text),) = reason_places(facts(left_out=left))
    ((_, all_told),) = reason_places(facts(left_out=three))

    assert further_text.endswith("p, text task 2, text task 5, ...")
    assert all_told.endswith("p, text task 2, text task 5")


@pytest.mark.parametrize(("p_value", "expected"), [(0.05, 1), (0.051, 0)])
def test_reading_r72_domains_that_tie_unlike_are_named(p_value: float, expected: int) -> None:
    ties = SimpleNamespace(p_value=p_value, share={"text": 0.1, "visual": 0.3})

    found = reason_places(facts(ties=ties))

    assert len(found) == expected
    assert all("undecided in 10% in text and 30% in visual" in problem for _, problem in found)


@pytest.mark.parametrize(("p_value", "expected"), [(0.005, 1), (0.0051, 0), (None, 0)])
def test_reading_r74_topics_are_named_at_half_the_level_for_either_domain(
    p_value: float | None, expected: int
) -> None:
    assert len(reason_places(facts(clusters={"text": p_value, "visual": None}))) == expected


@pytest.mark.parametrize(
    ("differ", "beyond", "expected"), [(0.05, 0.06, 1), (0.051, 0.06, 0), (0.05, 0.05, 0)]
)
def test_reading_r71_preferences_that_differ_and_do_not_cross_are_named(
    differ: float, beyond: float, expected: int
) -> None:
    found = reason_places(
        facts(preferences=SimpleNamespace(p_value=differ), test=by_chance(beyond))
    )

    assert len(found) == expected


def settled(of: Any) -> list[str | None]:
    return [reason.word for rule in SETTLING for reason in rule(of)]


def test_reading_r102_near_copies_by_their_texts_take_the_word() -> None:
    of = facts(copies={"text": [], "visual": [(3, 7), (3, 9)]})

    ((place, problem),) = reason_places(of)

    assert place == "/tasks/visual"
    assert problem.startswith(
        "the texts of 2 pairs of visual tasks are near-copies, such as tasks 3"
    )
    assert settled(of) == ["inconclusive"]


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({}, ["inconclusive"]),
        ({"compared": 8}, []),
        ({"declared": True}, []),
        ({"copies": {"text": [], "visual": []}}, []),
        ({"cost": 0.01}, []),
    ],
)
def test_reading_r102_few_strategies_are_not_called_coupled_where_copies_would_not_be_found(
    changed: dict[str, Any], word: list[str]
) -> None:
    of = {"test": by_chance(0.01), "cost": 0.1, "compared": 7, "copies": None, **changed}

    assert settled(facts(**of)) == word
