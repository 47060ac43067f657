"""Subject of a name: whom a card or a succession is about."""

from collections.abc import Iterable
from datetime import date

from epc.answers import words
from epc.answers.resolve import resolve
from epc.answers.types import Name, Target
from epc.errors import UsageError
from epc.registry.names import Matches, spellings_of
from epc.registry.registry import Registry
from epc.registry.subjects import Subject, subject_of


def subject(registry: Registry, query: str, day: date, judges: Iterable[str] = ()) -> Subject:
    """Return who a name means on a day; `judges` are the names in verdict files.

    A platform's own spelling means the model everywhere, a name with a platform before it the model
    there.

    Raises: UsageError if nobody knows it.
    """
    name = resolve(registry, query, day)
    matches = lives_of(name)
    spelled = spellings_of(query, matches)
    snapshots = registry.snapshots_spelled(spelled)
    spellings = frozenset(spelled | {snapshot.model.casefold() for snapshot in snapshots})
    judge_names = dict.fromkeys(judges)
    if not (matches or snapshots or spellings & {name.casefold() for name in judge_names}):
        hint = f"; the verdict files have {', '.join(judge_names)}" if judge_names else ""
        raise UsageError(f"{query}: {words.missing(name)}{hint}\n  fix: see `epc evaluators list`")
    return subject_of(query, matches, snapshots, spellings)


def lives_of(name: Name) -> Matches:
    """Return the lives of a model, that which speaks first in front; those on a said platform."""
    return [(target.model, target.life) for target in targets_of(name)]


def targets_of(name: Name) -> list[Target]:
    """Return what a name means, that which speaks first in front; on a said platform alone."""
    says_platform = name.platforms_in_text is not None and not name.through
    targets = name.places if says_platform and name.places else name.everywhere
    return sorted(targets, key=lambda target: target is not name.home)
