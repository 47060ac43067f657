"""What the first sentence of a card says of what is published, whatever kind that is."""

import pytest
from registry_support import ROOT, day

from epc.answers.judge_cards import card_of
from epc.answers.subjects import subject
from epc.registry.reading import of_folder
from epc.registry.registry import Registry
from epc.report.judge_card_text import sentence

TODAY = day("2026-11-25")


@pytest.fixture(scope="module")
def published() -> Registry:
    return of_folder(ROOT)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        (
            "gpt-4-0613",
            (
                "805 verdicts (v1.0-gpt-4-0613) are published. Nothing says whether they are "
                "right, change with the place or are repeated."
            ),
        ),
        (
            "gpt-4-1106-preview",
            (
                "No figure of it stands. Before its end it had an estimated transfer regret from "
                "selfinstruct to oasst of +1.8 points [-3.3, +6.9] of win rate, AlpacaEval, "
                "24,473 verdicts on 440 items, by December 2024."
            ),
        ),
        (
            "gpt-4o-2024-05-13",
            (
                "Before its end it repeated its verdict in 84.2 [31.2, 98.4] of 100, WildBench, "
                "19 verdicts on 10 items, by June 2024."
            ),
        ),
        (
            "internlm2-7b-reward",
            (
                "internlm2-7b-reward: its weights are public. It was right on 59.4 [54.2, 64.5] "
                "of 100, JudgeBench, 350 verdicts, by October 2024 (too old)."
            ),
        ),
        (
            "gpt-4o",
            (
                "gpt-4o: served at openai until 2027-01-14. Served at azure-openai until "
                "2027-04-14. Served at azure-foundry until 2027-04-14 at the least. "
                "The name means gpt-4o-2024-08-06. It gave scores that followed people's with a "
                "rank correlation of 0.52 "
            ),
        ),
        (
            "claude-opus-5",
            "served at anthropic until 2027-07-24 at the least",
        ),
        ("claude-opus-5", ". No measurement of it is in this registry."),
        ("qwen-plus", ". What was published is of a failed run."),
        ("text-bison-001", "it was right on 68.7 [66.4, 71.0] of 100, LLMBar, 2,400 verdicts"),
    ],
)
def test_a_card_says_what_was_measured_whatever_kind_and_of_an_alias_by_its_target(
    published: Registry, name: str, says: str
) -> None:
    today = TODAY

    assert says in sentence(card_of(published, subject(published, name, today), today))


def test_reading_r97_a_misread_pool_counts_for_no_requirement(published: Registry) -> None:
    card = card_of(published, subject(published, "text-bison-001", TODAY), TODAY)

    out = {figure.setting: figure.left_out for figure in card.figures if figure.left_out}
    assert out["PaLM2/CoT"] == "known misreading, against-the-answer"
    assert out["PaLM2/Swap"].startswith("asked only about items whose first two answers")
    assert set(out) == {"PaLM2/CoT", "PaLM2/Swap", "PaLM2/Swap_CoT"}


def test_an_alias_under_whose_name_verdicts_stand_shows_these_and_not_its_targets(
    published: Registry,
) -> None:
    card = card_of(published, subject(published, "gpt-4", TODAY), TODAY)

    assert card.means is None
    assert {
        remaining_card_source.of.partition("-")[2] for remaining_card_source in card.rests_on
    } == {"gpt-4"}
