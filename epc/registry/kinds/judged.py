"""Judged: a judge's evaluations, whose figures follow from its raw replies."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Final, Literal

from epc.digests import file_sha256, sha256
from epc.errors import Finding, MalformedError, UsageError
from epc.protocol.results import Json
from epc.records.judging.competence import COMPETENCE
from epc.records.judging.documents import (
    INVALID,
    LABELS,
    OUTPUTS,
    PLAN,
    PROMPTS,
    RUN_LOG,
    SAMPLES,
    VALID,
    Plan,
    RunLog,
    load_plan,
    load_run_log,
)
from epc.records.judging.evaluation_set import EvaluationSet
from epc.records.judging.recheck import published, recheck
from epc.records.layout import CALLS
from epc.records.manifest import EVALUATOR, Estimate, ModelIdentity
from epc.records.strict_json import dumps_line
from epc.records.typed import as_json, parse
from epc.registry.cards import Declaration, digest, model_of
from epc.registry.expiry import misdated
from epc.registry.figures import figure_at
from epc.registry.judged import figures_again
from epc.registry.kinds.adapter import changed_figures, departure, read_document
from epc.registry.layout import CARD, FIGURES, SUMS
from epc.registry.lifecycles import ServiceTerm
from epc.registry.offers import Offer, Subject
from epc.registry.record import Record
from epc.registry.registry import Registry
from epc.registry.snapshots import Snapshot
from epc.registry.submissions import against, folder, layout, plausible
from epc.registry.submissions.checked import ANSWERS, Base, Figure, SubmissionCheck, plain, through
from epc.registry.submissions.statement import Statement, noted
from epc.registry.submissions.texts import problems
from epc.registry.tags import Tag
from epc.spec.judge_v1 import METHODS, VERDICTS

_PARTS: Final = (
    rf"{COMPETENCE}/[0-9a-f]{{12}}/(planted|named|ablation|retest-[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})"
)
_METHODS: Final = f"({VALID}|{INVALID})/({'|'.join(METHODS)})"
_JUDGED_FOLDER: Final = re.compile(
    rf"{COMPETENCE}(/[0-9a-f]{{12}})?|{_PARTS}|"
    rf"({_PARTS}/)?({OUTPUTS}|{PROMPTS}|{VALID}|{INVALID}|{_METHODS})"
)
_JUDGED: Final = re.compile(
    rf"{layout.STATEMENT}|{LABELS}|({_PARTS}/)?({PLAN}|{RUN_LOG}|samples\.jsonl|calls\.jsonl|mapping\.json|"
    rf"used_prompt_manifest\.md|{OUTPUTS}/[0-9a-f]{{64}}\.txt|"
    rf"{PROMPTS}/[a-z0-9][a-z0-9._-]{{0,63}}\.txt|{INVALID}/README\.md|"
    rf"{_METHODS}/records\.jsonl)"
)
FILES: Final = layout.Files(
    names=_JUDGED,
    needs=frozenset({layout.STATEMENT, PLAN, RUN_LOG}),
    folders=_JUDGED_FOLDER,
    limit=250,  # GitHub lists 300 files of a pull request
)
_AGAIN: Final = "judge again with `epc judge run`, whose records hold together"
_MOST_LISTED: Final = 5
_ENDS: Final[tuple[Literal["from", "to"], ...]] = ("from", "to")
_DAY: Final = len("2026-07-02")


def offered(folder: Path, declaration: Declaration) -> Offer:
    """Check a judge's evaluation, and return what is offered of it.

    Raises: as `_complete_evaluation`; UsageError if it judged only itself.
    """
    plan, log, judge = _complete_evaluation(folder)
    figures = figures_again(folder)
    if not figures["n"]:
        raise UsageError(
            f"{folder} has no cross-judged sample, so there is nothing to publish\n"
            "  fix: let the judge score outputs of others: `epc judge plan --methods both`"
        )
    days = tuple(date.fromisoformat((log.time[end] or "")[:_DAY]) for end in _ENDS)
    return Offer(
        run=folder,
        kind="judged",
        models={"evaluator": judge},
        days=days,
        declaration=declaration,
        figures=figures,
        raw={name: file_sha256(folder / name) for name in published(folder, plan)},
        no_baseline=None,
        card=lambda tag, life: judged_card_of(
            tag, plan, judge, days=days, declaration=declaration, life=life
        ),
    )


def _complete_evaluation(folder: Path) -> tuple[Plan, RunLog, ModelIdentity]:
    """Return the plan and the log of an evaluation that holds together, and its one judge.

    Raises: UsageError if it is not whole, or has not exactly one judge, who was asked;
    MalformedError if a document of it was damaged.
    """
    plan, log = load_plan(folder), load_run_log(folder)
    if len(plan.judges) > 1:
        raise UsageError(
            f"{folder} has {len(plan.judges)} judges, and a snapshot is of one\n"
            "  fix: plan one judge a folder with `epc judge plan --judge MODEL`"
        )
    if plan.competence is not None:
        raise UsageError(
            f"{folder} tests a judge, and says nothing of outputs by itself\n"
            "  fix: publish the set beside which it stands"
        )
    judge = judge_of(plan)
    if judge is None or log.origin != "run":
        raise UsageError(
            f"{folder} holds imported replies: nobody can say when and how they were asked for\n"
            "  fix: have the judge asked by `epc judge run`"
        )
    findings = recheck(folder).findings
    if findings:
        raise UsageError(
            f"{folder} is not whole: {len(findings)} findings\n"
            f"  fix: see `epc judge check {folder}`"
        )
    return plan, log, judge


def judged_card_of(
    tag: Tag,
    plan: Plan,
    judge: ModelIdentity,
    *,
    days: tuple[date, ...],
    declaration: Declaration,
    life: ServiceTerm | None,
) -> Record:
    """Return the card of a judge's evaluations, of a plan with that judge alone."""
    platform = life.platform if life else None
    evaluator = model_of(judge, platform, declaration)
    card = declaration.card(tag, "judged", plan.protocol, evaluator, judged_conditions_of(plan))
    return replace(card, measured={"from": days[0], "to": days[-1]}, calibration=life is None)


