"""A run from its request to its folder: opening models, carrying the plan out, letting go."""

from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path

from epc import __version__
from epc.core.results import Json
from epc.engine import batch, forecast
from epc.engine.budget import Budget
from epc.engine.cache import Cache
from epc.engine.calls import Caller, Progress, Role
from epc.engine.catalog import open_model
from epc.engine.hosted import Hosted
from epc.engine.journal import Journal
from epc.engine.measure import Measurement, carry_out
from epc.engine.model import Model
from epc.engine.places import answer_cache_folder
from epc.engine.plan import Plan, Reuse, configuration, identities, load, reuse_for, save
from epc.engine.prices import price_of
from epc.engine.questions import Questions
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
    recheck: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one sitting may use. None is no limit; `max_cost` is in US dollars."""

    max_calls: int | None = None
    max_cost: Decimal | None = None
    max_time_s: float | None = None
    concurrency: int | None = None
    cache: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A plan with its models open: ready to be forecast or carried out."""

    plan: Plan
    evaluator: Model
    executor: Model | None

    @property
    def models(self) -> list[Model]:
        """The models of both roles."""
        return [model for model in (self.evaluator, self.executor) if model is not None]

    @property
    def questions(self) -> Questions:
        """What the plan can ask."""
        executor = None if self.executor is None else _role("executor", self.executor)
        return Questions(
            config=configuration(self.plan, self.evaluator),
            evaluator=_role("evaluator", self.evaluator),
            executor=executor,
        )


def prepare(request: Request, *, now: datetime) -> Opened:
    """Open a request's models and make its plan; nothing is written and nothing is sent.

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
    reuse = reuse_for(request.reuse, exhaustive=request.exhaustive, models=models)
    if request.recheck and reuse == "none":
        raise UsageError("--recheck asks again what was reused: a fresh run reuses nothing")
    plan = Plan(
        evaluator=request.evaluator,
        executor=request.executor,
        seeds=request.seeds,
        rounds=request.rounds,
        reuse=reuse,
        exhaustive=request.exhaustive,
        recheck=request.recheck,
        measurement_date=now.date().isoformat(),
        epc_version=__version__,
        identity=identities(evaluator, executor),
    )
    return Opened(plan=plan, evaluator=evaluator, executor=executor)


def start(
    request: Request,
    folder: Path,
    *,
    now: datetime,
    limits: Limits | None = None,
    batches: bool = False,
) -> Opened:
    """Prepare a request and write its plan into a new folder.

    Raises: as `prepare`; UsageError if the limits cannot be kept, or the folder holds something.
    """
    opened = prepare(request, now=now)
    require_keys(opened.models)
    _budget(opened, limits or Limits())
    _check_batches(opened, batches=batches)
    save(opened.plan, folder)
    return opened


def reopen(folder: Path) -> Opened | None:
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
    opened = Opened(plan=plan, evaluator=evaluator, executor=executor)
    require_keys(opened.models)
    return opened


def require_keys(models: Iterable[Model]) -> None:
    """Refuse to begin without the keys that the models' providers will ask for.

    Raises: UsageError that names the variable to set.
    """
    for model in models:
        if isinstance(model, Hosted):
            model.require_key()


def bound(model: Model, limits: Limits) -> None:
    """Have a model serve no more calls at once than the limits say."""
    if limits.concurrency is not None:
        # How much a provider stands is for the user to know; other models know themselves.
        most = limits.concurrency if isinstance(model, Hosted) else model.concurrency
        model.concurrency = min(limits.concurrency, most)


def expect(opened: Opened) -> dict[str, forecast.Share]:
    """Return what carrying a plan out will ask for, role by role."""
    questions = opened.questions
    roles = [role for role in (questions.executor, questions.evaluator) if role is not None]
    return forecast.forecast(
        opened.plan,
        questions.config,
        {role.name: role.decoding for role in roles},
        {role.name: price_of(role.model.identity.model) for role in roles},
    )


async def measure(
    opened: Opened,
    folder: Path,
    *,
    now: datetime,
    watch: Watch,
    limits: Limits | None = None,
    batches: bool = False,
) -> Json:
    """Carry a plan out with its models and return the manifest.

    With `batches`, the two waves of an exhaustive run go through the provider's batch endpoint.

    Raises: StoppedError if a call got no answer, a limit was reached or a batch is under way;
    WorldError if the disk fails. `epc resume` then goes on from the journal.
    """
    limits = limits or Limits()
    _check_batches(opened, batches=batches)
    budget = _budget(opened, limits)
    cache = None
    if limits.cache and opened.plan.reuse == "memo":
        cache = Cache(answer_cache_folder(), today=now.date().isoformat())
    async with AsyncExitStack() as stack:
        for model in opened.models:
            stack.push_async_callback(model.close)
            bound(model, limits)
        progress = Progress()
        journal = Journal(folder)
        stack.callback(journal.close)
        if (folder / MANIFEST).exists():  # another process finished it before this one held it
            journal.remove()
            return load_manifest(folder)
        caller = Caller(
            journal=journal,
            reuse=opened.plan.reuse == "memo",
            progress=progress,
            budget=budget,
            cache=cache,
        )
        stack.push_async_callback(caller.close)
        await stack.enter_async_context(watch(progress))
        questions = opened.questions
        if batches or batch.pending(folder):
            await batch.advance(
                Measurement(plan=opened.plan, questions=questions, caller=caller), folder
            )
        return await carry_out(opened.plan, folder, questions=questions, caller=caller, now=now)


def _budget(opened: Opened, limits: Limits) -> Budget:
    """Return a new budget; a UsageError says that a limit cannot be kept."""
    prices = {
        role: price_of(model.identity.model)
        for role, model in (("evaluator", opened.evaluator), ("executor", opened.executor))
        if model is not None
    }
    return Budget(
        max_calls=limits.max_calls,
        max_cost=limits.max_cost,
        max_time_s=limits.max_time_s,
        prices=prices,
    )


def _check_batches(opened: Opened, *, batches: bool) -> None:
    if batches and not opened.plan.exhaustive:
        raise UsageError("--batch sends whole waves: add --exhaustive")
    if batches and not any(isinstance(model, Hosted) for model in opened.models):
        raise UsageError("--batch is for hosted models: neither of these is one")


def _role(name: str, model: Model) -> Role:
    return Role(name=name, model=model, decoding=model.default_decoding(name))
