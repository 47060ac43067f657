"""A run from its request to its folder: opening models, carrying the plan out, letting go.

What may be taken over from runs that the user named is in the plan, and beside it (Reading R76).
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from epc.engine import forecast
from epc.engine.budget import Limits, price_of
from epc.engine.cache import answer_cache
from epc.engine.calls import Watch
from epc.engine.catalog import open_model
from epc.engine.composite import Composite, every_model, put_within
from epc.engine.mocks import Scripted
from epc.engine.model import Model
from epc.engine.plan import (
    Plan,
    asked_decoding,
    configuration,
    decoding_for,
    identities,
    load,
    reuse_for,
    save,
)
from epc.engine.progress import Progress
from epc.engine.request import Questions, Request
from epc.engine.roles import Role
from epc.engine.run_session import Session, carry_on
from epc.engine.sitting import asking, budget_of, require_keys, require_same
from epc.engine.verdicts import RecordedVerdicts
from epc.errors import UsageError, refuse
from epc.protocol.results import Json
from epc.records.calls import call_of, check_reply
from epc.records.findings import Findings
from epc.records.layout import CALLS, MANIFEST, digest
from epc.records.manifest import Manifest
from epc.records.recompute import load_manifest, manifest_path
from epc.records.rows import origin_of_run, read_rows, with_origin
from epc.spec.domains import Domain
from epc.version import __version__


class ReusableAnswers(Struct, frozen=True, kw_only=True):
    """Answers that can be taken over from the named runs.

    `since` is the day of the earliest measurement that gives an answer of the evaluator's: what
    rests on these is no measurement of today.
    """

    sums: list[str]
    calls: list[Json]
    since: str | None


def reusable_answers(runs: Sequence[Path], roles: Iterable[Role]) -> ReusableAnswers:
    """Return the calls of finished runs that answer what these roles may be asked.

    Raises: UsageError if a run has none, or is not as it was measured; MalformedError if it is
    damaged.
    """
    names = [role.names for role in roles]
    calls: dict[str, Json] = {}
    sums: list[str] = []
    days: list[str] = []
    for run in runs:
        manifest, sha256, run_calls = _reusable(run)
        sums.append(sha256)
        answers = {
            call["id"]: {**with_origin(call), "origin": origin_of_run(sums[-1])}
            for call in run_calls
            if "votes" not in call  # composed again of what is taken over
            and call["occasion"] is None
            and any(role_names.name(call["prompt"], None) == call["id"] for role_names in names)
        }
        if not answers:
            raise UsageError(
                f"{run} holds no answer for this run: other models, other decoding, or asked "
                "afresh every round\n  fix: leave --reuse-answers-of out, or name another run"
            )
        if any(call["role"] != "executor" for call in answers.values()):
            days.append(manifest.evaluator.measurement_date)
        calls = answers | calls  # the run that was named first goes first
    return ReusableAnswers(sums=sums, calls=list(calls.values()), since=min(days, default=None))


def _reusable(run: Path) -> tuple[Manifest, str, list[Json]]:
    """Return a run's manifest, and its calls with their digest, which must be the manifest's."""
    manifest, folder = load_manifest(run), manifest_path(run).parent
    path = folder / CALLS
    if manifest.raw is None or not path.exists():
        raise UsageError(f"{run} holds no answers: name the run folder, not a manifest")
    sha256 = manifest.raw["calls"].sha256
    if digest(path)["sha256"] != sha256:
        raise UsageError(f"{run} is not as it was measured: see `epc validate {run}`")
    calls, findings = [], Findings()
    for index, row in read_rows(folder, "calls", findings, clause="EPC-2.5(d)"):
        check_reply(call_of(row), f"/calls/{index}", findings)
        calls.append(row)
    refuse(findings.as_list())
    return manifest, sha256, calls


Opening = Callable[[str], Model]


class OpenedRun(Struct, frozen=True, kw_only=True):
    """A plan with its models open: ready to be forecast or carried out.

    `reusable` are the calls of other runs that a new run may take over.
    """

    plan: Plan
    evaluator: Model
    executor: Model | None
    reusable: Sequence[Json] = ()

    @property
    def models(self) -> list[Model]:
        """The models of both roles."""
        return [model for model in (self.evaluator, self.executor) if model is not None]

    @property
    def questions(self) -> Questions:
        """Questions that the plan can ask."""
        executor = None if self.executor is None else self._role("executor", self.executor)
        config = configuration(self.plan, self.evaluator)
        put_within(self.evaluator, config)
        return Questions(
            config=config,
            evaluator=self._role("evaluator", self.evaluator),
            executor=executor,
        )

    def _role(self, name: str, model: Model) -> Role:
        return Role(name=name, model=model, decoding=decoding_for(self.plan.decoding, name, model))


def prepare(request: Request, *, now: datetime, opening: Opening = open_model) -> OpenedRun:
    """Open a request's models and make its plan; nothing is written and nothing is sent.

    Raises: UsageError if the request does not fit together; WorldError if a model cannot load.
    """
    evaluator = opening(request.evaluator)
    if isinstance(evaluator, RecordedVerdicts) and request.executor is not None:
        raise UsageError("recorded verdicts need no executor: leave --executor out")
    if isinstance(evaluator, RecordedVerdicts) and request.design is not None:
        raise UsageError(
            "recorded verdicts have the strategies and tasks of their file: leave --design out"
        )
    if not isinstance(evaluator, RecordedVerdicts) and request.executor is None:
        raise UsageError(f"{request.evaluator} compares answers: name who writes with --executor")
    executor = opening(request.executor) if request.executor is not None else None
    if executor is not None and executor.method != "prompt":
        raise UsageError(f"{request.executor} writes no answers: name another --executor")
    roles = {"evaluator": evaluator, "executor": executor}
    for role, model in roles.items():
        require_role(role, model)
    models = {role: model for role, model in roles.items() if model is not None}
    decoding = asked_decoding(request.decoding, models)
    if isinstance(evaluator, RecordedVerdicts):
        if request.reuse == "none" or request.recheck:
            raise UsageError(
                "recorded verdicts are read, and reading again gives the same: leave --reuse none "
                "and --recheck out"
            )
        # Reading R72: what is recorded is read whole, however little of it the rounds draw.
        request = replace(request, reuse="memo", exhaustive=True)
    reuse = reuse_for(
        request.reuse, exhaustive=request.exhaustive, models=models, decoding=decoding
    )
    if request.recheck and reuse == "none":
        raise UsageError("--recheck asks again what was reused: a fresh run reuses nothing")
    if request.controls and executor is None:
        raise UsageError("--controls asks an evaluator: recorded verdicts cannot be asked more")
    plan = Plan(
        evaluator=request.evaluator,
        executor=request.executor,
        seeds=request.seeds,
        rounds=request.rounds,
        reuse=reuse,
        exhaustive=request.exhaustive,
        recheck=request.recheck,
        control=request.control,
        controls=request.controls,
        measurement_date=now.date().isoformat(),
        epc_version=__version__,
        identity=identities(evaluator, executor),
        decoding=decoding,
        groups=_groups(evaluator),
        design=None if request.design is None else request.design.document(),
    )
    opened = OpenedRun(plan=plan, evaluator=evaluator, executor=executor)
    _require_scripts(opened)
    return _reusing(opened, request.reuse_answers_of)


def _require_scripts(opened: OpenedRun) -> None:
    """Refuse a script that says something of strategies or domains which there are not."""
    config = opened.questions.config
    names = [strategy.name for strategy in config.strategies]
    for judge in every_model([opened.evaluator]):
        if isinstance(judge, Scripted):
            judge.require(names, config.domains.names)


def _groups(evaluator: Model) -> dict[Domain, list[str]] | None:
    """Return the group of each task, as far as recorded verdicts state them (Reading R74)."""
    if not isinstance(evaluator, RecordedVerdicts) or evaluator.table.groups is None:
        return None
    return {domain: list(groups) for domain, groups in evaluator.table.groups.items()}


def _reusing(opened: OpenedRun, runs: Sequence[Path]) -> OpenedRun:
    """Return a new run with what it may take over from the runs that the user named."""
    if not runs:
        return opened
    if opened.plan.reuse == "none":
        raise UsageError("--reuse-answers-of takes answers over: a fresh run reuses nothing")
    questions = opened.questions
    answers = reusable_answers(runs, _roles(questions))
    day = min(opened.plan.measurement_date, answers.since or opened.plan.measurement_date)
    plan = replace(opened.plan, reuse_answers_of=answers.sums, measurement_date=day)
    return replace(opened, plan=plan, reusable=answers.calls)


def start(
    request: Request,
    folder: Path,
    *,
    now: datetime,
    limits: Limits | None = None,
) -> OpenedRun:
    """Prepare a request and write its plan into a new folder.

    Raises: as `prepare`; UsageError if the limits cannot be kept, or the folder holds something.
    """
    opened = prepare(request, now=now)
    require_keys(opened.models)
    budget_of(opened.models, limits or Limits())
    save(opened.plan, folder, reusable=opened.reusable)
    return opened


def reopen(folder: Path, *, opening: Opening = open_model) -> OpenedRun | None:
    """Open the models of an interrupted run, or return None if it is complete.

    Raises: UsageError if the folder is no run, or its models are no longer the same.
    """
    plan = load(folder)
    if (folder / MANIFEST).exists():
        load_manifest(folder)
        return None
    evaluator = opening(plan.evaluator)
    executor = opening(plan.executor) if plan.executor is not None else None
    require_same(identities(evaluator, executor), plan.identity)
    return OpenedRun(plan=plan, evaluator=evaluator, executor=executor)


def require_role(role: str, model: Model | None) -> None:
    """Raise a UsageError where a mock or a composite is asked to do what it cannot."""
    if isinstance(model, Composite) and role != "evaluator":
        raise UsageError(f"{model.identity.model} composes verdicts: name a model as {role}")
    if isinstance(model, Composite):
        for member in model.members:
            require_role(role, member)
    if model is not None and role not in _roles_of(model, role):
        able = " or ".join(sorted(_roles_of(model, role)))
        raise UsageError(f"{model.identity.model} is no {role}: name it as {able}")


def writes(model: Model) -> bool:
    """Return whether a model can be an executor."""
    return model.method == "prompt" and not (
        isinstance(model, Composite) or "executor" not in _roles_of(model, "executor")
    )


def _roles_of(model: Model, role: str) -> frozenset[str]:
    """Return what a model can be: what it says, or else the role that is asked of it."""
    roles: frozenset[str] = getattr(model, "roles", frozenset({role}))
    return roles


def expect(opened: OpenedRun) -> dict[str, forecast.Share]:
    """Return what carrying a plan out will ask for, role by role."""
    questions = opened.questions
    roles, evaluator = _roles(questions), questions.evaluator
    members = {}
    if isinstance(evaluator.model, Composite):
        for number, role in evaluator.members.items():
            members[role.name] = evaluator.model.times(number), role.model.method
    return forecast.forecast(
        opened.plan,
        questions.config,
        {role.name: role.decoding for role in roles},
        {role.name: price_of(role.model.identity.model) for role in roles},
        members=members,
    )


async def measure(
    opened: OpenedRun,
    folder: Path,
    *,
    clock: Callable[[], datetime],
    watch: Watch,
    limits: Limits | None = None,
    anyway: bool = False,
    probe: Callable[[str], None] | None = None,
) -> Json:
    """Carry a plan out with its models and return the manifest.

    A hosted evaluator is asked the run's first comparison before all else, and `probe` is told of
    an answer that is no bare letter; without `probe` it is not.
    The `clock` says when each call was answered (Reading R76).

    Raises: StoppedError if a call got no answer or a limit was reached; WorldError if the disk
    fails; IncapableError if the evaluator is cut off before a verdict;
    IncapableError if the evaluator failed the plan's controls, unless it is to be measured
    `anyway`. `epc resume` then goes on from the journal.
    """
    limits = limits or Limits()
    session = Session(
        clock=clock,
        progress=Progress(budget=budget_of(opened.models, limits)),
        watch=watch,
        cache=answer_cache(limits),
        anyway=anyway,
        probe=probe,
    )
    async with asking(opened.models, limits):
        return await carry_on(opened.plan, opened.questions, folder, session)


def _roles(questions: Questions) -> list[Role]:
    """Return who is asked: a composite's members in its stead."""
    evaluator = questions.evaluator
    judges = evaluator.members.values() or [evaluator]
    return [role for role in (questions.executor, *judges) if role is not None]
