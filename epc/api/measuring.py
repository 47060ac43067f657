"""Measuring from Python, also where an event loop runs already, as in a notebook."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import asynccontextmanager, suppress
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from epc.api.measured import Run
from epc.engine.budget import Limits
from epc.engine.calls import Progress
from epc.engine.clock import now
from epc.engine.plan import Reuse
from epc.engine.request import Request, default_folder, fetch_weights, rounds_of
from epc.engine.session import Watch, measure, start
from epc.records.designs import Design
from epc.spec.epc_v1 import ControlMethod

_LOOK_S: Final = 0.2
_Task = tuple[asyncio.AbstractEventLoop, "asyncio.Task[Any]"]


@asynccontextmanager
async def unseen(_: Progress) -> AsyncIterator[None]:
    """Watch a run and show nothing."""
    yield


def run(
    evaluator: str,
    executor: str | None = None,
    *,
    seeds: Iterable[int] = range(30),
    design: Design | str | Path | None = None,
    rounds: int | None = None,
    reuse: Reuse | None = None,
    exhaustive: bool = False,
    recheck: int = 0,
    control: ControlMethod = "simulated",
    controls: int = 0,
    decoding: Mapping[str, Mapping[str, Any]] | None = None,
    reuse_answers_of: Iterable[str | Path] = (),
    max_calls: int | None = None,
    max_cost: str | Decimal | None = None,
    max_time_s: float | None = None,
    concurrency: int | None = None,
    cache: bool = True,
    out: str | Path | None = None,
    say: Callable[[str], None] = lambda _: None,
    watch: Watch = unseen,
) -> Run:
    """Measure an evaluator, as `epc run` does with the options of the same names.

    `decoding` is by role, such as {"evaluator": {"temperature": 0.0}}. `max_cost` is in US dollars.
    `out` is the new run folder; by default one below `runs/`. `say` is told what else goes on. An
    interrupted run is finished by `epc resume`.

    Raises: UsageError if the request does not fit together; StoppedError if a call got no answer
    or a limit was reached; WorldError if a model cannot load or the disk fails.
    """
    designed = Design.load(design) if isinstance(design, str | Path) else design
    request = Request(
        evaluator=evaluator,
        executor=executor,
        seeds=sorted(set(seeds)),
        rounds=rounds_of(rounds, designed),
        reuse=reuse,
        exhaustive=exhaustive,
        recheck=recheck,
        decoding={role: dict(settings) for role, settings in (decoding or {}).items()},
        control=control,
        controls=controls,
        reuse_answers_of=tuple(map(Path, reuse_answers_of)),
        design=designed,
    )
    limits = Limits(
        max_calls=max_calls,
        max_cost=None if max_cost is None else Decimal(max_cost),
        max_time_s=max_time_s,
        concurrency=concurrency,
        cache=cache,
    )
    fetch_weights((evaluator, executor), say)
    began = now()
    folder = default_folder(evaluator, began) if out is None else Path(out)
    opened = start(request, folder, now=began, limits=limits)
    done(measure(opened, folder, clock=now, watch=watch, limits=limits))
    return Run(path=folder)


def done(work: Coroutine[Any, Any, Any]) -> None:
    """Do some work to its end, in a thread of its own where an event loop runs in this one.

    An interrupt stops the work in order, as Ctrl-C does.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work)
        return
    _in_a_thread(work)


def _in_a_thread(work: Coroutine[Any, Any, Any]) -> None:
    may_begin: Future[bool] = Future()
    begun: Future[_Task] = Future()

    async def noted() -> None:
        task = asyncio.current_task()
        assert task is not None
        begun.set_result((asyncio.get_running_loop(), task))
        await work

    def carry_out() -> None:
        if may_begin.result():
            asyncio.run(noted())

    with ThreadPoolExecutor(1) as thread:
        # An interrupt may come while the thread is being started: nothing begins before it stands.
        try:
            ended = thread.submit(carry_out)
            may_begin.set_result(True)
            # An interrupt just before a wait does not end it, so no wait is long.
            while not ended.done():
                wait((ended,), _LOOK_S)
        except BaseException:
            if may_begin.done():
                loop, task = begun.result()
                with suppress(RuntimeError):  # the loop is closed: the work has just ended
                    loop.call_soon_threadsafe(task.cancel)
            else:
                work.close()
                may_begin.set_result(False)
            raise
    ended.result()
