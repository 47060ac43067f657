"""Successors of a judge on a day: who agrees with it, who is named, and who is served."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from shlex import quote
from typing import Final

from epc.analysis.agreement import AgreementRecord, JudgeAgreements
from epc.analysis.succession import Measurement, Succession, Successor
from epc.answers.replacement import agreeing_of, alternatives_of, replacement_on
from epc.answers.service import service_on
from epc.answers.subjects import subject
from epc.answers.types import Place, Replacement, Service
from epc.records.model_names import EMBEDDED_EVALUATORS, PROVIDER_OF
from epc.registry.expiry import Status
from epc.registry.registry import Registry
from epc.registry.subjects import Subject, pointing, target_of
from epc.registry.succession import VerdictStore, agreement_in_store, measured_judges

_KEYLESS_MODEL: Final = "local/smollm2-135m-likelihood"  # needs no key
_EXHAUSTIVE: Final = 176  # comparisons of the reference design, each asked once; at most


def successions(store: VerdictStore, as_of: date) -> Iterator[Succession]:
    """Yield who may replace each judge of which there are verdicts, and that ended or will."""
    registry = store.registry
    for name in measured_judges(registry):
        judge = subject(registry, name, as_of)
        if any(registry.of_life(name, life, as_of).until for life in judge.lives):
            yield succession_of(registry, judge, as_of, agreement_in_store(store, judge))


def with_verdicts(registry: Registry, judge: Subject, day: date) -> Subject:
    """Return whose verdicts a judge's are: its own, or those of the model that its name means."""
    _, snapshots = target_of(registry, judge, day)
    if not snapshots:
        return judge
    target = subject(registry, snapshots[0].tag.generation, day)
    return replace(target, spellings=target.spellings | judge.spellings)


def succession_of(
    registry: Registry, judge: Subject, as_of: date, agreement: JudgeAgreements
) -> Succession:
    """Return who may replace a judge on a day, from how far others agree with it."""
    states = [registry.of_life(judge.name, life, as_of) for life in judge.lives]
    models = {judge_agreement.model for judge_agreement in agreement.agreements}
    services = {name: service_on(registry, name, as_of) for name in models}
    successors = [
        Successor(
            agreement=replace(judge_agreement, model=registry.plain_name(judge_agreement.model)),
            state=_in_words(services[judge_agreement.model]),
            living=services[judge_agreement.model].is_served,
        )
        for judge_agreement in agreement.agreements
    ]
    successors.sort(
        key=lambda successor: (successor.agreement.subset is not None, not successor.living)
    )
    named: dict[str, list[str]] = {}
    for life in judge.lives:
        if instead := registry.meant(life, as_of).replacement:
            named.setdefault(instead, []).append(life.platform)
    record = AgreementRecord.from_agreements(agreement) if agreement.recorded else None
    today = replacement_on(registry, record, judge.text, as_of)
    return Succession(
        name=registry.plain_name(judge.name),
        as_of=as_of.isoformat(),
        state=tuple(f"{state.platform}: {state.status_text}" for state in states),
        named={name: _in_words(service_on(registry, name, as_of)) for name in named},
        named_by={name: tuple(platforms) for name, platforms in named.items()},
        aliases=tuple(pointing(registry, judge)),
        recorded=agreement.recorded,
        elsewhere=tuple(dict.fromkeys(_elsewhere(registry, judge, as_of))),
        successors=tuple(successors),
        measurement=_measurement(registry, judge, today),
        unlike=agreement.unlike,
        alternatives=tuple(alternatives_of(registry, today.name, as_of)),
        has_end=today.has_end,
        first=today.first,
        agreeing=agreeing_of(registry, today),
    )


