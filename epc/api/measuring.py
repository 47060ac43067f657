"""Measuring from Python, also where an event loop runs already, as in a notebook."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import asynccontextmanager, suppress
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, TypedDict, TypeVar, Unpack, cast, overload

from epc.analysis.campaign import compared
from epc.api.measured import Campaign, Run
from epc.engine import campaign
from epc.engine.budget import Limits
from epc.engine.calls import Watch
from epc.engine.clock import now, ticking
from epc.engine.plan import Reuse
from epc.engine.request import Request, default_folder, fetch_weights, rounds_of
from epc.engine.session import measure, reopen, start
from epc.engine.task_group import run_until_ctrl_c
from epc.records.campaign import campaign_around, is_campaign
from epc.records.designs import Design
from epc.spec.epc_v1 import ControlMethod

_LOOK_S: Final = 0.2
Models = list[str] | tuple[str, ...]
T = TypeVar("T")
_Task = tuple[asyncio.AbstractEventLoop, "asyncio.Task[Any]"]


@asynccontextmanager
async def unseen(_: object) -> AsyncIterator[None]:
    """Watch a run, or several, and show nothing."""
    yield


class Options(TypedDict, total=False):
    """Options of `run` beside its models."""

    seeds: Iterable[int]
    design: Design | str | Path | None
    rounds: int | None
    reuse: Reuse | None
    exhaustive: bool
    recheck: int
    control: ControlMethod
    controls: int
    decoding: Mapping[str, Mapping[str, Any]] | None
    reuse_answers_of: Iterable[str | Path]
    max_calls: int | None
    max_cost: str | Decimal | None
    max_time_s: float | None
    concurrency: int | None
    cache: bool
    out: str | Path | None
    say: Callable[[str], None]
    watch: Watch


@overload
def run(evaluator: str, executor: str | None = None, **options: Unpack[Options]) -> Run: ...


@overload
def run(
    evaluator: Models, executor: str | Models | None = None, **options: Unpack[Options]
) -> Campaign: ...


@overload
def run(evaluator: str, executor: Models, **options: Unpack[Options]) -> Campaign: ...


def run(
    evaluator: str | Models,
    executor: str | Models | None = None,
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
) -> Run | Campaign:
    """Measure an evaluator, as `epc run` does with the options of the same names.

    Lists of evaluators or executors make a campaign: a run for each pair, the executors' answers
    shared, the limits of all runs together. `watch` watches single runs only.

    `decoding` is by role, such as {"evaluator": {"temperature": 0.0}}. `max_cost` is in US dollars.
    `out` is the new folder; by default one below `runs/`. `say` is told what else goes on. What
    was interrupted is finished by `resume`.

    Raises: UsageError if the request does not fit together; StoppedError if a call got no answer
    or a limit was reached, in whichever run; WorldError if a model cannot load or the disk fails.
    """
    evaluators, executors = _listed(evaluator), _listed(executor)
    designed = Design.load(design) if isinstance(design, str | Path) else design
    request = Request(
        evaluator=evaluators[0] if evaluators else "",
        executor=next(iter(executors), None),
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
    limits = _limits(max_calls, max_cost, max_time_s, concurrency, cache=cache)
    fetch_weights((*evaluators, *executors), say)
    began = now()
    if isinstance(evaluator, str) and not isinstance(executor, list | tuple):
        folder = default_folder(evaluator, began) if out is None else Path(out)
        opened = start(request, folder, now=began, limits=limits)
        done(measure(opened, folder, clock=ticking(), watch=watch, limits=limits))
        return Run(path=folder)
    several = campaign.open_campaign(request, evaluators, executors, now=began)
    folder = campaign.default_campaign_folder(several, began) if out is None else Path(out)
    campaign.start(several, folder, limits=limits)
    return _carried_on(several, folder, limits, anyway=False)


def resume(
    folder: str | Path,
    *,
    anyway: bool = False,
    max_calls: int | None = None,
    max_cost: str | Decimal | None = None,
    max_time_s: float | None = None,
    concurrency: int | None = None,
    cache: bool = True,
    watch: Watch = unseen,
) -> Run | Campaign:
    """Finish an interrupted run or campaign, as `epc resume` does; it asks no answer again.

    `anyway`: also an evaluator that failed its controls. What is complete already
    is returned as it is.

    Raises: as `run`.
    """
    path = Path(folder)
    limits = _limits(max_calls, max_cost, max_time_s, concurrency, cache=cache)
    around = campaign_around(path)
    if is_campaign(path) or around is not None:
        run_name = None if around is None else path.resolve().name
        run_folder = around or path
        result = _carried_on(
            campaign.reopen(run_folder, run_name=run_name), run_folder, limits, anyway=anyway
        )
        return result if around is None else Run(path=path)
    opened = reopen(path)
    if opened is not None:
        done(measure(opened, path, clock=ticking(), watch=watch, limits=limits, anyway=anyway))
    return Run(path=path)


def _listed(models: str | Models | None) -> list[str]:
    if models is None:
        return []
    return [models] if isinstance(models, str) else list(models)


def _limits(
    max_calls: int | None,
    max_cost: str | Decimal | None,
    max_time_s: float | None,
    concurrency: int | None,
    *,
    cache: bool,
) -> Limits:
    return Limits(
        max_calls=max_calls,
        max_cost=None if max_cost is None else Decimal(max_cost),
        max_time_s=max_time_s,
        concurrency=concurrency,
        cache=cache,
    )


def _carried_on(
    opened: campaign.OpenedCampaign, folder: Path, limits: Limits, *, anyway: bool
) -> Campaign:
    failed = done(
        campaign.measure(
            opened, folder, clock=ticking(), watch=unseen, limits=limits, anyway=anyway
        )
    )
    comparison = compared(folder)
    if failed:
        complete = len({row.run for row in comparison.rows})
        raise campaign.UnfinishedError(
            failed, complete=complete, next_command=f"epc resume {folder}"
        )
    return Campaign(path=folder)


def done(work: Coroutine[Any, Any, T]) -> T:
    """Return what some work ends in, in a thread of its own where an event loop runs in this one.

    An interrupt stops the work in order, as Ctrl-C does.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return run_until_ctrl_c(work)
    return _in_a_thread(work)


def _in_a_thread(work: Coroutine[Any, Any, T]) -> T:
    may_begin: Future[bool] = Future()
    begun: Future[_Task] = Future()

    async def noted() -> T:
        task = asyncio.current_task()
        assert task is not None
        begun.set_result((asyncio.get_running_loop(), task))
        return await work

    def carry_out() -> T | None:
        return asyncio.run(noted()) if may_begin.result() else None

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
    return cast("T", ended.result())
