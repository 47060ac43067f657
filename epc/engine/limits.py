"""Keeping to an endpoint's rate limits, as its own headers state them."""

import asyncio
import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

_UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_PART: Final = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_KINDS: Final = ("requests", "tokens")
_LONGEST_HOLD_S: Final = 600.0  # a limit that takes longer to reset is met by failing, not waiting


class Gate:
    """Holds calls back while an endpoint has told us to wait.

    A 429 holds every call to the endpoint, not only the one that got it; a reply which says that
    no request or token is left holds the next ones until the stated reset.
    """

    def __init__(self) -> None:
        self._open_at = 0.0
        self.waited_s = 0.0

    async def passage(self) -> None:
        """Wait until the endpoint may be asked again."""
        while (left := self._open_at - time.monotonic()) > 0:
            self.waited_s += left
            await asyncio.sleep(left)

    def hold(self, seconds: float) -> None:
        """Keep every call back for so long, within reason."""
        self._open_at = max(self._open_at, time.monotonic() + min(seconds, _LONGEST_HOLD_S))

    def learn(self, headers: Mapping[str, str]) -> None:
        """Take over what a reply says is left of the limits."""
        for kind in _KINDS:
            if headers.get(f"x-ratelimit-remaining-{kind}", "").strip() == "0":
                reset = duration(headers.get(f"x-ratelimit-reset-{kind}", ""))
                if reset is not None:
                    self.hold(reset)


def duration(text: str) -> float | None:
    """Return the seconds that a header such as `6m0s`, `250ms` or `12` stands for."""
    text = text.strip()
    parts = _PART.findall(text)
    if parts and "".join(number + unit for number, unit in parts) == text:
        return sum(float(number) * _UNITS[unit] for number, unit in parts)
    try:
        seconds = float(text)
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None


def retry_after(headers: Mapping[str, str], *, now: datetime | None = None) -> float | None:
    """Return how many seconds a reply asks us to wait: `Retry-After` as seconds or as a date."""
    if (milliseconds := duration(headers.get("retry-after-ms", ""))) is not None:
        return milliseconds / 1000
    given = headers.get("retry-after", "")
    if (seconds := duration(given)) is not None:
        return seconds
    try:
        until = parsedate_to_datetime(given)
    except ValueError:
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=UTC)
    return max(0.0, (until - (now or datetime.now(UTC))).total_seconds())
