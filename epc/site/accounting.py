"""Working out what a measured snapshot's manifest and trials say, for its page."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup

from epc.errors import Finding, MalformedError
from epc.records import strict_json
from epc.records.layout import MANIFEST, RAW
from epc.records.manifest import Manifest
from epc.registry.record import AuditSummary
from epc.simulation.noise import coin_bands
from epc.site import describing
from epc.site.charts import charts_of_snapshot
from epc.site.charts.gallery import hung
from epc.site.pages import Evidence, SnapshotPage, WinRate
from epc.site.templating import environment

_MOST_IN_ONE_PROCESS: Final = 8  # snapshots; below it a process pool costs more than it saves
_WINS, _LOSSES, _TIES = range(3)
_Job = tuple[AuditSummary, Path, Path | None]


def gathered(pages: Sequence[SnapshotPage]) -> dict[str, Evidence]:
    """Return the evidence of every measured snapshot by tag.

    Raises: MalformedError if trials are not those of their manifest; WorldError if the disk fails.
    """
    jobs: dict[str, _Job] = {
        page.row.tag: (page.audit, page.folder / MANIFEST, page.raw.get(RAW["trials"]))
        for page in pages
        if page.audit
    }
    found: dict[str, Evidence] = {}
    for tag, evidence in zip(jobs, _worked_out([*jobs.values()]), strict=True):
        if isinstance(evidence, Finding):
            raise MalformedError(evidence)
        found[tag] = evidence
    return found


def _worked_out(jobs: Sequence[_Job]) -> Iterator[Evidence | Finding]:
    """Yield for each job its evidence, or what is wrong with its source, using all cores."""
    if len(jobs) <= _MOST_IN_ONE_PROCESS:
        yield from (_evidence_of(*job) for job in jobs)
        return
    from joblib import Parallel, delayed, parallel_config

    with parallel_config(backend="loky", n_jobs=-1, inner_max_num_threads=1):
        work = Parallel(return_as="generator")
        yield from work(delayed(_evidence_of)(*job) for job in jobs)


def _evidence_of(audit: AuditSummary, path: Path, trials: Path | None) -> Evidence | Finding:
    """Return what a snapshot's files say, or what is wrong with them."""
    document, problems = strict_json.read(path)
    if problems:
        return replace(problems[0], where=f"{path}{problems[0].where}")
    manifest, files = Manifest.parse(document), dict[str, str]()
    rates = tuple(win_rates(manifest))
    try:
        charts = charts_of_snapshot(manifest, audit, rates, trials)
    except MalformedError as error:
        return replace(error.finding, where=f"{path.parent}{error.finding.where}")
    provenance = list(describing.provenance(manifest))
    context = {"manifest": manifest, "audit": audit, "rates": rates, "provenance": provenance}
    return Evidence(
        coin=coin_bands(manifest.configuration),
        win_rates=rates,
        note=_part("note", context),
        account=_part("account", context),
        gallery=hung(charts, files.__setitem__),
        files=files,
    )


def _part(name: str, context: dict[str, Any]) -> Markup:
    """Return a part of a page by its template."""
    return Markup(environment().get_template(f"{name}.md.j2").render(context))  # noqa: S704  (made by our templates)


def win_rates(manifest: Manifest) -> Iterator[WinRate]:
    """Yield the win rate of each strategy in each domain."""
    counts = manifest.results.verdict_table.counts
    for strategy in manifest.names:
        for domain in manifest.domains.names:
            cells = counts[domain].get(strategy, ())
            yield WinRate(
                strategy=strategy,
                domain=domain,
                wins=sum(cell[_WINS] for cell in cells),
                losses=sum(cell[_LOSSES] for cell in cells),
                ties=sum(cell[_TIES] for cell in cells),
            )
