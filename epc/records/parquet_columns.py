"""Columns of a Parquet file as codes and names, without pandas, which takes seconds to load."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from epc.arrays import Array, Indices, np
from epc.errors import UsageError
from epc.extras import require


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


def columns_of(content: bytes, wanted: Sequence[str]) -> Columns:
    """Return columns of a Parquet file.

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
