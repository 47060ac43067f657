"""Table of a judge's page: the same rows for all, with the command and cost of what lacks."""

from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest
from registry_support import ROOT

from epc.answers.judge_cards import card_of
from epc.registry.reading import of_folder
from epc.registry.registry import Registry
from epc.registry.subjects import subject_of_page
from epc.site.measurements import Measurement, known_count, measurements

TODAY = date(2026, 11, 29)
QUESTIONS = [
    "served until",
    "right",
    "right, by domain",
    "same verdict, places swapped",
    "same verdict, asked again",
    "coupling",
    "under an optimiser",
    "price",
    "known faults",
]


@pytest.fixture(scope="module")
def registry() -> Registry:
    return of_folder(ROOT)


def rows_of(
    registry: Registry, name: str, platform: str = "", model: str = "", *, holds: bool = True
) -> dict[str, Measurement]:
    """Return the rows of a judge by their questions, as it is served on one platform."""
    snapshots = [s for s in registry.snapshots.values() if s.tag.generation == name]
    subject = subject_of_page(registry, name, snapshots)
    state = SimpleNamespace(status_text="current")
    standing = SimpleNamespace(state=state, holds=holds)
    record = SimpleNamespace(platform=platform, model=model, pinned=platform == "local")
    chief = SimpleNamespace(record=record, standing=standing) if platform else None
    loops = [
        SimpleNamespace(row=SimpleNamespace(tag=str(s.tag))) for s in snapshots if s.kind == "loop"
    ]
    page: Any = SimpleNamespace(
        chief=chief,
        platforms=[chief] if chief else [],
        card=card_of(registry, subject, TODAY),
        loops=loops,
    )
    site: Any = SimpleNamespace(registry=registry, as_of=TODAY)
    rows = measurements(site, page)
    assert [row.question for row in rows] == QUESTIONS
    assert known_count(rows) == sum(bool(row.answer) for row in rows)
    return {row.question: row for row in rows}


def test_a_judge_of_open_weights_has_its_figures_with_their_snapshots(registry: Registry) -> None:
    """Accuracy and places as counted in its 596 verdicts: 286 right, no pair kept its verdict."""
    rows = rows_of(registry, "qwen2.5-coder-0.5b", "local", "qwen2.5-coder-0.5b")

    assert rows["right"].answer == "48.0 [44.0, 52.0] of 100, LLMBar-short, 298 items"
    assert rows["right"].tags == ("v1.1-qwen2.5-coder-0.5b",)
    assert "GPTInst 48.4 [" in rows["right, by domain"].answer
    assert rows["same verdict, places swapped"].answer.startswith("0.0 [0.0, 1.3] of 100")
    assert rows["coupling"].tags == ("v1.0-qwen2.5-coder-0.5b",)
    assert rows["price"].answer.startswith("nothing but time: ")
    assert rows["served until"].answer == "for good: its weights are pinned (local)"


def test_what_is_not_measured_is_a_command_with_its_cost(registry: Registry) -> None:
    """298 pairs in both orders: 97,776 tokens at $2 and 1,788 at $8 a million are $0.2099."""
    rows = rows_of(registry, "gpt-4.1", "openai", "gpt-4.1")

    assert (rows["right"].answer, rows["right"].cost) == ("", "about $0.21")
    assert rows["right"].command == (
        "epc judge pairs LLMBar-short.jsonl --judge openai/gpt-4.1 --out pairs.jsonl"
    )
    assert [row.cost for row in rows.values() if not (row.answer or row.command)] == [
        "it comes with “right”"
    ] * 3
    again = rows["same verdict, asked again"]
    assert (again.command.split(" --askings ")[1], again.cost) == (
        "3 --temperature 0.7 --out again.jsonl",
        "about $0.63",
    )
    assert rows["coupling"].tags == ("v1.1-gpt-4.1",)
    assert rows["known faults"].answer.startswith("6: scores-only, ")


def test_the_cost_of_coupling_is_that_of_the_forecast(registry: Registry) -> None:
    """As `epc run --dry-run` prints it: $0.4590 for the answers and $0.0685 for the verdicts."""
    rows = rows_of(registry, "claude-opus-5", "openai", "gpt-4.1")

    assert rows["coupling"].command == (
        "epc run --evaluator openai/gpt-4.1 --executor openai/gpt-4.1 --exhaustive --out run"
    )
    assert rows["coupling"].cost == "about $0.53"


def test_a_judge_that_nobody_serves_cannot_be_measured(registry: Registry) -> None:
    rows = rows_of(registry, "claude-opus-5", "openai", "gpt-4.1", holds=False)

    assert (rows["right"].command, rows["right"].cost) == ("", "nobody serves it any longer")


def test_an_optimiser_s_gain_and_a_price_stand_where_they_are_known(registry: Registry) -> None:
    rows = rows_of(registry, "gpt-5.4-mini", "openai", "gpt-5.4-mini")

    assert rows["right"].answer.startswith("74.6 [72.3, 76.8]")
    assert "Math " in rows["right, by domain"].answer
    assert rows["under an optimiser"].answer.startswith("From a ")
    assert rows["under an optimiser"].tags
    assert rows["price"].answer.endswith(" for 1,000 questions")
