"""Replacement of a judge on a day: whom a platform names, who agrees, and whom to turn to first."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Final, Self

from epc.analysis.agreement import AgreementRecord, ReplacementJudge
from epc.analysis.choosing import Alternative, Choice, Option, alternatives
from epc.answers import words
from epc.answers.choose import Usable, first_by_turn, turns_of_ways, usable_on
from epc.answers.resolve import resolve
from epc.answers.service import service_on
from epc.answers.snapshot_status import turns_of
from epc.answers.turns import days_of_life, standing, turns
from epc.answers.types import Name, Place, Replacement, Service, VendorReplacement
from epc.records.choices import models_of
from epc.registry.expiry import Expiry
from epc.registry.registry import Registry

_NOT_RECORDED: Final = "agreement not in this registry"
_NOT_SHOWN: Final = "not shown to agree"


class Lookups:
    """Lookups of services of names and of first judges, each made once until it turns.

    `days` are the first that is looked up, and the later ones on which something may turn of the
    judges that were tried.
    """

    def __init__(self, registry: Registry, days: Sequence[date]) -> None:
        self.registry = registry
        self.days = days
        self._days_by_name: dict[str, list[date]] = {}
        self._services: dict[tuple[str, date], Service] = {}
        self._usables: list[Usable] = []
        self._choices: dict[str, list[tuple[date, Choice]]] = {}

    @classmethod
    def from_day(cls, registry: Registry, day: date) -> Self:
        """Return the lookups of a day and of all later ones."""
        return cls(registry, [day, *turns_of_ways(registry, day)])

    def turns_of(self, text: str) -> list[date]:
        """Return the first day, and the later ones on which the service of a name may turn."""
        if text not in self._days_by_name:
            begin = self.days[0]
            today = self._services[text, begin] = service_on(self.registry, text, begin)
            lives = [target.life for target in today.name.everywhere]
            stated_days = [day for life in lives for day in days_of_life(self.registry, life)]
            self._days_by_name[text] = [begin, *turns(self.registry, stated_days, begin)]
        return self._days_by_name[text]

    def service(self, text: str, day: date) -> Service:
        """Return the service of a name on a day, as it was found when it last turned."""
        days = self.turns_of(text)
        turn = days[bisect_right(days, day) - 1]
        if (text, turn) not in self._services:
            self._services[text, turn] = service_on(self.registry, text, turn)
        return self._services[text, turn]

    def choice(self, platform: str, day: date) -> Choice | None:
        """Return the choice at a platform on a day, for all kinds of task."""
        choices = self.registry.choices
        if choices is None:
            return None
        if platform not in self._choices:
            self._usables = self._usables or usable_on(self.registry, self.days)
            self._choices[platform] = [*first_by_turn(choices, self._usables, platform)]
        return next(choice for turn, choice in reversed(self._choices[platform]) if turn <= day)


def replacement(
    registry: Registry, verdicts: AgreementRecord | None, text: str, day: date
) -> Replacement:
    """Return what replaces the model of a name on a day, and when that changes next.

    Without `verdicts` the agreements are those that the registry records.
    """
    today = replacement_on(registry, verdicts, text, day)
    for turn in turns(registry, _days(registry, verdicts, today), day):
        if _lasting(replacement_on(registry, verdicts, text, turn)) != _lasting(today):
            return replace(today, next=turn)
    return today


def replacement_on(
    registry: Registry, verdicts: AgreementRecord | None, text: str, day: date
) -> Replacement:
    """Return what replaces the model of a name on a day, without the day of its next change."""
    return replacement_of(registry, verdicts, service_on(registry, text, day))


def replacement_of(
    registry: Registry, verdicts: AgreementRecord | None, answer: Service
) -> Replacement:
    """Return what replaces the model whose service is known, on the day of that answer."""
    day = answer.as_of
    record = _record(registry, answer.name) if verdicts is None else verdicts
    lookups = Lookups(registry, [day])
    today = replace(
        _unranked(lookups, record, answer, day),
        better=tuple(_better(registry, answer.name, day)),
    )
    return replace(today, first=_first(lookups, answer, record, today)) if today.has_end else today


def first_by_day(
    lookups: Lookups, answers: Sequence[Service]
) -> Iterator[tuple[date, ReplacementJudge | None]]:
    """Yield the judge to turn to in place of a name, on each day on which that may turn.

    `answers` are the services of the name on the first day of the lookups, and on each later one on
    which that turns.
    """
    if not any(map(has_end, answers)):
        yield lookups.days[0], None
        return
    records = [_record(lookups.registry, answer.name) for answer in answers]
    names = {model for record in records for model in record.ways}
    deciding_places = (place for answer in answers for place in deciding(answer))
    names.update(p.replacement for p in deciding_places if p.replacement and p.replacement_name)
    begun = [(pair[0].as_of, pair) for pair in zip(answers, records, strict=True)]
    days = {day for day, _ in begun} | {*lookups.days}
    for day in sorted(days.union(*map(lookups.turns_of, names))):
        earlier, record = standing(begun, day)
        answer = replace(earlier, as_of=day)
        if has_end(answer):
            today = _unranked(lookups, record, answer, day)
            yield day, _first(lookups, answer, record, today)
        else:
            yield day, None


def _unranked(lookups: Lookups, record: AgreementRecord, answer: Service, day: date) -> Replacement:
    """Return what replaces a model on a day, without whom to turn to."""
    models = {model for model in record.ways if lookups.service(model, day).is_served}
    return Replacement(
        name=answer.name,
        as_of=day,
        has_end=has_end(answer),
        vendor_replacement=_vendor_replacement(lookups, answer, day),
        agreeing=record.best(models),
    )


def has_end(answer: Service) -> bool:
    """Return whether one of the places whose end counts has an end."""
    return any(place.until for place in deciding(answer))


def deciding(answer: Service) -> tuple[Place, ...]:
    """Return the places whose end counts: those of a gate, or else all that the text speaks of."""
    gate = tuple(place for place in (answer.headline, answer.gravest) if place)
    return gate or answer.spoken_of


def agreeing_of(registry: Registry, today: Replacement) -> dict[str, str]:
    """Return the judges that are shown to agree, by the names that people type, with how often."""
    return {registry.plain_name(judge.model): judge.summary for judge in today.agreeing}


def firsts_of(registry: Registry, names: Iterable[str], day: date) -> dict[str, ReplacementJudge]:
    """Return the judge to turn to in place of each name that has an end."""
    firsts = ((name, replacement_on(registry, None, name, day).first) for name in names)
    return {name: first for name, first in firsts if first}


def with_firsts(states: Iterable[Expiry], firsts: Mapping[str, ReplacementJudge]) -> list[Expiry]:
    """Return states, that of a name with the judge to turn to in its place."""
    return [replace(state, instead=firsts.get(state.id)) for state in states]


def _record(registry: Registry, name: Name) -> AgreementRecord:
    """Return the recorded agreements with the model that a name means."""
    records = (registry.agreements.get(generation) for generation in generations_of(name))
    return next((record for record in records if record), AgreementRecord())


def generations_of(name: Name) -> tuple[str, ...]:
    """Return the models of a name: that of the name itself, then those that it means."""
    targets = [*([name.home] if name.home else []), *name.everywhere]
    pairs = ((target.model.name, target.generation) for target in targets)
    return tuple(dict.fromkeys(generation for pair in pairs for generation in pair))


def _vendor_replacement(lookups: Lookups, answer: Service, day: date) -> VendorReplacement | None:
    """Return what the first of the deciding places names that names any."""
    places = (place for place in deciding(answer) if place.replacement)
    place = next(places, None)
    if place is None or place.replacement is None:
        return None
    return VendorReplacement(
        text=place.replacement,
        vendor=place.platform,
        service=lookups.service(place.replacement, day) if place.replacement_name else None,
    )


def _better(registry: Registry, name: Name, day: date) -> Iterator[Alternative]:
    """Yield the judges that are shown to be right more often and that somebody serves."""
    for alternative in alternatives_of(registry, name, day):
        low = alternative.gain.ci95[0] if alternative.gain.ci95 else None
        if low is not None and low > 0:
            yield alternative


def alternatives_of(registry: Registry, name: Name, day: date) -> Iterator[Alternative]:
    """Yield the judges that were measured on the same questions and that somebody serves."""
    if registry.choices is None:
        return
    rankings = (alternatives(registry.choices, generation) for generation in generations_of(name))
    for alternative in next((judges for judges in rankings if judges), []):
        if service_on(registry, alternative.model, day).is_served:
            yield alternative


def _first(
    lookups: Lookups, answer: Service, record: AgreementRecord, today: Replacement
) -> ReplacementJudge | None:
    """Return the judge to turn to: the named one, else the best that agrees, else a measured one.

    Source: Reading R96.
    """
    # Reading R96: what is not shown to agree is never called the closest.
    vendor = today.vendor_replacement
    if vendor and vendor.service and vendor.service.served:
        agreed = _agreed(lookups, vendor.service.name, record, today)
        why = words.named_by(vendor.vendor, agreed)
        return ReplacementJudge(name=vendor.service.name.plain, how="named", why=why)
    for agreement in today.agreeing:
        name = lookups.service(agreement.model, today.as_of).name.plain
        return ReplacementJudge(name=name, how="agreeing", why=agreement.summary)
    return _chosen(lookups, answer, today.as_of) if answer.headline else None


def _agreed(lookups: Lookups, name: Name, record: AgreementRecord, today: Replacement) -> str:
    """Return how far a named model agrees, as far as is recorded."""
    wanted = set(generations_of(name))

    def is_wanted(model: str) -> bool:
        return bool(wanted & {*generations_of(lookups.service(model, today.as_of).name)})

    for agreement in today.agreeing:
        if is_wanted(agreement.model):
            return agreement.summary
    return _NOT_SHOWN if any(map(is_wanted, record.ways)) else _NOT_RECORDED


def _chosen(lookups: Lookups, answer: Service, day: date) -> ReplacementJudge | None:
    """Return the judge to try first at a name's platform that is another one."""
    if answer.headline is None:
        return None
    platform, names = answer.headline.platform, generations_of(answer.name)
    choice = lookups.choice(platform, day)
    if choice is None:
        return None
    options = (option for option in choice.ranked if _is_another(option, names))
    option = next(options, None)
    if option is None:
        return None
    fault = next((choice.faults[fault].says for fault in option.faults), "")
    why = words.chosen(option, platform, choice.benchmark, fault)
    return ReplacementJudge(name=option.way.models[0], how="chosen", why=why)


