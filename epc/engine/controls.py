"""Asking an evaluator more than a measurement asks: probes, and controls before it is paid for."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import chain, islice
from pathlib import Path
from typing import Final

from epc.audit.probes import SIDES, Probe, planted
from epc.digests import sha256
from epc.engine.budget import Budget
from epc.engine.calls import Caller
from epc.engine.journal import journal_in
from epc.engine.model import Occasion
from epc.engine.plan import Plan
from epc.engine.progress import Progress
from epc.engine.request import Questions
from epc.engine.roles import Question, Role
from epc.engine.task_group import all_of
from epc.errors import EpcError, ExitCode, refuse
from epc.protocol.config import Configuration
from epc.protocol.draws import pick_task, turns
from epc.protocol.results import Json
from epc.protocol.verdict import parse_verdict
from epc.protocol.weights import choose, uniform
from epc.records.calls import answers_of, call_of
from epc.records.findings import Findings
from epc.records.layout import PROBES, PROBING
from epc.records.probes import AnsweredProbe, in_words, row_of, summary
from epc.records.rows import Call, read_rows
from epc.records.strict_json import dumps_line, remove_unfinished, write_text
from epc.spec.domains import Domain, Phase

_HEX_DIGITS: Final = 8


class IncapableError(EpcError):
    """The evaluator failed the controls: a measurement of it says nothing about coupling."""

    exit_code = ExitCode.FINDINGS


async def ask(
    probes: Sequence[Probe],
    folder: Path,
    *,
    role: Role,
    config: Configuration,
    progress: Progress,
    budget: Budget,
    clock: Callable[[], datetime],
) -> list[AnsweredProbe]:
    """Ask probes that have no answer yet, keep them in probes.jsonl, and return them all.

    They have a journal of their own, so that the measurement's raw files stay the measurement's;
    `progress` and `budget` are those of whatever they belong to.

    Raises: StoppedError if a call got no answer or a limit was reached, and the same call goes on
    from there; MalformedError if probes.jsonl was damaged; WorldError if the disk fails.
    """
    work = folder / PROBING
    journal = journal_in(work)
    caller = Caller(journal=journal, reuse=False, progress=progress, budget=budget, clock=clock)
    try:
        remove_unfinished(folder, PROBES)
        kept = kept_rows(folder)
        progress.begin("probes", len(probes))
        rows = await all_of(
            _row(probe, kept, role=role, config=config, caller=caller) for probe in probes
        )
        kept.update({row["call"]["id"]: row for row in rows})
        write_text(folder / PROBES, map(dumps_line, sorted(kept.values(), key=_row_order)))
        if all(call["id"] in kept for call in journal.calls()):
            journal.remove()
            with suppress(OSError):  # someone else's file in it is theirs
                work.rmdir()
    finally:
        await caller.close()
        journal.close()
    return [
        AnsweredProbe(probe=probe, verdict=parse_verdict(row["call"]["answer"]), own=None)
        for probe, row in zip(probes, rows, strict=True)
    ]


def kept_rows(folder: Path) -> dict[str, Json]:
    """Return the rows of probes.jsonl by the names of their calls.

    Raises: MalformedError if the file was damaged: writing it again would lose what it held.
    """
    if not (folder / PROBES).exists():
        return {}
    findings = Findings()
    rows = {
        row["call"].get("id", ""): row
        for _, row in read_rows(folder, "probes", findings, clause="EPC-5.3(4)")
    }
    refuse(findings.kept())
    return rows


async def preflight(
    plan: Plan, folder: Path, *, questions: Questions, caller: Caller, anyway: bool
) -> None:
    """Ask the plan's controls before any comparison is paid for.

    The answers that they are made from are the run's own: the whole first wave of an exhaustive
    run, else those of the pure phases' first rounds, which no verdict decides (Reading R43).

    Raises: IncapableError if the evaluator fails them, unless it is to be measured `anyway`;
    else as `ask`.
    """
    calls = await _first_answers(plan, questions, caller)
    config = questions.config
    pairs = planted(answers_of(config, calls, config.executor_prompt), config)
    probes = list(chain.from_iterable(islice(pairs, plan.controls)))
    answers = await ask(
        probes,
        folder,
        role=questions.evaluator,
        config=config,
        progress=caller.progress,
        budget=caller.budget,
        clock=caller.clock,
    )
    competence = summary(answers)["competence"]
    if competence is not None and competence["word"] == "incapable" and not anyway:
        raise IncapableError(
            f"{plan.evaluator} failed the controls, and no comparison was asked: "
            f"{in_words(competence)}\n"
            f"  next: name another evaluator, or measure this one with "
            f"`epc resume {folder} --anyway`"
        )


async def _first_answers(plan: Plan, questions: Questions, caller: Caller) -> dict[str, Call]:
    """Return answers that the run needs whatever its evaluator says."""
    wanted = list(_first_questions(plan, questions))
    caller.progress.begin("answers", len(wanted))

    async def one(question: Question, occasion: Occasion | None) -> Json:
        call = await caller.ask(question, occasion)
        caller.progress.advance()
        return call

    calls = await all_of(one(*question) for question in wanted)
    return {call["id"]: call_of(call) for call in calls}


def _first_questions(
    plan: Plan, questions: Questions
) -> Iterable[tuple[Question, Occasion | None]]:
    if plan.exhaustive:
        yield from ((question, None) for question in questions.answers())
        return
    # At least one good answer a round, so as many seeds as there are pairs are enough.
    for seed in plan.seeds[: plan.controls]:
        for phase in questions.config.domains.phases:
            if phase.start is None and plan.rounds:
                domain, task, strategy, occasion = first_choice(questions.config, phase, seed)
                yield questions.answer(strategy, domain, task), occasion
                yield questions.baseline(domain, task), occasion


def first_choice(
    config: Configuration, phase: Phase, seed: int
) -> tuple[Domain, int, int, Occasion]:
    """Return the domain, task and strategy of a pure phase's first round, and the round itself.

    No verdict decides them: all strategies have the same weight.
    """
    turn = turns(seed, phase.stream, 1)[0]
    task = pick_task(turn.u_task or 0.0, len(config.tasks[phase.domain]))
    strategy = choose(uniform(len(config.strategies)), turn.u_strategy or 0.0)
    return phase.domain, task, strategy, Occasion(seed=seed, phase=phase.name, round=0)


async def _row(
    probe: Probe, kept: dict[str, Json], *, role: Role, config: Configuration, caller: Caller
) -> Json:
    text = probe.text(config)
    question = Question(role=role, text=text, side="probe", pair=probe.pair(config))
    if (row := kept.get(caller.name(question, probe.place))) is None:
        occasion = None if role.model.repeatable else _occasion(probe)
        call = await caller.ask_again(question, probe.place, occasion)
        row = row_of(probe, config, call)
    caller.progress.advance()
    return row


def _occasion(probe: Probe) -> Occasion:
    """Return a round of its own for a model that answers each round afresh."""
    number = int(sha256(probe.place)[:_HEX_DIGITS], 16)
    return Occasion(seed=number, phase=probe.answer.domain, round=SIDES.index(probe.first))


def _row_order(row: Json) -> tuple[str, ...]:
    return row["probe"], row["answer"], row["evaluation"] or "", row["first"]
