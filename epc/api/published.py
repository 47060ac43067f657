"""What the registry has published, as tables."""

from datetime import date
from typing import TYPE_CHECKING

from epc.analysis.choosing import ALL, Which
from epc.engine.clock import now
from epc.registry.data import frame
from epc.registry.data_rows import batch_of_cards
from epc.registry.reading import open_registry
from epc.registry.which import which as answer

if TYPE_CHECKING:
    import pandas as pd


def snapshots(registry: str | None = None, *, as_of: date | None = None) -> "pd.DataFrame":
    """Return one row a snapshot: who was measured, when, the audit's word, whether it still holds.

    `registry` is a checkout or a published registry.json; by default the checkout around us. It is
    believed: `epc.load("snapshots")` gives the same rows, once each is checked against its seal.
    `as_of` is the day of which the state is; by default today in UTC.

    Raises: UsageError if there is none; MalformedError if it cannot be read; WorldError if the
    disk or the network fails.
    """
    return _table("snapshots", registry, as_of)


def figures(registry: str | None = None, *, as_of: date | None = None) -> "pd.DataFrame":
    """Return one row a published figure: the table that the site publishes as figures.csv.

    Raises: as `snapshots`.
    """
    return _table("figures", registry, as_of)


def which(
    domain: str = ALL,
    *,
    platform: str | None = None,
    budget: float | None = None,
    registry: str | None = None,
    as_of: date | None = None,
) -> Which:
    """Return which judges may be used for a kind of task: see `epc which`.

    `domain` is a kind of task or its first letters, `budget` US dollars for 1,000 questions.

    Raises: UsageError if no judge was measured there; MalformedError if the registry cannot be
    read; WorldError if the disk or the network fails.
    """
    day = as_of or now().date()
    return answer(open_registry(registry), domain, day, platform=platform, budget=budget)


def _table(name: str, location: str | None, as_of: date | None) -> "pd.DataFrame":
    batch = batch_of_cards(name, open_registry(location), as_of or now().date())
    table: pd.DataFrame = frame(name, [batch])
    return table
