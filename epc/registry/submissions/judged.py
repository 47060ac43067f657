"""A submission of what a judge said: an evaluation's folder, checked as a run's is.

Its records are held against their raw replies (`epc judge check`), its judge against the platform,
address and generation that are stated, its answers against those of every other measurement.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Final

from epc.digests import sha256
from epc.errors import Finding, MalformedError, UsageError
from epc.printable import shown
from epc.records import strict_json
from epc.records.judging.asked import published
from epc.records.judging.documents import Plan, RunLog
from epc.records.judging.evaluation_set import EvaluationSet
from epc.records.judging.layout import CALLS, PLAN, RUN_LOG, SAMPLES, load_plan, load_run_log
from epc.records.judging.recheck import recheck
from epc.records.manifest import EVALUATOR, ModelIdentity
from epc.records.strict_json import dumps_line
from epc.records.typed import as_json, parse
from epc.registry import layout as registry_layout
from epc.registry.cards import judged_conditions_of
from epc.registry.expiry import misdated
from epc.registry.judged import offered_evaluation
from epc.registry.offers import Offer
from epc.registry.registry import Registry
from epc.registry.submissions import against, folder, layout, plausible
from epc.registry.submissions.statement import Statement, noted
from epc.registry.submissions.texts import problems

_AGAIN: Final = "judge again with `epc judge run`, whose records hold together"
_MOST_LISTED: Final = 5


def judge_of(plan: Plan) -> ModelIdentity | None:
    """Return who was asked, if one judge was."""
    return plan.judges[0].asked if len(plan.judges) == 1 else None


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


def look(
    path: Path, statement: Statement, registry: Registry, today: date
) -> tuple[Offer | None, list[Finding]]:
    """Return what is offered of an evaluation's folder, if anything can be, and what is wrong.

    Raises: WorldError if the disk fails.
    """
    try:
        if wrong := list(_departures(path)):
            return None, wrong[:_MOST_LISTED]
        plan, own = load_plan(path), statement.said()
        offer = offered_evaluation(path, own, platform=statement.platform)
    except MalformedError as error:
        return None, [error.finding]
    except UsageError as error:
        problem = str(error).splitlines()[0].removeprefix(f"{path} ")
        return None, [noted("JUDGE-7.4", PLAN, problem, _AGAIN)]
    except ValueError:
        return None, [noted(layout.DATES, RUN_LOG, "has no day of the calendar", _AGAIN)]
    findings = [*_texts(path, plan), *_claims(offer, statement, registry, today)]
    if statement.identity != (digest := identity(plan, load_run_log(path))):
        problem = f"says {statement.identity}, plan and replies give {digest}"
        remedy = "make the folder again with `epc submission new`"
        findings.append(noted(layout.NEW, f"{layout.STATEMENT}/identity", problem, remedy))
    return offer, findings


def _departures(path: Path) -> Iterator[Finding]:
    """Yield what is missing, what belongs to no sample, and what its replies do not give."""
    plan = load_plan(path)
    names = {PLAN, RUN_LOG, layout.STATEMENT, *published(path, plan)}
    there = set(folder.present_files(path))
    for name in sorted(names - there):
        yield noted(layout.PLAIN, name, "is missing", _AGAIN)
    for name in sorted(there - names):
        yield noted(layout.PLAIN, name, "is of no sample", "leave it out")
    if names == there:
        if len(plan.judges) == 1 and judge_of(plan) is None:
            yield noted("JUDGE-7.4", PLAN, "does not say who was asked", _AGAIN)
        yield from (f for f in recheck(path).findings if f.severity == "error")


def known(checkout: Path, registry: Registry, offered: Sequence[Path]) -> dict[str, Path]:
    """Return the folders of all evaluations that are published, or offered, by tag or slug."""
    home = checkout / registry_layout.FOLDER
    published = {t: home / t for t, s in registry.snapshots.items() if s.kind == "judged"}
    return published | {
        f"{against.OFFERED}{path.name}": path
        for path in offered
        if folder.kind_of(path) == "judged"
    }


def repeated(statement: Statement, others: Mapping[str, Path]) -> Iterator[Finding]:
    """Yield that an evaluation is published, or offered, already."""
    for name, path in others.items():
        plan = parse(strict_json.read(path / PLAN)[0], Plan)
        log = parse(strict_json.read(path / RUN_LOG)[0], RunLog)
        if identity(plan, log) == statement.identity:
            problem = f"is the same evaluation as {shown(name)}"
            yield noted(layout.NEW, PLAN, problem, "withdraw this one")


def _claims(
    offer: Offer, statement: Statement, registry: Registry, today: date
) -> Iterator[Finding]:
    """Yield what the statement says that the record, or the registry, says otherwise."""
    judge = offer.asked[EVALUATOR]
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
