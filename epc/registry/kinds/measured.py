"""Measured: the registry's own runs, whose figures follow from their trials."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from datetime import date
from pathlib import Path
from typing import Final

from epc.analysis.audit import Audit, audit_checked
from epc.digests import file_sha256
from epc.errors import Finding, UsageError
from epc.protocol.config import Configuration
from epc.protocol.results import Json
from epc.protocol.rules import rule_json
from epc.records.findings import Findings
from epc.records.layout import MANIFEST, PROBES
from epc.records.manifest import Estimate, Manifest
from epc.records.probes import read_probes
from epc.records.recompute import read_manifest, rewrite
from epc.records.typed import parse
from epc.records.validate import Report, validate
from epc.registry.cards import NO_BASELINE, Declaration, digest, model_of
from epc.registry.kinds.adapter import departure, read_document
from epc.registry.layout import AUDITS, CARD, FIGURES, SUMS
from epc.registry.lifecycles import ServiceTerm
from epc.registry.offers import Offer, Subject
from epc.registry.record import AuditSummary, Record
from epc.registry.snapshots import Snapshot
from epc.registry.submissions import against, layout, plausible
from epc.registry.submissions.checked import (
    ANSWERS,
    Base,
    Figure,
    SubmissionCheck,
    plain,
    second_computation,
    through,
)
from epc.registry.submissions.folder import located, present_files, reasons
from epc.registry.submissions.statement import identity, manifest_texts, placed
from epc.registry.tags import Tag
from epc.spec.epc_v1 import PUBLICATION_SEEDS, SCREENING_SEEDS

_MOST_NAMES: Final = 3
FILES: Final = layout.plain_files(layout.FILES, layout.OPTIONAL)
_OF_A_RULE: Final = ("verdict", "p_value", "unit", "rule", "preferences_differ", "transfer")
# Among an audit's findings are warnings of a whole validation, which takes longer than all of this.
_COMPARED: Final = [field.name for field in fields(AuditSummary) if field.name != "findings"]


def offered(run: Path, declaration: Declaration) -> Offer:
    """Check a run, and return what is offered of it.

    Raises: UsageError if it is not valid, or nothing could be recomputed.
    """
    report, manifest = _valid(run)
    return measured_offer(run, manifest, audit_checked(report).as_json(), declaration)


def _valid(run: Path) -> tuple[Report, Manifest]:
    """Return what validation finds of a run that can be offered, and its manifest.

    Raises: UsageError if it cannot; WorldError if the disk fails.
    """
    report = validate(run)
    if not report.ok or report.manifest is None:
        raise UsageError(
            f"{run} is not valid: {len(report.findings)} findings\n  fix: see `epc validate {run}`"
        )
    if not report.manifest.raw:
        raise UsageError(
            f"{run} has no raw files, so nothing could be recomputed\n"
            "  fix: name the folder that the measurement wrote"
        )
    return report, report.manifest


def measured_offer(run: Path, manifest: Manifest, audit: Json, declaration: Declaration) -> Offer:
    """Return what is offered of a run that was checked, by its manifest and its audit."""
    raw = {entry.path: entry.sha256 for entry in (manifest.raw or {}).values()}
    if (run / PROBES).exists():
        raw[PROBES] = file_sha256(run / PROBES)
    word = audit["verdict"]
    no_baseline = f"its audit says {word}\n  fix: see `epc audit {run}`"
    return Offer(
        run=run,
        kind="measured",
        models=manifest.models,
        days=(date.fromisoformat(manifest.evaluator.measurement_date),),
        declaration=declaration,
        figures=manifest.document["results"]["summary"],
        raw=raw,
        no_baseline=no_baseline if word in NO_BASELINE else None,
        card=lambda tag, life: card_of(tag, manifest, audit, declaration, life),
    )


def card_of(
    tag: Tag, manifest: Manifest, audit: Json, declaration: Declaration, life: ServiceTerm | None
) -> Record:
    """Return the card of a measured snapshot; without a life it is a calibration."""
    day = date.fromisoformat(manifest.evaluator.measurement_date)
    platform = life.platform if life else None
    executor = manifest.executor
    evaluator = model_of(manifest.evaluator, platform, declaration)
    card = declaration.card(
        tag, "measured", manifest.protocol_version, evaluator, conditions_of(manifest)
    )
    return replace(
        card,
        measured={"from": day, "to": day},
        executor=model_of(executor, None) if executor else None,
        audit=parse(audit, AuditSummary),
        calibration=life is None,
        source=declaration.source,
        replicates=declaration.replicates,
    )


def conditions_of(manifest: Manifest) -> Json:
    """Return what must agree, beside the models, for two measurements to be like for like.

    Long texts stand as the SHA-256 of their canonical JSON. What a design alone can change is
    stated where it departs from the reference: cards of before, which state none of it, stay
    comparable.
    """
    config, document = manifest.config, manifest.document
    configuration, reference = manifest.configuration, Configuration()
    decoding = [document[role] and document[role]["decoding"] for role in ("evaluator", "executor")]
    return {
        "rounds": config.rounds,
        "reuse": config.reuse,
        "exhaustive": config.exhaustive,
        "tasks": digest(document["tasks"]),
        "strategies": digest(document["strategies"]),
        "evaluator_prompt": digest(document["evaluator_prompt"]),
        "decoding": digest(decoding),
        **({} if configuration.rule == reference.rule else {"rule": rule_json(configuration.rule)}),
        **(
            {}
            if configuration.baseline == reference.baseline
            else {"baseline": configuration.baseline}
        ),
        **(
            {}
            if configuration.executor_prompt == reference.executor_prompt
            else {"executor_prompt": digest(configuration.executor_prompt)}
        ),
    }


def recompute(run: Path, snapshot: Snapshot, _source: Path | None) -> tuple[list[str], list[str]]:
    """Return which published places a run does not give again, and what else is wrong."""
    done = rewrite(run, write=False)
    audit, findings = _audit_again(run, done.manifest)
    assert snapshot.card.audit
    claim, rule_today = snapshot.card.audit, snapshot.audited_anew
    # A word of an earlier rule is verified by the digest of the card alone.
    untold = _OF_A_RULE if snapshot.earlier_word else ()
    changed = [f"/{CARD}/audit/{key}" for key in _differing(audit, claim) if key not in untold]
    if rule_today is not None:
        changed += [f"/{AUDITS}/{snapshot.tag}/{key}" for key in _differing(audit, rule_today)]
    problems = [str(finding) for finding in (*done.findings, *findings)]
    return [*done.changed, *changed], problems


def _differing(recomputation: AuditSummary, claim: AuditSummary) -> list[str]:
    return [key for key in _COMPARED if getattr(recomputation, key) != getattr(claim, key)]


def _audit_again(run: Path, manifest: Manifest) -> tuple[AuditSummary, list[Finding]]:
    """Return what a card says of this run's audit, and damage to its probes."""
    findings = Findings()
    probes = read_probes(manifest, run, findings)
    report = Report(path=str(run), findings=[], manifest=manifest, probes=probes)
    return parse(audit_checked(report).as_json(), AuditSummary), findings.as_list()


