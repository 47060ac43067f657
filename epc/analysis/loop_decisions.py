"""Decisions about an optimiser's run: what may be said, what is checked, whether its final ships.

Every refusal is decided from the files alone (Readings R93 and R95).

Over 400 lines: plan, report and gate ask the same refusals, whose order is the rule.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final, Literal

from msgspec import Struct, field

from epc.analysis.loop import LoopReport, pairs_of, report_of
from epc.analysis.loop_files import VALIDATION, Files, best, is_validation
from epc.arrays import np
from epc.digests import sha256
from epc.errors import Finding
from epc.records.loop import (
    CLAUSE,
    GOLD,
    MARGIN,
    ItemScore,
    LedgerLine,
    Log,
    LoggedOutput,
    LoopPlan,
    PlannedJudge,
    text_digest,
)
from epc.records.model_names import key, routes, shorter
from epc.statistics.gains import FEWEST_ANCHORS, ChangeParts, parted

FEWEST_ITEMS: Final = 30
FEWEST_FOR_GATE: Final = 100
FEWEST_RUNS: Final = 5
LABELLED_TWICE: Final = 30
ASKED_AGAIN: Final = 30
_FEWEST_LABELS: Final = 20  # of which 10 may change and 10 not
_SEED_DIGITS: Final = 8  # of the log's digest, which nobody chose
_SECONDS: Final = len("2026-11-26T12:00:00")
Word = Literal["ship", "not_shown", "harms", "refused"]


class Assessment(Struct, frozen=True, kw_only=True):
    """A report, or why there is none."""

    findings: tuple[Finding, ...]
    report: LoopReport | None = None


class Gate(Struct, frozen=True, kw_only=True):
    """Decision whether a final may ship. `decided` is the digest of the scores that said so.

    `margin` is the loss of right answers that gold, where there is any, has to exclude.
    """

    word: Word
    reason: str
    findings: tuple[Finding, ...]
    decided: str
    margin: float = field(default_factory=lambda: MARGIN)  # a factory: always printed
    report: LoopReport | None = None


def assess(files: Files) -> Assessment:
    """Return what an optimiser gained, or all that is in the way of saying so."""
    findings = tuple(refusals(files))
    return Assessment(findings=findings, report=None if findings else report_of(files))


def gate(files: Files, ledger: Sequence[LedgerLine], *, unplanned: bool = False) -> Gate:
    """Return whether the final may ship: by fresh items, and by gold where there is any."""
    decisive = attrgetter("candidate", "item", "asking", "output", "score")
    rows = sorted(tuple(map(str, decisive(row))) for row in files.rows(files.judge))
    decided = sha256(repr(rows))
    assessed = assess(files)
    findings = (*assessed.findings, *_gate_refusals(files, ledger, decided, unplanned=unplanned))
    report = assessed.report
    if findings or report is None:
        reason = findings[0].problem if findings else ""
        return Gate(word="refused", reason=reason, findings=findings, decided=decided)
    margin = files.plan.margin if files.plan else MARGIN
    word, reason = _decision(report, margin)
    return Gate(
        word=word, reason=reason, findings=(), decided=decided, margin=margin, report=report
    )


def spent_by(files: Files, time: str, decided: str) -> LedgerLine:
    """Return the ledger's line of a gate that decided."""
    texts = files.plan.texts if files.plan else {}
    items = dict.fromkeys(str(row.item) for row in files.tested)
    return LedgerLine(
        time=time,
        by=files.plan_sha256 or decided,
        items=tuple(items),
        texts=tuple(text for item in items if (text := texts.get(item))),
        decided=decided,
    )


def runs_refusals(all_files: Sequence[Files]) -> Iterator[Finding]:
    """Yield why several logs are no sample of one optimiser's runs."""
    if len(all_files) < FEWEST_RUNS:
        problem = f"{len(all_files)} runs say nothing of the optimiser"
        yield Finding(CLAUSE, "logs", problem, f"name the logs of {FEWEST_RUNS} seeds or more")
    if len({files.log.sha256 for files in all_files}) < len(all_files):
        yield Finding(CLAUSE, "logs", "a log appears twice", "name each run's log once")
    if len({files.judge for files in all_files}) > 1:
        names = ", ".join(sorted({files.judge for files in all_files}))
        yield Finding(
            CLAUSE, "logs", f"the runs have several judges: {names}", "report each by itself"
        )


