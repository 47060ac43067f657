"""Asking an evaluator more than a measurement asks: probes, and controls before it is paid for."""

from collections.abc import Iterable, Sequence
from itertools import chain, islice
from pathlib import Path

from epc.audit.competence import AnsweredProbe, summary
from epc.audit.probes import Probe, planted
from epc.engine.calls import Caller, calling
from epc.engine.model import Occasion
from epc.engine.plan import Plan
from epc.engine.request import Questions
from epc.engine.roles import Question, Role
from epc.errors import EpcError, ExitCode, refuse
from epc.protocol.config import Configuration
from epc.protocol.draws import pick_task, turns
from epc.protocol.results import Json
from epc.protocol.verdict import parse_verdict
from epc.protocol.weights import choose, uniform
from epc.records.calls import answers_of, call_of
from epc.records.findings import Findings
from epc.records.layout import PROBES, PROBING
from epc.records.probes import in_words, row_of
from epc.records.rows import read_rows
from epc.records.strict_json import dumps_line, remove_unfinished, write_text
from epc.spec.domains import Domain, Phase


class IncapableError(EpcError):
    """The evaluator failed the controls: a measurement of it says nothing about coupling."""

    exit_code = ExitCode.FINDINGS


async def ask(
    probes: Sequence[Probe], folder: Path, *, role: Role, config: Configuration, caller: Caller
) -> list[AnsweredProbe]:
    """Ask probes that have no answer yet, keep them in probes.jsonl, and return them all.

    The caller's journal is theirs alone, so that the measurement's raw files stay the
    measurement's; it goes once probes.jsonl has all of it.

    Raises: StoppedError if a call got no answer or a limit was reached, and the same call goes on
    from there; MalformedError if probes.jsonl was damaged; WorldError if the disk fails.
    """
    remove_unfinished(folder, PROBES)
    probe_rows = kept_rows(folder)
    questions = [
        Question(role=role, text=probe.text(config), side="probe", pair=probe.pair(config))
        for probe in probes
    ]
    names = [caller.name(q, probe.place) for q, probe in zip(questions, probes, strict=True)]
    due = [index for index, name in enumerate(names) if name not in probe_rows]
    wanted = [(questions[index], probes[index].place) for index in due]
    for index, call in zip(due, await caller.ask_all("probes", wanted), strict=True):
        probe_rows[names[index]] = row_of(probes[index], config, call)
    write_text(folder / PROBES, map(dumps_line, sorted(probe_rows.values(), key=_row_order)))
    if all(call["id"] in probe_rows for call in caller.journal.calls()):
        caller.journal.remove()
    return [
        AnsweredProbe(
            probe=probe, verdict=parse_verdict(probe_rows[name]["call"]["answer"]), run_verdict=None
        )
        for probe, name in zip(probes, names, strict=True)
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
    refuse(findings.as_list())
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
    rows = await caller.ask_all("answers", _first_questions(plan, questions))
    calls = {row["id"]: call_of(row) for row in rows}
    config = questions.config
    pairs = planted(answers_of(config, calls, config.executor_prompt), config)
    probes = list(chain.from_iterable(islice(pairs, plan.controls)))
    caller_context = calling(
        folder / PROBING, progress=caller.progress, clock=caller.clock, reuse=False
    )
    async with caller_context as probe_caller:
        answers = await ask(
            probes, folder, role=questions.evaluator, config=config, caller=probe_caller
        )
    competence = summary(answers)["competence"]
    if competence is not None and competence["word"] == "incapable" and not anyway:
        raise IncapableError(
            f"{plan.evaluator} failed the controls, and no comparison was asked: "
            f"{in_words(competence)}\n"
            f"  next: name another evaluator, or measure this one with "
            f"`epc resume {folder} --anyway`"
        )


def _first_questions(
    plan: Plan, questions: Questions
) -> Iterable[tuple[Question, Occasion | None]]:
    """Yield what the run asks its executor whatever its evaluator says."""
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


def _row_order(row: Json) -> tuple[str, ...]:
    return row["probe"], row["answer"], row["evaluation"] or "", row["first"]
