"""Checking an optimiser's final: seed and final answer the planned items, and judges are asked.

The user's program answers an item as a candidate does, and says either what a judge is asked of the
answer or what its own metric gives it. Its answers and the judges' are kept beside the log, so that
the same command goes on where it stopped.

Over 400 lines: asking, keeping and going on share the one file of checks.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from epc.analysis.loop_decisions import precedes, used_up
from epc.engine.budget import Limits, most_tokens, price_of
from epc.engine.calls import Caller, Watch
from epc.engine.catalog import open_judge
from epc.engine.forecast import Share, of_texts
from epc.engine.plan import asked_decoding, decoding_for
from epc.engine.roles import Question, Role
from epc.engine.sitting import asked_within
from epc.engine.task_group import all_of
from epc.engine.user_programs import Reply, Request, program_of
from epc.errors import EpcError, UsageError, able_to
from epc.printable import one_line
from epc.records.calls import call_of
from epc.records.layout import stamp
from epc.records.loop import (
    EXECUTED,
    GOLD,
    Check,
    Execution,
    LedgerLine,
    LoopPlan,
    append,
    digest,
    labels_file,
    loop_paths,
    read_executed,
    read_kept,
    read_labels,
    read_ledger,
    read_plan,
    spend,
    write_labels,
    write_lines,
)
from epc.records.rows import Call
from epc.records.verdicts.verdict_words import score_in

_AT_ONCE: Final = 8  # executions under way
_REPLY: Final = 200  # tokens that a judge's reply usually takes
_MAX_TOKENS: Final = 1200
_A, _B = "judge", "judge-b"
_SIDE: Final = "check"
_CUT: Final = "length"  # how a reply ended that the limit of tokens cut off
_LONGEST_REPLY: Final = 120  # characters of a reply that are shown
Place = tuple[str, str]  # a candidate and an item


@dataclass(frozen=True, kw_only=True)
class Checking:
    """A plan with its judges, ready to be forecast or carried out."""

    log: Path
    plan: LoopPlan
    plan_sha256: str
    stored_values: Mapping[tuple[str, str], Any]
    decoding: Mapping[str, Any]

    @classmethod
    def from_log(cls, log: Path, decoding: Mapping[str, Any]) -> "Checking":
        """Return what the plan beside a log has checked.

        Raises: UsageError if there is no plan, or its items are used up.
        """
        path, _, values_path = loop_paths(log)
        if not path.exists():
            raise UsageError(f"{path} is not there\n  fix: epc loop plan {log} --test ITEMS")
        plan, plan_sha256 = read_plan(path)
        checking = cls(
            log=log,
            plan=plan,
            plan_sha256=plan_sha256,
            stored_values=read_kept(values_path),
            decoding=decoding,
        )
        checking._require_unspent()
        return checking

    @property
    def folder(self) -> Path:
        """Folder of the answers, until the checks are whole and after."""
        return self.log.with_name(f"{loop_paths(self.log)[1].name}.part")

    def _require_unspent(self) -> None:
        ledger = read_ledger(self.log)
        if used := used_up(ledger, self.plan.texts, self.plan_sha256):
            raise UsageError(f"{used[0]} was used up by another check: plan with fresh items")
        if any(row.by == self.plan_sha256 for row in ledger) and not self.folder.exists():
            raise UsageError(
                f"the ledger says that this plan was checked, and {self.folder} with the answers "
                "is gone: plan with fresh items"
            )

    @cached_property
    def wanted(self) -> dict[Place, Any]:
        """Outputs to be executed, by candidate and item; the output if it is there already."""
        plan = self.plan
        retests = {
            (r.candidate, r.item): self.stored_values["output", r.output] for r in plan.repeats
        }
        pair_outputs: dict[Place, Any] = {(name, i): None for i in plan.test for name in self.pair}
        return pair_outputs | retests

    @property
    def judges(self) -> dict[str, str]:
        """The models of judge A, empty where nobody names it, and of judge B, if there is one."""
        judge_b = self.plan.judge_b
        return {_A: self.plan.judge.model} | ({_B: judge_b.model} if judge_b else {})

    @property
    def asks(self) -> bool:
        """Whether a judge is named that can be asked; else the program gives the scores."""
        return any("/" in model for model in self.judges.values())

    @property
    def pair(self) -> tuple[str, str]:
        """Seed and final."""
        return self.plan.seed, self.plan.final

    def role(self, name: str, model: str) -> Role:
        """Return a judge as it is asked: greedily unless the user says otherwise."""
        opened = open_judge(model)
        settings = {"temperature": 0.0, "max_tokens": _MAX_TOKENS, **self.decoding}
        decodings = asked_decoding({_A: settings}, {_A: opened})
        decoding = decoding_for(decodings, _A, opened)
        return Role(name=name, model=opened, decoding=decoding)


def expect(checking: Checking) -> dict[str, Share]:
    """Return what the judges will be asked for, where they are asked by prompts.

    The length of a prompt that no execution has given yet is that of the others, or of the texts
    that it will hold.
    """
    executed = read_executed(checking.folder)
    prompts = [row.prompt for row in executed.values() if row.prompt is not None]
    texts = [
        str(value) for (kind, _), value in checking.stored_values.items() if kind != "candidate"
    ]
    usual = "x" * (_mean(prompts) if prompts else 2 * _mean(texts))
    test = [*checking.plan.test] * len(checking.pair)
    judge_counts = {}
    if "/" in checking.plan.judge.model:  # else nobody can be asked: the program gives the scores
        judge_counts[_A] = (checking.plan.judge, len(test) + len(checking.plan.repeats))
    if checking.plan.judge_b:
        judge_counts[_B] = (checking.plan.judge_b, len(test))
    shares: dict[str, Share] = {}
    for name, (judge, number) in judge_counts.items():
        role = checking.role(name, judge.model)
        texts = [*prompts, *[usual] * number][:number]
        token_bound = sum(map(most_tokens, texts))
        price = price_of(role.model.identity.model)
        lengths = [*map(len, texts)]
        shares[name] = of_texts(
            lengths, token_bound, decoding=role.decoding, price=price, reply=_REPLY
        )
    return shares


class Checked(Struct, frozen=True, kw_only=True):
    """Checks as they were written, and the judges' replies that hold no score, by what they are."""

    rows: list[Check]
    unread: Mapping[str, int]


