"""Models asked within the user's limits: still the same ones, with their keys, in one journal."""

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from epc.engine.budget import Budget, Limits, price_of
from epc.engine.calls import Caller, Watch, calling
from epc.engine.composite import every_model
from epc.engine.model import Model
from epc.engine.progress import Progress
from epc.engine.remote import Remote
from epc.engine.roles import Role
from epc.errors import UsageError
from epc.grid import seldom_collected
from epc.protocol.results import Json


def require_same(current: Json, began: Json) -> None:
    """Raise a UsageError unless the models are those that the run began with."""
    for role, identity in began.items():
        for key, value in identity.items():
            if current[role][key] != value:
                raise UsageError(
                    f"the {role}'s {key} is {current[role][key]}, the run began with {value}: "
                    "go on where it began, or start a new run"
                )


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


def require_keys(models: Iterable[Model]) -> None:
    """Raise a UsageError unless every hosted model has its key."""
    for model in every_model(models):
        if isinstance(model, Remote):
            model.require_key()


def restrain(models: Iterable[Model], limits: Limits) -> None:
    """Limit how many calls each model gets at once, and how long a reply may take."""
    for model in every_model(models):
        if limits.timeout_s is not None and isinstance(model, Remote):
            model.wait_for(limits.timeout_s)
        if limits.concurrency is not None:
            # How much a provider stands is for the user to know; other models know themselves.
            capacity = limits.concurrency if isinstance(model, Remote) else model.concurrency
            model.concurrency = min(limits.concurrency, capacity)


@asynccontextmanager
async def asking(models: Iterable[Model], limits: Limits) -> AsyncIterator[None]:
    """Keep models within the user's limits while the block runs, then close them.

    Raises: UsageError if a key is missing.
    """
    require_keys(models)
    async with AsyncExitStack() as stack:
        stack.enter_context(seldom_collected())
        for model in models:
            stack.push_async_callback(model.close)
        restrain(models, limits)
        yield


@asynccontextmanager
async def asked_within(
    roles: Sequence[Role],
    folder: Path,
    *,
    clock: Callable[[], datetime],
    watch: Watch,
    limits: Limits,
    budget: Budget | None = None,
    **means: Any,
) -> AsyncIterator[Caller]:
    """Have models asked within the block and the user's limits; a journal in the folder keeps it.

    `budget` is what several such blocks may use together; `means` are as for `calling`.

    Raises: UsageError if a key is missing; WorldError if the disk fails.
    """
    models = [role.model for role in roles]
    progress = Progress(budget=budget or budget_of(models, limits))
    caller_context = calling(
        folder, progress=progress, clock=clock, watch=watch, reuse=True, **means
    )
    async with asking(models, limits), caller_context as caller:
        yield caller
