"""Addresses that people guess, and what stands at them."""

from types import SimpleNamespace
from typing import Any

import pytest

from epc.site import guessing
from epc.site.guessing import Guess, Meaning, _best, _is_harmless, _leading, guesses


def page(name: str) -> Any:
    return SimpleNamespace(name=name, platforms=())


def meaning(name: str, platform: str | None = None) -> Meaning:
    return Meaning(page=page(name), platform=platform)


def guessed(monkeypatch: pytest.MonkeyPatch, *spelt: tuple[str, str]) -> dict[str, list[str]]:
    """Return the evaluators that each guess means, of names that stand for evaluators."""
    own = sorted({name for _, name in spelt})
    known = {name: meaning(name) for name in own}

    def spelled(_: Any, of: Any) -> Any:
        return [(name, (0, False), known[who]) for name, who in spelt if who == of.name]

    monkeypatch.setattr(guessing, "_spelled", spelled)
    site: Any = SimpleNamespace(evaluators=[each.page for each in known.values()])
    return {guess.place: [m.page.name for m in guess.means] for guess in guesses(site)}


def test_a_name_leads_to_what_it_means_in_its_own_letters_and_in_small_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = guessed(monkeypatch, ("GPT", "GPT"), ("gpt-4o", "GPT"), ("Claude-3", "Claude"))

    assert found == {
        "gpt": ["GPT"],
        "gpt-4o": ["GPT"],
        "Claude-3": ["Claude"],
        "claude-3": ["Claude"],
    }


def test_names_that_are_drawn_alike_leave_the_choice_to_the_reader(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A small L and the digit 1 are drawn alike."""
    found = guessed(monkeypatch, ("model-l", "One"), ("model-1", "Two"), ("other", "Two"))

    assert sorted(found["model-l"]) == sorted(found["model-1"]) == ["One", "Two"]
    assert found["other"] == ["Two"]


def test_a_name_means_what_it_stands_for_best_each_evaluator_once() -> None:
    one, other = meaning("One"), meaning("Two")

    assert _best([((1, False), one), ((0, False), other), ((0, False), other)]) == (other,)
    assert _best([((0, True), one), ((0, True), other)]) == (one, other)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gpt-4o", True),
        ("openai/gpt-4o:free", True),
        ("x" * 120, True),
        ("x" * 121, False),
        (".hidden", False),
        ("a/../b", False),
        ("page.json", False),
        ("ends.", False),
    ],
)
def test_a_name_is_a_harmless_part_of_an_address(name: str, *, expected: bool) -> None:
    assert _is_harmless(name) == expected


@pytest.mark.parametrize(
    ("means", "address", "leads", "canonical"),
    [
        ((meaning("One"),), "https://x/", True, True),
        ((meaning("One"),), "", True, False),
        ((meaning("One"), meaning("Two")), "https://x/", False, False),
    ],
)
def test_a_page_leads_on_where_one_is_meant_and_names_its_address_if_it_knows_it(
    means: tuple[Meaning, ...], address: str, *, leads: bool, canonical: bool
) -> None:
    site: Any = SimpleNamespace(address=address)

    text = _leading(site, Guess(place="openai/gpt", means=means, spelt=True))

    assert ('content="0; url=../../One/"' in text) == leads
    assert ('<link rel="canonical" href="https://x/evaluators/One/">' in text) == canonical
    assert all(f'<a href="../../{each.page.name}/">' in text for each in means)
