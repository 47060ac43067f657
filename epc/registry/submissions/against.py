"""A submission against the registry that it is offered to, and against what else is offered.

The registry is a trusted checkout; the submission is data.
"""

from collections.abc import Iterator, Mapping
from datetime import date

from epc.errors import Finding, Severity
from epc.printable import one_line
from epc.records.layout import MANIFEST
from epc.records.manifest import ModelIdentity
from epc.registry import platforms
from epc.registry.lifecycles import MOCKS, ServiceTerm
from epc.registry.names import is_one_contributor
from epc.registry.offers import misnamed
from epc.registry.registry import Registry
from epc.registry.submissions import layout
from epc.registry.submissions.statement import Statement


def candidates(registry: Registry, model: ModelIdentity) -> list[tuple[str, ServiceTerm]]:
    """Return the generations that a model's name can mean, each on a platform it was asked on."""
    name = platforms.parts_of(model.model)[-1]
    matches = [(g.name, life) for g, life in registry.names.exactly(name)]
    return [(g, life) for g, life in matches if not platforms.misplaced(model, life.platform)]


def generation(
    evaluator: ModelIdentity,
    measured: date,
    statement: Statement,
    registry: Registry,
    *,
    recorded: bool = False,
) -> Iterator[Finding]:
    """Yield why who was asked on a day is not the generation that the statement names."""
    model = evaluator.model
    if alike := registry.look_alike(statement.generation):
        problem = f"{statement.generation} looks like {alike}"
        yield _finding(layout.KNOWN, "generation", problem, f"write {alike}, or another name")
    life = registry.life(statement.generation, statement.platform)
    if model.startswith(MOCKS):
        problem = misnamed(model.removeprefix(MOCKS), statement.generation, registry)
        if not problem and statement.platform is not None:
            problem = f"{one_line(model)} is a mock, and on no platform"
        if problem:
            yield _finding(layout.KNOWN, "generation", problem, "name the mock, platform null")
        return
    yield from placed_on(evaluator, statement)
    if life is None:
        yield unknown(statement)
        return
    if recorded:
        problem = f"verdicts from a file: nothing here shows that {statement.generation} gave them"
        remedy = "a maintainer weighs the stated source"
        yield _finding(layout.KNOWN, "generation", problem, remedy, "warning")
    elif not _is_named(model, life):
        problem = f"{one_line(model)} is not {statement.generation}, which is {life.model}"
        remedy = "name the generation that was asked, or add the alias to its record first"
        yield _finding(layout.KNOWN, "generation", problem, remedy)
    yield from _lifetime(measured, registry.meant(life, measured))


def unknown(statement: Statement) -> Finding:
    """Return the finding that the registry knows no life of a generation on its platform."""
    problem = f"nothing is known of {statement.generation} on {statement.platform}"
    remedy = (
        "write its record with `epc evaluators new`, and commit it in the same pull request; a "
        "model that has a record for another platform only needs a pull request of its own"
    )
    return _finding(layout.KNOWN, "generation", problem, remedy)


def placed_on(evaluator: ModelIdentity, statement: Statement) -> Iterator[Finding]:
    """Yield that the evaluator was asked on another platform than the statement's."""
    problem = platforms.misplaced(evaluator, statement.platform)
    if problem and not evaluator.model.startswith(MOCKS):
        yield _finding(layout.KNOWN, "platform", problem, "name the platform that was asked")


def _is_named(model: str, life: ServiceTerm) -> bool:
    """Return whether a model's name, with or without what is before a slash, is the life's."""
    names = {name.casefold() for name in (life.model, *life.aliases)}
    parts = [part.casefold() for part in platforms.parts_of(model)]
    return any("/".join(parts[start:]) in names for start in range(len(parts)))


def _lifetime(measured: date, life: ServiceTerm) -> Iterator[Finding]:
    """Yield a measurement of what was not released yet, or is said to have retired."""
    where, released, retires = "evaluator/measurement_date", life.released, life.retires
    if released and measured < released.date:
        problem = f"measured on {measured}, {life.platform} released it on {released.date}"
        remedy = "correct the evaluator's record first, if its date is wrong"
        yield _finding(layout.DATES, where, problem, remedy, document=MANIFEST)
    if retires and retires.kind == "exact" and measured >= retires.date:
        problem = f"measured on {measured}, {life.platform} retired it on {retires.date}"
        remedy = "correct the evaluator's record, if its date is wrong"
        yield _finding(layout.DATES, where, problem, remedy, "warning", document=MANIFEST)


def sameness(
    record_identity: str, statement: Statement, known_identities: Mapping[str, str], document: str
) -> Iterator[Finding]:
    """Yield that the same is there already, by the identities of the others."""
    if statement.identity != record_identity:
        problem = f"says {statement.identity}, the record gives {record_identity}"
        remedy = "make the folder again with `epc submission new`"
        yield _finding(layout.NEW, "identity", problem, remedy)
    for name in (
        name for name, identity in known_identities.items() if identity == record_identity
    ):
        problem = f"is the same as {one_line(name)}"
        yield _finding(layout.NEW, "", problem, "withdraw this one", document=document)


def replication(statement: Statement, registry: Registry) -> Iterator[Finding]:
    """Yield why the snapshot that this is said to replicate cannot be that."""
    if statement.replicates is None:
        return
    if problem := _unrepeatable(statement.replicates, statement, registry):
        yield _finding(layout.WHO, "replicates", problem, "write null, or the right tag")


def _unrepeatable(tag: str, statement: Statement, registry: Registry) -> str | None:
    contributor = (statement.contributor, statement.login)
    return unrepeatable(registry, tag, statement.generation, *contributor)


def unrepeatable(
    registry: Registry,
    tag: str,
    generation: str | None,
    contributor: str | None,
    login: str | None,
) -> str | None:
    """Say why a measurement cannot replicate a snapshot, as far as it is known, or None."""
    repeated = registry.snapshots.get(tag)
    if repeated is None or not repeated.card.audit:
        return f"there is no measured snapshot {one_line(tag)}"
    if generation is not None and repeated.tag.generation != generation:
        return f"{tag} is of another generation than {one_line(generation)}"
    theirs = (repeated.card.contributor, repeated.card.login)
    if contributor is not None and is_one_contributor(theirs, (contributor, login)):
        return f"{tag} is your own: a replication is a second contributor's"
    return None


def _finding(
    clause: str,
    where: str,
    problem: str,
    remedy: str,
    severity: Severity = "error",
    *,
    document: str = layout.STATEMENT,
) -> Finding:
    path = f"{document}/{where}" if where else document
    return Finding(clause=clause, where=path, problem=problem, remedy=remedy, severity=severity)
