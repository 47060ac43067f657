"""Many evaluators, many executors, one command: a run each, sharing what can be shared.

An executor is asked once for whatever several evaluators compare (Reading R76); one budget bounds
all runs. Each run's folder is complete by itself, and a run that fails takes no other with it.
"""

import re
from asyncio import Semaphore
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

from msgspec.structs import replace

from epc.digests import sha256
from epc.engine import session
from epc.engine.budget import Limits, price_of
from epc.engine.cache import answer_cache
from epc.engine.calls import SharedAnswers, calling
from epc.engine.catalog import open_model
from epc.engine.forecast import Share, forecast_shared, sum_shares
from epc.engine.model import Model
from epc.engine.plan import FreshAnswersError, save
from epc.engine.progress import Progress
from epc.engine.request import Request, default_folder
from epc.engine.run_session import Session, carry_on
from epc.engine.session import OpenedRun, expect, prepare
from epc.engine.sitting import asking, budget_of, require_keys
from epc.engine.task_group import all_of
from epc.errors import EpcError, StoppedError, UsageError, able_to
from epc.records import strict_json
from epc.records.campaign import ANSWERS, CAMPAIGN, SCHEMA_VERSION, Campaign, Member
from epc.records.layout import JOURNAL, PLAN
from epc.records.model_names import RECORDED
from epc.records.typed import as_json

_ID: Final = 16  # hexadecimal digits
_NAME: Final = 60  # characters of a folder's name that a model's takes


class UnfinishedError(StoppedError):
    """Some runs of a campaign are not complete: which, and why; the others are."""

    def __init__(self, failed: Mapping[str, EpcError], *, complete: int, next_command: str) -> None:
        lines = [f"runs complete: {complete}, not complete: {len(failed)}"]
        lines += [f"{name}: {error}" for name, error in failed.items()]
        super().__init__("\n".join([*lines, f"  next: {next_command}"]))
        self.failed = dict(failed)


