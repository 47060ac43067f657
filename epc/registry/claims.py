"""What somebody claims of a measurement, held against its own record and against the registry."""

from collections.abc import Iterator
from datetime import date

from epc.errors import Finding, UsageError
from epc.registry import platforms
from epc.registry.days import misdated
from epc.registry.lifecycles import MOCKS
from epc.registry.mocks import misnamed
from epc.registry.names import skeleton
from epc.registry.offers import Offer
from epc.registry.registry import Registry
from epc.registry.submissions import layout
from epc.registry.submissions.plausible import asked_at, weighed
from epc.registry.submissions.texts import problems


def require_true(registry: Registry, offer: Offer, day: date) -> None:
    """Refuse what the records themselves, or the registry, say otherwise.

    Raises: UsageError, with every clause and remedy.
    """
    told = [str(f) for f in _contradictions(registry, offer, day) if f.severity == "error"]
    if told:
        raise UsageError("\n".join([f"{offer.run} cannot be published", *told]))


def platform_claimed(offer: Offer) -> str | None:
    """Return the platform that is stated, or else the one that the record shows."""
    evaluator = offer.asked["evaluator"]
    if evaluator.model.startswith(MOCKS):
        return platforms.platform_of(evaluator)
    shows = platforms.platform_of(evaluator) or platforms.provider_of(evaluator.model)
    return offer.platform or shows


def _contradictions(registry: Registry, offer: Offer, day: date) -> Iterator[Finding]:
    said, evaluator = offer.said, offer.asked["evaluator"]
    yield from weighed(evaluator, said.weights, "--weights")
    mock = evaluator.model.removeprefix(MOCKS)
    if mock != evaluator.model and (problem := misnamed(mock, said.generation, registry)):
        remedy = "name the mock"
        yield Finding(clause=layout.KNOWN, where="--generation", problem=problem, remedy=remedy)
    for role, model in offer.asked.items():
        yield from asked_at(model, role, "gateway" if said.proxy else "direct")
    if problem := platforms.misplaced(evaluator, platform_claimed(offer)):
        remedy = "name the platform that was asked"
        yield Finding(clause=layout.KNOWN, where="--platform", problem=problem, remedy=remedy)
    if alike := registry.look_alike(said.generation):
        problem, remedy = f"{said.generation} looks like {alike}", f"write {alike}, or another name"
        yield Finding(clause=layout.KNOWN, where="--generation", problem=problem, remedy=remedy)
    for problem in problems(said.contributor, "name"):
        remedy = "name the contributor in plain letters"
        yield Finding(clause=layout.TEXT, where="--contributor", problem=problem, remedy=remedy)
    if not skeleton(said.contributor):
        remedy = "name the contributor"
        problem = "says nothing"
        yield Finding(clause=layout.TEXT, where="--contributor", problem=problem, remedy=remedy)
    for wrong in filter(None, (misdated(claimed, day) for claimed in offer.days)):
        remedy = "set the clock, and measure again"
        yield Finding(
            clause=layout.DATES, where="the record", problem=f"measured {wrong}", remedy=remedy
        )
