"""Rows as pandas tables; pandas is asked for when the first is made."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from epc.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd


def frame(rows: Iterable[Any], columns: Sequence[str]) -> "pd.DataFrame":
    """Return rows as a table with these columns, in this order.

    Raises: UsageError where pandas is not installed.
    """
    table: pd.DataFrame = _pandas().DataFrame(list(rows), columns=list(columns))
    return table


def lines(path: "Path") -> "pd.DataFrame":
    """Return a file of JSON Lines as a table, every bit of a number and every text kept.

    Raises: UsageError where pandas is not installed.
    """
    table: pd.DataFrame = _pandas().read_json(path, lines=True, dtype=False, precise_float=True)
    return table


def _pandas() -> Any:
    try:
        import pandas as pd
    except ImportError:
        raise UsageError(
            "tables are pandas DataFrames, and pandas is not installed\n  fix: pip install pandas"
        ) from None
    return pd
