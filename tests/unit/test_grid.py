"""Grids of simulations: the same figures on one process, on two, and on a cluster."""

import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import joblib
import pytest

from epc.grid import spread
from epc.simulation.synthetic import Part, parts, simulate

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

TOLD = "Scheduler at:"


@pytest.fixture
def scheduler() -> Iterator[str]:
    """A Dask scheduler and two workers, each a process of its own, on loopback."""
    arguments = [sys.executable, "-c", "from dask.__main__ import main; main()"]
    head = subprocess.Popen(
        [*arguments, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert head.stderr is not None
    line = next(line for line in head.stderr if TOLD in line)
    address = line.split(TOLD)[1].strip()
    worker = [*arguments, "worker", address, "--nworkers", "1", "--nthreads", "1", "--no-dashboard"]
    workers = [
        subprocess.Popen(
            [*worker, "--host", "127.0.0.1", "--no-nanny"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        for _ in range(2)
    ]
    yield address
    for process in [*workers, head]:
        process.terminate()
        process.wait()
    head.stderr.close()


def several() -> list[Part]:
    return [
        part
        for text in ("coin-flip", "domain-favourites", "length:slope=2,tie=0.1")
        for part in parts(text, seeds=3000, strategies=5)
    ]


def process_id(_: int) -> int:
    return os.getpid()


@pytest.mark.parametrize("jobs", [1, 2])
def test_points_are_worked_on_without_a_look_for_garbage_every_700_objects(jobs: int) -> None:
    before = gc.get_threshold()
    thresholds = spread(partial(eval, "__import__('gc').get_threshold()"), [{}, {}], jobs=jobs)
    assert [threshold[0] for threshold in thresholds] == [20_000, 20_000]
    assert gc.get_threshold() == before


def hexadecimal(
    results: Iterator["NDArray[float64]"],
) -> list[str]:
    return [value.hex() for block in results for value in block.reshape(-1).tolist()]


def test_reading_r15_two_processes_give_the_figures_of_one() -> None:
    assert hexadecimal(spread(simulate, several(), jobs=2)) == hexadecimal(
        spread(simulate, several(), jobs=1)
    )


@pytest.mark.extra
def test_reading_r15_a_cluster_of_two_gives_the_figures_of_one(scheduler: str) -> None:
    from distributed import Client

    with Client(scheduler, timeout="60s") as client:  # type: ignore[no-untyped-call]  # Dask states no types
        client.wait_for_workers(2)
        with joblib.parallel_config(backend="dask"):
            assert os.getpid() not in spread(process_id, range(40))
            of_cluster = hexadecimal(spread(simulate, several()))

    assert of_cluster == hexadecimal(spread(simulate, several(), jobs=1))