def draw(
    files: Files,
    items: Mapping[str, Any],
    *,
    labels: int,
    margin: float,
    judge: str,
    judge_b: str | None,
    time: str,
    ledger: Sequence[LedgerLine],
    stored: Mapping[tuple[str, str], Any],
) -> tuple[LoopPlan | None, list[Finding]]:
    """Return the plan of a log's checks, or why there can be none.

    `judge` gave the log's scores; the log's own name for it is in `Files.judge`. `margin` is a
    share of right answers.
    Items that an earlier check used up are left out. The draws follow from the log's digest.
    """
    texts = {name: text_digest(item) for name, item in items.items()}
    used = {*used_up(ledger, texts, by=None)}
    test = [name for name in items if name not in used]
    findings = [*_unfit_plan(files, texts, test, labels, (judge, judge_b))]
    if findings:
        return None, findings
    draw_seed = int(files.log.sha256[:_SEED_DIGITS], 16)
    rng = np.random.default_rng(draw_seed)
    gold = [test[place] for place in rng.permutation(len(test))[:labels]]
    outputs = [
        logged
        for logged in logged_outputs(files.log)
        if ("output", logged.output) in stored and ("item", logged.item) in stored
    ]
    retest = [outputs[place] for place in rng.permutation(len(outputs))[:ASKED_AGAIN]]
    plan = LoopPlan(
        time=time,
        log=files.log.sha256,
        seed=files.seed,
        final=best(files.validation),
        draw_seed=draw_seed,
        judge=_judge(judge),
        judge_b=_judge(judge_b) if judge_b else None,
        test=tuple(test),
        texts={name: texts[name] for name in test},
        gold=tuple(gold),
        gold_twice=tuple(gold[:LABELLED_TWICE]),
        repeats=tuple(_once(retest)),
        margin=margin,
    )
    return plan, []


def parts_of_change(
    before: Mapping[str, ItemScore],
    after: Mapping[str, ItemScore],
    anchors: Mapping[str, ItemScore],
) -> tuple[ChangeParts | None, list[Finding]]:
    """Return what of a change between two runs is the judge's, or why nobody can tell.

    Anchors are the new judge's scores of the old run's outputs on some of the same items.
    """
    items = [item for item in before if item in after]
    findings = [*_unfit_anchors(before, anchors, len(items))]
    if findings:
        return None, findings
    change = [float(after[item].score) - float(before[item].score) for item in items]
    shared = [(index, item) for index, item in enumerate(items) if item in anchors]
    moved = [float(anchors[item].score) - float(before[item].score) for _, item in shared]
    return parted(np.array(change), np.array(moved), np.array([index for index, _ in shared])), []


# Reading R102: gold has to exclude a loss, for a bribed judge's gain is always above 0.
def _decision(report: LoopReport, margin: float) -> tuple[Word, str]:
    fresh, gold = report.fresh.ci95, report.gold.ci95 if report.gold else None
    if gold and gold[1] < 0:
        return "harms", "gold says that the work got worse"
    if report.items < FEWEST_FOR_GATE:
        return "not_shown", f"{report.items} unseen items are fewer than {FEWEST_FOR_GATE}"
    if fresh is None or fresh[0] <= 0:
        return "not_shown", "the gain on unseen items is not shown to be above 0"
    if gold and gold[0] <= -margin:
        loss = f"a loss of {100 * margin:g} points of right answers"
        return "not_shown", f"gold does not exclude {loss}"
    if gold and gold[0] <= 0:
        return "ship", "the judge's gain on unseen items is above 0, better work is not shown"
    return "ship", "the gain on unseen items is above 0"


def refusals(files: Files) -> Iterator[Finding]:
    """Yield why nothing can be said, all reasons."""
    yield from log_refusals(files)
    if files.validation and files.seed != files.final:
        yield from _unfit_checks(files)
        yield from _against_the_plan(files)


def log_refusals(files: Files) -> Iterator[Finding]:
    """Yield why a log says nothing of its final, whatever the checks say."""
    log, place = files.log, files.log.name
    names = {row.judge for row in log.rows if row.judge}
    if len(names) > 1:
        problem = f"the log has several judges: {', '.join(sorted(names))}"
        yield Finding(CLAUSE, place, problem, "keep the scores of one metric in a log")
    if not files.validation:
        problem = "no line is of a validation split"
        yield Finding(CLAUSE, place, problem, f"call it one of {', '.join(VALIDATION)}")
        return
    checked = dict.fromkeys(str(row.candidate) for row in files.tested)
    unknown = [name for name in (files.seed, files.final, *checked) if name not in files.validation]
    if unknown:
        problem = f"the candidate {unknown[0]} has no score on a validation item in the log"
        yield Finding(CLAUSE, place, problem, "check the seed and the final of this very log")
    elif not {*files.validation[files.seed]} & {*files.validation[files.final]}:
        problem = "seed and final have no validation item in common"
        yield Finding(CLAUSE, place, problem, "score both on the same validation items")
    if len({*checked} - {files.seed}) > 1:
        problem = "more than one candidate was checked beside the seed"
        yield Finding(CLAUSE, files.place, problem, "plan for one final: epc loop plan")
    if files.seed == files.final:
        problem = "the optimiser kept what it started with: seed and final are one candidate"
        yield Finding(CLAUSE, place, problem, "there is nothing to check")


