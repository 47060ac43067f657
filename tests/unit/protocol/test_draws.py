"""Reading R2: the draws of a measurement."""

from math import nextafter

import numpy as np
import pytest

from epc.errors import ShapeError
from epc.protocol.draws import pick_task, turns


def test_reading_r2_the_stream_is_pcg64_of_seed_and_phase_task_first() -> None:
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence([7, 2])))
    one_by_one = [float(rng.random()) for _ in range(6)]

    drawn = [u for turn in turns(7, 2, 3) for u in (turn.u_task, turn.u_strategy)]

    assert drawn == one_by_one


def test_reading_r2_every_phase_and_seed_has_its_own_stream() -> None:
    first = {
        (seed, phase): turns(seed, phase, 1)[0].u_task for seed in range(5) for phase in range(4)
    }

    assert len(set(first.values())) == 20


def test_epc_2_3_e_the_same_seed_gives_the_same_draws() -> None:
    assert turns(3, 1, 30) == turns(3, 1, 30)
    assert turns(3, 1, 30)[:10] == turns(3, 1, 10)


@pytest.mark.parametrize(
    ("u", "task"), [(0.0, 0), (0.124, 0), (0.125, 1), (0.5, 4), (nextafter(1, 0), 7)]
)
def test_reading_r2_the_task_is_the_floor_of_u_times_n(u: float, task: int) -> None:
    assert pick_task(u, 8) == task


def test_reading_r2_no_tasks_are_refused() -> None:
    with pytest.raises(ShapeError):
        pick_task(0.5, 0)
