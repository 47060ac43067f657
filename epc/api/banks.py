"""`epc.selection` and `epc.transfer`: what a bank of scores says, from Python."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from epc.analysis.pickers import Picked, picked
from epc.analysis.selection import Selection, banks_in, selections
from epc.spec.epc_v1 import ROUNDS


def selection(
    bank: str | Path,
    *,
    settings: Sequence[str] = (),
    askings: int | None = None,
    pick: Literal["mean", "lower"] = "mean",
) -> list[Selection]:
    """Return what `epc observe selection` says of each judge."""
    return [*selections(banks_in(Path(bank), settings), askings, lower=pick == "lower")]


def transfer(
    bank: str | Path,
    *,
    settings: Sequence[str] = (),
    judge: str | None = None,
    domains: Sequence[str] = (),
    rounds: int = ROUNDS,
) -> list[Picked]:
    """Return what `epc observe transfer` says of each judge, or of one."""
    return [*picked(banks_in(Path(bank), settings), judge, domains, rounds=rounds)]
