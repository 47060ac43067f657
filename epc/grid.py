"""Points of some work spread over processes.

joblib carries them. A point says all that its figures depend on, its random stream among it, so
they are the same to the last digit wherever it runs and however many run beside it.
"""

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Final, TypeVar

Point = TypeVar("Point")
Result = TypeVar("Result")

ALL_CORES = -1  # as `jobs`
_ALLOCATIONS: Final = 20_000  # more new objects than most points hold, or hundreds of calls


def spread(
    work: Callable[[Point], Result],
    points: Sequence[Point],
    *,
    jobs: int | None = None,
) -> Iterator[Result]:
    """Yield the result of every point, in the points' order.

    Without `jobs` whatever `joblib.parallel_config` is in force holds, so a program of one's own
    needs no word of ours to use a cluster of Dask or Ray.
    """
    from joblib import Parallel, cpu_count, delayed, parallel_config

    with ExitStack() as stack:
        if jobs is not None:
            wanted = cpu_count() if jobs == ALL_CORES else jobs
            n_jobs = min(wanted, max(1, len(points)))
            stack.enter_context(parallel_config(backend="loky", n_jobs=n_jobs))
        yield from Parallel(return_as="generator")(delayed(_carry)(work, p) for p in points)


def _carry(work: Callable[[Point], Result], point: Point) -> Result:
    with seldom_collected():
        return work(point)


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Have Python look for cyclic garbage seldom while the block runs, which leaves next to none.

    Each look goes through all that is under way, and by default there is one every 700 objects.
    """
    before = gc.get_threshold()
    gc.freeze()  # what importing has made is not looked at, either
    gc.set_threshold(_ALLOCATIONS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
