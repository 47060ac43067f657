"""The site's pictures: one Vega-Lite specification each, drawn when the site is built."""

from epc.core.results import Json
from epc.records import strict_json
from epc.records.layout import RAW
from epc.records.trajectories import Trajectories, trajectories
from epc.site.charts.chart import Chart
from epc.site.charts.courses import trajectories_chart
from epc.site.charts.floor import excess_chart, floor_chart
from epc.site.charts.history import history_charts
from epc.site.charts.preferences import position_chart, ties_chart, win_rates_chart
from epc.site.charts.seeds import gamma_chart, jsd_chart
from epc.site.charts.spark import spark
from epc.site.pages import EvaluatorPage, SnapshotPage

__all__ = ["Chart", "charts_of_evaluator", "charts_of_snapshot", "spark"]


def charts_of_snapshot(page: SnapshotPage) -> list[Chart]:
    """Return the pictures of a measured snapshot; a reported one has none of its own.

    Raises: MalformedError if its trials are not those of its manifest.
    """
    manifest = page.manifest
    if manifest is None:
        return []
    courses = _courses(page, manifest)
    made = (
        gamma_chart(manifest),
        floor_chart(manifest),
        excess_chart(manifest),
        jsd_chart(manifest),
        win_rates_chart(page.win_rates),
        trajectories_chart(courses) if courses else None,
        ties_chart(manifest),
        position_chart(manifest),
    )
    return [chart for chart in made if chart is not None]


def charts_of_evaluator(page: EvaluatorPage) -> list[Chart]:
    """Return the pictures of an evaluator's history; none where nothing was published of it."""
    return history_charts(page)


def _courses(page: SnapshotPage, manifest: Json) -> Trajectories | None:
    path = page.raw.get(RAW["trials"])
    if path is None:
        return None
    return trajectories(manifest, (row for _, row, _ in strict_json.read_lines(path, "trials")))
