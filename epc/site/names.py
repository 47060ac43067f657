"""Every name that the registry knows, with its answers from the day of building on: two files.

The first says what names mean, the second what is said of their places. The browser answers from
these alone, on the reader's own day: it takes off what stands round a name, looks it up, takes the
last row that has begun, and fills the holes of its sentences.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any, Final

from epc.analysis.agreement import ReplacementJudge
from epc.answers import words
from epc.answers.choose import turns_of_listing
from epc.answers.judge_cards import card_of, served_by
from epc.answers.resolve import name_of, resolve
from epc.answers.snapshot_status import status_on, turns_of
from epc.answers.subjects import lives_of, targets_of
from epc.answers.table import ELSEWHERE, GATEWAYS, HINT, TYPED, Answer, Row, Table
from epc.answers.turns import days_of_life, standing, turning
from epc.answers.types import Name, Place
from epc.protocol.mitigation import WRAPPERS
from epc.protocol.results import Json
from epc.records.model_names import Spelling, key, rules
from epc.registry.expiry import Expiry, Status
from epc.registry.exports import event_text
from epc.registry.lifecycles import OPEN_WEIGHTS, Generation, ServiceTerm
from epc.registry.names import names_of, spellings_of
from epc.registry.registry import Registry
from epc.registry.subjects import Subject, target_of
from epc.report.judge_card_text import NOWHERE, clause_of, performance_text
from epc.site.templating import service_word

if TYPE_CHECKING:
    from epc.registry.snapshots import Snapshot

NAMES: Final = "assets/names.json"
PLACES: Final = "assets/places.json"
# Holes of the sentences about a place, behind those of `epc.answers.table`.
_MODEL, _PLATFORM, _UNTIL, _SEEN, _NOT_BEFORE = "{4}", "{5}", "{6}", "{7}", "{8}"
_THROUGH: Final = ">"  # behind the platforms that a text says, where it goes through a gateway
_ANY: Final = "*"  # for platforms that have no record of a name
_NOBODY: Final = Subject(
    text="", name="", maker=None, lives=(), snapshots=(), spellings=frozenset()
)
_UNKNOWN: Final[Status] = "unknown"
# What the browser says of a text: that it names nothing, or nothing that is known.
_WORDS: Final = {
    "unknown": _UNKNOWN,
    "nameless": words.NAMELESS,
    "missing": f"{words.MISSING}{HINT}",
    "hint": words.hint([TYPED]),
    "or": words.OR,
    "asked": words.asked([TYPED]),
    "and": words.AND,
    "beside": words.at(_PLATFORM, TYPED),
    "nowhere": NOWHERE,
    "wrappers": WRAPPERS,
    "wrapper": "a mitigated judge ends with the first of its members: ask for each of them",
}


class _Once:
    """Values that stand in the file once, by their place in it."""

    def __init__(self) -> None:
        self._places: dict[Any, int] = {}
        self.values: list[Any] = []

    def place(self, value: Any) -> int:
        """Return the place of a value, which is added if it is new."""
        place = self._places.setdefault(repr(value), len(self.values))
        if place == len(self.values):
            self.values.append(value)
        return place


def documents(registry: Registry, as_of: date) -> tuple[Json, Json]:
    """Return both files.

    A model has `plain`, the name to print, `group` of what was said of it, its names where it is
    `served` and the `entries` of all its names; that of a record has a `page` and `followed`: 1
    from the day on which it has a feed, 2 with a calendar too. Its places in the second file are
    `[platform, seen, sure, states]`, a state `[from, kind, note, source, revision, until,
    not_before]` and a kind `[status, rest, word, clause, event, last]`; `snapshots` are
    `[platform, states]` by tag.

    An entry has `names` of records, `listed` ones of lists, `others` that no other text may mean,
    and `keys` of other spellings (`epc.records.model_names.key`). `models` are there if it is not
    the own model alone. `ways` are its answers by what the text says: its platforms, joined by `+`;
    `*` for any that has no record of it; `>` behind these where a gateway stands before it. One is
    a place in `answers`, with that of `subjects` behind it if it is not what the models say: `[name
    to print or null, group, pages]`. An answer is `[card, rows, weights]`, the last where nothing
    is said first; a row is `[from, gate, judge, lines, further, why, beside]`: places of the
    models, and sentences by their place; each line ends with one of `further`. `texts` are entries
    of whole texts, by which a source of verdicts knows a judge.
    """
    return _Documents(registry, as_of).json()


class _Documents:
    """Both files while they are written."""

    def __init__(self, registry: Registry, as_of: date) -> None:
        self._registry = registry
        self._as_of = as_of
        self._table = Table(registry, as_of)
        self._said = _Said(registry, as_of)
        self._kinds, self._sources, self._sentences = _Once(), _Once(), _Once()
        self._judges, self._subjects, self._answers = _Once(), _Once(), _Once()
        self._pages: dict[str, str | None] = {}
        self._ways: dict[tuple[object, ...], Any] = {}
        models = [*registry.generations.values(), *registry.catalogue.values()]
        self._models = {model.name: (n, model) for n, model in enumerate(models)}
        self._groups = {model.name: self._group(model) for model in models}

    def json(self) -> tuple[Json, Json]:
        """Return both files."""
        entries = self._entries()
        models = [model for _, model in self._models.values()]
        names: Json = {
            "as_of": self._as_of.isoformat(),
            "rules": rules(self._registry.names.words),
            "models": [
                self._model(model) | {"entries": [*entries[model.name].values()]}
                for model in models
            ],
            "texts": {text: self._entry_of_text(text) for text in self._said.texts},
            "tags": [*self._registry.snapshots],
            "answers": self._answers.values,
            "subjects": self._subjects.values,
            "judges": self._judges.values,
            "words": _WORDS,
        }
        places: Json = {
            "places": [[self._place(model, life) for life in model.lives] for model in models],
            "snapshots": {
                tag: [snapshot.platform, [*self._snapshot(tag)]]
                for tag, snapshot in self._registry.snapshots.items()
            },
            "judged": self._said.groups,
            "kinds": self._kinds.values,
            "sources": self._sources.values,
            "sentences": self._sentences.values,
        }
        return names, places

    def _model(self, model: Generation) -> Json:
        """Return a model without the entries of its names."""
        is_recorded = model.name in self._registry.generations
        plain = self._registry.plain_name(model.name)
        page = {"page": model.name, "followed": [*self._followed(model)]}
        return {
            **({"plain": plain} if plain != model.lives[0].model else {}),
            **({"group": self._groups[model.name]} if self._groups[model.name] else {}),
            **(page if is_recorded else {}),
            **({"page": 1} if is_recorded and plain == model.name else {}),
            "served": [life.model for life in model.lives],
        }

    def _group(self, model: Generation) -> int:
        """Return the place of what was said of a model under its name."""
        meaning = self._registry.names.meaning_of(model.name, Spelling(name=model.name))
        name = name_of(self._registry, model.name, meaning, self._as_of)
        return self._said.of(model.name, name)[0]

    def _entries(self) -> dict[str, dict[str, Json]]:
        """Return the entries of all names by the first of their models; each once."""
        names = self._registry.names
        lives = [(model, life) for _, model in self._models.values() for life in model.lives]
        spelled = [name for model, life in lives for name in names_of(model, life)]
        unique = {name.casefold(): name for name in (*spelled, *names.listed)}
        kinds = dict.fromkeys(names.listed, "listed") | dict.fromkeys(names.recorded, "names")
        entries: dict[str, dict[str, Json]] = {model: {} for model in self._models}

        def add(kind: str, spelling: str, model: str, entry: Json) -> None:
            served = [life.model for life in self._models[model][1].lives]
            name = served.index(spelling) if spelling in served else spelling
            entries[model].setdefault(repr(entry), entry).setdefault(kind, []).append(name)

        known: dict[str, set[tuple[str, str]]] = {}
        for name in unique.values():
            model, entry = self._entry(name)
            known.setdefault(key(name), set()).add((model, repr(entry)))
            add(kinds.get(name, "others"), name, model, entry)
        for spelling, of_names in known.items():
            model, entry = self._entry(spelling.replace("-", " "))
            if {(model, repr(entry))} != of_names:
                add("keys", spelling, model, entry)
        return entries

    def _entry(self, name: str) -> tuple[str, Json]:
        """Return the answers about a name, and the first of the models that it means."""
        answers = [*self._table.answers(name)]
        models = [*dict.fromkeys(m for _, answer in answers for m in models_of(answer.name))]
        ways: dict[str, Any] = {}
        for spelt, answer in answers:
            said = _ANY if spelt.platforms == ELSEWHERE else "+".join(spelt.platforms or ())
            way = f"{said}{_THROUGH if spelt.through else ''}"
            ways[way] = self._way(name, answer, models)
        behind = {_THROUGH: "", f"{_ANY}{_THROUGH}": _THROUGH}
        kept = {
            way: found
            for way, found in ways.items()
            if not way.endswith(_THROUGH) or found != ways.get(behind.get(way, f"{_ANY}{_THROUGH}"))
        }
        numbers = [self._models[model][0] for model in models]
        return models[0], {"ways": kept} | ({"models": numbers} if len(models) > 1 else {})

    def _entry_of_text(self, text: str) -> Json:
        """Return the answer about a whole text, by which a source names a model."""
        answer = self._table.answer(text, self._registry.names.meaning(text))
        models = models_of(answer.name)
        numbers = [self._models[model][0] for model in models]
        return {"models": numbers, "ways": {"": self._way(text, answer, models)}}

    def _way(self, text: str, answer: Answer, models: Sequence[str]) -> Any:
        """Return the place of an answer, with that of what it is about if the models do not say.

        It is found once for all names of one answer that no snapshot has.
        """
        same = (id(answer), *models, text if self._said.is_named(text) else "")
        if same not in self._ways:
            self._ways[same] = self._new_way(text, answer, models)
        return self._ways[same]

    def _new_way(self, text: str, answer: Answer, models: Sequence[str]) -> Any:
        lives = [life for name in models for life in self._models[name][1].lives]
        at = {id(life): place for place, life in enumerate(lives)}
        number = self._answers.place(self._answer(answer, at))
        meant = models_of(answer.name)
        group, judged, judged_pages = self._said.of(text, answer.name)
        pages = [model for model in meant if model in self._registry.generations]
        all_pages = [*dict.fromkeys((*pages, *judged_pages))]
        about = [self._printed({*meant, *judged}), group, all_pages]
        own_group = self._groups[meant[0]] if len(meant) == 1 else 0
        if about == [self._printed(meant), own_group, pages]:
            return number
        return [number, self._subjects.place(about)]

    def _printed(self, models: Collection[str]) -> str | None:
        """Return the name to print for a model; none for several."""
        return self._registry.plain_name(next(iter(models))) if len(models) == 1 else None

    def _answer(self, answer: Answer, at: Mapping[int, int]) -> list[Any]:
        """Return an answer; `at` are the places of lives in its models."""
        card = [at[id(target.life)] for target in targets_of(answer.name)]
        rows = [
            _short(
                self._day(day),
                row.gate,
                None if row.judge is None else self._judge(row.judge),
                [at[id(line.life)] for line in row.lines],
                self._further(row),
                self._sentences.place(row.why),
                [at[id(life)] for life in row.beside],
            )
            for day, row in answer.rows
        ]
        weights = [at[id(t.life)] for t in answer.name.everywhere if t.platform == OPEN_WEIGHTS]
        return [card, rows] if answer.name.home else [card, rows, *weights[:1]]

    def _further(self, row: Row) -> list[int]:
        """Return what the lines of a row end with; nothing where that is said of every line."""
        ends = [line.further for line in row.lines]
        if all(end == GATEWAYS for end in ends):
            return []
        return [self._sentences.place(end) for end in ends]

    def _judge(self, judge: ReplacementJudge) -> int:
        """Return the place of a judge to turn to, `[name, why, page]`."""
        return self._judges.place([judge.name, judge.why, self._page(judge.name)])

    def _page(self, name: str) -> str | None:
        """Return the page of a name's model, if it has one."""
        if name not in self._pages:
            models = resolve(self._registry, name, self._as_of).models
            pages = (model for model in models if model in self._registry.generations)
            self._pages[name] = next(pages, None)
        return self._pages[name]

    def _place(self, model: Generation, life: ServiceTerm) -> list[Any]:
        """Return a model's place, with its states."""
        rows = self._table.places(model, life)
        seen = life.seen.isoformat() if life.seen else ""
        sure = _how_sure(rows[0][1]).replace(seen or _SEEN, _SEEN)
        states = [self._state(day, p.state, life, has_ended=p.has_ended) for day, p in rows]
        return [life.platform, seen, self._sentences.place(sure), states]

    def _snapshot(self, tag: str) -> Iterator[list[Any]]:
        """Yield the states of a snapshot."""
        days = (self._as_of, *turns_of(self._registry, tag, self._as_of))
        states = (
            (day, self._state(day, status_on(self._registry, tag, day).state)) for day in days
        )
        for _, state in turning(states, lambda state: state[1:]):
            yield state

    def _state(
        self, day: date, state: Expiry, life: ServiceTerm | None = None, *, has_ended: bool = False
    ) -> list[Any]:
        parts: dict[str, date | str | None] = {_UNTIL: state.until}
        if life:
            parts = {_MODEL: life.model, _PLATFORM: life.platform, **parts, _SEEN: life.seen}
        return _short(
            self._day(day),
            self._kinds.place(_kind(state, life, has_ended=has_ended)),
            self._sentences.place(_with_holes(state.note, parts)),
            self._sources.place(state.source or ""),
            state.revision,
            state.until.isoformat() if state.until else None,
            state.not_before.isoformat() if state.not_before else None,
        )

    def _day(self, day: date) -> str:
        """Return a day, but nothing for the first."""
        return "" if day == self._as_of else day.isoformat()

    def _followed(self, generation: Generation) -> Iterator[list[Any]]:
        """Yield from which day on a model's page has a feed (1), and a calendar too (2).

        What has ended everywhere has none, and what a list has without a day says nothing.
        """
        turned = [self._table.places(generation, life) for life in generation.lives]
        days = sorted({day for rows in turned for day, _ in rows})
        places = ((day, [standing(rows, day) for rows in turned]) for day in days)
        for day, followed in turning((day, _followed_as(on_day)) for day, on_day in places):
            yield [self._day(day), followed]