async def check(
    checking: Checking,
    execute: str,
    *,
    clock: Callable[[], datetime],
    watch: Watch,
    limits: Limits,
    retry: bool = False,
) -> Checked:
    """Execute, ask, and write the checks beside the log; return them.

    `retry` asks again wherever the last reply holds no score.

    Raises: StoppedError if something is left, which the same call goes on with; UsageError if the
    program gives neither prompt nor score, or the clock is behind the plan; WorldError if the disk
    fails.
    """
    plan = checking.plan
    started_at = stamp(clock())
    if precedes(started_at, plan):
        raise UsageError(
            f"the plan was drawn at {plan.time}, the clock says {started_at}: no report takes "
            "checks from before their plan\n  fix: set the clock, then the same command"
        )
    texts = tuple(plan.texts.values())
    with able_to("make", checking.folder):
        checking.folder.mkdir(exist_ok=True)
    spend(
        checking.log,
        LedgerLine(time=started_at, by=checking.plan_sha256, items=plan.test, texts=texts),
    )
    executed = await _execute(checking, execute, clock, limits.concurrency or _AT_ONCE)
    rows = [*_own_scores(checking, executed)]
    wanted = [*_judge_requests(checking, executed)]
    names = checking.judges
    roles = {
        name: checking.role(name, names[name]) for name in {request.role for request in wanted}
    }
    unread: list[Call] = []
    if roles:
        questions = [
            Question(role=roles[request.role], text=request.text, side=_SIDE) for request in wanted
        ]
        session = asked_within(
            [*roles.values()], checking.folder, clock=clock, watch=watch, limits=limits
        )
        async with session as caller:
            askings = [
                _asking(caller, question, request.occasion, retry=retry)
                for question, request in zip(questions, wanted, strict=True)
            ]
            occasions = [
                _repeated(request.occasion, asking)
                for request, asking in zip(wanted, askings, strict=True)
            ]
            places = zip(questions, occasions, strict=True)
            calls = [*map(call_of, await caller.ask_all("checks", places))]
        for request, asking, call in zip(wanted, askings, calls, strict=True):
            score, answered_at = score_in(call.answer), call.answered_at or started_at
            if score is None:
                unread.append(call)
            rows += [
                _check(
                    checking,
                    executed[p],
                    names[request.role],
                    score,
                    answered_at,
                    asking=asking,
                )
                for p in request.places
            ]
    rows += _labels(checking, executed)
    write_lines(loop_paths(checking.log)[1], rows)
    return Checked(rows=rows, unread=_kinds(unread))


def _asking(caller: Caller, question: Question, occasion: str, *, retry: bool) -> int:
    """Return which asking of a question counts: the first whose reply holds a score, else the last.

    Where all replies that are there hold none, `retry` makes it a new one.
    """
    for asking in count():
        row = caller.existing_call(caller.name(question, _repeated(occasion, asking)))
        if row is None:
            return asking if retry else max(0, asking - 1)
        if score_in(call_of(row).answer) is not None:
            return asking
    raise AssertionError


def _repeated(occasion: str, asking: int) -> str:
    """Return the occasion of an asking; the first is the occasion itself."""
    return f"{occasion}/unreadable/{asking}" if asking else occasion


def _kinds(calls: Sequence[Call]) -> dict[str, int]:
    """Return how many replies hold no score, by what they are, the commonest first."""
    kinds: dict[str, list[Call]] = {}
    for call in calls:
        if call.finish_reason == _CUT:
            kind = f"cut off after {call.tokens_out} tokens"
        else:
            kind = "not one score" if call.answer.strip() else "empty"
        kinds.setdefault(kind, []).append(call)
    commonest = sorted(kinds.items(), key=lambda named: -len(named[1]))
    return {_with_example(kind, replies[0].answer): len(replies) for kind, replies in commonest}


