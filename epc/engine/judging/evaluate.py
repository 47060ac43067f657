"""Planning an evaluation, and carrying it out: every sample asked once, every reply archived."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from msgspec import structs

from epc.engine.budget import Budget, CostCapError, Limits, most_tokens, price_of
from epc.engine.cache import answer_cache
from epc.engine.calls import Caller, Watch
from epc.engine.catalog import open_judge
from epc.engine.forecast import Share, of_texts
from epc.engine.hosted import Hosted
from epc.engine.model import Model
from epc.engine.plan import made_folder
from epc.engine.remote import require_decoding
from epc.engine.request_body import response_format
from epc.engine.roles import Question, Role
from epc.engine.sitting import asked_within, require_same
from epc.engine.task_group import all_of
from epc.errors import Finding, UsageError
from epc.judge.prompt import BLIND_DATE, judge_prompt
from epc.judge.reply import evades, read_reply
from epc.judge.samples import Sample, gaps, repeats
from epc.protocol.config import Decoding
from epc.protocol.results import Json
from epc.records.findings import Findings
from epc.records.judging.archive import Archive, RawReply, begin, complete
from epc.records.judging.documents import (
    LONGEST_LINE,
    Judge,
    Plan,
    RunLog,
    is_complete,
    load_plan,
    load_run_log,
    role_of,
)
from epc.records.judging.evaluation_set import Entry, EvaluationSet, Row, write_evaluation
from epc.records.judging.prompts import (
    JudgePrompt,
    check_mapping,
    load_mapping,
    load_prompts,
    read_prompt,
)
from epc.records.layout import CALLS, decoding_json, decoding_of, stamp
from epc.records.rows import with_origin
from epc.records.strict_json import dumps_line, write_text
from epc.records.usage import Usage
from epc.spec.judge_v1 import RULES, VERDICTS, Method

_SIDE: Final = "judgment"
_RETRY: Final = "retry/"  # the occasion of a call that asks a malformed reply's question again
_USUAL_REPLY: Final = 350  # tokens: four scores, four quotes with reasons


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """An evaluation with its judges open: ready to be forecast or carried out."""

    folder: Path
    plan: Plan
    units: EvaluationSet
    prompts: dict[Method, JudgePrompt]
    judges: dict[str, Role]

    def questions(self) -> Iterator[tuple[Sample, Question]]:
        """Yield what is asked about each sample of the set."""
        for sample, row in self.units.samples():
            yield sample, self.question(sample, row)

    def question(self, sample: Sample, row: Row) -> Question:
        """Return what a judge is asked about a sample."""
        text = judge_prompt(
            self.prompts[sample.method].template,
            sample=self.units.for_judge(sample),
            output=self.units.text(row),
            task=row.task,
            timestamp=BLIND_DATE if self.plan.blind else self.plan.date,
        )
        return Question(role=self.judges[sample.judge_model], text=text, side=_SIDE)


def open_evaluation(folder: Path) -> Evaluation:
    """Open the judges of a planned evaluation.

    Raises: UsageError if its replies are to be imported, or a judge is no longer the same.
    """
    plan = load_plan(folder)
    judges: dict[str, Role] = {}
    for judge in plan.judges:
        name = judge.model
        if judge.identity is None or judge.decoding is None:
            remedy = f"bring them with `epc judge import REPLIES {folder}`"
            raise UsageError(f"{folder} was planned for replies that exist already: {remedy}")
        model = open_judge(name)
        current = {f"judge {name}": structs.asdict(model.identity)}
        require_same(current, {f"judge {name}": judge.identity})
        decoding = decoding_of(judge.decoding)
        judges[name] = Role(name=role_of(name), model=model, decoding=decoding)
    return Evaluation(
        folder=folder,
        plan=plan,
        units=EvaluationSet(folder, plan),
        prompts=load_prompts(folder, plan),
        judges=judges,
    )


def open_part(evaluation: Evaluation, folder: Path) -> Evaluation:
    """Return a planned part that tests a judge of a set, by the set's prompt and open judge.

    Raises: UsageError if the part was planned for another judge, or with another prompt.
    """
    plan = load_plan(folder)
    judge = plan.judges[0]
    prompts = {m: prompt for m, prompt in evaluation.prompts.items() if m in plan.methods}
    references = {method: prompt.reference for method, prompt in prompts.items()}
    if judge not in evaluation.plan.judges or plan.prompts != references:
        raise UsageError(
            f"{folder} was planned for another judge or prompt than the set's\n"
            "  fix: remove the folder, and ask `epc judge competence` again"
        )
    return replace(
        evaluation,
        folder=folder,
        plan=plan,
        units=EvaluationSet(folder, plan),
        prompts=prompts,
        judges={judge.model: evaluation.judges[judge.model]},
    )


def expect(evaluation: Evaluation) -> dict[str, Share]:
    """Return what each judge will be asked for, nothing being cached."""
    retries = evaluation.plan.retry_malformed
    read: dict[str, list[int]] = {name: [] for name in evaluation.judges}
    token_bounds: dict[str, int] = dict.fromkeys(evaluation.judges, 0)
    for sample, question in evaluation.questions():
        read[sample.judge_model].append(len(question.text))
        token_bounds[sample.judge_model] += most_tokens(question.text)
    shares: dict[str, Share] = {}
    for name, role in evaluation.judges.items():
        shares[role.name] = of_texts(
            read[name],
            token_bounds[name],
            decoding=role.decoding,
            price=price_of(role.model.identity.model),
            reply=_USUAL_REPLY,
            times=1 + retries,
        )
    return shares


async def evaluate(
    evaluation: Evaluation,
    *,
    clock: Callable[[], datetime],
    watch: Watch,
    limits: Limits | None = None,
    budget: Budget | None = None,
) -> RunLog:
    """Carry an evaluation out, from wherever its journal stands, and return its run log.

    `budget` is what several evaluations of one command may use together.

    Raises: StoppedError if a call got no answer or a limit was reached; WorldError if the disk
    fails. Every reply got so far is in the journal, and the same call goes on from there.
    """
    limits, folder = limits or Limits(), evaluation.folder
    caller_context = asked_within(
        [*evaluation.judges.values()],
        folder,
        clock=clock,
        watch=watch,
        limits=limits,
        budget=budget,
        longest=LONGEST_LINE,
        cache=answer_cache(limits),
    )
    async with caller_context as caller:
        if is_complete(folder):  # another process finished it before this one held it
            caller.journal.remove()
            return load_run_log(folder)
        begin(folder, origin="run", now=stamp(clock()))
        sitting = _Sitting(evaluation=evaluation, caller=caller)
        await sitting.ask_all()
        caller.progress.begin("writing", 1)
        log = sitting.finish(now=stamp(clock()))
        caller.journal.remove()
        return log


@dataclass(kw_only=True)
class _Sitting:
    """An evaluation under way."""

    evaluation: Evaluation
    caller: Caller
    _work: Iterator[tuple[Sample, Question]] = field(init=False)

    async def ask_all(self) -> None:
        """Ask about every sample; as many at once as the judges take together."""
        judges = self.evaluation.judges.values()
        total = sum(1 for _ in self.evaluation.units.samples())
        self.caller.progress.begin("judgments", total)
        self._work = self.evaluation.questions()
        places = min(total, sum(role.model.concurrency for role in judges))
        await all_of(self._worker() for _ in range(places))

    def finish(self, *, now: str) -> RunLog:
        """Archive every reply, write the calls down, and return the run log."""
        evaluation, folder = self.evaluation, self.evaluation.folder
        archive = Archive(evaluation.plan, evaluation.units, load_mapping(folder, evaluation.plan))
        asked_again = mended = 0
        with archive.written_to(folder):
            for sample, question in evaluation.questions():
                calls = list(self._calls(question))
                asked_again += len(calls) > 1
                mended += len(calls) > 1 and not _is_malformed(calls[-1])
                names = tuple(call["id"] for call in calls)
                raw, day = calls[-1]["answer"], calls[-1].get("answered_at") or ""
                archive.add(RawReply(sample=sample, raw=raw, calls=names, date=day[:10] or None))
        usage = Usage()
        answered = usage.counted(map(with_origin, self.caller.journal.calls()))
        write_text(folder / CALLS, map(dumps_line, answered))
        return complete(
            folder,
            evaluation.plan,
            totals=archive.totals(),
            spent=usage.by_role,
            malformed=(asked_again, mended),
            now=now,
        )

    async def _worker(self) -> None:
        refused: CostCapError | None = None
        for _, question in self._work:
            try:
                await self._judged(question)
            except CostCapError as error:
                refused = error  # a cheaper one may fit
            else:
                self.caller.progress.advance()
        if refused is not None:
            raise refused

    async def _judged(self, question: Question) -> None:
        call = await self.caller.ask(question)
        for number in range(1, self.evaluation.plan.retry_malformed + 1):
            if not _is_malformed(call):
                break
            call = await self.caller.ask_again(question, f"{_RETRY}{number}")
        self.caller.progress.verdicts[_verdict_label(call["answer"])] += 1

    def _calls(self, question: Question) -> Iterator[Json]:
        """Yield the calls that were made for a question, the one that counts last."""
        places = [
            None,
            *(f"{_RETRY}{n + 1}" for n in range(self.evaluation.plan.retry_malformed)),
        ]
        for occasion_id in places:
            call = self.caller.existing_call(self.caller.name(question, occasion_id))
            if call is None:
                return
            yield call


def _is_malformed(call: Json) -> bool:
    """Return whether a reply is not one JSON object: what a retry may mend (JUDGE-5.1)."""
    return read_reply(call["answer"])[1] is None


def _verdict_label(raw: str) -> str:
    """Return a judge's verdict by its own word, or how its reply cannot be read."""
    text, reply, _ = read_reply(raw)
    if reply is None:
        return "refused" if evades(text) else "unreadable"
    verdict = reply.get("verdict")
    return str(verdict) if verdict in VERDICTS else "unreadable"