# Where each run stands, by its folder's name, and the answers that runs share, without stages.
Watch = Callable[[Mapping[str, Progress]], AbstractAsyncContextManager[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedCampaign:
    """A campaign with the models of its unfinished runs open.

    `failed` says why a run could not be opened, `left_out` why a pair of models is no run of it.
    """

    id: str
    members: Mapping[str, Member]
    runs: Mapping[str, OpenedRun]
    failed: Mapping[str, EpcError] = field(default_factory=dict)
    left_out: tuple[FreshAnswersError, ...] = ()

    @property
    def models(self) -> list[Model]:
        """Every model that is open, each once."""
        return list({id(m): m for run in self.runs.values() for m in run.models}.values())

    @property
    def executors(self) -> dict[str, list[str]]:
        """The runs that share each executor's answers, by the folder of the answers."""
        sharing: dict[str, list[str]] = {}
        for name in self.runs:
            if (answers := self.members[name].answers) is not None:
                sharing.setdefault(answers, []).append(name)
        return sharing


def open_campaign(
    request: Request, evaluators: Sequence[str], executors: Sequence[str], *, now: datetime
) -> OpenedCampaign:
    """Open the models of every pair of an evaluator and an executor; nothing is written or sent.

    A pair whose answers cannot be reused, where the user wants that, is left out.

    Raises: UsageError if a model is named twice, a pair does not fit together or none is left;
    WorldError if a model cannot load.
    """
    if not evaluators:
        raise UsageError("name at least one evaluator")
    for role, names in (("evaluator", evaluators), ("executor", executors)):
        if twice := [name for name, count in Counter(names).items() if count > 1]:
            raise UsageError(f"--{role} {twice[0]} is named twice: leave one out")
    judged = [name for name in evaluators if not name.startswith(RECORDED)]
    if executors and not judged:
        raise UsageError("recorded verdicts need no executor: leave --executor out")
    folders, opening = _names(evaluators, executors), cache(open_model)
    members, runs = {}, {}
    left_out: list[FreshAnswersError] = []
    for evaluator in evaluators:
        for executor in executors if evaluator in judged else [None]:
            pair_request = replace(request, evaluator=evaluator, executor=executor)
            answers = None if executor is None else folders[executor]
            folder = folders[evaluator] if answers is None else f"{folders[evaluator]}_on_{answers}"
            try:
                runs[folder] = prepare(pair_request, now=now, opening=opening)
            except FreshAnswersError as error:
                left_out.append(error)
                continue
            members[folder] = Member(
                folder=folder, evaluator=evaluator, executor=executor, answers=answers
            )
    if not runs:
        raise left_out[0]
    identity = {"began": now.isoformat(), "runs": [run.plan.document() for run in runs.values()]}
    name = sha256(strict_json.dumps(identity))[:_ID]
    shared = {"id": name, "evaluators": judged}
    return OpenedCampaign(
        id=name,
        members=members,
        runs={
            folder: replace(run, plan=replace(run.plan, campaign=shared)) if run.executor else run
            for folder, run in runs.items()
        },
        left_out=tuple(left_out),
    )


def start(opened: OpenedCampaign, folder: Path, *, limits: Limits) -> None:
    """Write a campaign's plans into a new folder, all of them or nothing.

    Raises: UsageError if the limits cannot be kept, a key is missing, or the folder holds
    something; WorldError if the disk refuses.
    """
    require_keys(opened.models)
    budget_of(opened.models, limits)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        begun = (folder / CAMPAIGN).exists()
        remedy = f"`epc resume {folder}` finishes it" if begun else "choose another --out"
        raise UsageError(f"{folder} is not empty: {remedy}")
    with able_to("make", folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        target = folder  # one that is there stays, as it may be where the user stands
        if not folder.exists():
            target = Path(mkdtemp(prefix=f".{folder.name}-", dir=folder.parent)) / folder.name
        for name, run in opened.runs.items():
            save(run.plan, target / name, reusable=run.reusable)
        runs = tuple(opened.members.values())
        campaign = Campaign(schema_version=SCHEMA_VERSION, id=opened.id, runs=runs)
        strict_json.write(target / CAMPAIGN, as_json(campaign))
        if target != folder:
            target.rename(folder)
            target.parent.rmdir()


def reopen(folder: Path, *, run_name: str | None = None) -> OpenedCampaign:
    """Open the models of a campaign's unfinished runs, or of the one named `run_name`.

    Raises: UsageError if the folder is no campaign's; MalformedError if its file was damaged.
    """
    campaign, opening = Campaign.load(folder), cache(open_model)
    members = {member.folder: member for member in campaign.runs}
    runs: dict[str, OpenedRun] = {}
    failed: dict[str, EpcError] = {}
    for name in members if run_name is None else [run_name]:
        try:
            run = session.reopen(folder / name, opening=opening)
        except EpcError as error:
            failed[name] = error
        else:
            if run is not None:
                runs[name] = run
    _forget_answers(folder, campaign)  # a kill may have come before it
    return OpenedCampaign(id=campaign.id, members=members, runs=runs, failed=failed)


def forecast_campaign(opened: OpenedCampaign) -> dict[str, Share]:
    """Return what the runs will ask for together, model by model and in all."""
    shares: dict[str, Share] = {}
    for names in opened.executors.values():
        runs = [opened.runs[name] for name in names]
        role = runs[0].questions.executor
        assert role is not None
        shares[f"executor {opened.members[names[0]].executor}"] = forecast_shared(
            Counter(run.plan.reuse for run in runs),
            runs[0].plan,
            runs[0].questions.config,
            role.decoding,
            price_of(role.model.identity.model),
        )
    judged: dict[str, list[Share]] = {}
    for name, run in opened.runs.items():
        key = f"evaluator {opened.members[name].evaluator}"
        # Of a wrapper its members are asked, each in a role of its own.
        asked = [share for role, share in expect(run).items() if role != "executor"]
        judged.setdefault(key, []).extend(asked)
    shares |= {key: sum_shares(model_shares) for key, model_shares in judged.items()}
    return {**shares, "in all": sum_shares(shares.values())}


async def measure(
    opened: OpenedCampaign,
    folder: Path,
    *,
    clock: Callable[[], datetime],
    watch: Watch,
    limits: Limits,
    anyway: bool = False,
    probe: Callable[[str], None] | None = None,
) -> dict[str, EpcError]:
    """Carry a campaign's unfinished runs on, all at once, and return why some are not complete.

    The limits are those of all runs together. `anyway` and `probe` are as for one run.

    Raises: UsageError if a limit cannot be kept, or another process works on the campaign;
    WorldError if the disk fails.
    """
    budget, answers = budget_of(opened.models, limits), answer_cache(limits)
    progress = {name: Progress(budget=budget) for name in opened.runs}
    async with asking(opened.models, limits), AsyncExitStack() as stack:
        shared, places = {}, dict[str, Semaphore]()
        for name, runs in opened.executors.items():
            progress[f"{ANSWERS}/{name}"] = Progress(budget=budget)
            caller_context = calling(
                folder / ANSWERS / name,
                progress=progress[f"{ANSWERS}/{name}"],
                clock=clock,
                cache=answers,
                reuse=False,  # a run that reuses its answers names no round
            )
            caller = await stack.enter_async_context(caller_context)
            shared[name] = SharedAnswers(caller=caller, runs=len(runs))
            stack.push_async_callback(shared[name].close)
        await stack.enter_async_context(watch(progress))

        async def measure_run(name: str, run: OpenedRun) -> EpcError | None:
            sitting = Session(
                clock=clock,
                progress=progress[name],
                cache=answers,
                anyway=anyway,
                probe=probe,
                siblings=shared.get(opened.members[name].answers or ""),
                places=places,
            )
            try:
                await carry_on(run.plan, run.questions, folder / name, sitting)
            except EpcError as error:
                return error
            return None

        ended = await all_of(measure_run(name, run) for name, run in opened.runs.items())
    failed = {name: error for name, error in zip(opened.runs, ended, strict=True) if error}
    _forget_answers(folder, Campaign.load(folder))
    return {**opened.failed, **failed}


def discard(folder: Path) -> bool:
    """Remove a campaign in which nothing was answered yet; return whether it was such a one."""
    files = [path for path in folder.rglob("*") if not path.is_dir()]
    ours = {CAMPAIGN, PLAN, JOURNAL}
    if any(f.name not in ours or (f.name == JOURNAL and f.stat().st_size) for f in files):
        return False
    with suppress(OSError):
        for file in files:
            file.unlink()
        for directory in (*sorted(folder.rglob("*"), reverse=True), folder):
            directory.rmdir()
    return not (folder / CAMPAIGN).exists()


def _forget_answers(folder: Path, campaign: Campaign) -> None:
    """Remove what the runs shared, once each of them is complete and has it."""
    if len(campaign.complete(folder)) < len(campaign.runs):
        return
    for directory in (folder / ANSWERS).glob("*"):
        (directory / JOURNAL).unlink(missing_ok=True)
        with suppress(OSError):  # someone else's file in it is theirs
            directory.rmdir()
    with suppress(OSError):
        (folder / ANSWERS).rmdir()


def _names(evaluators: Sequence[str], executors: Sequence[str]) -> dict[str, str]:
    """Return a folder's name for each model: safe anywhere, and no two alike in any case."""
    names: dict[str, str] = {}
    used_names: set[str] = set()
    for model in dict.fromkeys([*evaluators, *executors]):
        name = wanted = _safe(model)
        count = 1
        while name.casefold() in used_names:
            count += 1
            name = f"{wanted}-{count}"
        used_names.add(name.casefold())
        names[model] = name
    return names


def _safe(model: str) -> str:
    provider, _, name = model.partition("/")
    wrapper, is_wrapped, _ = provider.partition(":")
    if model.startswith(RECORDED):
        name = Path(model.removeprefix(RECORDED)).stem
    elif is_wrapped:
        name = f"{wrapper}-{name}"
    safe = re.sub(r"[^A-Za-z0-9.]+", "-", name or provider).strip("-.")
    return safe[:_NAME].strip("-.") or "model"


def default_campaign_folder(opened: OpenedCampaign, began: datetime) -> Path:
    """Return a new folder below `runs/`, named for the day and how many models there are."""
    counted = (
        (len({member.evaluator for member in opened.members.values()}), "evaluator"),
        (len(opened.executors), "executor"),
    )
    name = "-".join(f"{count}-{noun}{'s' * (count > 1)}" for count, noun in counted if count)
    return default_folder(name, began)
