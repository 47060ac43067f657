"""The clock of whoever measures."""

import os
from collections.abc import Callable
from datetime import UTC, datetime


def now() -> datetime:
    """Return the time in UTC; `SOURCE_DATE_EPOCH` fixes it, for reproducible records."""
    return ticking()()


def ticking() -> Callable[[], datetime]:
    """Return `now` for a run that asks it thousands of times: the environment is read once."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH", "")
    if fixed.isdecimal():
        moment = datetime.fromtimestamp(int(fixed), UTC)
        return lambda: moment
    return lambda: datetime.now(UTC)
