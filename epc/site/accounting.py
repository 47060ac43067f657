"""Working out what a measured snapshot's manifest and trials say, for its page."""

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final

from msgspec import structs

from epc.errors import Finding, MalformedError, able_to
from epc.records import strict_json
from epc.records.layout import MANIFEST, RAW
from epc.records.manifest import Manifest
from epc.records.strict_json import dumps
from epc.registry.record import AuditSummary
from epc.simulation.noise import coin_bands
from epc.site import describing
from epc.site.charts import charts_of_snapshot
from epc.site.charts.gallery import hung
from epc.site.evidence import ACCOUNT, FACTS, GALLERY, NOTE, PICTURES, Evidence, win_rates
from epc.site.pages import SnapshotPage
from epc.site.templating import environment

_MOST_IN_ONE_PROCESS: Final = 8  # snapshots; below it a process pool costs more than it saves
_Job = tuple[AuditSummary, Path, Path | None, Path]


def gathered(pages: Sequence[SnapshotPage], home: Path) -> dict[str, Evidence]:
    """Return the evidence of every measured snapshot by tag; its long parts are below `home`.

    Raises: MalformedError if trials are not those of their manifest; WorldError if the disk fails.
    """
    with able_to("write", home):
        if home.exists():
            shutil.rmtree(home)
    jobs: dict[str, _Job] = {}
    for page in pages:
        if page.audit:
            manifest, trials = page.folder / MANIFEST, page.raw.get(RAW["trials"])
            jobs[page.row.tag] = (page.audit, manifest, trials, home / page.row.tag)
    for problem in _worked_out([*jobs.values()]):
        if problem is not None:
            raise MalformedError(problem)
    return {tag: Evidence.of(home / tag) for tag in jobs}


def _worked_out(jobs: Sequence[_Job]) -> Iterator[Finding | None]:
    """Yield for each job what is wrong with its source, using all cores."""
    if len(jobs) <= _MOST_IN_ONE_PROCESS:
        yield from (_written(*job) for job in jobs)
        return
    from joblib import Parallel, delayed, parallel_config

    with parallel_config(backend="loky", n_jobs=-1, inner_max_num_threads=1):
        work = Parallel(return_as="generator")
        yield from work(delayed(_written)(*job) for job in jobs)


def _written(
    audit: AuditSummary, manifest: Path, trials: Path | None, home: Path
) -> Finding | None:
    """Write a snapshot's evidence to a folder; return what is wrong with its source."""
    document, problems = strict_json.read(manifest)
    if problems:
        return replace(problems[0], where=f"{manifest}{problems[0].where}")
    try:
        files = made(Manifest.parse(document), audit, trials)
    except MalformedError as error:
        return replace(error.finding, where=f"{manifest.parent}{error.finding.where}")
    with able_to("write", home):
        (home / PICTURES).mkdir(parents=True)
        for name, text in files.items():
            (home / name).write_bytes(text.encode())
    return None


def made(manifest: Manifest, audit: AuditSummary, trials: Path | None) -> dict[str, str]:
    """Return the files of a snapshot's evidence.

    Raises: MalformedError if its trials are not its manifest's; WorldError if the disk fails.
    """
    rates = tuple(win_rates(manifest))
    coin = coin_bands(manifest.configuration)
    facts = {
        "coin": {name: structs.asdict(band) for name, band in coin.items()},
        "win_rates": [asdict(rate) for rate in rates],
    }
    files = {FACTS: dumps(facts)}
    provenance = list(describing.provenance(manifest))
    context = {"manifest": manifest, "audit": audit, "rates": rates, "provenance": provenance}
    templates = environment()
    for name in (NOTE, ACCOUNT):
        files[name] = templates.get_template(f"{name}.j2").render(context)
    charts = charts_of_snapshot(manifest, audit, rates, trials)
    files[GALLERY] = hung(charts, files.__setitem__)
    return files
