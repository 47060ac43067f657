"""Who may replace a judge: verdicts of others on the same items, and who of them still lives."""

from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from epc.analysis.ballots import Ballot, ballots
from epc.analysis.succession import (
    Agreement,
    Measurement,
    Succession,
    Successor,
    agreements,
)
from epc.registry.card_types import ObservedCard
from epc.registry.fetching import restore_sealed
from epc.registry.lifecycles import Life, find
from epc.registry.observed import verdicts_in
from epc.registry.platforms import PLATFORMS
from epc.registry.reading import find_checkout
from epc.registry.registry import Registry
from epc.registry.subjects import Subject, pointing

_ANYBODY: Final = "local/smollm2-135m-likelihood"  # needs no key
_EXHAUSTIVE: Final = 176  # comparisons of the reference design, each asked once; at most


def published_ballots(registry: Registry, who: Subject, place: str | None) -> Iterator[Ballot]:
    """Yield what judges said in the sources in which a judge's own verdicts are published.

    A published document alone has no verdicts.

    Raises: UsageError or MalformedError if one is not as it was published; WorldError if the disk
    or the network fails.
    """
    sources = {s.card.origin for s in who.snapshots if isinstance(s.card, ObservedCard)}
    if not sources:
        return
    home = place or str(find_checkout(Path.cwd()))
    if home.endswith(".json"):
        return
    for tag, snapshot in registry.snapshots.items():
        card = snapshot.card
        # Of a source's two commits the newer says it all: counted twice, a verdict agrees twice.
        gone = any(e.event in ("withdrawn", "superseded") for e in registry.by_tag.get(tag, ()))
        if isinstance(card, ObservedCard) and card.kept and card.origin in sources and not gone:
            with TemporaryDirectory() as folder:
                restore_sealed(snapshot.tag, Path(folder), place=home, store=None)
                document, verdicts = verdicts_in(Path(folder))
                yield from ballots(document.header, verdicts)


def succession_of(
    registry: Registry, who: Subject, as_of: date, given: Sequence[Ballot]
) -> Succession:
    """Return who may replace a judge on a day, from what all of them said."""
    # Reading R76: two runs of the same evaluator agree with themselves, which is no agreement.
    own = [ballot for ballot in given if _names(ballot) & who.spellings]
    apart = who.spellings | {alias.casefold() for alias in pointing(registry, who)}
    others = [ballot for ballot in given if not _names(ballot) & apart]
    states = [registry.of_life(who.name, life, as_of) for life in who.lives]
    successors = [_successor(registry, each, as_of) for each in agreements(own, others)]
    successors.sort(key=lambda each: (each.agreement.subset is not None, not each.living))
    named = dict.fromkeys(life.replacement for life in who.lives if life.replacement)
    return Succession(
        name=who.name,
        as_of=as_of.isoformat(),
        state=tuple(f"{state.platform}: {state.words}" for state in states),
        named=tuple(named),
        aliases=tuple(pointing(registry, who)),
        recorded=len({item for ballot in own for item, _ in ballot.said}),
        successors=tuple(successors),
        measurement=_measurement(registry, who, as_of),
    )


def _names(ballot: Ballot) -> frozenset[str]:
    judge = ballot.setting.judge
    return frozenset({judge.model.casefold(), judge.name.casefold()})


def _successor(registry: Registry, agreement: Agreement, as_of: date) -> Successor:
    found = list(find(agreement.model, registry.generations.values()))
    states = [registry.of_life(agreement.model, life, as_of) for _, life in found]
    words = "; ".join(f"{state.platform}: {state.words}" for state in states)
    return Successor(
        agreement=agreement,
        state=words or "not in this registry: nobody knows whether it is served",
        living=any(state.status in ("current", "expiring") for state in states),
    )


def _measurement(registry: Registry, who: Subject, as_of: date) -> Measurement:
    """Return what would tell more: both asked about the same answers, if both can still be asked.

    A judge that is gone can be asked nothing. Then a new judge's own figures are all that can be
    had, unless it is asked about the items of the old one's verdicts with the same prompt.
    """
    candidate = next(_named(registry, who, as_of), _ANYBODY)
    own = next((name for life in who.lives for name in _asked(registry, life, as_of)), None)
    judges = [own, candidate] if own else [candidate]
    words = " ".join(f"--evaluator {judge}" for judge in judges)
    why = (
        "both judge the same answers, so that their agreement can be counted"
        if own
        else "the old judge can be asked nothing any more: this gives the new one's own figures"
    )
    return Measurement(
        why=why,
        command=f"epc run {words} --executor local/smollm2-135m --exhaustive --out runs/successor",
        calls=_EXHAUSTIVE * len(judges),
    )


def _named(registry: Registry, who: Subject, as_of: date) -> Iterator[str]:
    """Yield whom a platform names as replacement, unless that one has ended as well."""
    for life in who.lives:
        known = list(find(life.replacement or "", registry.generations.values()))
        for _, other in known:
            yield from _asked(registry, other, as_of)
        platform = PLATFORMS.get(life.platform)
        if life.replacement and not known and platform:
            yield f"{platform.providers[0]}/{life.replacement}"


def _asked(registry: Registry, life: Life, as_of: date) -> Iterator[str]:
    """Yield the name under which `epc run` can still ask a model."""
    platform = PLATFORMS.get(life.platform)
    state = registry.of_life(life.model, life, as_of)
    if platform and state.status in ("current", "expiring"):
        yield f"{platform.providers[0]}/{life.model}"
