"""Cells of a table's plain columns as values: counts, days, repeats, probabilities."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from epc.records.verdicts.coded import recoded
from epc.records.verdicts.columns import Column
from epc.records.verdicts.converting import day_of
from epc.records.verdicts.names import number_of

_LARGEST: Final = 1e12
_MAX_COUNT: Final = 2**31


def _text(cell: str) -> str | None:
    return cell.strip() or None


def _count(cell: str) -> int | None:
    number = number_of(cell)
    usable = number is not None and 0 <= number < _MAX_COUNT and number.is_integer()
    return int(number) if usable and number is not None else None


def _tokens(cell: str) -> float | None:
    number = number_of(cell)
    return number if number is not None and 0 <= number <= _LARGEST else None


def _day(cell: str) -> str | None:
    day = day_of(cell)
    return day if len(day) == len("2026-01-01") and day[4] == day[7] == "-" else None


def repeats_of(column: Column) -> Column:
    """Return the number of each asking; names of askings are numbered as they come."""
    cells = [cell.strip() for cell in column.names]
    if all(_count(cell) is not None for cell in cells if cell):
        return recoded(column, _count)
    numbers = {cell: number for number, cell in enumerate(dict.fromkeys(filter(None, cells)))}
    return recoded(column, lambda cell: numbers.get(cell.strip()))


def confidence_of(column: Column) -> Column:
    """Return probabilities, of which those to 100 are percent."""
    numbers = {cell: number_of(cell) for cell in column.names}
    top = max((number for number in numbers.values() if number is not None), default=0.0)
    divisor = 100.0 if top > 1 else 1.0

    def read(cell: str) -> float | None:
        number = numbers[cell]
        return None if number is None or not 0 <= number <= divisor else number / divisor

    return recoded(column, read)


def is_object(text: str) -> bool:
    """Return whether a cell is an object in JSON."""
    try:
        msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError:
        return False
    return True


READERS: Final[Mapping[str, Callable[[str], Any]]] = {
    **dict.fromkeys(("subset", "group", "a_by", "b_by"), _text),
    **dict.fromkeys((f"{name}_sha256" for name in ("question", "a", "b", "answer")), _text),
    **dict.fromkeys(("a_length", "b_length", "answer_length"), _count),
    **dict.fromkeys(("input_tokens", "output_tokens"), _tokens),
    "date": _day,
}
