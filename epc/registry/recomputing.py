"""Every published figure again, from the raw files in the store (`epc snapshot recompute`)."""

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

from epc.analysis.audit import audit_checked
from epc.errors import EpcError, Finding, UsageError, WorldError
from epc.protocol.results import Json
from epc.records.findings import Findings
from epc.records.manifest import Manifest
from epc.records.probes import read_probes
from epc.records.rewrite import rewrite
from epc.records.validate import Report
from epc.registry.auditing import as_published
from epc.registry.card_types import AuditSummary, MeasuredCard
from epc.registry.cards import audited
from epc.registry.fetching import restore
from epc.registry.judged import changed_figures
from epc.registry.layout import AUDITS, CARD
from epc.registry.registry import Registry
from epc.registry.snapshots import Snapshot
from epc.registry.tags import Tag

_MOST_IN_ONE_PROCESS: Final = 16  # snapshots; below it a process pool costs more than it saves
# Among an audit's findings are warnings of a whole validation, which takes longer than all of this.
_COMPARED: Final = [field.name for field in fields(AuditSummary) if field.name != "findings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """What recomputing one snapshot gave: the places that differ, and what stood in the way."""

    tag: str
    changed: list[str]
    problems: list[str]

    @property
    def ok(self) -> bool:
        """Whether every figure came out as it was published."""
        return not self.changed and not self.problems

    def as_json(self) -> Json:
        """Return the result as plain JSON."""
        given = {"tag": self.tag, "changed": self.changed, "problems": self.problems}
        return {**given, "ok": self.ok}


def recomputable(registry: Registry, tags: Sequence[str]) -> list[Tag]:
    """Return the snapshots with raw files among some tags; all of them where none is named.

    Raises: UsageError if a named one has none.
    """
    found = [s for tag, s in registry.snapshots.items() if tag in tags or not tags]
    reported = [snapshot.tag for snapshot in found if snapshot.kind == "reported"]
    if tags and reported:
        raise UsageError(
            f"{reported[0]} is a reported snapshot: there are no trials to recompute it from\n"
            f"  fix: see its source with `epc snapshot show {reported[0]}`"
        )
    return [snapshot.tag for snapshot in found if snapshot.kind != "reported"]


def recompute(checkout: Path, registry: Registry, tags: Iterable[Tag]) -> Iterator[Again]:
    """Yield what recomputing each snapshot gives, in order, with all of the machine's cores.

    Raises: WorldError if the disk fails.
    """
    sealed = [(registry.snapshots[str(tag)], _seal(registry, tag)) for tag in tags]
    if len(sealed) <= _MOST_IN_ONE_PROCESS:
        yield from (_again(checkout, snapshot, seal) for snapshot, seal in sealed)
        return
    from joblib import Parallel, delayed, parallel_config

    # One thread a process: small products of matrices lose by threads, and most where all are busy.
    with parallel_config(backend="loky", n_jobs=-1, inner_max_num_threads=1):
        work = Parallel(return_as="generator")
        yield from work(delayed(_again)(checkout, snapshot, seal) for snapshot, seal in sealed)


def _seal(registry: Registry, tag: Tag) -> str | None:
    """Return the digest that a snapshot's event sealed its SHA256SUMS with."""
    told = registry.by_tag.get(str(tag), [])
    seals = (event.sha256 for event in told if event.event == "published")
    return next(seals, None)


def _again(checkout: Path, snapshot: Snapshot, seal: str | None) -> Again:
    tag = str(snapshot.tag)
    if seal is None:
        return Again(tag=tag, changed=[], problems=["no event says that it was published"])
    try:
        with tempfile.TemporaryDirectory() as name:
            run = Path(name)
            restore(snapshot.tag, run, seal=seal, place=str(checkout), store=None)
            again = _judged_again if snapshot.kind == "judged" else _measured_again
            changed, problems = again(run, snapshot)
    except EpcError as error:
        return Again(tag=tag, changed=[], problems=[str(error)])
    except OSError as error:
        raise WorldError(f"cannot write {error.filename}: {error.strerror or error}") from error
    return Again(tag=tag, changed=changed, problems=problems)


def _judged_again(folder: Path, snapshot: Snapshot) -> tuple[list[str], list[str]]:
    return changed_figures(folder, snapshot.figures)


def _measured_again(run: Path, snapshot: Snapshot) -> tuple[list[str], list[str]]:
    done = rewrite(run, write=False)
    said, findings = _audit_again(run, done.manifest)
    assert isinstance(snapshot.card, MeasuredCard)
    stated, anew = snapshot.card.audit, snapshot.audited_anew
    then = as_published(said, done.manifest, stated)
    changed = [f"/{CARD}/audit/{key}" for key in _differing(then, stated)]
    if anew is not None:
        changed += [f"/{AUDITS}/{snapshot.tag}/{key}" for key in _differing(said, anew)]
    problems = [str(finding) for finding in (*done.findings, *findings)]
    return [*done.changed, *changed], problems


def _differing(again: AuditSummary, stated: AuditSummary) -> list[str]:
    return [key for key in _COMPARED if getattr(again, key) != getattr(stated, key)]


def _audit_again(run: Path, manifest: Manifest) -> tuple[AuditSummary, list[Finding]]:
    """Return what a card says of this run's audit, and damage to its probes."""
    findings = Findings()
    asked = read_probes(manifest, run, findings)
    report = Report(path=str(run), findings=[], manifest=manifest, asked=asked)
    return audited(audit_checked(report).as_json()), findings.kept()
