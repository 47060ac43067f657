"""What the registry has published, as tables."""

from datetime import date
from typing import TYPE_CHECKING

from epc.api.frames import frame
from epc.engine.clock import now
from epc.registry import tables
from epc.registry.reading import open_registry

if TYPE_CHECKING:
    import pandas as pd


def snapshots(registry: str | None = None, *, as_of: date | None = None) -> "pd.DataFrame":
    """Return one row a snapshot: who was measured, when, the audit's word, whether it still holds.

    `registry` is a checkout or a published registry.json; by default the checkout around us.
    `as_of` is the day of which the state is; by default today in UTC.

    Raises: UsageError if there is none; MalformedError if it cannot be read; WorldError if the
    disk or the network fails.
    """
    rows = tables.snapshots(open_registry(registry), as_of or now().date())
    return frame(rows, tuple(tables.SNAPSHOT))


def figures(registry: str | None = None, *, as_of: date | None = None) -> "pd.DataFrame":
    """Return one row a published figure: the table that the site publishes as figures.csv.

    Raises: as `snapshots`.
    """
    rows = tables.figures(open_registry(registry), as_of or now().date())
    return frame(rows, tuple(tables.COLUMNS))
