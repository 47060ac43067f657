"""Limits of judges: what may not be said of them, worked out from the published records by hand."""

from functools import cache

import pytest
from registry_support import ROOT, day

from epc.answers.judge_cards import card_of
from epc.answers.limits import limits
from epc.answers.subjects import subject
from epc.registry.reading import of_folder
from epc.registry.registry import Registry
from epc.report.judge_card_text import text

A = day("2026-11-28")


@cache
def published() -> Registry:
    return of_folder(ROOT)


def test_that_an_optimiser_may_chase_a_judge_stands_first() -> None:
    """metrics.json of v1.1-gpt-5.4-mini: believed 0.129, gold -0.0257 [-0.0341, -0.0172]."""
    found = limits(published(), "gpt-5.4-mini", A)

    assert found[0].says == (
        "That an optimiser may chase it: from a good start it reported +0.13 points, and right "
        "answers fell by 2.6 of 100 [1.7, 3.4], by April 2026."
    )
    assert (found[0].because, found[0].tag) == ("fault", "v1.1-gpt-5.4-mini")
    # Committed on 30 April 2026, of a name that may move: 180 days later is 27 October.
    assert found[1].says == (
        "That it is so today: its newest figures (by April 2026) are too old since 2026-10-27."
    )
    assert found[2].says == "Place bias and agreement with people: not in this registry."
    assert [limit.because for limit in found] == ["fault", "stale", "missing"]


@pytest.mark.parametrize(
    ("name", "because", "says"),
    [
        ("claude-haiku-4-5-20251001", "fault", "asked through a client that adds text before"),
        # One student chose between the answers of every pair.
        ("claude-opus-4-5-20251101", "fault", "one person chose"),
        ("gpt-5.2", "stale", "(May 2026) are too old since 2026-11-12"),
        ("claude-opus-5", "missing", "no measurement of it is in this registry"),
        # Azure states no version, and figures are of gpt-4o-2024-08-06.
        ("azure/gpt-4o", "other_version", "of another version"),
    ],
)
def test_what_may_not_be_said_has_its_ground(name: str, because: str, says: str) -> None:
    assert any(
        limit.because == because and says in limit.says for limit in limits(published(), name, A)
    )


def test_a_judge_that_gained_nothing_under_an_optimiser_has_no_such_limit() -> None:
    """From no start did right answers fall under claude-opus-4-5: it has no runs at all."""
    found = limits(published(), "claude-opus-4-5-20251101", A)

    assert not any("optimiser" in limit.says for limit in found)


def test_what_is_current_is_not_called_too_old() -> None:
    assert not any(
        limit.because == "stale" for limit in limits(published(), "claude-sonnet-4-6", A)
    )


def test_p6_an_alias_has_its_targets_limits() -> None:
    for alias, target in (
        ("claude-haiku-4-5", "claude-haiku-4-5-20251001"),
        ("claude-opus-4-5", "claude-opus-4-5-20251101"),
    ):
        assert limits(published(), alias, A) == limits(published(), target, A) != ()


def test_a_card_has_the_same_limits_in_its_text_and_its_document() -> None:
    card = card_of(published(), subject(published(), "gpt-5.4-mini", A), A)

    assert card.limits == limits(published(), "gpt-5.4-mini", A)
    lines = text(card).splitlines()
    place = lines.index("you may not say")
    assert lines[place + 1 : place + 4] == [f"  {limit.says}" for limit in card.limits]
    assert place < lines.index("platforms")


def test_no_limit_is_true_of_every_judge() -> None:
    models = [name for name in published().generations if "gpt" in name or "claude" in name]
    every = [{limit.says for limit in limits(published(), name, A)} for name in models]

    assert not set.intersection(*every)


def test_a_name_that_nobody_knows_has_none() -> None:
    assert limits(published(), "no-such-judge-x", A) == ()