def departures(
    folder: Path, card: Record, figures: Json, listed: Mapping[str, str]
) -> Iterator[Finding]:
    """Yield where a measured snapshot's card, figures or raw digests are not its manifest's."""
    document, wrong = read_document(folder / MANIFEST, "epc_manifest_schema")
    yield from wrong
    if wrong:
        return
    manifest = Manifest.parse(document)
    if card.conditions != conditions_of(manifest):
        yield departure(f"/{CARD}/conditions", "are not the manifest's")
    if document["results"]["summary"] != figures:
        yield departure(f"/{FIGURES}", "is not the manifest's summary")
    raw = {f"raw/{file.path}": file.sha256 for file in (manifest.raw or {}).values()}
    unnamed = f"raw/{PROBES}"  # sealed with the raw files, though no manifest names it
    if raw != {name: listed[name] for name in listed if "/" in name and name != unnamed}:
        yield departure(f"/{SUMS}", "lists other raw files than the manifest")


def look(path: Path, checked: SubmissionCheck, base: Base) -> None:
    """Note what is wrong with a run: bounds first, then its record, then beside the others."""
    findings = checked.findings
    manifest, wrong = read_manifest(path)
    if manifest is None:
        findings.extend([placed(MANIFEST, finding) for finding in wrong])
        return
    findings.extend(wrong := list(plausible.bounds(manifest)))
    if wrong:
        return
    checked.manifest = manifest
    _record(path, manifest, checked, base)
    if checked.statement:
        _registry(manifest, checked, base)
        if checked.audit:
            checked.offer = measured_offer(
                path,
                manifest,
                checked.audit.as_json(),
                checked.statement.declaration(),
            )


def _record(path: Path, manifest: Manifest, checked: SubmissionCheck, base: Base) -> None:
    """Note what a record's own text, days, seeds and figures say.

    What one can mend by hand comes first: a record that is not true to itself can have so many
    findings that the others would not be listed.
    """
    findings = checked.findings
    findings.extend(manifest_texts(manifest.document))
    findings.extend(plausible.seeds(manifest))
    wrong = list(plausible.days(manifest, base.today))
    findings.extend(wrong)
    record = validate(path)
    checked.first = "every figure follows from the trials" if record.ok else "finds it otherwise"
    findings.extend(located(record.findings))
    if record.ok:
        second_computation(path, checked, "1e-9")
        checked.audit = audit_checked(record)
        findings.extend(reasons(checked.audit.findings, record.findings))
        checked.blocks.extend(_blocks(checked.audit))


