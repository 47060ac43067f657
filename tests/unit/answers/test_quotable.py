"""Figures that may be quoted: ANSWERS 4 and its cases 31 to 34, worked out from the records."""

from dataclasses import replace
from datetime import date
from functools import cache

import pytest
from registry_support import ROOT, day

from epc.analysis.quotable import QuotableFigure, ordered
from epc.answers.quotable import quotable_figures
from epc.errors import UsageError
from epc.registry.reading import of_folder
from epc.registry.registry import Registry

A, C = day("2026-11-28"), day("2027-03-15")


@cache
def published() -> Registry:
    return of_folder(ROOT)


def headline(name: str, on: date = A) -> QuotableFigure:
    first = quotable_figures(published(), name, on).headline
    assert first
    return first


@pytest.mark.parametrize("name", ["claude-haiku-4-5-20251001", "claude-haiku-4-5"])
def test_case_31_of_haiku_the_share_right_of_the_common_questions_stands_with_its_mark(
    name: str,
) -> None:
    """By domain .8341, .8449, .9044, .6551 and .9646, whose mean is .8406."""
    first = headline(name)

    assert first.value == pytest.approx((0.8341 + 0.8449 + 0.9044 + 0.6551 + 0.9646) / 5, abs=1e-4)
    assert first.ci95 == pytest.approx((0.820, 0.859), abs=1e-3)
    assert (first.key, first.askings, first.n, first.chance) == ("right", 8, 1675, 0.25)
    assert (first.state, first.month, first.until) == ("stands", "by April 2026", day("2027-04-29"))
    assert first.marks == ("client-context",)
    assert first.says == (
        "is right on 84.1 [82.0, 85.9] † of 100, domains alike, asked 8 times, RewardBench 2, "
        "1,675 questions, by April 2026 († asked through a client that adds text before the prompt)"
    )


def test_case_32_of_opus_one_person_s_choice_stands_until_a_year_after() -> None:
    first = headline("claude-opus-4-5")

    assert (first.key, first.n, first.month) == ("one_person", 50, "May 2026")
    assert first.value == 0.42
    assert first.ci95 == pytest.approx((0.290, 0.562), abs=1e-3)
    assert (first.state, first.until) == ("stands", day("2027-05-16"))
    assert headline("claude-opus-4-5", day("2027-05-16")).state == "stale"


def test_case_33_of_gpt_5_2_the_larger_file_speaks_by_the_month_of_its_commit() -> None:
    """Both of its files are too old: 877 pairs go before 50, in the past tense."""
    first = headline("gpt-5.2")

    assert (first.key, first.n, first.month) == ("one_person", 877, "by December 2025")
    assert first.value == pytest.approx(0.560, abs=5e-4)
    assert first.state == "stale"
    assert first.says.startswith("chose as one person did on 56.0 [52.7, 59.2] of 100, ")
    assert first.says.endswith("by December 2025 (too old)")


@pytest.mark.parametrize(("on", "state"), [(A, "stands"), (C, "stands")])
def test_case_34_of_sonnet_places_stand_beside_the_headline(on: date, state: str) -> None:
    """Its record says that the id is fixed, so they stand for a year from 6 August 2026."""
    figures = quotable_figures(published(), "claude-sonnet-4-6", on)
    places = figures.figure("places")

    assert places
    assert (places.n, places.items, places.month) == (300, 78, "August 2026")
    assert places.value == pytest.approx(0.91)
    assert places.ci95 == pytest.approx((0.871, 0.938), abs=1e-3)
    assert (places.state, places.until) == (state, day("2027-08-06"))


def test_what_ended_with_the_judge_is_history_and_no_headline() -> None:
    """Of gpt-4, which openai ended, LLMBar of October 2023 has 2,400 verdicts."""
    figures = quotable_figures(published(), "gpt-4", A)

    assert (figures.headline, figures.other_figures) == (None, ())
    assert {figure.state for figure in figures.history} == {"ended"}
    assert figures.history[0].says.startswith("was right on 82.5 [80.5, 84.3] of 100, LLMBar")
    assert "right" in figures.missing


def test_a_setting_that_was_misread_is_never_quoted() -> None:
    """PaLM2/CoT of text-bison-001 carries a known fault."""
    figures = quotable_figures(published(), "text-bison-001", A)

    assert figures.history
    assert all(figure.setting != "PaLM2/CoT" for figure in figures.history)


def test_p8_on_the_next_day_the_answer_changes_and_on_the_day_before_it_has_not() -> None:
    """Opus's verdicts of 1 February 2026 are too old a year later; the notice changes nothing."""
    figures = quotable_figures(published(), "claude-opus-4-5", A)

    assert figures.next == day("2027-02-01")
    before = quotable_figures(published(), "claude-opus-4-5", day("2027-01-31"))
    after = quotable_figures(published(), "claude-opus-4-5", day("2027-02-01"))
    assert before.stated == figures.stated != after.stated


def test_a_name_that_nobody_knows_is_refused() -> None:
    with pytest.raises(UsageError, match="not in this registry"):
        quotable_figures(published(), "no-such-judge-x", A)


def test_figures_of_images_stand_beside_those_of_text_and_behind_them() -> None:
    """Of one kind both are stated, however many more items the images have."""
    text = headline("claude-opus-4-5")
    images = replace(text, modality="image", n=5_000, items=5_000, value=0.9)

    assert ordered([images, text]) == [text, images]