MAX_TOKENS: Final = 1200  # four scores and quotes with reasons take 300 to 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """How a set is to be judged.

    `decoding` is what the judges shall do otherwise than greedily in 1200 tokens, by setting.
    `named`: the judges are told whose output they score, and the date.
    `recorded`: the replies exist already and will be imported, so the judges are only names.
    """

    judges: Sequence[str]
    methods: Sequence[Method]
    prompt: Path | None = None
    self_prompt: Path | None = None
    constraint: str | None = None
    decoding: Mapping[str, Any] = field(default_factory=dict)
    retry_malformed: int = 0
    mapping: Path | None = None
    allow_gaps: bool = False
    named: bool = False
    recorded: bool = False


def problems(entries: Sequence[Entry], request: Request) -> list[Finding]:
    """Return every gap and repeat of a set, and whatever leaves a judge without work."""
    units = [entry.unit for entry in entries]
    findings = Findings()
    findings.extend(repeats(units))
    if not request.allow_gaps:
        findings.extend(gaps(units))
    blank = sum(not entry.output.strip() for entry in entries)
    if blank:
        problem = f"{blank} of the outputs are blank: nothing can be quoted from them"
        remedy = "see why; their evaluations will be invalid (JUDGE-4.1)"
        findings.add("JUDGE-4.1", "", problem, remedy, "warning")
    for judge in dict.fromkeys(request.judges):
        if not any(unit.before(judge).method in request.methods for unit in units):
            problem = f"{judge} has nothing to judge by {' or '.join(request.methods)}"
            remedy = "choose other --methods, or leave this judge out"
            findings.add("JUDGE-1", "", problem, remedy)
    return findings.as_list()


def write_plan(entries: Sequence[Entry], request: Request, folder: Path, *, now: datetime) -> Plan:
    """Write the folder of an evaluation and return its plan.

    Raises: UsageError if the request does not fit together, or the folder holds something.
    """
    judges = tuple(_judge(name, request) for name in dict.fromkeys(request.judges))
    prompts: dict[Method, JudgePrompt] = {}
    if not request.recorded:
        common = read_prompt(request.prompt)
        self_prompt = read_prompt(request.self_prompt) if request.self_prompt else common
        by_method: dict[Method, JudgePrompt] = {"cross_judge": common, "self_judge": self_prompt}
        prompts |= {method: by_method[method] for method in request.methods}
    mapping = check_mapping(request.mapping)[0] if request.mapping is not None else None
    if made_folder(folder):
        raise UsageError(f"{folder} is not empty: choose another --out")
    return write_evaluation(
        folder,
        entries,
        prompts,
        mapping,
        date=now.date().isoformat(),
        judges=judges,
        methods=tuple(request.methods),
        constraint=request.constraint,
        retry_malformed=request.retry_malformed,
        gaps_allowed=request.allow_gaps,
        rules=RULES,
        blind=not (request.recorded or request.named),
    )


def _judge(name: str, request: Request) -> Judge:
    if request.recorded:
        return Judge(model=name, identity=None, decoding=None)
    model = open_judge(name)
    decoding = decoding_json(_decoding(model, request))
    return Judge(model=name, identity=structs.asdict(model.identity), decoding=decoding)


def _decoding(model: Model, request: Request) -> Decoding:
    """Return how a judge decodes: as asked for, and constrained if that is possible.

    Raises: UsageError if the judge cannot be asked for it.
    """
    is_embedded = model.identity.endpoint == "embedded"
    can_constrain = is_embedded or (isinstance(model, Hosted) and model.protocol.constrains)
    if response_format(request.constraint) is not None and not can_constrain:
        raise UsageError(
            f"{model.identity.model} cannot be held to JSON: leave --constrain out, or name another"
        )
    usual = Decoding(temperature=0.0, max_tokens=MAX_TOKENS, constraint=request.constraint)
    decoding = replace(usual, **request.decoding)
    if request.decoding:
        require_decoding(model, decoding)
    return decoding