def _unfit_checks(files: Files) -> Iterator[Finding]:
    if overlap := items_seen(files.log, files.checked):
        problem = f"the optimiser saw {len(overlap)} of the checked items, such as {overlap[0]}"
        yield Finding(CLAUSE, files.place, problem, "check items on which it scored no candidate")
    pairs = pairs_of(files, files.judge)
    if len(pairs) < FEWEST_ITEMS:
        problem = f"{len(pairs)} test items have a score of both candidates by {files.judge}"
        remedy = f"check {FEWEST_ITEMS} items or more"
        scores = [row.score for row in files.rows(files.judge)]
        if unread := scores.count(None):
            problem += f"; {unread} of its {len(scores)} replies hold no score"
            remedy = "see what the judge replied, and ask: epc loop check --again unreadable"
        yield Finding(CLAUSE, files.place, problem, remedy)
    if one_sided := _one_sided(files):
        problem = f"{len(one_sided)} items have a label of one side only, such as {one_sided[0]}"
        yield Finding(
            CLAUSE, files.place, problem, "label the outputs of both candidates, or neither"
        )
    for judge_b in files.judges_b:
        if same_model(judge_b, files.judge):
            problem = f"judge B, {judge_b}, is the model of judge A"
            yield Finding(CLAUSE, files.place, problem, "ask a model that the optimiser never saw")


def _against_the_plan(files: Files) -> Iterator[Finding]:
    plan = files.plan
    if plan is None:
        return
    if plan.log != files.log.sha256:
        problem = "the log is not the one that the plan was drawn for"
        yield Finding(CLAUSE, files.log.name, problem, "plan again: epc loop plan")
    if any(row.time and precedes(row.time, plan) for row in files.checks):
        problem = f"checks were looked at before the plan's time, {plan.time}"
        yield Finding(CLAUSE, files.place, problem, "plan first, with items that nobody looked at")
    if any(row.plan != files.plan_sha256 for row in files.checks):
        problem = "checks name no plan, or another one"
        yield Finding(
            CLAUSE, files.place, problem, "check with the plan beside the log, or without"
        )
    planned = {*plan.test}
    if unplanned := [str(row.item) for row in files.tested if str(row.item) not in planned]:
        problem = f"the plan drew no item {unplanned[0]}"
        yield Finding(CLAUSE, files.place, problem, "check what was planned")


def _gate_refusals(
    files: Files, ledger: Sequence[LedgerLine], decided: str, *, unplanned: bool
) -> Iterator[Finding]:
    plan = files.plan
    if plan is None and not unplanned:
        problem = "no plan precedes the checks"
        remedy = "epc loop plan, or --unplanned, which is said beside the word"
        yield Finding(CLAUSE, files.place, problem, remedy)
    if plan:
        answered = {(str(row.candidate), str(row.item)) for row in files.rows(files.judge)}
        wanted = {(name, item) for name in (plan.seed, plan.final) for item in plan.test}
        if missing := len(wanted - answered):
            problem = f"{missing} of {len(wanted)} planned scores are missing"
            yield Finding(CLAUSE, files.place, problem, "epc loop check goes on where it stopped")
    by = files.plan_sha256 or decided
    if used := used_up(ledger, files.checked, by):
        problem = f"{len(used)} of the items were used up by an earlier check, such as {used[0]}"
        yield Finding(CLAUSE, files.place, problem, "plan with items that nobody looked at")
    if any(row.by == by and row.decided not in (None, decided) for row in ledger):
        problem = "a gate decided on other scores of the same plan"
        yield Finding(CLAUSE, files.place, problem, "plan again, with fresh items")


