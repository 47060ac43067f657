"""Points of some work spread over processes, or over a cluster.

joblib carries them: its default backend is processes of this machine, and Dask and Ray each bring
one of their own. A point says all that its figures depend on, its random stream among it, so they
are the same to the last digit wherever it runs and however many run beside it.
"""

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Final, TypeVar

from epc.errors import UsageError, WorldError

Point = TypeVar("Point")
Result = TypeVar("Result")

ALL_CORES = -1  # as `jobs`
_REACH = "10s"
_ALLOCATIONS: Final = 20_000  # more new objects than most points hold, or hundreds of calls


def spread(
    work: Callable[[Point], Result],
    points: Sequence[Point],
    *,
    jobs: int | None = None,
    cluster: str | None = None,
) -> Iterator[Result]:
    """Yield the result of every point, in the points' order.

    Without `jobs` and `cluster` whatever `joblib.parallel_config` is in force holds, so a program
    of one's own needs no word of ours to use a cluster.

    Raises: UsageError if the cluster's library is missing; WorldError if it cannot be reached.
    """
    from joblib import Parallel, delayed, parallel_config

    with ExitStack() as stack:
        if cluster is not None:
            stack.enter_context(_client(cluster))
            stack.enter_context(parallel_config(backend="dask"))
        elif jobs is not None:
            stack.enter_context(
                parallel_config(backend="loky", n_jobs=min(jobs, max(1, len(points))))
            )
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


def _client(address: str) -> AbstractContextManager[object]:
    try:
        from distributed import Client
    except ImportError:
        raise UsageError(
            "--cluster takes the `distributed` package, here and on the workers: "
            "pip install distributed"
        ) from None
    try:
        client: AbstractContextManager[object] = Client(address, timeout=_REACH)  # type: ignore[no-untyped-call]  # Dask states no types
    except (OSError, ValueError) as error:
        raise WorldError(
            f"no Dask scheduler answers at {address}: {error}\n"
            "  fix: start one with `dask scheduler`, or name the one that runs, "
            "such as tcp://127.0.0.1:8786"
        ) from error
    return client
