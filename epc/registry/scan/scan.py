"""What a project's files name, and what the registry answers about each name on a day."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from msgspec import to_builtins

from epc.protocol.results import Json
from epc.registry.expiry import Expiry
from epc.registry.named import lives_named, snapshots_spelled, spellings_of
from epc.registry.registry import Registry
from epc.registry.scan.files import Files
from epc.registry.scan.mentions import Vocabulary
from epc.registry.scan.policy import Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a name stands, as `path:line:column`."""

    path: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A name, what the registry answers about it, and where it stands.

    `broken` are the rules that it breaks, `invalidates` the published measurements that its end
    ends too, `replacements` what its platforms name instead.
    """

    name: str
    states: tuple[Expiry, ...]
    replacements: tuple[str, ...]
    invalidates: tuple[str, ...]
    broken: tuple[str, ...]
    places: tuple[Place, ...]

    def as_json(self) -> Json:
        """Return the name with all that is known, as plain JSON."""
        return {
            "name": self.name,
            "fails": list(self.broken),
            "states": [state.as_json() for state in self.states],
            "replacements": list(self.replacements),
            "invalidates": list(self.invalidates),
            "places": to_builtins(self.places),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """What a project names on a day, those that fail first.

    `skipped` counts the files that are not read, by the reason, `kinds` those of kinds that no
    program reads, by their endings.
    """

    as_of: date
    rules: tuple[Rule, ...]
    files: int
    skipped: dict[str, int]
    kinds: dict[str, int]
    named: tuple[Named, ...]

    @property
    def failing(self) -> tuple[Named, ...]:
        """The names that break a rule."""
        return tuple(each for each in self.named if each.broken)

    def as_json(self) -> Json:
        """Return the whole as plain JSON."""
        return {
            "as_of": self.as_of.isoformat(),
            "fail_on": [str(rule) for rule in self.rules],
            "files": self.files,
            "skipped": self.skipped,
            "other_kinds": self.kinds,
            "names": [each.as_json() for each in self.named],
        }


def scan(
    registry: Registry,
    files: Files,
    *,
    rules: Sequence[Rule],
    ignore: Iterable[str],
    as_of: date,
) -> Scan:
    """Return what files name, but for the names to be ignored, whose case does not count."""
    words, passed_over = Vocabulary.of(registry), {name.casefold() for name in ignore}
    places: dict[str, list[Place]] = {}
    read = 0
    for path, text in files.texts():
        read += 1
        for each in words.mentions(text):
            place = Place(path=path, line=each.line, column=each.column)
            places.setdefault(each.name, []).append(place)
    named = [
        _answered(registry, name, tuple(own_places), rules, known=words.is_known(name), as_of=as_of)
        for name, own_places in places.items()
        if not {name.casefold(), registry.names.meaning(name).spelt.name.casefold()} & passed_over
    ]
    return Scan(
        as_of=as_of,
        rules=tuple(rules),
        files=read,
        skipped=dict(sorted(files.skipped.items())),
        kinds=dict(sorted(files.kinds.items())),
        named=tuple(sorted(named, key=lambda each: (not each.broken, each.name))),
    )


def _answered(
    registry: Registry,
    name: str,
    places: tuple[Place, ...],
    rules: Sequence[Rule],
    *,
    known: bool,
    as_of: date,
) -> Named:
    states, replacements = _meant(registry, name, as_of)
    tags = _measured(registry, name) if known else []
    ends = [state.until for state in states if state.until and name not in registry.snapshots]
    invalidates = (tag for tag in tags if any(_ends_on(registry, tag, day) for day in ends))
    drifted = any(registry.of_tag(tag, as_of).reason == "drifted" for tag in tags)
    return Named(
        name=name,
        states=states,
        replacements=replacements,
        invalidates=tuple(invalidates),
        broken=tuple(
            str(rule) for rule in rules if rule.is_broken(states, drifted=drifted, as_of=as_of)
        ),
        places=places,
    )


def _meant(
    registry: Registry, name: str, as_of: date
) -> tuple[tuple[Expiry, ...], tuple[str, ...]]:
    """Return the answers of `epc expiry` about a name, and what is named instead.

    Where its maker has a record, the maker's answers count and no other platform's.
    """
    states = registry.expiry([name], as_of)
    matches = registry.names.meaning(name).matches
    own = [life for generation, life in matches if generation.is_makers(life)]
    lives = own or [life for _, life in matches]
    served = {life.platform for life in own}
    instead = (registry.meant(life, as_of).replacement for life in lives)
    return (
        tuple(state for state in states if not own or state.platform in served),
        tuple(dict.fromkeys(each for each in instead if each)),
    )


def _measured(registry: Registry, name: str) -> list[str]:
    """Return the published measurements of a name: the snapshot itself, or those of a model."""
    if name in registry.snapshots:
        return [name]
    spelled = spellings_of(name, lives_named(registry, name))
    return [str(snapshot.tag) for snapshot in snapshots_spelled(registry, spelled)]


def _ends_on(registry: Registry, tag: str, day: date) -> bool:
    """Return whether a retirement of that day is what ends a published measurement."""
    state = registry.of_tag(tag, day)
    return (state.until, state.reason) == (day, "retired")
