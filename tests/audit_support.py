"""Verdict tables for the tests of the rule about coupling, from letters; fewer wheels by day."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final
from unittest.mock import patch

import numpy as np
from budget_support import is_night
from oracle import observed_crossing

from epc.audit import transfer
from epc.audit.coupling import changes, worked_out
from epc.protocol.table import VerdictTable
from epc.spec.epc_v1 import DOMAINS

# What was said of a pair: A, B, a tie, nothing; two letters are two verdicts.
_COUNTS: Final = {"A": (1, 0, 0), "B": (0, 1, 0), "t": (0, 0, 1), ".": (0, 0, 0)}

Rows = Sequence[str | Sequence[str]]


def counts(rows: Rows) -> list[list[list[int]]]:
    """Return the counts of rows such as "AB.t", a strategy a row and a task a letter or a word."""
    return [
        [[sum(_COUNTS[letter][index] for letter in cell) for index in range(3)] for cell in row]
        for row in rows
    ]


def table(text: Rows, visual: Rows, *, repeated: bool = False, whole: bool = False) -> VerdictTable:
    """Return a verdict table of two domains."""
    return VerdictTable(
        counts={
            domain: np.array(counts(rows), np.int64).reshape(len(rows), -1, 3)
            for domain, rows in zip(DOMAINS, (text, visual), strict=True)
        },
        repeated=repeated,
        is_whole=whole,
    )


def forget() -> None:
    """Forget what was worked out of verdict tables."""
    worked_out.cache_clear()
    changes.cache_clear()


@contextmanager
def fewer_wheels() -> Iterator[None]:
    """By day turn a quarter of the wheels, as the study of levels does; decorates a test.

    What is worked out of a table is kept, so it is forgotten before and after.
    """
    if is_night():
        yield
        return
    forget()
    with (
        patch.multiple(transfer, WHEELS=4096, WHEELS_A_PART=64),
        patch.multiple(observed_crossing, _WHEELS=4096, _OF_A_PART=64),
    ):
        yield
    forget()
