"""Every name that the registry knows, with its answers from the day of building on: one file.

The front page's box answers from it alone, on the reader's own day. An answer changes only on a
few days, so the file holds the program's own answer on each of these.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any, Final

from epc.answers.choose import turns_of_listing
from epc.answers.judge_cards import card_of
from epc.answers.replacement import Lookups, first_by_day, ids_of_ending
from epc.answers.resolve import home_of, resolve
from epc.answers.service import life_state
from epc.answers.snapshot_status import status_on, turns_of
from epc.answers.subjects import lives_of
from epc.answers.turns import days_of_life, turns
from epc.protocol.results import Json
from epc.records.model_names import rules
from epc.registry.expiry import Expiry
from epc.registry.lifecycles import Generation, ServiceTerm, ServiceTermRecord
from epc.registry.names import plain_of, spellings_of
from epc.registry.registry import Registry
from epc.registry.snapshots import Snapshot
from epc.registry.subjects import Subject, subject_of_page, target_of
from epc.report.judge_card_text import performance_text

PLACE: Final = "assets/names.json"
_Table = dict[str, int]  # texts that stand in the file once, by their place in it


class _Replacements:
    """Judges to turn to in place of others; what stands in the file once, by its place in it.

    A row of `turns` is `[from, judge, how]`: the day from which on it holds, the place in `judges`
    or null, and how that judge was found. A fourth entry says that the platform names another one,
    which nobody serves.
    """

    def __init__(self, registry: Registry, as_of: date) -> None:
        self.judges: dict[tuple[str, str], int] = {}
        self.turns: dict[tuple[tuple[Any, ...], ...], int] = {}
        self._lookups = Lookups.from_day(registry, as_of)
        self._ids = ids_of_ending(registry, as_of)

    def entry(self, life: ServiceTerm) -> Json:
        """Return the replacements of a life, if it ends or an end elsewhere counts for it."""
        if id(life) not in self._ids:
            return {}
        rows: list[tuple[Any, ...]] = []
        for day, today in first_by_day(self._lookups, f"{life.platform}/{life.model}"):
            first, is_named = today.first, today.vendor_replacement is not None
            row: tuple[Any, ...] = (None, "")
            if first:
                judge = (first.name, first.why)
                row = (self.judges.setdefault(judge, len(self.judges)), first.how)
            row += (True,) if is_named and row[1] != "named" else ()
            if not rows or rows[-1][1:] != row:
                rows.append((day.isoformat(), *row))
        return {"instead": self.turns.setdefault(tuple(rows), len(self.turns))}


def document(registry: Registry, as_of: date) -> Json:
    """Return the file: generations with their lives, snapshots, and what was said of judges.

    `rules` say how a model's name is found in what people write (`epc.records.model_names`).

    A state is `[from, status, reason, until, note, source, revision, not_before]`, the source
    as its place in `sources`, the last only where it is stated. The note of a life is its place in
    `notes`, which have `{0}` for the life's first name, `{1}` for its platform, `{2}` for the
    state's `until` and `{3}` for `seen`; that of an alias begins where the name stands that was
    asked about. `listed` is what a catalogue alone says: of a
    generation, which has no page then, or of a recorded one's life on a further platform;
    `more` are further names of a recorded life. `plain` is the name to print where it is
    another. `instead` is the place in `replacements` of what replaces a life on its platform:
    `[from, judge, how]`, the judge as its place in `replacing`.
    """
    sources: _Table = {}
    notes: _Table = {}
    replacements = _Replacements(registry, as_of)
    entry = partial(
        _generation,
        registry,
        as_of=as_of,
        sources=sources,
        notes=notes,
        replacements=replacements,
    )
    generations = [entry(model) | _printed(model) for model in registry.generations.values()]
    generations += [entry(model) | {"listed": True} for model in registry.catalogue.values()]
    return {
        "as_of": as_of.isoformat(),
        "generations": generations,
        "rules": rules(registry.names.words),
        "snapshots": [
            {
                "tag": tag,
                "platform": snapshot.platform,
                "states": _states(
                    partial(_snapshot_state, registry, tag),
                    [as_of, *turns_of(registry, tag, as_of)],
                    sources,
                    lambda state: state.note,
                ),
            }
            for tag, snapshot in registry.snapshots.items()
        ],
        **_judges(registry, as_of),
        "replacements": list(replacements.turns),
        "replacing": list(replacements.judges),
        "sources": list(sources),
        "notes": list(notes),
    }


def _generation(
    registry: Registry,
    generation: Generation,
    *,
    as_of: date,
    sources: _Table,
    notes: _Table,
    replacements: _Replacements,
) -> Json:
    listed: dict[int, list[str]] = {}
    for model, life, names in registry.names.further:
        if model is generation:
            listed.setdefault(id(life), []).extend(names)
    home = home_of(generation.maker)
    lives = zip(generation.lives, generation.record.platforms, strict=True)
    return {
        "name": generation.name,
        "maker": generation.maker,
        "lives": [
            {
                "platform": life.platform,
                "names": [life.model, *life.aliases],
                **_further_names(life, listed.get(id(life), ())),
                **({"listed": True} if life.is_listed else {}),
                **({"family": True} if life.versions else {}),
                **({"home": True} if life.platform == home else {}),
                "makers": generation.is_makers(life),
                "pinned": life.pinned,
                "seen": life.seen.isoformat() if life.seen else "",
                "sure": _sure(registry.meant(life, as_of), record, life),
                "states": _states(
                    partial(life_state, registry, "", life),
                    [as_of, *turns(registry, days_of_life(registry, life), as_of)],
                    sources,
                    partial(_shared_note, life, notes),
                ),
                **replacements.entry(life),
            }
            for life, record in lives
        ],
    }


def _printed(generation: Generation) -> Json:
    """Return the name to print, where it is another; a list's models are shown by their own."""
    plain = plain_of(generation)
    return {} if plain == generation.name else {"plain": plain}


