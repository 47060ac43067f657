"""Carrying one run on, from wherever its journal stands, with what one session lends it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from datetime import datetime
from pathlib import Path

from msgspec import Struct, field

from epc.engine import batch
from epc.engine.budget import Budget, Limits
from epc.engine.cache import Cache
from epc.engine.calibrating import calibrate
from epc.engine.calls import Caller
from epc.engine.canary import CanaryWatch
from epc.engine.controls import preflight
from epc.engine.first_round import ask_first_round
from epc.engine.journal import Journal
from epc.engine.measure import Measurement, carry_out
from epc.engine.mitigated import every_model
from epc.engine.model import Model
from epc.engine.plan import Plan
from epc.engine.prices import price_of
from epc.engine.progress import Progress
from epc.engine.questions import Questions
from epc.engine.remote import Remote
from epc.engine.shared_answers import SharedAnswers
from epc.engine.task_group import seldom_collected
from epc.protocol.results import Json
from epc.records.layout import MANIFEST, REUSABLE
from epc.records.recompute import load_manifest

Watch = Callable[[Progress], AbstractAsyncContextManager[None]]


class Session(Struct, frozen=True, kw_only=True):
    """How one run is carried on: with what it asks, who watches, and what its campaign shares.

    `progress` has the budget. An evaluator that failed its controls is measured `anyway`. A hosted
    evaluator is asked one comparison before all else where there is a `probe`, which is told of an
    answer that is no bare letter. `siblings` has the executor's answers of a campaign's runs, and
    `places` how many calls of each model its runs make at once.
    """

    clock: Callable[[], datetime]
    progress: Progress
    watch: Watch
    cache: Cache | None
    anyway: bool = False
    probe: Callable[[str], None] | None = None
    siblings: SharedAnswers | None = None
    places: dict[str, asyncio.Semaphore] = field(default_factory=dict)


def budget_of(models: Iterable[Model], limits: Limits) -> Budget:
    """Return a new budget; a UsageError says that a limit cannot be kept."""
    prices = {
        name: price_of(name) for name in (model.identity.model for model in every_model(models))
    }
    return Budget(
        max_calls=limits.max_calls,
        max_cost=limits.max_cost,
        max_time_s=limits.max_time_s,
        prices=prices,
    )


def restrain(models: Iterable[Model], limits: Limits) -> None:
    """Let no model be asked more at once, or be waited for longer, than the user wants."""
    for model in every_model(models):
        if limits.timeout_s is not None and isinstance(model, Remote):
            model.wait_for(limits.timeout_s)
        if limits.concurrency is not None:
            # How much a provider stands is for the user to know; other models know themselves.
            most = limits.concurrency if isinstance(model, Remote) else model.concurrency
            model.concurrency = min(limits.concurrency, most)


@asynccontextmanager
async def asking(models: Iterable[Model], limits: Limits) -> AsyncIterator[None]:
    """Have models asked within the user's limits while the block runs, and let go of them."""
    async with AsyncExitStack() as stack:
        stack.enter_context(seldom_collected())
        for model in models:
            stack.push_async_callback(model.close)
        restrain(models, limits)
        yield


async def carry_on(
    plan: Plan,
    questions: Questions,
    folder: Path,
    session: Session,
    *,
    batches: bool = False,
    wait: bool = False,
) -> Json:
    """Carry a plan out within a session and return the manifest.

    Raises: as `epc.engine.session.measure`.
    """
    memo = plan.reuse == "memo"
    async with AsyncExitStack() as stack:
        progress = session.progress
        journal = Journal(folder)
        stack.callback(journal.close)
        if (folder / MANIFEST).exists():  # another process finished it before this one held it
            journal.remove()
            return load_manifest(folder).document
        reusable = Journal(folder / REUSABLE) if (folder / REUSABLE).exists() else None
        if reusable is not None:
            stack.callback(reusable.close)
        caller = Caller(
            journal=journal,
            reuse=memo,
            progress=progress,
            clock=session.clock,
            budget=progress.budget,
            cache=session.cache if memo else None,
            named_runs=reusable,
            siblings=session.siblings,
            places=session.places,
        )
        stack.push_async_callback(caller.close)
        await stack.enter_async_context(session.watch(progress))
        anyway = session.anyway
        if (
            session.probe is not None
            and isinstance(questions.evaluator.model, Remote)
            and not batches
        ):
            await ask_first_round(plan, folder, questions, caller, say=session.probe)
        await calibrate(questions, caller)
        canary = CanaryWatch.of(questions, caller, folder) if plan.canary else None
        if canary is not None:
            await canary.begin(again=not batch.pending(folder), anyway=anyway)
        if plan.controls:
            await preflight(plan, folder, questions=questions, caller=caller, anyway=anyway)
        if batches or batch.pending(folder):
            await batch.advance(
                Measurement(plan=plan, questions=questions, caller=caller),
                folder,
                wait=wait,
            )
        manifest = await carry_out(
            plan,
            folder,
            questions=questions,
            caller=caller,
            now=session.clock(),
            canary=canary,
        )
        if reusable is not None:
            reusable.remove()
            with suppress(OSError):  # someone else's file in it is theirs
                (folder / REUSABLE).rmdir()
        batch.forget(folder)
        return manifest
