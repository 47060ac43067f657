"""Offers for publication: a checked folder, what its contributor says, and whether that is so."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from epc.errors import Finding, UsageError
from epc.protocol.results import Json
from epc.records.manifest import EVALUATOR, ModelIdentity, RoleName
from epc.records.verdicts.types import Judge
from epc.registry import platforms
from epc.registry.cards import Declaration
from epc.registry.expiry import misdated
from epc.registry.layout import EVALUATORS, FOLDER
from epc.registry.lifecycles import MOCKS, Generation, ServiceTerm
from epc.registry.names import skeleton
from epc.registry.record import Record
from epc.registry.registry import Registry
from epc.registry.submissions import layout
from epc.registry.submissions.plausible import asked_at, weighed
from epc.registry.submissions.texts import problems
from epc.registry.tags import Tag

# The name that each is offered under, by what stands after `mock/`; a script may say which it is.
_NAMES: Final = {
    "careless-judge": "CarelessJudge",
    "coin-flip": "CoinFlip",
    "deterministic": "deterministic",
    "judge": "DigestJudge",
    "scripted": "Scripted",
}
_FIXED: Final = re.compile(rf"{'|'.join(_NAMES.values())}|AlwaysA|Scripted(-[A-Za-z0-9.]+)+")


def named(mock: str, registry: Registry) -> str:
    """Return the name under which a mock is offered: the one it was published under, or its own."""
    for snapshot in registry.snapshots.values():
        if snapshot.calibration and snapshot.model == mock:
            return snapshot.tag.generation
    return _NAMES.get(mock.partition(":")[0], mock)


def misnamed(mock: str, generation: str, registry: Registry) -> str:
    """Say why a mock cannot be published under a name; empty if it can."""
    if not _FIXED.fullmatch(generation):
        names = ", ".join(sorted((*_NAMES.values(), "AlwaysA", "Scripted-...")))
        return f"mock/{mock} is a mock, and no {generation}: mocks are named {names}"
    mocks = (s for s in registry.snapshots.values() if s.calibration)
    models = {s.model for s in mocks if s.tag.generation == generation}
    if models - {mock}:
        return f"{generation} is mock/{', mock/'.join(sorted(models))}, and no mock/{mock}"
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A valid run that is to be published.

    `models` are the records of who was asked, by role; of verdicts that others recorded there are
    none, and `source_judge` is who their source says was asked. `days` are those it was asked on.
    `raw` are the SHA-256 of the files that go into the store, by their paths in the run.
    `no_baseline` says why it shows nothing of an evaluator, `card` describes it under an id.
    """

    run: Path
    kind: str
    models: Mapping[RoleName, ModelIdentity]
    days: tuple[date, ...]
    declaration: Declaration
    figures: Json
    raw: Mapping[str, str]
    no_baseline: str | None
    card: Callable[[Tag, ServiceTerm | None], Record]
    source_judge: Judge | None = None

    @property
    def is_mock(self) -> bool:
        """Return whether a mock was asked, which has no life."""
        return not self.source_judge and self.models["evaluator"].model.startswith(MOCKS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Subject of an offer, as its own record says it.

    `recorded` says that the verdicts were read from a file; `source_judge` is who the source
    of verdicts that others recorded says was asked, and then there is no record of it.
    """

    models: Mapping[RoleName, ModelIdentity]
    identity: str
    recorded: bool = False
    source_judge: Judge | None = None

    @property
    def evaluator(self) -> ModelIdentity:
        """Model that judged."""
        return self.models[EVALUATOR]


def require_true(registry: Registry, offer: Offer, day: date) -> None:
    """Refuse what the records themselves, or the registry, say otherwise.

    Raises: UsageError, with every clause and remedy.
    """
    errors = [str(f) for f in contradictions(registry, offer, day) if f.severity == "error"]
    if errors:
        raise UsageError("\n".join([f"{offer.run} cannot be published", *errors]))


def platform_claimed(offer: Offer) -> str | None:
    """Return the platform that is stated, or else the one that the record shows."""
    if offer.source_judge:
        return offer.source_judge.platform
    evaluator = offer.models["evaluator"]
    if evaluator.model.startswith(MOCKS):
        return platforms.platform_of(evaluator)
    shows = platforms.platform_of(evaluator) or platforms.provider_of(evaluator.model)
    return offer.declaration.platform or shows


def contradictions(registry: Registry, offer: Offer, day: date) -> Iterator[Finding]:
    """Yield what is said of an offer that its record, its source or the registry says otherwise."""
    declaration = offer.declaration
    yield from _of_source(registry, offer) if offer.source_judge else _of_record(registry, offer)
    if alike := registry.look_alike(declaration.generation):
        problem, remedy = (
            f"{declaration.generation} looks like {alike}",
            f"write {alike}, or another name",
        )
        yield Finding(clause=layout.KNOWN, where="--generation", problem=problem, remedy=remedy)
    for problem in problems(declaration.contributor, "name"):
        remedy = "name the contributor in plain letters"
        yield Finding(clause=layout.TEXT, where="--contributor", problem=problem, remedy=remedy)
    if not skeleton(declaration.contributor):
        remedy = "name the contributor"
        problem = "says nothing"
        yield Finding(clause=layout.TEXT, where="--contributor", problem=problem, remedy=remedy)
    for wrong in filter(None, (misdated(claimed, day) for claimed in offer.days)):
        remedy = "set the clock, and measure again"
        yield Finding(
            clause=layout.DATES, where="the record", problem=f"measured {wrong}", remedy=remedy
        )


def _of_record(registry: Registry, offer: Offer) -> Iterator[Finding]:
    """Yield where a claim is denied by the record of who was asked."""
    declaration, evaluator = offer.declaration, offer.models["evaluator"]
    yield from weighed(evaluator, declaration.weights, "--weights")
    mock = evaluator.model.removeprefix(MOCKS)
    if mock != evaluator.model and (problem := misnamed(mock, declaration.generation, registry)):
        remedy = "name the mock"
        yield Finding(clause=layout.KNOWN, where="--generation", problem=problem, remedy=remedy)
    for role, model in offer.models.items():
        yield from asked_at(model, role, "gateway" if declaration.proxy else "direct")
    if problem := platforms.misplaced(evaluator, platform_claimed(offer)):
        remedy = "name the platform that was asked"
        yield Finding(clause=layout.KNOWN, where="--platform", problem=problem, remedy=remedy)


def named_by(registry: Registry, judge: Judge) -> Iterator[Generation]:
    """Yield the generations that a source's name for a judge can mean."""
    name = judge.called
    # As the source may write it: a maker's folder before it, as model hubs have it.
    for spelling in dict.fromkeys((name, name.rpartition("/")[2])):
        yield from (generation for generation, _ in registry.names.exactly(spelling))


def _of_source(registry: Registry, offer: Offer) -> Iterator[Finding]:
    """Yield where recorded verdicts are offered as those of another than their source states."""
    # Reading R77: a generation that the source does not state is never guessed.
    assert offer.source_judge
    claimed, name = offer.declaration.generation, offer.source_judge.called
    if claimed not in {generation.name for generation in named_by(registry, offer.source_judge)}:
        path = f"{FOLDER}/{EVALUATORS}/{claimed}.json"
        yield Finding(
            clause="Reading R77",
            where="--generation",
            problem=f"the source says that {name} was asked, which is no name of {claimed}",
            remedy=f"name the generation that it states, or add the alias to {path}",
        )