def _with_example(kind: str, answer: str) -> str:
    return f"{kind}, such as {one_line(answer, _LONGEST_REPLY)!r}" if answer.strip() else kind


async def _execute(
    checking: Checking, execute: str, clock: Callable[[], datetime], at_once: int
) -> dict[Place, Execution]:
    """Return what the program says of every planned item, asking it for what is not on disk."""
    done, places = read_executed(checking.folder), asyncio.Semaphore(at_once)
    program, failed = program_of(execute, Reply, "--execute"), list[EpcError]()

    async def run_program(place: Place, output: Any) -> None:
        candidate, item = place
        request = Request(
            candidate=candidate,
            text=checking.stored_values.get(("candidate", candidate)),
            item=item,
            value=checking.stored_values.get(("item", item)),
            output=output,
        )
        async with places:
            if failed:  # nothing more is begun
                raise failed[0]
            try:
                reply = await program(request)
            except EpcError as error:
                failed.append(error)
                raise
        value = reply.output if output is None else output
        row = Execution(
            candidate=candidate,
            item=item,
            output=digest(value),
            value=value,
            prompt=reply.prompt,
            score=reply.score,
            gold=reply.gold,
            time=stamp(clock()),
        )
        append(checking.folder / EXECUTED, [row])
        done[place] = row

    left = {place: output for place, output in checking.wanted.items() if place not in done}
    await all_of(run_program(place, output) for place, output in left.items())
    return done


class _JudgeRequest(Struct, frozen=True, kw_only=True):
    """A question to a judge, and the candidates whose score its answer is on an item."""

    role: str
    text: str
    occasion: str
    places: tuple[Place, ...]


def _judge_requests(
    checking: Checking, executed: Mapping[Place, Execution]
) -> Iterator[_JudgeRequest]:
    """Yield what judges are asked; an output that is the same before and after is asked once."""
    for item in checking.plan.test:
        sides = [executed[name, item] for name in checking.pair]
        by_output: dict[str, list[Execution]] = {}
        for side in sides:
            by_output.setdefault(side.output, []).append(side)
        for output, rows in by_output.items():
            places = tuple((row.candidate, item) for row in rows)
            for name, judge in checking.judges.items():
                if (text := _prompt(rows[0], name, judge)) is not None:
                    occasion = f"{checking.plan_sha256}/{item}/{output}"
                    yield _JudgeRequest(role=name, text=text, occasion=occasion, places=places)
    for logged in checking.plan.repeats:
        row = executed[logged.candidate, logged.item]
        if (text := _prompt(row, _A, checking.judges[_A])) is not None:
            occasion = f"{checking.plan_sha256}/again/{logged.item}/{logged.candidate}"
            places = ((logged.candidate, logged.item),)
            yield _JudgeRequest(role=_A, text=text, occasion=occasion, places=places)


def _prompt(row: Execution, role: str, judge: str) -> str | None:
    """Return what a judge is asked about an output; None where the program gave a score."""
    if role == _A and row.score is not None:
        return None
    if not judge:
        raise UsageError(
            "--execute gave no score, and neither log nor plan names a judge to ask\n"
            "  fix: have it give `score`, or plan fresh items with --judge MODEL"
        )
    if row.prompt is None:
        raise UsageError("--execute gave no prompt, so judge B cannot be asked: plan without it")
    return row.prompt


def _own_scores(checking: Checking, executed: Mapping[Place, Execution]) -> Iterator[Check]:
    """Yield the scores that the program's own metric gave, one for equal outputs."""
    first: dict[tuple[str, str], float] = {}
    for place in checking.wanted:
        row = executed[place]
        if row.score is not None:
            score = first.setdefault((row.item, row.output), row.score)
            yield _check(checking, row, checking.plan.judge.model, score, row.time)


def _labels(checking: Checking, executed: Mapping[Place, Execution]) -> Iterator[Check]:
    """Yield the labels that the program gave, and those that people wrote into the file of labels.

    Where the program gives none, the file is made: without a word of who wrote which output.
    """
    plan, path = checking.plan, labels_file(checking.log)
    rows = [executed[name, item] for item in plan.gold for name in checking.pair]
    for row in rows:
        if row.gold is not None:
            yield _check(checking, row, GOLD, row.gold, row.time)
    if path.exists():
        for label in read_labels(path):
            for row in rows:
                if (row.item, row.output) == (str(label.item), str(label.output)):
                    yield _check(checking, row, GOLD, label.score, row.time, asking=label.asking)
    elif any(row.gold is None for row in rows):
        write_labels(path, rows, twice={*plan.gold_twice}, salt=checking.plan_sha256)


def _check(
    checking: Checking,
    row: Execution,
    judge: str,
    score: float | None,
    answered_at: str,
    *,
    asking: int = 0,
) -> Check:
    return Check(
        candidate=row.candidate,
        item=row.item,
        output=row.output,
        judge=judge,
        score=score,
        asking=asking,
        plan=checking.plan_sha256,
        time=answered_at,
        text=checking.plan.texts.get(row.item),
    )


def _mean(texts: Sequence[str]) -> int:
    return round(sum(map(len, texts)) / len(texts)) if texts else 0
