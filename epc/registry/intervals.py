"""Today's intervals of recorded verdicts that were published under an earlier rule.

Published figures keep theirs; whatever states a figure today states today's. They are kept beside
the snapshots, as the audits by today's rule are, by the JSON Pointers of the figures that have
another interval than was published (Reading R102).

Pure: it takes JSON that schemas have admitted.
"""

from collections.abc import Iterator, Mapping
from math import isclose
from typing import Any, Final

from epc.json_text import parts_of, pointer
from epc.protocol.results import Json
from epc.spec.epc_v1 import AGREEMENT

_ENDS: Final = "ci95"
_PLACES: Final = 12  # so that another machine writes the same


def moved(published: Any, today: Any, where: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each figure of one document whose interval is another one in the other."""
    if isinstance(published, dict) and isinstance(today, dict):
        if _ENDS in published and _ENDS in today and _differ(published[_ENDS], today[_ENDS]):
            yield where, today[_ENDS] and [round(end, _PLACES) for end in today[_ENDS]]
        for key in published.keys() & today.keys():
            yield from moved(published[key], today[key], where + pointer(key))
    elif isinstance(published, list) and isinstance(today, list):
        for index, (part, today_part) in enumerate(zip(published, today, strict=False)):
            yield from moved(part, today_part, f"{where}/{index}")


def restated(published: Json, intervals: Mapping[str, Any]) -> Json:
    """Return published figures with the intervals of today."""
    changes: dict[str, Any] = {}
    for where, ends in intervals.items():
        change = changes
        for key in parts_of(where):
            change = change.setdefault(key, {})
        change[_ENDS] = ends
    document: Json = _merged(published, changes)
    return document


def _merged(value: Any, changes: Any) -> Any:
    """Return a value with what its changes name, by key or index; other parts are shared."""
    if not isinstance(changes, dict):
        return changes
    if isinstance(value, list):
        parts = value.copy()
        for index, change in changes.items():
            parts[int(index)] = _merged(parts[int(index)], change)
        return parts
    return value | {key: _merged(value.get(key), change) for key, change in changes.items()}


def _differ(published: Any, today: Any) -> bool:
    if not published or not today:
        return bool(published) != bool(today)
    return not all(
        isclose(x, y, rel_tol=0, abs_tol=AGREEMENT) for x, y in zip(published, today, strict=True)
    )
