"""Asking the evaluator of a published measurement again, each drawn pair twice and afresh."""

import tempfile
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from datetime import datetime
from pathlib import Path

from msgspec.structs import asdict

from epc.analysis.spot_checking import Drawn, TwoCalls
from epc.engine.budget import Limits
from epc.engine.calls import Caller
from epc.engine.catalog import open_model
from epc.engine.journal import Journal
from epc.engine.mitigated import put_within
from epc.engine.progress import Progress
from epc.engine.roles import Question, Role
from epc.engine.run_session import Watch, asking, budget_of
from epc.engine.session import require_keys
from epc.engine.task_group import all_of
from epc.records.asked import AskedPair, PairKey
from epc.records.calls import call_of
from epc.records.manifest import Manifest, ModelIdentity
from epc.records.rows import Call

_TIMES = 2


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
    """Return who was asked, and two calls of each pair; nothing comes from any cache.

    Raises: WorldError if the provider fails; StoppedError at a limit of the user's; UsageError if
    the evaluator cannot be opened.
    """
    model = open_model(name)
    require_keys([model])
    budget = budget_of([model], limits)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(asking([model], limits))
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="epc-spot-check-"))
        journal = Journal(Path(folder))
        stack.callback(journal.close)
        progress = Progress(budget=budget)
        caller = Caller(journal=journal, reuse=True, progress=progress, budget=budget, clock=clock)
        stack.push_async_callback(caller.close)
        await stack.enter_async_context(watch(progress))
        put_within(model, manifest.configuration, manifest.calibration)
        role = Role(name="evaluator", model=model, decoding=manifest.evaluator.decoding)
        items = [comparisons[pair.domain, pair.strategy, pair.task] for pair in pairs]
        progress.begin("spot check", _TIMES * len(items))

        async def one(item: AskedPair, time: int) -> Call:
            question = Question(role=role, text=item.text, side="evaluation", pair=item.pair)
            call = await caller.ask_again(question, f"spot-check/{time}")
            progress.advance()
            return call_of(call)

        calls = await all_of(one(item, time) for item in items for time in range(_TIMES))
        identity = ModelIdentity.parse(asdict(model.identity))
        return identity, tuple(zip(calls[::2], calls[1::2], strict=True))