class _Said:
    """What was said of judges: a text from each day on, for all names that mean the same ones.

    The first of `groups` is of every name of which nothing is published. `texts` are the names by
    which a source alone knows a judge.
    """

    def __init__(self, registry: Registry, as_of: date) -> None:
        self._registry = registry
        self._as_of = as_of
        self._listing_days = turns_of_listing(registry, as_of)
        self._snapshots: dict[str, list[Snapshot]] = {}
        for snapshot in registry.snapshots.values():
            for name in {snapshot.tag.generation.casefold(), snapshot.model.casefold()}:
                self._snapshots.setdefault(name, []).append(snapshot)
        self.texts = [name for name in self._snapshots if not registry.names.meaning(name)]
        self.groups: list[list[list[str]]] = [self._texts(_NOBODY)]
        self._group_of: dict[tuple[object, ...], int] = {}

    def is_named(self, text: str) -> bool:
        """Return whether a snapshot has a name."""
        return text.casefold() in self._snapshots

    def of(self, text: str, name: Name) -> tuple[int, list[str], list[str]]:
        """Return the place of what was said of a name, the judges that it means, and their pages.

        An alias of which nothing is published says what is of its target.
        """
        lives = lives_of(name)
        known = spellings_of(text, lives) & self._snapshots.keys()
        tags = {str(snapshot.tag) for each in known for snapshot in self._snapshots[each]}
        snapshots = tuple(s for tag, s in self._registry.snapshots.items() if tag in tags)
        subject = replace(_NOBODY, lives=tuple(life for _, life in lives), snapshots=snapshots)
        target, of_target = target_of(self._registry, subject, self._as_of)
        measured = snapshots or of_target
        if not measured:
            return 0, [], []
        moving = [life for life in subject.lives if life.points_to or life.versions]
        group = (
            tuple(id(life) for life in moving) if target else tuple(str(s.tag) for s in measured)
        )
        if group not in self._group_of:
            self._group_of[group] = len(self.groups)
            said = subject if target else replace(subject, lives=())
            self.groups.append(self._texts(said))
        judged = dict.fromkeys(s.tag.generation for s in snapshots)
        pages = dict.fromkeys(s.tag.generation for s in measured if not s.calibration)
        return self._group_of[group], [*judged], [*pages]

    def _texts(self, subject: Subject) -> list[list[str]]:
        """Return what is said of a judge from which day on."""
        registry, as_of = self._registry, self._as_of
        snapshots = subject.snapshots or target_of(registry, subject, as_of)[1]
        days = {day for s in snapshots for day in turns_of(registry, str(s.tag), as_of)}
        days.update(self._listing_days if snapshots else ())
        moving = (life for life in subject.lives if life.points_to or life.versions)
        days.update(day for life in moving for day in days_of_life(registry, life))
        later_days = sorted(day for day in days if day > as_of)
        texts = (
            (day, performance_text(card_of(registry, subject, day))) for day in (as_of, *later_days)
        )
        return [[day.isoformat(), text] for day, text in turning(texts)]