def _is_another(option: Option, names: tuple[str, ...]) -> bool:
    models = option.way.models
    return len(models) == 1 and models[0] not in names and not option.way.scores_alone


def _lasting(today: Replacement) -> tuple[object, ...]:
    """Return what is the same from day to day until an answer changes."""
    vendor = today.vendor_replacement
    models = [agreement.model for agreement in today.agreeing]
    return today.has_end, today.first, vendor.text if vendor else None, models


def _days(
    registry: Registry, verdicts: AgreementRecord | None, today: Replacement
) -> Iterator[date]:
    """Yield every day that is stated of a model, of what may replace it, and of their figures."""
    record = _record(registry, today.name) if verdicts is None else verdicts
    names = [resolve(registry, model, today.as_of) for model in record.ways]
    if today.vendor_replacement and today.vendor_replacement.service:
        names.append(today.vendor_replacement.service.name)
    ways = registry.choices.ways if registry.choices else ()
    names += [resolve(registry, model, today.as_of) for model in models_of(ways)]
    for name in (today.name, *names):
        for target in name.everywhere:
            yield from days_of_life(registry, target.life)
    for tag in dict.fromkeys(tag for way in ways for tag in way.tags):
        if tag in registry.snapshots:
            yield from turns_of(registry, tag, today.as_of)
