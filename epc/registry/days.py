"""Days that no calendar has, in records whose schemas know only the shape of a day.

Pure: it takes JSON.
"""

import re
from collections.abc import Iterator
from datetime import date
from typing import Any, Final

_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def impossible(value: Any, where: str = "") -> Iterator[tuple[str, str]]:
    """Yield the place and the text of each day that does not exist, such as 2026-02-31."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from impossible(item, f"{where}/{key}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from impossible(item, f"{where}/{index}")
    elif isinstance(value, str) and _DAY.fullmatch(value) and not _exists(value):
        yield where, value


def _exists(day: str) -> bool:
    try:
        date.fromisoformat(day)
    except ValueError:
        return False
    return True
