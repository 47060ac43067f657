"""Tests of what replaces a judge on a day (Reading R96): the cases of the registry, and each way.

The cases are worked out by hand from the records: 10, 19, 26 and 39 of the worked answers.
"""

from datetime import date
from functools import cache
from pathlib import Path

import pytest
from registry_support import ROOT, Checkout, Json, date_claim, generation_record, life_record

from epc.analysis.agreement import Agreement, AgreementRecord
from epc.answers.replacement import replacement, replacement_on
from epc.registry.reading import of_folder
from epc.registry.registry import Registry
from epc.statistics.figures import ClusteredFigure

A = date(2026, 11, 28)
C = date(2027, 3, 15)
UNKNOWN_AGREEMENT = "agreement not in this registry"


@cache
def published() -> Registry:
    return of_folder(ROOT)


@pytest.mark.parametrize(
    ("name", "day", "first"),
    [
        ("gemini-2.5-flash", A, ("gemini-3.5-flash-lite", "google-gemini-api")),
        ("gpt-5.4-nano", C, ("gpt-6-luna", "openai")),  # confirmed by azure-foundry alone then
        ("gpt-4", A, ("gpt-5.6-sol", "openai")),
        ("claude-3-5-sonnet", A, ("claude-sonnet-4-6", "anthropic")),
    ],
)
def test_reading_r96_the_replacement_that_a_platform_names_is_the_first(
    name: str, day: date, first: tuple[str, str]
) -> None:
    found = replacement_on(published(), None, name, day).first

    assert found
    assert (found.name, found.how) == (first[0], "named")
    assert found.why == f"named by {first[1]}; {UNKNOWN_AGREEMENT}"


@pytest.mark.parametrize("name", ["claude-haiku-4-5", "claude-haiku-4-5-20251001"])
def test_reading_r96_a_judge_without_an_end_has_only_who_agrees_and_so_has_its_alias(
    name: str,
) -> None:
    """Verdicts of 5,200 common items are alike in 83.3 of 100; by chance 42.1 would be."""
    found = replacement_on(published(), None, name, A)

    assert found.first is None
    assert not found.has_end
    (agreement,) = found.agreeing
    assert (agreement.model, agreement.items) == ("claude-sonnet-4-6", 5200)
    assert agreement.alike.text(".1c") == "83.3 [82.2, 84.3]"
    assert round(100 * agreement.chance, 1) == 42.1


def test_reading_r96_text_that_is_no_name_stays_text() -> None:
    found = replacement_on(published(), None, "deepseek-v4-pro", A)

    assert found.has_end
    assert found.vendor_replacement
    assert found.vendor_replacement.text == "deepseek-flash (V4.1 Flash)"
    assert found.vendor_replacement.service is None
    assert found.first is None, "nothing agrees with it, and no judge of its platform was measured"


def life(model: str, **given: Json | str) -> Json:
    return life_record(platform="openai", model=model, **given)


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    """Return a registry in which old-1 ends in 2027; new-1 is served, and gone-1 has ended."""
    checkout = Checkout(tmp_path / "registry")
    late, gone = date_claim("2027-01-01"), date_claim("2025-06-06")
    checkout.evaluator(generation_record("old-1", life("old-1", retires=late)))
    checkout.evaluator(generation_record("old-2", life("old-2", retires=late, replacement="New!")))
    checkout.evaluator(generation_record("old-3", life("old-3", retires=late, replacement="new-1")))
    checkout.evaluator(
        generation_record("old-4", life("old-4", retires=late, replacement="gone-1"))
    )
    checkout.evaluator(generation_record("new-1", life("new-1")))
    checkout.evaluator(generation_record("gone-1", life("gone-1", retires=gone)))
    return of_folder(checkout.folder)


def agreement(model: str, share: float) -> Agreement:
    return Agreement(
        judge=f"{model}/P",
        model=model,
        sources=("S",),
        prompt="P",
        same_decoding=True,
        subset=None,
        items=600,
        shared_answers=0,
        alike=ClusteredFigure(value=share, ci95=(share - 0.05, share + 0.05), n=1200, items=600),
        chance=0.5,
        shifts={},
    )


RECORD = AgreementRecord(
    ways={"new-1": 1, "gone-1": 1}, agreements=(agreement("gone-1", 0.9), agreement("new-1", 0.8))
)


@pytest.mark.parametrize("name", ["old-1", "old-2", "old-4"])
def test_reading_r96_where_nobody_served_is_named_the_best_that_agrees_is_the_first(
    registry: Registry, name: str
) -> None:
    """Neither a text that is no name, nor who has ended, is turned to."""
    found = replacement_on(registry, RECORD, name, date(2026, 4, 1))

    assert [a.model for a in found.agreeing] == ["new-1"]
    assert found.first
    assert (found.first.name, found.first.how) == ("new-1", "agreeing")
    assert found.first.why == "same verdict on 80.0 [75.0, 85.0] of 100, chance 50.0"


def test_reading_r96_a_named_one_has_its_agreement_beside_it(registry: Registry) -> None:
    measured = replacement_on(registry, RECORD, "old-3", date(2026, 4, 1)).first
    weak = AgreementRecord(ways={"new-1": 1})
    unshown = replacement_on(registry, weak, "old-3", date(2026, 4, 1)).first

    assert measured
    assert unshown
    assert measured.why == "named by openai; same verdict on 80.0 [75.0, 85.0] of 100, chance 50.0"
    assert unshown.why == "named by openai; not shown to agree"


def test_reading_r96_without_agreement_or_choice_nothing_is_turned_to(registry: Registry) -> None:
    found = replacement_on(registry, None, "old-1", date(2026, 4, 1))

    assert found.has_end
    assert found.first is None


@pytest.mark.parametrize("name", ["gemini-2.5-flash", "o1-mini", "gpt-5.4-nano"])
def test_p8_a_replacement_changes_on_its_turn_and_not_on_the_day_before(name: str) -> None:
    today = replacement(published(), None, name, A)
    assert today.next
    before = replacement_on(published(), None, name, date.fromordinal(today.next.toordinal() - 1))
    after = replacement_on(published(), None, name, today.next)

    assert before.first == today.first
    assert before.has_end == today.has_end
    models = [[a.model for a in found.agreeing] for found in (today, after)]
    assert (after.has_end, after.first, models[1]) != (today.has_end, today.first, models[0])
