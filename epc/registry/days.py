"""Days that no calendar has, or on which nothing can have been measured.

Schemas know only the shape of a day.

Pure: it takes JSON.
"""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any, Final

EARLIEST: Final = date(2000, 1, 1)  # no evaluator is as old; a clock that was never set may be
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def misdated(day: date, today: date) -> str:
    """Say why nothing can have been measured or written on a day; empty if it can have been."""
    if day > today:
        return f"on {day}, which is after today, {today}"
    if day < EARLIEST:
        return f"on {day}, which is before {EARLIEST}: no evaluator is as old"
    return ""


def days_away(day: date, days: int) -> date:
    """Return a day so many days away, at the end of the calendar if it lies beyond."""
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return date.max if days > 0 else date.min


def impossible(value: Any, where: str = "") -> Iterator[tuple[str, str]]:
    """Yield the place and the text of each day that does not exist, such as 2026-02-31."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from impossible(item, f"{where}/{key}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from impossible(item, f"{where}/{index}")
    elif isinstance(value, str) and _DAY.fullmatch(value) and day_of(value) is None:
        yield where, value


def day_of(text: str) -> date | None:
    """Return the day that a text states, if it states one."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
