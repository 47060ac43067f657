"""Asking the evaluator of a finished measurement again: who is asked, and within what limits."""

import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from msgspec.structs import asdict

from epc.analysis.spot_checking import Drawn, TwoCalls
from epc.engine.budget import Budget, Limits
from epc.engine.calls import Caller, Watch, calling
from epc.engine.catalog import open_model
from epc.engine.mitigated import put_within
from epc.engine.progress import Progress
from epc.engine.roles import Question, Role
from epc.engine.run_session import asking, budget_of
from epc.records.asked import AskedPair, PairKey
from epc.records.calls import call_of
from epc.records.manifest import Manifest, ModelIdentity

_TIMES = 2


@asynccontextmanager
async def asked_anew(
    name: str,
    manifest: Manifest,
    folder: Path,
    *,
    clock: Callable[[], datetime],
    watch: Watch,
    limits: Limits,
) -> AsyncIterator[tuple[Role, Caller]]:
    """Have a measurement's evaluator asked within the block; a journal in the folder keeps it.

    Nothing comes from any cache.

    Raises: UsageError if the evaluator cannot be opened; WorldError if the disk fails.
    """
    model = open_model(name)
    put_within(model, manifest.configuration, manifest.calibration)
    role = Role(name="evaluator", model=model, decoding=manifest.evaluator.decoding)
    async with asked_within([role], folder, clock=clock, watch=watch, limits=limits) as caller:
        yield role, caller


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
    asked = calling(folder, progress=progress, clock=clock, watch=watch, reuse=True, **means)
    async with asking(models, limits), asked as caller:
        yield caller


async def ask_twice(
    manifest: Manifest,
    comparisons: dict[PairKey, AskedPair],
    pairs: Sequence[Drawn],
    *,
    name: str,
    clock: Callable[[], datetime],
    watch: Watch,
    limits: Limits,
) -> tuple[ModelIdentity, tuple[TwoCalls, ...]]:
    """Return who was asked, and two calls of each pair (`epc watch TAG --spot-check N`).

    Raises: as `asked_anew`; StoppedError if a call got no answer or a limit was reached.
    """
    with tempfile.TemporaryDirectory(prefix="epc-spot-check-") as folder:
        anew = asked_anew(name, manifest, Path(folder), clock=clock, watch=watch, limits=limits)
        async with anew as (role, caller):
            items = [comparisons[pair.domain, pair.strategy, pair.task] for pair in pairs]
            wanted = [
                (Question(role=role, text=i.text, side="evaluation", pair=i.pair), f"{time}")
                for i in items
                for time in range(_TIMES)
            ]
            calls = [*map(call_of, await caller.ask_all("spot check", wanted))]
            identity = ModelIdentity.parse(asdict(role.model.identity))
            return identity, tuple(zip(calls[::2], calls[1::2], strict=True))
