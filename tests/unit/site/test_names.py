"""The list of names holds the program's own answer on every later day, not on sampled ones only."""

from datetime import date, timedelta
from functools import cache
from typing import Any

from budget_support import is_night
from registry_support import ROOT

from epc.answers.snapshot_status import status_on
from epc.protocol.results import Json
from epc.registry.expiry import Expiry
from epc.registry.reading import of_folder
from epc.registry.registry import Registry
from epc.site.names import documents

BUILT = date(2026, 4, 1)
DAYS = [BUILT + timedelta(days=n) for n in (0, 1, 29, 61, 128, 205, 206, 236, 258, 288, 500)]
DAYS += [date(2026, 10, 22), date(2026, 10, 23), date(2027, 1, 13), date(2027, 1, 14)]
ASKED_ON = DAYS if is_night() else [*DAYS[:-4:2], *DAYS[-4:]]
_LEFT_OUT: list[Any] = ["", 0, 0, 0, 0, None, None]  # of a row, at its end


@cache
def registry() -> Registry:
    return of_folder(ROOT)


@cache
def listed() -> Json:
    names, places = documents(registry(), BUILT)
    return {**names, **places}


def held(states: list[list[Any]], day: date, *given: str) -> list[object]:
    """Return what the file says on a day; `given` are the place's name, its platform and day."""
    row = [state for state in states if state[0] <= str(day)][-1]
    _, kind, note, source, revision, until, not_before = [*row, *_LEFT_OUT[len(row) :]]
    status, rest, *_ = listed()["kinds"][kind]
    name, platform, seen = given or ("", "", "")
    holes = ["{0}", "", "", "", name, platform, str(until), seen, str(not_before)]
    words, ground = (text.format(*holes) for text in (rest, listed()["sentences"][note]))
    source = listed()["sources"][source]
    return [f"{status}{words}", ground, source, revision, until, not_before]


def stated(state: Expiry) -> list[object]:
    until, not_before = (
        day.isoformat() if day else None for day in (state.until, state.not_before)
    )
    return [state.status_text, state.note, state.source or "", state.revision, until, not_before]


def test_between_two_days_of_the_list_no_state_of_a_place_changes() -> None:
    models = [*registry().generations.values(), *registry().catalogue.values()]

    assert len(models) == len(listed()["models"])
    for model, told, places in zip(models, listed()["models"], listed()["places"], strict=True):
        for life, name, place in zip(model.lives, told["served"], places, strict=True):
            platform, seen, _, states = place
            assert (name, platform) == (life.model, life.platform)
            for day in ASKED_ON:
                state = registry().of_life("{0}", life, day)
                assert held(states, day, name, platform, seen) == stated(state), (
                    name,
                    platform,
                    day,
                )


def test_between_two_days_of_the_list_no_state_of_a_snapshot_changes() -> None:
    for tag, (platform, states) in listed()["snapshots"].items():
        assert platform == registry().snapshots[tag].platform
        for day in DAYS:
            assert held(states, day) == stated(status_on(registry(), tag, day).state), (tag, day)


def test_every_name_is_of_one_entry_and_leads_to_a_page_if_it_has_a_record() -> None:
    models = listed()["models"]
    names: list[str] = []
    for model in models:
        for entry in model["entries"]:
            spelled = [
                name for kind in ("names", "listed", "others") for name in entry.get(kind, ())
            ]
            names += [model["served"][name] if isinstance(name, int) else name for name in spelled]
    folded = [name.casefold() for name in names]

    assert sorted(folded) == sorted(registry().names.spellings())
    assert sum("page" in model for model in models) == len(registry().generations)
    plain = [model.get("plain", model["served"][0]) for model in models]
    assert plain == [
        registry().plain_name(name) for name in (*registry().generations, *registry().catalogue)
    ]
