"""What can be published: a checked folder, what its contributor says, and whether that is so."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from epc.analysis.audit import audit_checked
from epc.digests import file_sha256
from epc.errors import Finding, UsageError
from epc.protocol.results import Json
from epc.records.layout import BESIDE
from epc.records.manifest import Manifest, ModelIdentity, RoleName
from epc.records.observed.types import UNKNOWN, Judge
from epc.records.validate import validate
from epc.registry import platforms
from epc.registry.cards import NO_BASELINE, Said, card_of
from epc.registry.expiry import misdated
from epc.registry.layout import EVALUATORS, FOLDER
from epc.registry.lifecycles import MOCKS, Generation, Life
from epc.registry.mocks import misnamed
from epc.registry.names import skeleton
from epc.registry.record import Record
from epc.registry.registry import Registry
from epc.registry.submissions import layout
from epc.registry.submissions.plausible import asked_at, weighed
from epc.registry.submissions.texts import problems
from epc.registry.tags import Tag


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A valid run that is to be published.

    `asked` are the records of who was asked, by role; of verdicts that others recorded there are
    none, and `stated` is who their source says was asked. `platform` is where the evaluator was, as
    somebody states it, and without it what its record shows. `days` are those it was asked on.
    `raw` are the SHA-256 of the files that go into the store, by their paths in the run.
    `no_baseline` says why it shows nothing of an evaluator, `card` describes it under an id.
    """

    run: Path
    kind: str
    asked: Mapping[RoleName, ModelIdentity]
    platform: str | None
    days: tuple[date, ...]
    said: Said
    figures: Json
    raw: Mapping[str, str]
    no_baseline: str | None
    card: Callable[[Tag, Life | None], Record]
    stated: Judge | None = None

    @property
    def is_mock(self) -> bool:
        """Whether a mock was asked, which has no life."""
        return not self.stated and self.asked["evaluator"].model.startswith(MOCKS)


def offered_run(run: Path, declaration: Said, *, platform: str | None) -> Offer:
    """Check a run, and return what is offered of it.

    Raises: UsageError if it is not valid, or nothing could be recomputed.
    """
    report = validate(run)
    if not report.ok or report.manifest is None:
        raise UsageError(
            f"{run} is not valid: {len(report.findings)} findings\n  fix: see `epc validate {run}`"
        )
    if not report.manifest.raw:
        raise UsageError(
            f"{run} has no raw files, so nothing could be recomputed\n"
            "  fix: publish the folder that the measurement wrote"
        )
    audit = audit_checked(report).as_json()
    return measured_offer(run, report.manifest, audit, platform=platform, declaration=declaration)


def measured_offer(
    run: Path, manifest: Manifest, audit: Json, *, platform: str | None, declaration: Said
) -> Offer:
    """Return what is offered of a run that was checked, by its manifest and its audit."""
    raw = {entry.path: entry.sha256 for entry in (manifest.raw or {}).values()}
    raw |= {name: file_sha256(run / name) for name in BESIDE if (run / name).exists()}
    word = audit["verdict"]
    no_baseline = f"its audit says {word}\n  fix: see `epc audit {run}`"
    return Offer(
        run=run,
        kind="measured",
        asked=manifest.asked,
        platform=platform,
        days=(date.fromisoformat(manifest.evaluator.measurement_date),),
        said=declaration,
        figures=manifest.document["results"]["summary"],
        raw=raw,
        no_baseline=no_baseline if word in NO_BASELINE else None,
        card=lambda tag, life: card_of(tag, manifest, audit, declaration, life),
    )


def require_true(registry: Registry, offer: Offer, day: date) -> None:
    """Refuse what the records themselves, or the registry, say otherwise.

    Raises: UsageError, with every clause and remedy.
    """
    errors = [str(f) for f in contradictions(registry, offer, day) if f.severity == "error"]
    if errors:
        raise UsageError("\n".join([f"{offer.run} cannot be published", *errors]))


def platform_claimed(offer: Offer) -> str | None:
    """Return the platform that is stated, or else the one that the record shows."""
    if offer.stated:
        return offer.stated.platform
    evaluator = offer.asked["evaluator"]
    if evaluator.model.startswith(MOCKS):
        return platforms.platform_of(evaluator)
    shows = platforms.platform_of(evaluator) or platforms.provider_of(evaluator.model)
    return offer.platform or shows


def contradictions(registry: Registry, offer: Offer, day: date) -> Iterator[Finding]:
    """Yield what is said of an offer that its record, its source or the registry says otherwise."""
    declaration = offer.said
    yield from _of_source(registry, offer) if offer.stated else _of_record(registry, offer)
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
    declaration, evaluator = offer.said, offer.asked["evaluator"]
    yield from weighed(evaluator, declaration.weights, "--weights")
    mock = evaluator.model.removeprefix(MOCKS)
    if mock != evaluator.model and (problem := misnamed(mock, declaration.generation, registry)):
        remedy = "name the mock"
        yield Finding(clause=layout.KNOWN, where="--generation", problem=problem, remedy=remedy)
    for role, model in offer.asked.items():
        yield from asked_at(model, role, "gateway" if declaration.proxy else "direct")
    if problem := platforms.misplaced(evaluator, platform_claimed(offer)):
        remedy = "name the platform that was asked"
        yield Finding(clause=layout.KNOWN, where="--platform", problem=problem, remedy=remedy)


def spelt(judge: Judge) -> str:
    """Return how a source writes who was asked: the model, or else the name that it gives it."""
    return judge.name if judge.model == UNKNOWN else judge.model


def named_by(registry: Registry, judge: Judge) -> Iterator[Generation]:
    """Yield the generations that a source's name for a judge can mean."""
    name = spelt(judge)
    # As the source may write it: a maker's folder before it, as model hubs have it.
    for each in dict.fromkeys((name, name.rpartition("/")[2])):
        yield from (generation for generation, _ in registry.names.exactly(each))


def _of_source(registry: Registry, offer: Offer) -> Iterator[Finding]:
    """Yield where recorded verdicts are offered as those of another than their source states."""
    # Reading R77: a generation that the source does not state is never guessed.
    assert offer.stated
    claimed, name = offer.said.generation, spelt(offer.stated)
    if claimed not in {generation.name for generation in named_by(registry, offer.stated)}:
        path = f"{FOLDER}/{EVALUATORS}/{claimed}.json"
        yield Finding(
            clause="Reading R77",
            where="--generation",
            problem=f"the source says that {name} was asked, which is no name of {claimed}",
            remedy=f"name the generation that it states, or add the alias to {path}",
        )