def _further_names(life: ServiceTerm, listed: Iterable[str]) -> Json:
    """Return the further names that lists have of a life."""
    known = {life.model, *life.aliases}
    names = [name for name in dict.fromkeys(listed) if name not in known]
    return {"more": names} if names else {}


def _sure(target: ServiceTerm, record: ServiceTermRecord, life: ServiceTerm) -> Json:
    """Return how sure a life's dates are: by whose number, and when anybody last said so.

    What is missing is as the life has it: no number of sources, and its own day.
    """
    return {
        "confidence": record.confidence,
        **({"sources": target.retires.sources} if target.retires else {}),
        **({} if target.seen == life.seen else {"seen": str(target.seen or "")}),
    }


def _shared_note(life: ServiceTerm, notes: _Table, state: Expiry) -> int:
    """Return the place of a state's note, without what the life's entry has already."""
    note = state.note
    for place, part in enumerate((life.model, life.platform, state.until, life.seen)):
        note = note.replace(str(part), f"{{{place}}}") if part else note
    return notes.setdefault(note, len(notes))


def _states(
    state_on: Callable[[date], Expiry],
    days: Iterable[date],
    sources: _Table,
    note_of: Callable[[Expiry], str | int],
) -> list[list[Any]]:
    """Return the state on the first day, and on each later one on which it is another."""
    states: list[list[Any]] = []
    for day in days:
        state = state_on(day)
        until = state.until.isoformat() if state.until else None
        source = sources.setdefault(state.source, len(sources)) if state.source else None
        row: list[Any] = [state.status, state.reason, until, note_of(state), source, state.revision]
        row += [state.not_before.isoformat()] if state.not_before else []
        if not states or states[-1][1:] != row:
            states.append([day.isoformat(), *row])
    return states


def _snapshot_state(registry: Registry, tag: str, day: date) -> Expiry:
    return status_on(registry, tag, day).state


