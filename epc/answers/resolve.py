"""Whom a name means on a day."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Final

from epc.answers.turns import days_of_life
from epc.answers.types import How, Kind, Name, Target
from epc.records.model_names import key
from epc.registry import platforms
from epc.registry.lifecycles import OPEN_WEIGHTS, Generation, GenerationRecord, ServiceTerm
from epc.registry.names import Matches, Meaning, plain_of
from epc.registry.registry import Registry, life_of_wrapper

# Where a maker's models are asked at home, if not under its name.
_HOMES: Final = {
    "alibaba": "alibaba-model-studio",
    "amazon": "aws-bedrock",
    "google": "google-gemini-api",
    "microsoft": "azure-foundry",
}


def resolve(registry: Registry, text: str, day: date) -> Name:
    """Return what a text means on a day, however it is spelt."""
    if text in registry.snapshots:
        return Name(text=text, name=text, plain=text, kind="snapshot", as_of=day)
    meaning = registry.names.meaning(text)
    if not meaning and platforms.members_of(text):
        return _wrapper(text, day)
    name = name_of(registry, text, meaning, day)
    return name if name.home or meaning.elsewhere else replace(name, hints=_hints(registry, name))


def name_of(registry: Registry, text: str, meaning: Meaning, day: date) -> Name:
    """Return what a text of a known meaning means on a day, without what may be meant instead."""
    matches, further = _matches(registry, text, meaning)
    targets = [target_on(registry, generation, life, day) for generation, life in matches]
    further_targets = [target_on(registry, generation, life, day) for generation, life in further]
    spelt = meaning.spelt
    home = _home(matches, targets, says_platform=spelt.platforms is not None)
    first = home or next(iter([*targets, *further_targets]), None)
    return Name(
        text=text,
        name=spelt.name,
        plain=plain_of(first.model) if first else spelt.name,
        kind=_kind(first),
        as_of=day,
        places=tuple(targets),
        beside=tuple(further_targets),
        platforms_in_text=spelt.platforms,
        through=spelt.through,
        home=home,
        is_nameless=meaning.nameless,
        next=_next(registry, [*matches, *further], day),
    )


def _next(registry: Registry, matches: Matches, day: date) -> date | None:
    """Return the first later day on which a name means another model somewhere."""
    targets = [target_on(registry, generation, life, day) for generation, life in matches]
    moving = [life for _, life in matches if life.points_to or life.versions]
    days = {later for life in moving for later in days_of_life(registry, life) if later > day}
    for later in sorted(days):
        if [target_on(registry, g, life, later) for g, life in matches] != targets:
            return later
    return None


def _wrapper(text: str, day: date) -> Name:
    """Return the meaning of a wrapper that nobody recorded: it asks its members."""
    life = life_of_wrapper(text)
    record = GenerationRecord(generation=text, maker="", platforms=())
    target = Target(
        platform=life.platform,
        id=text,
        generation=text,
        how="own",
        since=None,
        source=life.source,
        life=life,
        model=Generation(name=text, maker="", lives=(life,), record=record),
    )
    return Name(
        text=text, name=text, plain=text, kind="model", as_of=day, places=(target,), home=target
    )


def _matches(registry: Registry, text: str, meaning: Meaning) -> tuple[Matches, Matches]:
    """Return the lives of which a text speaks, and those of the same models elsewhere."""
    matches = [*meaning.matches]
    names = dict.fromkeys(g.name for g, _ in (*matches, *meaning.elsewhere))
    if not names:  # a source of published verdicts may spell a model in its own way
        wanted = text.casefold()
        published = (s for s in registry.snapshots.values() if s.model.casefold() == wanted)
        names = dict.fromkeys(snapshot.tag.generation for snapshot in published)
        catalogue_models = (registry.model(name) for name in names)
        return [(g, life) for g in catalogue_models if g for life in g.lives], []
    matched_lives = {id(life) for _, life in matches}
    models = {g.name: g for g, _ in (*matches, *meaning.elsewhere)}
    further = [
        (g, life) for g in models.values() for life in g.lives if id(life) not in matched_lives
    ]
    return matches, further


def target_on(registry: Registry, generation: Generation, life: ServiceTerm, day: date) -> Target:
    """Return what a life of a model means on a day."""
    means = registry.meant(life, day).means
    how: How = "list" if life.is_listed else "own"
    if life.versions or life.points_to:
        how = "family" if life.versions else "alias"
    meant = registry.model_at(life.platform, means.to) if means else None
    return Target(
        platform=life.platform,
        id=means.to if means else life.model,
        generation=meant.name if meant else generation.name,
        how=how,
        since=means.since if means else None,
        source=means.source if means else life.source,
        life=life,
        model=generation,
        is_makers=generation.is_makers(life),
    )


def home_of(maker: str) -> str:
    """Return the platform on which a maker's models are asked at home."""
    return _HOMES.get(maker, maker)


def _home(matches: Matches, targets: Sequence[Target], *, says_platform: bool) -> Target | None:
    """Return the place that speaks first; none where the maker has no record of the model."""
    hosted = [target for target in targets if target.platform != OPEN_WEIGHTS] or [*targets]
    if says_platform:
        return _seen_last(hosted)
    homes = {home_of(generation.maker) for generation, _ in matches}
    at_home = [target for target in hosted if target.platform in homes]
    at_maker = [target for target in hosted if target.is_makers]
    if first := next(iter([*at_home, *at_maker]), None):
        return first
    # A platform's own spelling of a model that its maker has under another name.
    has_maker = any(
        generation.is_makers(life) and life.platform != OPEN_WEIGHTS
        for generation, _ in matches
        for life in generation.lives
    )
    return _seen_last(hosted) if has_maker else None


def _seen_last(targets: Sequence[Target]) -> Target | None:
    return max(targets, key=lambda target: target.life.seen or date.min, default=None)


def _kind(target: Target | None) -> Kind:
    if target is None:
        return "unknown"
    return target.how if target.how in ("alias", "family") else "model"


def _hints(registry: Registry, name: Name) -> tuple[str, ...]:
    """Return up to three other names that may be meant, none of which means the same model."""
    typed = registry.names.shortest(name.text)
    near = (hint for hint in registry.names.near(typed) if key(hint) != key(typed))
    return tuple(hint for hint in near if not _models(registry, hint) & name.models.keys())


def _models(registry: Registry, text: str) -> set[str]:
    return {generation.name for generation, _ in registry.names.candidates(text)}