def judged_conditions_of(plan: Plan) -> Json:
    """Return what must agree, beside the judge, for two evaluations to be like for like."""
    return {
        "samples": plan.samples.sha256,
        "methods": list(plan.methods),
        "prompts": digest({method: prompt.sha256 for method, prompt in plan.prompts.items()}),
        "mapping": plan.mapping and plan.mapping.sha256,
        "constraint": plan.constraint,
        "retry_malformed": plan.retry_malformed,
        "decoding": digest([judge.decoding for judge in plan.judges]),
    }


def recompute(
    folder: Path, snapshot: Snapshot, _source: Path | None
) -> tuple[list[str], list[str]]:
    """Return which figures the replies of a folder do not give, and what else is wrong with it."""
    changed = changed_figures(snapshot, figures_again(folder))
    return changed, [str(finding) for finding in recheck(folder).findings]


def departures(
    folder: Path, card: Record, figures: Json, listed: Mapping[str, str]
) -> Iterator[Finding]:
    """Yield where a judged snapshot's card, figures or raw digests are not its plan's and log's."""
    plan_document, wrong = read_document(folder / PLAN, "judge_plan")
    log_document, log_problems = read_document(folder / RUN_LOG, "judge_run_log")
    yield from (*wrong, *log_problems)
    if wrong or log_problems:
        return
    plan, log = parse(plan_document, Plan), parse(log_document, RunLog)
    if card.conditions != judged_conditions_of(plan):
        yield departure(f"/{CARD}/conditions", "are not the plan's")
    if figures["totals"] != as_json(log.totals):
        yield departure(f"/{FIGURES}/figures/totals", "are not the run log's")
    vouched = {name: file.sha256 for name, file in log.files.items()}
    vouched |= {f"{PROMPTS}/{prompt.id}.txt": prompt.sha256 for prompt in plan.prompts.values()}
    if any(listed.get(f"raw/{name}") != value for name, value in vouched.items()):
        yield departure(f"/{SUMS}", "lists other raw files than plan and run log")


def subject_of(run: Path) -> Subject:
    """Return who is offered by an evaluation.

    Raises: as `_complete_evaluation`.
    """
    plan, log, judge = _complete_evaluation(run)
    return Subject(models={"evaluator": judge}, identity=identity(plan, log))


def files_of(run: Path) -> list[str]:
    """Return the files of an evaluation that a submission has."""
    return [PLAN, RUN_LOG, *published(run, load_plan(run))]


def look(path: Path, checked: SubmissionCheck, base: Base) -> None:
    """Note what is wrong with what a judge said, by its own record and beside the others."""
    if (statement := checked.statement) is None:
        return
    offer, wrong = _offer_of(path, statement, base.registry, base.today)
    checked.take(offer, wrong, first="every record follows from its raw reply")
    if offer is None:
        return
    checked.second = "reads no judged evaluation"
    checked.identity = identity_of(path)


def _offer_of(
    path: Path, statement: Statement, registry: Registry, today: date
) -> tuple[Offer | None, list[Finding]]:
    """Return what is offered of an evaluation's folder, if anything can be, and what is wrong.

    Raises: WorldError if the disk fails.
    """
    try:
        if wrong := list(_files_apart(path)):
            return None, wrong[:_MOST_LISTED]
        plan, declaration = load_plan(path), statement.declaration()
        offer = offered(path, declaration)
    except MalformedError as error:
        return None, [error.finding]
    except UsageError as error:
        problem = str(error).splitlines()[0].removeprefix(f"{path} ")
        return None, [noted("JUDGE-7.4", PLAN, problem, _AGAIN)]
    except ValueError:
        return None, [noted(layout.DATES, RUN_LOG, "has no day of the calendar", _AGAIN)]
    return offer, [*_texts(path, plan), *_claims(offer, statement, registry, today)]


