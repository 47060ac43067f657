"""Keeping secrets out of everything that is written or shown."""

import os
from typing import Final

_MARKS: Final = ("KEY", "TOKEN", "SECRET", "PASSWORD")
_SHORTEST: Final = 6  # a shorter value would blank out ordinary words


def redact(text: str) -> str:
    """Return a text with the value of every secret environment variable blanked out."""
    for name, value in os.environ.items():
        if len(value) >= _SHORTEST and any(mark in name.upper() for mark in _MARKS):
            text = text.replace(value, f"[{name}]")
    return text
