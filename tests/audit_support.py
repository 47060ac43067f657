"""Verdict tables for the tests of the rule about coupling, from letters."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from epc.protocol.table import VerdictTable
from epc.spec.epc_v1 import DOMAINS

# What was said of a pair: A, B, a tie, nothing; two letters are two verdicts.
_COUNTS: Final = {"A": (1, 0, 0), "B": (0, 1, 0), "t": (0, 0, 1), ".": (0, 0, 0)}

Rows = Sequence[str | Sequence[str]]


def counts(rows: Rows) -> list[list[list[int]]]:
    """Return the counts of rows such as "AB.t", a strategy a row and a task a letter or a word."""
    return [
        [[sum(_COUNTS[letter][at] for letter in cell) for at in range(3)] for cell in row]
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
        whole=whole,
    )
