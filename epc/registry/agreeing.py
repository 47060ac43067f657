"""How far other judges agree with one, from what all of them said in the sources of that one."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

from epc.analysis.ballots import Ballot, BallotDigest, by_way, merged
from epc.analysis.succession import Agreed, Agreement, agreed, comparable, of_pair, ranked
from epc.records.strict_json import dumps_line
from epc.records.typed import as_json
from epc.registry.kept_ballots import Kept, Source
from epc.registry.recall import Recall
from epc.registry.registry import Registry
from epc.registry.subjects import Subject, pointing


def agreed_of(registry: Registry, who: Subject, all_ballots: Sequence[Ballot]) -> Agreed:
    """Return how far others agree with a judge, whatever the day."""
    # Reading R76: two runs of the same evaluator agree with themselves, which is no agreement.
    own = [ballot for ballot in all_ballots if ballot.names & who.spellings]
    apart = _apart(registry, who)
    return agreed(own, [ballot for ballot in all_ballots if not ballot.names & apart])


def _apart(registry: Registry, who: Subject) -> frozenset[str]:
    return who.spellings | {alias.casefold() for alias in pointing(registry, who)}


def agreed_by_pairs(kept: Kept, who: Subject, recall: Recall) -> Agreed:
    """Return what `agreed_of` does, each pair of judges known by what both of them said.

    So one more verdict file costs what it says itself: no verdicts are read but those of a pair
    that it is of.
    """
    found = [
        _Found(source=source, place=place, digest=digest)
        for source in kept.sources(who)
        for place, digest in enumerate(kept.digests(source, recall))
    ]
    apart = _apart(kept.registry, who)
    own = [each for each in found if each.digest.names & who.spellings]
    others = [each for each in found if not each.digest.names & apart]

    def items() -> int:
        ballots = (kept.ballots(each.source)[each.place] for each in _distinct(own))
        return len({item for ballot in ballots for item, _ in ballot.said})

    def compared(mine: Sequence[_Found], other: Sequence[_Found]) -> tuple[Agreement, ...]:
        return tuple(of_pair(_together(kept, mine), _together(kept, other)))

    results: list[Agreement] = []
    for pair in product(*(by_way(side, lambda each: each.digest.way) for side in (own, others))):
        if comparable(pair[0][0].digest, pair[1][0].digest):
            inputs = ["pair", *_says(pair[0]), "", *_says(pair[1])]
            results += recall(tuple[Agreement, ...], inputs, partial(compared, *pair)).value
    inputs = ["items", *(each.digest.sha256 for each in _distinct(own))]
    return Agreed(recorded=recall(int, inputs, items).value, agreements=tuple(ranked(results)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A ballot that was found: where it is among those of its source, and its digest."""

    source: Source
    place: int
    digest: BallotDigest


def _distinct(found: Iterable[_Found]) -> list[_Found]:
    """Return the first of those that say the same."""
    first: dict[str, _Found] = {}
    for each in found:
        first.setdefault(each.digest.sha256, each)
    return [*first.values()]


def _says(several: Sequence[_Found]) -> Iterator[str]:
    """Yield all that one ballot of several follows from."""
    yield dumps_line(as_json(several[0].digest.setting))
    yield from dict.fromkeys(source for each in several for source in each.digest.sources)
    yield several[0].digest.name
    yield from (each.digest.sha256 for each in _distinct(several))


def _together(kept: Kept, several: Sequence[_Found]) -> Ballot:
    """Return one ballot of several, each distinct one read once."""
    ballots = [kept.ballots(each.source)[each.place] for each in _distinct(several)]
    (ballot,) = merged(ballots)
    sources = dict.fromkeys(source for each in several for source in each.digest.sources)
    return replace(ballot, sources=tuple(sources))