def _followed_as(places: Sequence[Place]) -> int:
    """Return whether a model's page has nothing to follow, a feed (1), or a calendar too (2)."""
    lasts = any(not (place.has_ended or place.is_silent) for place in places)
    is_dated = any(place.until or place.not_before for place in places)
    return int(lasts) + int(lasts and is_dated)


def models_of(name: Name) -> list[str]:
    """Return the models of a name, that which speaks first in front."""
    home = [name.home.model.name] if name.home else []
    return [*dict.fromkeys((*home, *name.models))]


def _kind(state: Expiry, life: ServiceTerm | None, *, has_ended: bool) -> list[Any]:
    """Return what a kind of state is called, in a chip, in a list, on a card and in a calendar."""
    clause = ""
    if life:
        service = replace(
            served_by(life, state),
            until=_UNTIL if state.until else None,
            not_before=_NOT_BEFORE if state.not_before else None,
        )
        clause = clause_of(service).replace("{}", _PLATFORM)
    words_text = state.status_text.removeprefix(state.status)
    return [
        state.status,
        _dated(words_text, state),
        service_word(state),
        clause,
        _dated(event_text(state), state),
        int(has_ended),
    ]


def _dated(text: str, state: Expiry) -> str:
    """Return a text with holes for the days of a state."""
    return _with_holes(text, {_UNTIL: state.until, _NOT_BEFORE: state.not_before})


def _with_holes(text: str, parts: Mapping[str, date | str | None]) -> str:
    """Return a text with a hole in place of each part that it has."""
    for hole, part in parts.items():
        text = text.replace(str(part), hole) if part else text
    return text


def _how_sure(place: Place) -> str:
    """Say by whose number a place's dates are known, and when anybody last said so."""
    many = ", one source" if place.sources else ""
    if place.sources > 1:
        many = f", {place.sources} sources agree"
    seen = "no day of confirmation is recorded"
    if place.last_seen:
        seen = f"last confirmed on {place.last_seen}"
    return f"How sure: confidence {place.confidence}{many}, {seen}."


def _short(*values: Any) -> list[Any]:
    """Return values as a list, without those at its end that say nothing."""
    while values and not values[-1]:
        values = values[:-1]
    return [*values]