def _elsewhere(registry: Registry, judge: Subject, day: date) -> Iterator[str]:
    """Yield the commands that get its verdicts from a source whose licence keeps them there."""
    for snapshot in with_verdicts(registry, judge, day).snapshots:
        card = snapshot.card
        clone = card.origin.clone if card.origin and not card.kept else ""
        if card.recipe and clone:
            yield (
                f"{clone}{card.recipe.command} --out verdicts.jsonl\n"
                f"epc evaluators succeed {quote(judge.text)} --verdicts verdicts.jsonl"
            )


def _in_words(answer: Service) -> str:
    """Return a model's state on every platform in words."""
    text = "; ".join(f"{place.platform}: {place.state.status_text}" for place in answer.places)
    return text or "not in this registry: nobody knows whether it is served"


def _measurement(registry: Registry, old_judge: Subject, today: Replacement) -> Measurement:
    """Return what would tell more: both asked about the same answers, if both can still be asked.

    A judge that is gone can be asked nothing. Then a new judge's own figures are all that can be
    had, unless it is asked about the items of the old one's verdicts with the same prompt.
    """
    candidates = (*_named(registry, old_judge, today), *_measured(registry, today))
    candidate = next(iter(candidates), _KEYLESS_MODEL)
    service = service_on(registry, old_judge.text, today.as_of)
    old_name = next(_names_to_ask(service.places), None)
    judges = [*dict.fromkeys([old_name, candidate] if old_name else [candidate])]
    flags = " ".join(f"--evaluator {judge}" for judge in judges)
    if old_name:
        why = "both judge the same answers, so their agreement can be counted"
    elif service.is_served:
        why = "`epc run` cannot ask the old judge where it is served: this measures the new one"
    else:
        why = "the old judge is gone, so this measures only the new one"
    return Measurement(
        why=why,
        command=f"epc run {flags} --executor local/smollm2-135m --exhaustive --out runs/successor",
        calls=_EXHAUSTIVE * len(judges),
    )


def _measured(registry: Registry, today: Replacement) -> Iterator[str]:
    """Yield judges that somebody serves, by how often they are right on the judge's questions."""
    for option in alternatives_of(registry, today.name, today.as_of):
        yield from _names_to_ask(service_on(registry, option.model, today.as_of).places)


def _named(registry: Registry, judge: Subject, today: Replacement) -> Iterator[str]:
    """Yield whom to turn to, then whom a platform names, unless that one has ended as well.

    First those that are known to be served, then those of whom nobody says so any more. Text that
    is no name of a model here is asked by nobody.
    """
    instead = (registry.meant(life, today.as_of).replacement for life in judge.lives)
    first = [today.first.name] if today.first else []
    names = dict.fromkeys([*first, *(name for name in instead if name)])
    services = {name: service_on(registry, name, today.as_of) for name in names}
    places = [place for found in services.values() for place in found.spoken_of]
    yield from _names_to_ask(places)
    yield from _names_to_ask(places, ("unconfirmed", "unknown"))


def _names_to_ask(
    places: Iterable[Place], wanted: Sequence[Status] = ("current", "expiring")
) -> Iterator[str]:
    """Yield the names under which `epc run` can still ask a model.

    Of a family that is the id of what it means: its name alone is nothing that a platform knows.
    """
    for place in places:
        if place.status in wanted:
            target = place.target
            model = target.id if target.how == "family" else target.life.model
            yield from _asked_as(place.platform, model)


def _asked_as(platform: str, model: str) -> Iterator[str]:
    """Yield the name by which `epc run` asks a model on a platform, if it asks it at all.

    A platform that we ask by no provider of ours takes a proxy; what lists add behind a model's id,
    as `(non-thinking)`, is no part of it. Every id of Bedrock has its maker before a dot: what a
    list spells without one is no id.
    """
    if platform == "local" and model in EMBEDDED_EVALUATORS:
        yield f"local/{model}"
    if platform == "aws-bedrock" and "." not in model:
        return
    if word := PROVIDER_OF.get(platform):
        yield f"{word}/{model.split(maxsplit=1)[0]}"
