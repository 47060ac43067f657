"""A bank: scores that judges gave several responses to each item, asking by asking, with gold.

It is a table with the columns `item, domain, response, gold, judge, asking, score` (Reading R94),
a row a score. `snapshots/bank.parquet` is one; `pipeline/bank.py` makes it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from epc.arrays import Array, Indices, np
from epc.errors import UsageError
from epc.extras import require

COLUMNS: Final = ("item", "domain", "response", "gold", "judge", "asking", "score")
GOLD, SCORE, _DOMAIN = "gold", "score", "domain"
_PLACES: Final = ("item", "response", "judge", "asking")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bank:
    """Scores of responses.

    Shapes: gold (items, responses); each judge's scores (items, responses, askings).
    A score that is missing is NaN, and so is the gold of a response that is not there.
    """

    items: tuple[str, ...]
    domains: tuple[str, ...]
    gold: Array
    scores: Mapping[str, Array]


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Columns of a table: each row's code, and the value that each code stands for, in order."""

    codes: Mapping[str, Indices]
    names: Mapping[str, list[Any]]

    def numbers(self, name: str) -> Array:
        """Return a column's values as numbers."""
        return np.array(self.names[name], dtype=np.float64)[self.codes[name]]

    def values(self, name: str) -> list[Any]:
        """Return a column's values."""
        return [self.names[name][code] for code in self.codes[name].tolist()]


def is_bank(path: Path) -> bool:
    """Return whether a file is such a table."""
    if path.suffix != ".parquet":
        return False
    require("data")
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return {*COLUMNS} <= {*pq.read_schema(path).names}
    except (pa.ArrowException, OSError):
        return False


def parsed(content: bytes) -> Bank:
    """Return the bank that a Parquet file holds.

    Raises: as `columns_of`.
    """
    table = columns_of(content, COLUMNS)
    item, response, judge, asking = (table.codes[n] for n in COLUMNS if n in _PLACES)
    items, responses, judges, _ = (table.names[n] for n in COLUMNS if n in _PLACES)
    gold = np.full((len(items), len(responses)), np.nan)
    gold[item, response] = table.numbers(GOLD)
    scores, score = {}, table.numbers(SCORE)
    for number, name in enumerate(judges):
        own = judge == number
        scores[name] = np.full((*gold.shape, 1 + asking[own].max()), np.nan)
        scores[name][item[own], response[own], asking[own]] = score[own]
    domains = np.empty(len(items), np.int64)
    domains[item] = table.codes[_DOMAIN]
    return Bank(
        items=tuple(items),
        domains=tuple(table.names[_DOMAIN][code] for code in domains),
        gold=gold,
        scores=scores,
    )


def columns_of(content: bytes, wanted: Sequence[str]) -> Columns:
    """Return columns of a Parquet file, without pandas, which takes seconds to load.

    Raises: UsageError if one is missing, or has no value somewhere; MissingExtraError without
    pyarrow.
    """
    require("data")
    import pyarrow as pa
    import pyarrow.parquet as pq

    codes, names = dict[str, Indices](), dict[str, list[Any]]()
    try:
        table = pq.ParquetFile(BytesIO(content)).read(columns=list(wanted))
        for name in wanted:
            encoded = table[name].combine_chunks().dictionary_encode()
            values = encoded.dictionary.to_pylist()
            order = sorted(range(len(values)), key=values.__getitem__)
            places = np.empty(len(values), np.int64)
            places[order] = np.arange(len(values))
            codes[name] = places[np.from_dlpack(encoded.indices)]
            names[name] = [values[place] for place in order]
    except (pa.ArrowException, LookupError, TypeError, ValueError, OSError) as error:
        problem = f"this is no table with {', '.join(wanted)}: {error}"
        raise UsageError(f"{problem}\n  fix: make it again") from error
    return Columns(codes=codes, names=names)
