"""Working out what a measured snapshot's manifest and trials say, as files that are kept of it."""

from dataclasses import asdict
from pathlib import Path

from msgspec import structs

from epc.records.manifest import Manifest
from epc.records.strict_json import dumps
from epc.registry.card_types import AuditSummary
from epc.simulation.noise import coin_bands
from epc.site import describing
from epc.site.charts import charts_of_snapshot
from epc.site.charts.gallery import hung
from epc.site.evidence import ACCOUNT, FACTS, GALLERY, NOTE, win_rates
from epc.site.templating import environment


def made(
    measurement: tuple[Manifest, AuditSummary], trials: Path | None, drawings: Path
) -> dict[str, str]:
    """Return the files of a snapshot's evidence, given its manifest and its audit.

    `drawings` keeps what was drawn.

    Raises: MalformedError if its trials are not its manifest's; WorldError if the disk fails.
    """
    manifest, audit = measurement
    rates = tuple(win_rates(manifest))
    coin = coin_bands(manifest.configuration)
    facts = {
        "coin": {name: structs.asdict(band) for name, band in coin.items()},
        "win_rates": [asdict(rate) for rate in rates],
    }
    files = {FACTS: dumps(facts)}
    context = {"manifest": manifest, "audit": audit, "rates": rates}
    context["provenance"] = list(describing.provenance(manifest))
    templates = environment()
    for name in (NOTE, ACCOUNT):
        files[name] = templates.get_template(f"{name}.j2").render(context)
    charts = charts_of_snapshot(manifest, audit, rates, trials)
    files[GALLERY] = hung(charts, drawings, files.__setitem__)
    return files
