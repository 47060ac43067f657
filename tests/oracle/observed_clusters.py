"""Whether tasks of one domain share topics, a second time (Reading R74)."""

from collections.abc import Sequence
from itertools import islice
from math import fsum, sqrt
from typing import Final

from oracle.pcg64 import uniforms

_STREAM: Final = 20261126
_SHUFFLED, _ENOUGH, _FEWEST = 999, 10, 4
_EQUAL: Final = 1e-9
_TINY: Final = 1e-12


def clusters(units: Sequence[Sequence[Sequence[int]]]) -> float | None:
    """Return how often shuffled tasks are as alike; None of fewer than four.

    A task has won, lost and tied of each strategy. A shuffle deals the shares of a strategy out to
    other tasks; the tenth that is as alike ends the count.
    """
    if len(units) < _FEWEST:
        return None
    means, columns = zip(
        *[_left([unit[k] for unit in units]) for k in range(len(units[0]))], strict=True
    )
    profile = [mean - fsum(means) / len(means) for mean in means]
    figure, drawn, as_alike = _alike(columns, profile), uniforms(_STREAM), 0
    for shuffled in range(1, _SHUFFLED + 1):
        rows = [[*islice(drawn, len(columns))] for _ in units]
        keys = [*zip(*rows, strict=True)]
        mixed = [
            [own_column[index] for index in sorted(range(len(units)), key=key.__getitem__)]
            for own_column, key in zip(columns, keys, strict=True)
        ]
        as_alike += _alike(mixed, profile) >= figure * (1 - _EQUAL)
        if as_alike == _ENOUGH:
            return _ENOUGH / shuffled
    return (1 + as_alike) / (1 + _SHUFFLED)


def _left(cells: Sequence[Sequence[int]]) -> tuple[float, list[float]]:
    """Return a strategy's mean won share and the shares less it; 0 where nothing was decided."""
    shares = [won / (won + lost) if won + lost else None for won, lost, _ in cells]
    known_shares = [share for share in shares if share is not None]
    middle = fsum(known_shares) / len(known_shares)
    return middle, [0.0 if share is None else share - middle for share in shares]


def _alike(columns: Sequence[Sequence[float]], profile: Sequence[float]) -> float:
    """Return the squared products of strategies over all tasks, as a share of all squared.

    How sharply a task tells the strategies apart, along their mean `profile`, is taken off, and
    tasks count alike.
    """
    middles = [fsum(row) / len(columns) for row in zip(*columns, strict=True)]
    centred = [
        [x - y for x, y in zip(own_figures, middles, strict=True)] for own_figures in columns
    ]
    square = max(fsum(x * x for x in profile), _TINY)
    along = [
        fsum(x * y for x, y in zip(row, profile, strict=True)) / square
        for row in zip(*centred, strict=True)
    ]
    centred = [
        [x - share * figure for x, share in zip(own, along, strict=True)]
        for own, figure in zip(centred, profile, strict=True)
    ]
    lengths = [sqrt(fsum(x * x for x in row)) for row in zip(*centred, strict=True)]
    centred = [
        [x / by if by > _EQUAL else 0.0 for x, by in zip(own, lengths, strict=True)]
        for own in centred
    ]
    products = [
        sum(x * y for x, y in zip(one, other, strict=True)) for one in centred for other in centred
    ]
    total = fsum(products[index] for index in range(0, len(products), len(columns) + 1))
    return fsum(x * x for x in products) / total**2 if total else 0.0
