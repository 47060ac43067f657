"""Carrying one run on from its journal: the first round, then all the others."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from datetime import datetime
from pathlib import Path

from msgspec import Struct, field

from epc.engine.cache import Cache
from epc.engine.calls import Caller, SharedAnswers, Watch, calling
from epc.engine.controls import IncapableError, first_choice, preflight
from epc.engine.fitness import CUT, kind_of
from epc.engine.journal import Journal
from epc.engine.measure import carry_out
from epc.engine.model import Occasion
from epc.engine.plan import Plan, checker_of
from epc.engine.progress import Progress
from epc.engine.remote import Remote
from epc.engine.request import Questions
from epc.engine.task_group import await_both
from epc.engine.user_programs import Label, program_of
from epc.protocol.results import Json
from epc.records.layout import MANIFEST, REUSABLE
from epc.records.recompute import load_manifest
from epc.spec.domains import Domain


async def ask_first_round(
    plan: Plan,
    folder: Path,
    questions: Questions,
    caller: Caller,
    *,
    say: Callable[[str], None],
) -> None:
    """Ask a run's first comparison before all else, and report an answer that is no bare letter.

    These calls are the run's own: it asks none of them again, in this session or a later one.

    Raises: IncapableError if the answer was cut off before a verdict, as every other would be;
    else as `Caller.ask`.
    """
    config = questions.config
    if questions.executor is None or not (plan.seeds and config.rounds):
        return
    domain, task, strategy, occasion = _first(plan, questions)
    caller.progress.begin("probe", 1)
    response = questions.answer(strategy, domain, task)
    baseline = questions.baseline(domain, task)
    answers = await await_both(caller.ask(response, occasion), caller.ask(baseline, occasion))
    comparison = questions.comparison(strategy, domain, task, answers)
    call = await caller.ask(comparison, occasion)
    caller.progress.advance()
    kind = kind_of(call["answer"], call["finish_reason"])
    after = " after reasoning" if "reasoning" in call or "reasoning_tokens" in call else ""
    if after or kind != "letter":
        say(f"probe    {plan.evaluator} answers with a {kind}{after}")
    if kind in ("silence", "text") and call["finish_reason"] in CUT:
        raise IncapableError(
            f"{plan.evaluator} was cut off before a verdict, and so it would be in every round\n"
            f"  fix: `epc doctor {plan.evaluator}` says how to ask it: with more --max-tokens, or "
            "--reasoning none\n"
            f"  next: ask it otherwise in a new run, or measure it like this: `epc resume {folder}`"
        )


def _first(plan: Plan, questions: Questions) -> tuple[Domain, int, int, Occasion | None]:
    """Return the domain, task and strategy of a comparison that no verdict decides."""
    config = questions.config
    if plan.exhaustive:
        against_itself = config.baseline_index
        return *next(p for p in questions.pairs() if p[2] != against_itself), None
    phase = next(phase for phase in config.phases if phase.start is None)
    return first_choice(config, phase, plan.seeds[0])


class Session(Struct, frozen=True, kw_only=True):
    """Setting in which one run is carried on: its clock, its progress, what its campaign shares.

    `progress` has the budget. An evaluator that failed its controls is measured `anyway`. A hosted
    evaluator is asked one comparison before all else where there is a `probe`, which is told of an
    answer that is no bare letter. `siblings` has the executor's answers of a campaign's runs, and
    `places` how many calls of each model its runs make at once.
    """

    clock: Callable[[], datetime]
    progress: Progress
    watch: Watch | None = None
    cache: Cache | None = None
    anyway: bool = False
    probe: Callable[[str], None] | None = None
    siblings: SharedAnswers | None = None
    places: dict[str, asyncio.Semaphore] = field(default_factory=dict)


async def carry_on(
    plan: Plan,
    questions: Questions,
    folder: Path,
    session: Session,
) -> Json:
    """Carry a plan out within a session and return the manifest.

    Raises: as `epc.engine.session.measure`.
    """
    memo, checker = plan.reuse == "memo", checker_of(plan)
    check = None if checker is None else program_of(checker, Label, "checker")
    async with AsyncExitStack() as stack:
        caller = await stack.enter_async_context(
            calling(
                folder,
                progress=session.progress,
                clock=session.clock,
                watch=session.watch,
                reuse=memo,
                cache=session.cache if memo else None,
                siblings=session.siblings,
                places=session.places,
            )
        )
        if (folder / MANIFEST).exists():  # another process finished it before this one held it
            caller.journal.remove()
            return load_manifest(folder).document
        if (folder / REUSABLE).exists():
            caller.named_runs = Journal(folder / REUSABLE)
            stack.callback(caller.named_runs.close)
        anyway = session.anyway
        if session.probe is not None and isinstance(questions.evaluator.model, Remote):
            await ask_first_round(plan, folder, questions, caller, say=session.probe)
        if plan.controls:
            await preflight(plan, folder, questions=questions, caller=caller, anyway=anyway)
        manifest = await carry_out(
            plan,
            folder,
            questions=questions,
            caller=caller,
            now=session.clock(),
            check=check,
        )
        if caller.named_runs is not None:
            caller.named_runs.remove()
        return manifest
