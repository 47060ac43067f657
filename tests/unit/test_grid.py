"""Grids of simulations: the same figures from one process and from two."""

import gc
import os
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import pytest

from epc import grid
from epc.grid import spread
from epc.simulation.synthetic import Part, parts, simulate

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray


def several() -> list[Part]:
    return [
        part
        for text in ("coin-flip", "domain-favourites", "length:slope=2,tie=0.1")
        for part in parts(text, seeds=3000, strategies=5)
    ]


def by_two(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have two processes work, however many cores there are."""
    monkeypatch.setattr(grid, "cores", lambda: 2)


@pytest.mark.parametrize("few", [1, 2])
def test_points_are_worked_on_without_a_look_for_garbage_every_700_objects(
    monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    by_two(monkeypatch)
    before = gc.get_threshold()
    told = partial(eval, "__import__('gc').get_threshold()")
    thresholds = spread(told, [{}, {}], few=few)
    assert [threshold[0] for threshold in thresholds] == [20_000, 20_000]
    assert gc.get_threshold() == before


def hexadecimal(
    results: Iterator["NDArray[float64]"],
) -> list[str]:
    return [value.hex() for block in results for value in block.reshape(-1).tolist()]


def test_reading_r15_two_processes_give_the_figures_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    by_two(monkeypatch)
    points = several()
    of_one = hexadecimal(spread(simulate, points, few=len(points)))
    assert hexadecimal(spread(simulate, points)) == of_one


def test_two_processes_work_for_the_one_that_asks_and_few_points_in_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    by_two(monkeypatch)
    process_id = partial(eval, "__import__('os').getpid()")
    points: list[dict[str, object]] = [{} for _ in range(40)]
    assert os.getpid() not in spread(process_id, points)
    assert set(spread(process_id, points, few=40)) == {os.getpid()}