def identity_of(folder: Path) -> str | None:
    """Return what tells an evaluation from others, if its documents can be read."""
    plan_document, wrong = read_document(folder / PLAN, "judge_plan")
    log_document, log_problems = read_document(folder / RUN_LOG, "judge_run_log")
    return (
        None
        if wrong or log_problems
        else identity(parse(plan_document, Plan), parse(log_document, RunLog))
    )


def judge_of(plan: Plan) -> ModelIdentity | None:
    """Return who was asked, if one judge was."""
    return plan.judges[0].model_identity if len(plan.judges) == 1 else None


def identity(plan: Plan, log: RunLog) -> str:
    """Return the digest of what was judged, by whom, how, and of every reply; of no date.

    The calls, whose times a copy would change, are left out: the records hold the replies.
    """
    content = {
        "judges": [as_json(judge) for judge in plan.judges],
        "conditions": judged_conditions_of(plan),
        "files": {name: file.sha256 for name, file in log.files.items() if name != CALLS},
    }
    return sha256(dumps_line(content))


def _files_apart(path: Path) -> Iterator[Finding]:
    """Yield what is missing, what belongs to no sample, and what its replies do not give."""
    plan = load_plan(path)
    names = {PLAN, RUN_LOG, layout.STATEMENT, *published(path, plan)}
    present_names = set(folder.present_files(path))
    for name in sorted(names - present_names):
        yield noted(layout.PLAIN, name, "is missing", _AGAIN)
    for name in sorted(present_names - names):
        yield noted(layout.PLAIN, name, "is of no sample", "leave it out")
    if names == present_names:
        if len(plan.judges) == 1 and judge_of(plan) is None:
            yield noted("JUDGE-7.4", PLAN, "does not say who was asked", _AGAIN)
        yield from (f for f in recheck(path).findings if f.severity == "error")


def _claims(
    offer: Offer, statement: Statement, registry: Registry, today: date
) -> Iterator[Finding]:
    """Yield what the statement says that the record, or the registry, says otherwise."""
    judge = offer.models[EVALUATOR]
    for finding in plausible.asked_at(judge, "evaluator", statement.endpoint):
        yield replace(finding, where=f"{PLAN}/judges/0/identity/endpoint")
    yield from plausible.weighed(judge, statement.weights, f"{layout.STATEMENT}/weights")
    yield from against.generation(judge, offer.days[0], statement, registry)
    for day in offer.days:
        if wrong := misdated(day, today):
            yield noted(layout.DATES, f"{RUN_LOG}/time", f"judged {wrong}", "set the clock")
    if statement.replicates is not None:
        problem = "a judged snapshot replicates none"
        yield noted(layout.WHO, f"{layout.STATEMENT}/replicates", problem, "write null")
    yield from plausible.sourced(statement.source, f"{layout.STATEMENT}/source", recorded=False)


def _texts(path: Path, plan: Plan) -> Iterator[Finding]:
    """Yield what is wrong with the text that pages show: the judge, the variants, the targets."""
    judge = judge_of(plan)
    named = (judge.model, judge.version, judge.endpoint, judge.gateway) if judge else ()
    texts = [(PLAN, text) for text in named if text]
    for row in EvaluationSet(path, plan).rows:
        unit = row.unit
        texts += [(SAMPLES, t) for t in (unit.target_model, unit.prompt_variant, unit.question_id)]
    for where, text in dict.fromkeys(texts):
        for problem in problems(text, "label"):
            remedy = "write plain words; site/docs/submissions.md says what each field may hold"
            yield noted(layout.TEXT, where, problem, remedy)


def figures(checked: SubmissionCheck) -> Iterator[Figure]:
    """Yield the shares of an evaluation: each verdict's, and that of invalid replies."""
    shares = checked.offer.figures if checked.offer else {}
    for name in (*VERDICTS, "invalid"):
        if share := figure_at(shares, f"verdict/{name}") or figure_at(shares, name):
            yield plain(f"verdict/{name}", Estimate(mean=share.mean, ci95=share.interval))


def recorded(checked: SubmissionCheck) -> Iterator[str]:
    """Yield who judged, and when."""
    if offer := checked.offer:
        judge = offer.models[EVALUATOR]
        yield f"judge: {judge.model} at {judge.endpoint}{through(judge)}"
        yield f"judged: {offer.days[0]} to {offer.days[-1]}; {checked.n} samples"


def questions(checked: SubmissionCheck) -> Iterator[str]:
    """Yield what a person should ask of an evaluation."""
    if checked.offer:
        yield "may the outputs that were judged be given away?"
    yield ANSWERS
