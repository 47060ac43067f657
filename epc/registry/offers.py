"""What can be published: a folder that was checked, and what its contributor says of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from epc.analysis.audit import audit_checked
from epc.digests import file_sha256
from epc.errors import UsageError
from epc.protocol.results import Json
from epc.records.layout import BESIDE
from epc.records.manifest import Manifest, ModelIdentity, RoleName
from epc.records.observed.types import Judge
from epc.records.validate import validate
from epc.registry.card_types import Card, SnapshotKind
from epc.registry.cards import NO_BASELINE, Said, card_of
from epc.registry.lifecycles import MOCKS, Life
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
    kind: SnapshotKind
    asked: Mapping[RoleName, ModelIdentity]
    platform: str | None
    days: tuple[date, ...]
    said: Said
    figures: Json
    raw: Mapping[str, str]
    no_baseline: str | None
    card: Callable[[Tag, Life | None], Card]
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