def _blocks(audit: Audit) -> Iterator[str]:
    """Yield why a record that is true to itself can serve no reader as a baseline."""
    if audit.verdict in NO_BASELINE:
        yield NO_BASELINE[audit.verdict]
    if (n := audit.facts.n) < SCREENING_SEEDS:
        few = "1 seed is" if n == 1 else f"{n} seeds are"
        enough = f"{SCREENING_SEEDS} to screen and {PUBLICATION_SEEDS} to publish"
        yield f"{few} no baseline: EPC-2.5(g) asks for {enough}"


def _registry(manifest: Manifest, checked: SubmissionCheck, base: Base) -> None:
    """Note what the statement says that the registry, or the record, says otherwise."""
    findings, statement = checked.findings, checked.statement
    assert statement is not None
    recorded = manifest.evaluator.method == "recorded"
    findings.extend(plausible.endpoints(manifest, statement.endpoint))
    findings.extend(plausible.answered(manifest))
    where = f"{layout.STATEMENT}/weights"
    findings.extend(plausible.weighed(manifest.evaluator, statement.weights, where))
    where = f"{layout.STATEMENT}/source"
    findings.extend(plausible.sourced(statement.source, where, recorded=recorded))
    findings.extend(against.replication(statement, base.registry))
    shaped = all(f.severity != "error" for f in findings.as_list() if f.where.startswith(MANIFEST))
    if shaped:
        checked.identity = identity(manifest)
        evaluator = manifest.evaluator
        measured = date.fromisoformat(evaluator.measurement_date)
        findings.extend(
            against.generation(evaluator, measured, statement, base.registry, recorded=recorded)
        )


def figures(checked: SubmissionCheck) -> Iterator[Figure]:
    """Yield the headline figures of a run, and of its audit."""
    manifest, audit = checked.manifest, checked.audit
    if manifest is None or audit is None:
        return
    summary = manifest.results.summary
    directions = manifest.domains.directions
    for direction in directions:
        yield Figure(
            name=f"gamma/{direction}",
            mean=summary.gamma[direction].mean,
            ci95=summary.gamma[direction].ci95,
            noise_floor=summary.control.noise_floor[direction],
            excess=summary.control.excess[direction],
        )
    by_name = {"jsd": summary.jsd, "zero_coupling_rate": summary.zero_coupling_rate}
    for name, estimates in by_name.items():
        for direction in directions:
            yield plain(f"{name}/{direction}", estimates[direction])
    crossing = (audit.facts.transfer.directions if audit.facts.transfer else None) or {}
    for name in ("redirected", "regret"):
        for direction, into in crossing.items():
            mean, ci95 = getattr(into, name), getattr(into, f"{name}_ci95")
            yield plain(f"{name}/{direction}", Estimate(mean=mean, ci95=ci95))
    yield plain("tie_rate", summary.tie_rate)
    yield from (plain(f"pci/{domain}", summary.pci[domain]) for domain in manifest.domains.names)


def identity_of(folder: Path) -> str | None:
    """Return what tells a run from others, if its manifest can be read."""
    document, wrong = read_document(folder / MANIFEST, "epc_manifest_schema")
    return None if wrong else identity(Manifest.parse(document))


def subject_of(run: Path) -> Subject:
    """Return who is offered by a run.

    Raises: UsageError if it cannot be offered; WorldError if the disk fails.
    """
    _, manifest = _valid(run)
    return Subject(
        models=manifest.models,
        identity=identity(manifest),
        recorded=manifest.evaluator.method == "recorded",
    )


def files_of(run: Path) -> list[str]:
    """Return the files of a run that a submission has."""
    return [name for name in present_files(run) if name != layout.STATEMENT]


def recorded(checked: SubmissionCheck) -> Iterator[str]:
    """Yield who was asked, when, and how many seeds were run."""
    if (manifest := checked.manifest) is None:
        return
    seeds, provenance = manifest.config.seeds, manifest.provenance
    for role, model in manifest.models.items():
        yield f"{role}: {model.model} at {model.endpoint}{through(model)}"
        if served := list((provenance.served_models or {}).get(role, {})):
            omitted = f" and {len(served) - _MOST_NAMES} more" if len(served) > _MOST_NAMES else ""
            yield f"{role} answered as: {', '.join(served[:_MOST_NAMES])}{omitted}"
    yield f"measured: {manifest.evaluator.measurement_date}, written {provenance.created}"
    yield f"seeds: {len(seeds)}, {min(seeds)} to {max(seeds)}; {manifest.config.rounds} rounds"
    yield f"protocol: {manifest.protocol_version}"


def questions(checked: SubmissionCheck) -> Iterator[str]:
    """Yield what a person should ask of a run."""
    manifest = checked.manifest
    if manifest and len(manifest.config.seeds) < PUBLICATION_SEEDS:
        yield f"fewer than {PUBLICATION_SEEDS} seeds: a screening"
    yield ANSWERS
