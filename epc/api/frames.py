"""Values for Python: rows as pandas tables, and results that a notebook shows below their cell.

pandas is asked for when the first table is made.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from epc.extras import require

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from epc.report.document import Part


class NotebookResult(ABC):
    """A result that prints as its command does, and that a notebook shows as a document."""

    __slots__ = ()

    @abstractmethod
    def parts(self) -> "Iterable[Part]":
        """Return the document."""

    def _repr_html_(self) -> str:
        if find_spec("jinja2") is None:
            raise NotImplementedError  # a notebook shows the text then
        from epc.report.page.markup import rendered

        return rendered(self.parts())


def frame(rows: Iterable[Any], columns: Sequence[str]) -> "pd.DataFrame":
    """Return rows as a table with these columns, in this order.

    Raises: MissingExtraError where pandas is not installed.
    """
    table: pd.DataFrame = _pandas().DataFrame(list(rows), columns=list(columns))
    return table


def lines(path: "Path") -> "pd.DataFrame":
    """Return a file of JSON Lines as a table, every bit of a number and every text kept.

    Raises: MissingExtraError where pandas is not installed.
    """
    table: pd.DataFrame = _pandas().read_json(path, lines=True, dtype=False, precise_float=True)
    return table


def _pandas() -> Any:
    require("data")
    import pandas as pd

    return pd
