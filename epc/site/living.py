"""Start of the living figure of a measured snapshot's page (`assets/replay/`).

Files of the snapshot with the digests that they have to have, and the published figures that what
the browser computes stands beside.
"""

from dataclasses import dataclass
from typing import Final

from epc.protocol.results import Json
from epc.records.strict_json import dumps_line
from epc.site.pages import Direction, SnapshotPage

_FILES: Final = ("manifest.json", "raw/trials.jsonl")
_HOME: Final = "../../"  # from a snapshot's page


@dataclass(frozen=True, slots=True, kw_only=True)
class LivingFigure:
    """Content that a page hands to the script, as JSON, and how many bytes it then fetches."""

    script_json: str
    bytes: int


def living(page: SnapshotPage) -> LivingFigure | None:
    """Return what a page's figure starts from; None where its trials are not published."""
    by_name = {file.name: file for file in page.files}
    if page.audit is None or not all(name in by_name for name in _FILES):
        return None
    files = [by_name[name] for name in _FILES]
    start = {
        "files": [
            {"name": file.name, "href": f"{_HOME}{file.href}", "sha256": file.sha256}
            for file in files
        ],
        "published": {direction.name: _published(direction) for direction in page.row.directions},
    }
    return LivingFigure(
        script_json=dumps_line(start).strip(), bytes=sum(file.bytes for file in files)
    )


def _published(direction: Direction) -> Json:
    """Return the figures of a direction that were published; of a failed run there are fewer."""
    task_figures = direction.into.these_tasks if direction.into else None
    figures = {
        "gamma": direction.gamma.mean,
        "floor": direction.noise.mean if direction.noise else None,
        "excess": direction.excess.mean if direction.excess else None,
        "redirected": task_figures.redirected if task_figures else None,
        "regret": task_figures.regret if task_figures else None,
    }
    return {name: value for name, value in figures.items() if value is not None}
