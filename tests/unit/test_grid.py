"""Grids of simulations: the same figures from one process and from two."""

import gc
import os
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import pytest

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


@pytest.mark.parametrize("processes", [1, 2])
def test_points_are_worked_on_without_a_look_for_garbage_every_700_objects(processes: int) -> None:
    before = gc.get_threshold()
    told = partial(eval, "__import__('gc').get_threshold()")
    thresholds = spread(told, [{}, {}], processes=processes)
    assert [threshold[0] for threshold in thresholds] == [20_000, 20_000]
    assert gc.get_threshold() == before


def hexadecimal(
    results: Iterator["NDArray[float64]"],
) -> list[str]:
    return [value.hex() for block in results for value in block.reshape(-1).tolist()]


def test_reading_r15_two_processes_give_the_figures_of_one() -> None:
    assert hexadecimal(spread(simulate, several(), processes=2)) == hexadecimal(
        spread(simulate, several(), processes=1)
    )


def test_two_processes_work_for_the_one_that_asks_and_one_works_in_it() -> None:
    process_id = partial(eval, "__import__('os').getpid()")
    assert os.getpid() not in spread(process_id, [{} for _ in range(40)], processes=2)
    assert set(spread(process_id, [{}, {}], processes=1)) == {os.getpid()}
