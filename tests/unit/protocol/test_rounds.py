"""EPC-2.3 for many columns at once, where a draw falls on a running sum."""

from typing import Any

import numpy as np
import pytest

from epc.protocol.batch_replay import play
from epc.protocol.weights import UpdateRule, choose


@pytest.mark.parametrize("columns", [3, 300])
def test_reading_r2_a_draw_on_a_running_sum_belongs_to_the_next_strategy(columns: int) -> None:
    met: list[list[int]] = []

    def ask(_: int, chosen: "np.ndarray[Any, Any]", __: object) -> "np.ndarray[Any, Any]":
        met.append(chosen.tolist())
        return np.full(columns, 2)  # ties: the weights stay

    play(np.full((4, columns), 0.25), [np.full(columns, 0.5)], ask, UpdateRule())

    assert met == [[2] * columns]
    assert choose([0.25] * 4, 0.5) == 2