def _judges(registry: Registry, as_of: date) -> Json:
    """Return what was said of judges, and of which names: those of their snapshots or lives.

    The first of `judged` is of every name that no snapshot has. `[from, text]` is said from a day
    on. An alias of which nothing is published says what is of its target.
    """
    by_judge: dict[str, list[Snapshot]] = {}
    for snapshot in registry.snapshots.values():
        for name in dict.fromkeys((snapshot.tag.generation.casefold(), snapshot.model.casefold())):
            by_judge.setdefault(name, []).append(snapshot)
    listing_days = turns_of_listing(registry, as_of)
    nobody = Subject(text="", name="", maker=None, lives=(), snapshots=(), spellings=frozenset())
    groups: dict[tuple[str, ...], Json] = {(): _group(registry, nobody, as_of, ())}
    pages = (subject_of_page(registry, name, ()) for name in registry.generations)
    aliases = {p.name.casefold(): p for p in pages if target_of(registry, p, as_of)[0]}
    group_of: _Table = {}
    for name, spelled in _spelled(registry, by_judge):
        snapshots_by_tag = {
            str(s.tag): s for key in spelled & by_judge.keys() for s in by_judge[key]
        }
        tags = (
            tuple(tag for tag in registry.snapshots if tag in snapshots_by_tag)
            if snapshots_by_tag
            else ()
        )
        if tags:
            if tags not in groups:
                judge = replace(nobody, snapshots=tuple(snapshots_by_tag[tag] for tag in tags))
                groups[tags] = _group(registry, judge, as_of, listing_days)
            group_of[name] = list(groups).index(tags)
        elif alias := next((spelling for spelling in spelled if spelling in aliases), None):
            if (alias,) not in groups:
                groups[alias,] = _group(registry, aliases[alias], as_of, listing_days)
            group_of[name] = list(groups).index((alias,))
    means = {
        name: meaning
        for name, snapshots in by_judge.items()
        if (meaning := _meant(name, snapshots))
    }
    return {"judged": list(groups.values()), "judges": group_of, "means": means}


def _spelled(
    registry: Registry, by_judge: Mapping[str, list[Snapshot]]
) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield every name that can be asked about, with all spellings of what it means.

    What says its platforms has them before it, as `google-gemini-api+google-vertex/NAME`.
    """
    worded = {platforms for platforms in registry.names.words.values() if platforms}
    day = registry.last_day
    for name, lives in registry.names.spelled():
        yield name, spellings_of(name, lives_of(resolve(registry, name, day)))
        for platforms in worded:
            if matches := [(g, life) for g, life in lives if life.platform in platforms]:
                yield f"{'+'.join(platforms)}/{name}", spellings_of(name, matches)
    for name in by_judge:
        yield name, spellings_of(name, lives_of(resolve(registry, name, day)))


def _meant(name: str, snapshots: Iterable[Snapshot]) -> list[str]:
    """Return the generations of snapshots whose source spells its model so."""
    return list(dict.fromkeys(s.tag.generation for s in snapshots if s.model.casefold() == name))


def _group(registry: Registry, subject: Subject, as_of: date, listing_days: Iterable[date]) -> Json:
    """Return what is said of a judge from which day on; on `listing_days` its way may change."""
    snapshots = subject.snapshots or target_of(registry, subject, as_of)[1]
    days = {day for s in snapshots for day in turns_of(registry, str(s.tag), as_of)}
    days.update(listing_days if snapshots else ())
    days |= {p.since for life in subject.lives for p in life.points_to if p.since}
    statements: list[list[str]] = []
    for day in [as_of, *sorted(day for day in days if day > as_of)]:
        statement = performance_text(card_of(registry, subject, day))
        if not statements or statements[-1][1] != statement:
            statements.append([day.isoformat(), statement])
    names = list(dict.fromkeys(s.tag.generation for s in snapshots))
    real = {s.tag.generation for s in snapshots if not s.calibration}  # a mock has no page
    pages = [name for name in names if name in real]
    spellings = names if subject.snapshots else []
    return {"generations": spellings, "pages": pages, "said": statements}
