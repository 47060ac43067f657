"""A run from its request to its folder: opening models, carrying the plan out, letting go."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from epc import __version__
from epc.core.results import Json
from epc.engine.calls import Progress, Role
from epc.engine.catalog import open_model
from epc.engine.measure import carry_out
from epc.engine.model import Model
from epc.engine.plan import Plan, Reuse, configuration, identities, load, reuse_for, save
from epc.engine.recorded import Recorded
from epc.errors import UsageError
from epc.records.layout import MANIFEST
from epc.records.recompute import load_manifest

Watch = Callable[[Progress], AbstractAsyncContextManager[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a user asks for, before anything has been looked up."""

    evaluator: str
    executor: str | None
    seeds: list[int]
    rounds: int
    reuse: Reuse | None
    exhaustive: bool


def start(request: Request, folder: Path, *, now: datetime) -> tuple[Plan, list[Model]]:
    """Open a request's models and write its plan into a new folder.

    Raises: UsageError if the request does not fit together; WorldError if a model cannot load.
    """
    evaluator = open_model(request.evaluator)
    if isinstance(evaluator, Recorded) and request.executor is not None:
        raise UsageError("recorded verdicts need no executor: leave --executor out")
    if not isinstance(evaluator, Recorded) and request.executor is None:
        raise UsageError(f"{request.evaluator} compares answers: name who writes with --executor")
    executor = open_model(request.executor) if request.executor is not None else None
    if executor is not None and executor.method != "prompt":
        raise UsageError(f"{request.executor} writes no answers: name another --executor")
    models = [model for model in (evaluator, executor) if model is not None]
    plan = Plan(
        evaluator=request.evaluator,
        executor=request.executor,
        seeds=request.seeds,
        rounds=request.rounds,
        reuse=reuse_for(request.reuse, exhaustive=request.exhaustive, models=models),
        exhaustive=request.exhaustive,
        measurement_date=now.date().isoformat(),
        epc_version=__version__,
        identity=identities(evaluator, executor),
    )
    save(plan, folder)
    return plan, models


def reopen(folder: Path) -> tuple[Plan, list[Model]] | None:
    """Open the models of an interrupted run, or return None if it is complete.

    Raises: UsageError if the folder is no run, or its models are no longer the same.
    """
    plan = load(folder)
    if (folder / MANIFEST).exists():
        load_manifest(folder)
        return None
    evaluator = open_model(plan.evaluator)
    executor = open_model(plan.executor) if plan.executor is not None else None
    found = identities(evaluator, executor)
    for role, stated in plan.identity.items():
        for key, value in stated.items():
            if found[role][key] != value:
                raise UsageError(
                    f"the {role}'s {key} is {found[role][key]}, the run began with {value}: "
                    "go on where it began, or start a new run"
                )
    return plan, [model for model in (evaluator, executor) if model is not None]


async def measure(
    plan: Plan, models: list[Model], folder: Path, *, now: datetime, watch: Watch
) -> Json:
    """Carry a plan out with its models and return the manifest.

    Raises: StoppedError if a call got no answer; WorldError if the disk fails. `epc resume`
    then goes on from the journal.
    """
    evaluator, executor = models[0], models[1] if len(models) > 1 else None
    async with AsyncExitStack() as stack:
        for model in models:
            stack.push_async_callback(model.close)
        progress = Progress()
        await stack.enter_async_context(watch(progress))
        return await carry_out(
            plan,
            folder,
            config=configuration(plan, evaluator),
            evaluator=_role("evaluator", evaluator),
            executor=None if executor is None else _role("executor", executor),
            progress=progress,
            now=now,
        )


def _role(name: str, model: Model) -> Role:
    return Role(name=name, model=model, decoding=model.default_decoding(name))
