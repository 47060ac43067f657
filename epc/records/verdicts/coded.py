"""Columns made of columns: by distinct values, or by distinct combinations of several."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from epc.arrays import Codes, Flags, np, ranks
from epc.records.verdicts.columns import Column, LazyNames

ABSENT: Final = -1
_OPPOSITE: Final = {"a": "b", "b": "a"}


def recoded(column: Column, read: Callable[[str], Any]) -> Column:
    """Return a column of what its values mean, absent where that is None."""
    code_of: dict[Any, int] = {}
    places = np.full(len(column.names) + 1, ABSENT, np.int32)
    for index, name in enumerate(column.names):
        value = read(name)
        if value is not None:
            places[index] = code_of.setdefault(value, len(code_of))
    return Column(codes=places[column.codes], names=[*code_of])


def combined(columns: Sequence[Column], size: int) -> tuple[Codes, Codes]:
    """Return a row of each combination of the columns' values, and the combination of each row."""
    key = np.zeros(size, np.int64)
    for column in columns:
        key = key * (len(column.names) + 1) + column.codes.astype(np.int64) + 1
        key = ranks(key)
    first = np.empty(int(key.max(initial=-1)) + 1, np.int64)
    first[key[::-1]] = np.arange(size - 1, -1, -1)
    return first, key


def of_combinations(
    columns: Sequence[Column],
    size: int,
    read: Callable[[list[Any]], Any],
    *,
    distinct: bool = False,
) -> Column:
    """Return a column of what the values of several mean together, absent where that is None.

    `distinct` values are never absent, and differ where a value of the columns does.
    """
    first, combination = combined(columns, size)
    if distinct:
        names = LazyNames(columns, first, read)
        return Column(codes=combination.astype(np.int32), names=names)
    order = np.argsort(first)  # as they come in the file
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    values = [read(cells) for cells in LazyNames(columns, first[order], list)]
    return of_values(values, ranks[combination])


def constant(value: Any, size: int) -> Column:
    """Return a column of one value."""
    return Column(codes=np.zeros(size, np.int32), names=[value])


def absent(size: int) -> Column:
    """Return a column without values."""
    return Column(codes=np.full(size, ABSENT, np.int32), names=[])


def opposite(word: str) -> str:
    """Return the other answer's word; a tie is its own."""
    return _OPPOSITE.get(word, word)


def exchanged(a: Column, b: Column, rows: Flags) -> tuple[Column, Column]:
    """Return two columns with the values of some rows exchanged."""
    code_of: dict[Any, int] = {}
    exchanged_columns = []
    for column in (a, b):
        places = [code_of.setdefault(value, len(code_of)) for value in column.names]
        exchanged_columns.append(np.array([*places, ABSENT], np.int32)[column.codes])
    names = [*code_of]
    return (
        Column(codes=np.where(rows, exchanged_columns[1], exchanged_columns[0]), names=names),
        Column(codes=np.where(rows, exchanged_columns[0], exchanged_columns[1]), names=names),
    )


def flipped(column: Column, rows: Flags, turn: Callable[[Any], Any]) -> Column:
    """Return a column with the words of some rows turned round."""
    code_of = {value: code for code, value in enumerate(column.names)}
    places = [code_of.setdefault(turn(value), len(code_of)) for value in column.names]
    flipped_codes = np.array([*places, ABSENT], np.int32)[column.codes]
    return Column(codes=np.where(rows, flipped_codes, column.codes), names=[*code_of])


def of_values(values: Iterable[Any], combination: Codes) -> Column:
    """Return a column of the values that combinations have; None is absent."""
    code_of: dict[Any, int] = {}
    places = [ABSENT if v is None else code_of.setdefault(v, len(code_of)) for v in values]
    return Column(codes=np.array(places, np.int32)[combination], names=[*code_of])
