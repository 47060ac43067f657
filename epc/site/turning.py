"""Answers that turn on a static page: each from a day on, until the next one begins.

The program computes them for all days that it knows; a browser finds the one of its reader's day.
"""

from datetime import date
from typing import Any

Turns = list[tuple[str, Any]]  # an answer and the day from which on it holds, the first day first


def add_turn(turns: Turns, day: date, answer: Any) -> None:
    """Add an answer from a day on, if it is another than before."""
    if not turns or turns[-1][1] != answer:
        turns.append((day.isoformat(), answer))
