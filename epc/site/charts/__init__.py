"""The site's pictures: one Vega-Lite specification each, drawn when the site is built."""

from pathlib import Path

import msgspec

from epc.analysis.trajectories import Trajectories, trajectories
from epc.errors import able_to
from epc.records.manifest import Manifest
from epc.records.rows import Trial
from epc.registry.record import AuditSummary
from epc.report.charts.chart import Chart
from epc.report.charts.transfer import matrix_chart, transfer_chart
from epc.report.charts.weight_trajectories import trajectories_chart
from epc.site.charts.results import spark
from epc.site.charts.seeds import excess_chart, gamma_chart, jsd_chart

__all__ = ["Chart", "charts_of_snapshot", "spark"]


def charts_of_snapshot(manifest: Manifest, audit: AuditSummary, trials: Path | None) -> list[Chart]:
    """Return the pictures of a measured snapshot; without its trials, all but their trajectories.

    Raises: MalformedError if its trials are not those of its manifest.
    """
    drawn = _trajectories(manifest, trials) if trials else None
    charts = (
        gamma_chart(manifest),
        transfer_chart(audit.crossing, word=audit.verdict, rule=audit.rule),
        matrix_chart(audit.crossing),
        excess_chart(manifest, audit),
        jsd_chart(manifest),
        trajectories_chart(drawn) if drawn else None,
    )
    return [chart for chart in charts if chart is not None]


def _trajectories(manifest: Manifest, path: Path) -> Trajectories:
    # `epc snapshot verify` reads them strictly, line by line; that takes seven times as long.
    with able_to("read", path), path.open("rb") as file:
        return trajectories(manifest, map(msgspec.json.Decoder(Trial).decode, file))
