"""Table of the answers: what a name means in each way of asking, on each day on which that turns.

Whoever asks types a name in any case, behind any words for platforms and gateways. So a sentence
has a numbered hole for each of these: `TYPED`, `PLATFORMS`, `GATEWAYS`; and `BESIDE`, for what is
said of other places. `HINT` is one for names that may be meant instead.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from epc.analysis.agreement import ReplacementJudge
from epc.answers import words
from epc.answers.replacement import Lookups, deciding, first_by_day, generations_of
from epc.answers.resolve import name_of, target_on
from epc.answers.service import foreign_places, hosts_of, is_foreign_list, place_of, service_of
from epc.answers.turns import days_of_life, standing, turning, turns
from epc.answers.types import Name, Place, Service
from epc.records.model_names import Spelling, narrowings
from epc.registry.lifecycles import OPEN_WEIGHTS, Generation, ServiceTerm
from epc.registry.names import Meaning
from epc.registry.registry import Registry

TYPED: Final = "{0}"
PLATFORMS: Final = "{1}"
GATEWAYS: Final = "{2}"  # that it is asked through gateways, if it is
BESIDE: Final = "{3}"
HINT: Final = "{9}"
ELSEWHERE: Final = (PLATFORMS,)  # platforms that have no record of a name


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A place that is spoken of, and what is said behind its ground."""

    life: ServiceTerm
    further: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Answer from a day on: of its lines the first `gate` let a gate pass or fail.

    `why` says why nothing is said first, `beside` are the places that fill its hole or a line's,
    and `judge` is whom to turn to instead.
    """

    gate: int
    lines: tuple[Line, ...]
    why: str
    beside: tuple[ServiceTerm, ...]
    judge: ReplacementJudge | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Answer about a name in one way of asking; `name` is what it means on the first day."""

    name: Name
    rows: tuple[tuple[date, Row], ...]


class Table:
    """Table of a registry from a day on; what turns is found once of each life."""

    def __init__(self, registry: Registry, as_of: date) -> None:
        """Take in the registry, and the day from which on it answers."""
        self.registry = registry
        self.as_of = as_of
        self._said = narrowings(registry.names.words)
        self._lookups = Lookups.from_day(registry, as_of)
        self._places: dict[int, list[tuple[date, Place]]] = {}
        self._judges: dict[object, list[tuple[date, ReplacementJudge | None]]] = {}
        self._answers: dict[object, Answer] = {}

    def answers(self, name: str) -> Iterator[tuple[Spelling, Answer]]:
        """Yield the answers about a name that is known, in each way of asking.

        A way has the platforms that the text says: none, some that have the name, or `ELSEWHERE`.
        """
        spelling = Spelling(name=TYPED)
        known = {life.platform for _, life in self.registry.names.candidates(name)}
        said = (platforms for platforms in self._said if known.intersection(platforms))
        for platforms in (None, *said, ELSEWHERE):
            for gateways in ((), (GATEWAYS,)):
                spelt = replace(spelling, platforms=platforms, through=gateways)
                yield spelt, self._answer(name, self.registry.names.meaning_of(name, spelt))

    def _answer(self, name: str, meaning: Meaning) -> Answer:
        """Return the answer about a name, found once for all names of the same lives."""
        spelt = meaning.spelt
        key = (
            tuple(id(life) for _, life in meaning.matches),
            tuple(id(life) for _, life in meaning.elsewhere),
            spelt.platforms if meaning.elsewhere else spelt.platforms is not None,
            spelt.through,
        )
        if key not in self._answers:
            self._answers[key] = self.answer(name, meaning)
        return self._answers[key]

    def places(self, model: Generation, life: ServiceTerm) -> list[tuple[date, Place]]:
        """Return a model's place on the first day, and on each later one on which it turns."""
        if id(life) not in self._places:
            name = Name(text=TYPED, name=TYPED, plain=TYPED, kind="model", as_of=self.as_of)
            stated_days = days_of_life(self.registry, life)
            days = (self.as_of, *turns(self.registry, stated_days, self.as_of))
            targets = ((day, target_on(self.registry, model, life, day)) for day in days)
            rows = ((day, place_of(self.registry, name, meant, day)) for day, meant in targets)
            self._places[id(life)] = turning(rows, _lasting)
        return self._places[id(life)]

    def answer(self, text: str, meaning: Meaning) -> Answer:
        """Return what is said of a text of a known meaning, on each day on which that turns."""
        name = name_of(self.registry, text, meaning, self.as_of)
        places = [self.places(target.model, target.life) for target in name.everywhere]
        weights = (t.life.first_day for t in name.everywhere if t.platform == OPEN_WEIGHTS)
        days = {self.as_of, *(day for turned in places for day, _ in turned)}
        days.update(day for day in weights if day and day > self.as_of)
        answers = [
            (day, _service(name, [standing(turned, day) for turned in places], day))
            for day in sorted(days)
        ]
        judges = self._judges_of([answer for _, answer in answers])
        days.update(day for day, _ in judges)
        rows = ((day, _row(standing(answers, day), standing(judges, day))) for day in sorted(days))
        return Answer(name=name, rows=tuple(turning(rows)))

    def _judges_of(self, answers: Sequence[Service]) -> list[tuple[date, ReplacementJudge | None]]:
        """Return whom to turn to, found once for all names of the same places."""
        key = tuple(
            (
                answer.as_of,
                tuple(id(place.target.life) for place in deciding(answer)),
                answer.headline is None,
                generations_of(answer.name),
            )
            for answer in answers
        )
        if key not in self._judges:
            self._judges[key] = [*first_by_day(self._lookups, answers)]
        return self._judges[key]


def _service(name: Name, places: Sequence[Place], day: date) -> Service:
    """Return the service of a name on a day, with all that its targets mean on that day."""
    targets = [place.target for place in places]
    home = next((n for n, target in enumerate(name.everywhere) if target is name.home), None)
    today = replace(
        name,
        as_of=day,
        places=tuple(targets[: len(name.places)]),
        beside=tuple(targets[len(name.places) :]),
        home=None if home is None else targets[home],
    )
    ids = {id(host) for host in hosts_of(today)}
    return service_of(today, [place for place in places if id(place.target) in ids], day)


def _row(answer: Service, judge: ReplacementJudge | None) -> Row:
    others = foreign_places(answer)
    lines = []
    for place in answer.spoken_of:
        hole = BESIDE if others and is_foreign_list(place) else ""
        weights = words.PUBLIC if words.has_public_weights(answer, place) else ""
        further = f"{hole}{GATEWAYS}{weights}"
        lines.append(Line(life=place.target.life, further=further))
    why = "" if answer.headline else words.unknown(answer, ())
    if why and answer.name.places:
        why += HINT
    elif why and others:
        why += BESIDE
    filled = any(BESIDE in text for text in (why, *(line.further for line in lines)))
    return Row(
        gate=sum(place is not None for place in (answer.headline, answer.gravest)),
        lines=tuple(lines),
        why=why,
        beside=tuple(place.target.life for place in others) if filled else (),
        judge=judge,
    )


def _lasting(place: Place) -> tuple[object, ...]:
    """Return what is the same from day to day until a place turns."""
    target, state = place.target, replace(place.state, as_of=date.min)
    meant = (target.id, target.generation, target.how, target.since)
    return (*meant, state, place.replacement, place.replacement_name is None, place.answers_next)
