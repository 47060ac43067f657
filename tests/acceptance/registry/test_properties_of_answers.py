"""Properties of the answers that hold for every name of the registry; a sample is asked."""

from datetime import date, timedelta
from functools import cache
from itertools import pairwise

import pytest
from registry_support import ROOT

from epc.answers.judge_cards import card_of
from epc.answers.replacement import replacement_on
from epc.answers.resolve import resolve
from epc.answers.scanning import answered
from epc.answers.service import service_on
from epc.answers.snapshot_status import snapshot_status, status_on
from epc.answers.subjects import subject
from epc.api.answers import Answers
from epc.records.typed import as_json
from epc.registry.lifecycles import OPEN_WEIGHTS
from epc.registry.reading import of_folder
from epc.registry.registry import Registry

DAY = date(2026, 11, 28)


@cache
def published() -> Registry:
    return of_folder(ROOT)


@cache
def sample() -> list[tuple[str, str]]:
    """Return 200 names with a platform of each, spread over the catalogue."""
    places = sorted(place for place in published().served if place[0] != OPEN_WEIGHTS)
    return places[:: len(places) // 200]


def test_p7_a_said_platform_is_the_headlines_platform() -> None:
    for platform, name in sample():
        answer = service_on(published(), f"{platform}/{name}", DAY)
        if answer.headline and answer.name.platforms_in_text:
            assert answer.headline.platform in answer.name.platforms_in_text, (platform, name)


@pytest.mark.parametrize(
    "tag",
    ["v1.0-claude-haiku-4-5-20251001", "v1.1-GPT4o-0806", "v1.0-claude-sonnet-4-5-20250929"],
)
def test_p8_a_snapshots_status_changes_on_each_turn_and_on_no_day_between(tag: str) -> None:
    turns, day = [DAY], DAY
    while turn := snapshot_status(published(), tag, day).next:
        turns.append(turn)
        day = turn
    assert len(turns) > 1

    def lasting(on: date) -> tuple[object, ...]:
        state = status_on(published(), tag, on).state
        return state.status, state.reason, state.until, state.note

    for begin, end in pairwise(turns):
        days = [begin + timedelta(days=n) for n in range((end - begin).days)]
        assert len({lasting(on) for on in days}) == 1, (tag, begin, end)
        assert lasting(end) != lasting(begin), (tag, end)


def test_p9_every_replacement_and_hint_resolves() -> None:
    for platform, name in sample():
        answer = service_on(published(), f"{platform}/{name}", DAY)
        for place in answer.places:
            assert place.replacement_name is None or place.replacement_name.is_known
        first = replacement_on(published(), None, f"{platform}/{name}", DAY).first
        assert first is None or resolve(published(), first.name, DAY).is_known, (name, first)
        for hint in resolve(published(), name[:-1], DAY).hints:
            assert resolve(published(), hint, DAY).is_known, (name, hint)


def test_p3_the_programs_card_and_its_tools_have_one_replacement() -> None:
    """Of 40 names: the state, the card, the scan and the successor of each."""
    answers = Answers(str(ROOT), lambda: DAY)
    names = list(dict.fromkeys(name for _, name in sample()))[::5]
    for name in names:
        first = replacement_on(published(), None, name, DAY).first
        expected = as_json(first) if first else None
        card = card_of(published(), subject(published(), name, DAY), DAY)
        entry = answered(published(), name, (), DAY)
        assert (card.instead, entry.instead) == (first, first), name
        (state, *_) = answers.judge_status(name).document["states"]
        assert state.get("instead") == expected, name
        assert answers.judge_card(name).document.get("instead") == expected, name
        assert answers.successor(name).document.get("first") == expected, name
