"""Coupling on a card: by the protocol, or from recorded verdicts, always with its floor.

The figures of WMT25 are those that `tests/oracle` works out of the source's scores, those of the
protocol stand in the snapshot's audit.
"""

import pytest
from registry_support import ROOT, day

from epc.analysis.judge_card import JudgeCoupling
from epc.answers import words
from epc.answers.judge_cards import card_of
from epc.answers.subjects import subject
from epc.registry.reading import of_folder
from epc.registry.registry import Registry
from epc.report.judge_card_text import text
from epc.statistics.figures import Figure

TODAY = day("2026-11-29")


@pytest.fixture(scope="module")
def published() -> Registry:
    return of_folder(ROOT)


def test_a_card_has_the_coupling_of_recorded_verdicts_in_one_line_with_its_floor(
    published: Registry,
) -> None:
    card = card_of(published, subject(published, "gpt-4.1", TODAY), TODAY)

    assert card.coupling
    assert card.coupling.says == (
        "from recorded verdicts of 38 systems in 2 domains, WMT25 general translation: transfer "
        "regret from cs-de_DE to cs-uk_UA +0.2 points [-0.7, +1.1] of win rate, 4.7 [0.0, 15.8] "
        "of 100 choices redirected (with the tasks dealt to the domains by lot, where nothing can "
        "cross, 3.0): shows none, and is inconclusive"
    )
    (line,) = [line for line in text(card).split("\n") if line.startswith("  coupling, ")]
    assert line == f"  coupling, {card.coupling.says}, by August 2025 (too old), v1.1-gpt-4.1"


def test_what_the_protocol_measured_stands_before_recorded_verdicts(published: Registry) -> None:
    card = card_of(published, subject(published, "qwen2.5-coder-1.5b", TODAY), TODAY)

    assert card.coupling
    assert card.coupling.tag == "v1.3-qwen2.5-coder-1.5b"
    assert card.coupling.says.startswith(
        "by the protocol: transfer regret from visual to text +0.4 points [-10.8, +11.5] of win "
        "rate, 9.1 [0.0, 29.7] of 100 choices redirected"
    )


def test_a_judge_of_which_nothing_tells_has_no_coupling(published: Registry) -> None:
    card = card_of(published, subject(published, "claude-opus-5", TODAY), TODAY)

    assert card.coupling is None
    assert "coupling, " not in text(card)


@pytest.mark.parametrize(
    ("word", "end"),
    [
        ("coupled", "shows coupling"),
        ("no_coupling_beyond_margin", "shows none beyond 2 points"),
        ("no_detectable_coupling", "shows none"),
    ],
)
def test_reading_r71_the_line_ends_with_what_the_word_says(word: str, end: str) -> None:
    crossed = JudgeCoupling(
        tag="v1.0-J",
        source="x",
        target="y",
        regret=Figure(value=0.03, ci95=(0.01, 0.05)),
        redirected=Figure(value=0.2, ci95=(0.1, 0.3)),
        chance=0.015,
        word=word,  # type: ignore[arg-type]
        month="May 2026",
    )

    assert words.coupling(crossed) == (
        "by the protocol: transfer regret from x to y +3.0 points [+1.0, +5.0] of win rate, 20.0 "
        "[10.0, 30.0] of 100 choices redirected (with the tasks dealt to the domains by lot, where "
        f"nothing can cross, 1.5): {end}"
    )