def _unfit_plan(
    files: Files,
    texts: Mapping[str, str],
    test: Sequence[str],
    labels: int,
    judges: tuple[str, str | None],
) -> Iterator[Finding]:
    place, (judge, judge_b) = files.log.name, judges
    if files.judge and not same_model(judge, files.judge):
        problem = f"the log says that {files.judge} scored it, not {judge}"
        yield Finding(CLAUSE, place, problem, "leave out --judge, or mend the log")
    if not files.validation:
        yield Finding(CLAUSE, place, "no line is of a validation split", "say which lines are")
        return
    if best(files.validation) == files.seed:
        problem = "the optimiser kept what it started with: seed and final are one candidate"
        yield Finding(CLAUSE, place, problem, "there is nothing to check")
    if overlap := items_seen(files.log, texts):
        problem = f"the optimiser saw {len(overlap)} of the test items, such as {overlap[0]}"
        yield Finding(CLAUSE, "test", problem, "leave out items on which it scored a candidate")
    if len({*texts.values()}) < len(texts):
        yield Finding(CLAUSE, "test", "two test items have one text", "keep one of them")
    if len(test) < FEWEST_ITEMS:
        used = len(texts) - len(test)
        problem = f"{len(test)} test items are left, {used} being used up by earlier checks"
        yield Finding(CLAUSE, "test", problem, f"name {FEWEST_ITEMS} fresh items or more")
    if 0 < labels < _FEWEST_LABELS or labels > len(test):
        problem = f"{labels} labels of {len(test)} test items"
        remedy = f"label none, or from {_FEWEST_LABELS} to all of them"
        yield Finding(CLAUSE, "test", problem, remedy)
    if judge_b and same_model(judge_b, judge):
        problem = f"judge B, {judge_b}, is the model of judge A"
        yield Finding(CLAUSE, "plan", problem, "name a model that the optimiser never saw")


def _unfit_anchors(
    before: Mapping[str, ItemScore], anchors: Mapping[str, ItemScore], items: int
) -> Iterator[Finding]:
    clause, foreign = "Reading R95", [item for item in anchors if item not in before]
    if foreign:
        problem = f"{len(foreign)} anchors are no items of the first run, such as {foreign[0]}"
        remedy = "a golden set is no anchor: score outputs of the first run again"
        yield Finding(clause, "anchors", problem, remedy)
    mismatched = [
        item
        for item, row in anchors.items()
        if item in before and None not in (row.output, before[item].output)
        if str(row.output) != str(before[item].output)
    ]
    if mismatched:
        problem = f"the anchor {mismatched[0]} is not the first run's output"
        yield Finding(clause, "anchors", problem, "score the first run's own outputs again")
    if len(anchors) < FEWEST_ANCHORS:
        problem = f"{len(anchors)} anchors are fewer than {FEWEST_ANCHORS}"
        yield Finding(clause, "anchors", problem, "score more outputs of the first run again")
    if items < FEWEST_ANCHORS:
        problem = f"{items} items are in both runs"
        yield Finding(clause, "runs", problem, "compare two runs of the same items")


def items_seen(log: Log, names: Mapping[str, str] | Mapping[str, str | None]) -> list[str]:
    """Return the items that the optimiser saw, in whatever split, by name or by text's digest."""
    items = {str(row.item) for row in log.rows}
    texts = {row.text for row in log.rows if row.text}
    return [name for name, text in names.items() if name in items or text in texts]


def used_up(
    ledger: Iterable[LedgerLine],
    names: Mapping[str, str] | Mapping[str, str | None],
    by: str | None,
) -> list[str]:
    """Return the items that were used up, by name or text, but for those of one plan."""
    rows = [row for row in ledger if row.by != by]
    items = {item for row in rows for item in row.items}
    texts = {text for row in rows for text in row.texts}
    return [name for name, text in names.items() if name in items or text in texts]


def precedes(time: str, plan: LoopPlan) -> bool:
    """Return whether a time is before a plan's, which no check's may be."""
    return time[:_SECONDS] < plan.time[:_SECONDS]


def logged_outputs(log: Log) -> list[LoggedOutput]:
    """Return the validation outputs of a log that can be scored again."""
    rows = filter(is_validation, log.rows)
    return [
        LoggedOutput(candidate=str(row.candidate), item=str(row.item), output=str(row.output))
        for row in rows
        if row.output is not None
    ]


def same_model(left: str, right: str) -> bool:
    """Return whether two names are of one model, on whatever platforms."""
    prefixes = routes()
    last_left, last_right = ([*shorter(name, prefixes)][-1].name for name in (left, right))
    return key(last_left) == key(last_right)


def _judge(name: str) -> PlannedJudge:
    platform, slash, _ = name.rpartition("/")
    return PlannedJudge(model=name, platform=platform if slash else "unknown")


def _once(outputs: Sequence[LoggedOutput]) -> Iterator[LoggedOutput]:
    """Yield each candidate and item once."""
    yield from {(logged.candidate, logged.item): logged for logged in outputs}.values()


def _one_sided(files: Files) -> list[str]:
    """Return the items of which one output has a label and the other, which differs, has none."""
    sides: dict[str, set[str]] = defaultdict(set)
    for row in files.rows(GOLD):
        sides[str(row.item)].add(str(row.candidate))
    changed = {item for item, pair in pairs_of(files, files.judge).items() if pair.changed}
    return [item for item, names in sides.items() if item in changed and len(names) == 1]
