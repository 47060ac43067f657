"""Answers about the names in a project's files, and the rules that they break."""

from collections.abc import Iterable, Sequence
from datetime import date

from epc.answers.replacement import replacement_of
from epc.answers.service import gate_of, replacements, service_on
from epc.answers.snapshot_status import status_on
from epc.answers.subjects import lives_of
from epc.answers.types import Service
from epc.registry.names import spellings_of
from epc.registry.registry import Registry
from epc.registry.scan.files import Files, Rule
from epc.registry.scan.scan import Place, Scan, ScanEntry, Vocabulary


def scan(
    registry: Registry,
    files: Files,
    *,
    rules: Sequence[Rule],
    ignore: Iterable[str],
    as_of: date,
) -> Scan:
    """Return what files name, but for the names to be ignored, whose case does not count."""
    vocabulary, passed_over = (
        Vocabulary.from_registry(registry),
        {name.casefold() for name in ignore},
    )
    places: dict[str, list[Place]] = {}
    read = 0
    for path, text in files.texts():
        read += 1
        for mention in vocabulary.mentions(text):
            place = Place(path=path, line=mention.line, column=mention.column)
            places.setdefault(mention.name, []).append(place)
    named = [
        answered(
            registry, name, rules, as_of, is_known=vocabulary.is_known(name), places=own_places
        )
        for name, own_places in places.items()
        if not {name.casefold(), registry.names.meaning(name).spelt.name.casefold()} & passed_over
    ]
    return Scan(
        as_of=as_of,
        rules=tuple(rules),
        files=read,
        skipped=dict(sorted(files.skipped.items())),
        kinds=dict(sorted(files.kinds.items())),
        named=tuple(sorted(named, key=lambda entry: (not entry.broken, entry.name))),
    )


def answered(
    registry: Registry,
    name: str,
    rules: Sequence[Rule],
    as_of: date,
    *,
    is_known: bool = True,
    places: Iterable[Place] = (),
) -> ScanEntry:
    """Return what the registry answers about a name on a day, and which rules it breaks.

    Only of a name that `is_known` measurements are looked for.
    """
    is_tag = name in registry.snapshots
    service_found = service_on(registry, name, as_of)
    states = (status_on(registry, name, as_of).state,) if is_tag else tuple(gate_of(service_found))
    tags = _measured(registry, service_found) if is_known else []
    ends = [state.until for state in states if state.until and name not in registry.snapshots]
    invalidates = (tag for tag in tags if any(_ends_on(registry, tag, day) for day in ends))
    drifted = any(status_on(registry, tag, as_of).state.reason == "drifted" for tag in tags)
    return ScanEntry(
        name=name,
        states=states,
        replacements=replacements(service_found),
        instead=replacement_of(registry, None, service_found).first,
        invalidates=tuple(invalidates),
        broken=tuple(
            str(rule) for rule in rules if rule.is_broken(states, drifted=drifted, as_of=as_of)
        ),
        places=tuple(places),
    )


def _measured(registry: Registry, service: Service) -> list[str]:
    """Return the published measurements of a name: the snapshot itself, or those of a model."""
    text = service.name.text
    if text in registry.snapshots:
        return [text]
    spelled = spellings_of(text, lives_of(service.name))
    return [str(snapshot.tag) for snapshot in registry.snapshots_spelled(spelled)]


def _ends_on(registry: Registry, tag: str, day: date) -> bool:
    """Return whether a retirement of that day is what ends a published measurement."""
    state = status_on(registry, tag, day).state
    return (state.until, state.reason) == (day, "retired")
