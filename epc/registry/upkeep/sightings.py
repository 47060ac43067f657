"""Age of sightings: when lists last had the models whose end nobody states.

What no list had for `confirmation_days` is unconfirmed. Pure: the day is passed in.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from statistics import median
from typing import Final

from epc.registry.lifecycles import OPEN_WEIGHTS, ServiceTermRecord
from epc.registry.registry import Registry

SOON: Final = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Sightings:
    """Models on platforms without a stated end, by when a list last had them.

    `never` are those that no list had on a day that is known, `old` those not seen for
    `confirmation_days`, `aging` those that will be so in `SOON` days if nobody looks.
    """

    lives: int
    never: int
    old: int
    aging: int
    newest: date | None
    median_days: int | None
    confirmation_days: int

    @property
    def lines(self) -> Iterator[str]:
        """Yield it as text."""
        yield (
            f"models on platforms without a stated end: {self.lives}; "
            f"not seen for {self.confirmation_days} days: {self.old}, of which never on a known "
            f"day: {self.never}; {SOON} days from now, if nobody looks: {self.old + self.aging}"
        )
        if self.newest:
            yield f"  last seen: {self.newest} at the latest, half {self.median_days} days ago"


def sightings(registry: Registry, as_of: date) -> Sightings:
    """Return the ages of what a registry saw, on a day."""
    lives = (life for record in registry.records for life in record.platforms)
    days = [life.seen for life in lives if life.retires is None and not _lasts(life)]
    limit = registry.policy.confirmation or 0
    ages = [(as_of - day).days for day in days if day]
    never = len(days) - len(ages)
    old = sum(age > limit for age in ages)
    return Sightings(
        lives=len(days),
        never=never,
        old=old + never,
        aging=sum(limit - SOON < age <= limit for age in ages),
        newest=max((day for day in days if day), default=None),
        median_days=round(median(ages)) if ages else None,
        confirmation_days=limit,
    )


def _lasts(life: ServiceTermRecord) -> bool:
    return life.pinned or life.platform == OPEN_WEIGHTS
