"""Which lives and which published measurements a name means."""

from collections.abc import Iterable

from epc.registry.lifecycles import Generation, Life, find, says_platform
from epc.registry.registry import Registry
from epc.registry.snapshots import Snapshot


def lives_named(registry: Registry, query: str) -> list[tuple[Generation, Life]]:
    """Return the lives of the model that a name means, on every platform.

    One platform's spelling, or that of a source whose verdicts are published, means the model; a
    name with its platform before it means the model there.
    """
    matches = list(find(query, registry.generations.values()))
    wanted = query.casefold()
    if any(says_platform(query, life.platform) for _, life in matches):
        return matches
    names = dict.fromkeys(generation.name for generation, _ in matches) or dict.fromkeys(
        snapshot.tag.generation
        for snapshot in registry.snapshots.values()
        if snapshot.model.casefold() == wanted
    )
    meant = (registry.generations[name] for name in names if name in registry.generations)
    return [(generation, life) for generation in meant for life in generation.lives]


def spellings_of(query: str, matches: Iterable[tuple[Generation, Life]]) -> frozenset[str]:
    """Return every spelling of a name and of the lives that it means, in lower case."""
    names = {query, *(name for g, life in matches for name in (g.name, life.model, *life.aliases))}
    return frozenset(name.casefold() for name in names)


def snapshots_spelled(registry: Registry, spelled: frozenset[str]) -> tuple[Snapshot, ...]:
    """Return the published measurements whose model has one of some spellings."""
    return tuple(
        snapshot
        for snapshot in registry.snapshots.values()
        if {snapshot.tag.generation.casefold(), snapshot.model.casefold()} & spelled
    )
