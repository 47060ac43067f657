"""The clock of whoever measures."""

import os
from datetime import UTC, datetime


def now() -> datetime:
    """Return the time in UTC; `SOURCE_DATE_EPOCH` fixes it, for reproducible records."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH", "")
    return datetime.fromtimestamp(int(fixed), UTC) if fixed.isdecimal() else datetime.now(UTC)
