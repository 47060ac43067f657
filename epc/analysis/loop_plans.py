"""Drawing what will be checked, before anything is looked at (Reading R93)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from epc.analysis.loops import (
    FEWEST_ITEMS,
    Files,
    best,
    logged_outputs,
    same_model,
    seen,
    used_up,
)
from epc.arrays import np
from epc.errors import Finding
from epc.records.loops import CLAUSE, Logged, LoopPlan, PlannedJudge, Spent, text_digest

LABELLED_TWICE: Final = 30
ASKED_AGAIN: Final = 30
_FEWEST_LABELS: Final = 20  # of which 10 may change and 10 not
_SEED_DIGITS: Final = 8  # of the log's digest, which nobody chose


def draw(
    files: Files,
    items: Mapping[str, Any],
    *,
    labels: int,
    judge_b: str | None,
    time: str,
    ledger: Sequence[Spent],
    kept: Mapping[tuple[str, str], Any],
) -> tuple[LoopPlan | None, list[Finding]]:
    """Return the plan of a log's checks, or why there can be none.

    Items that an earlier check used up are left out. The draws follow from the log's digest.
    """
    texts = {name: text_digest(item) for name, item in items.items()}
    used = {*used_up(ledger, texts, by=None)}
    test = [name for name in items if name not in used]
    findings = [*_refusals(files, texts, test, labels, judge_b)]
    if findings:
        return None, findings
    draw_seed = int(files.log.sha256[:_SEED_DIGITS], 16)
    rng = np.random.default_rng(draw_seed)
    gold = [test[place] for place in rng.permutation(len(test))[:labels]]
    outputs = [
        logged
        for logged in logged_outputs(files.log)
        if ("output", logged.output) in kept and ("item", logged.item) in kept
    ]
    again = [outputs[place] for place in rng.permutation(len(outputs))[:ASKED_AGAIN]]
    plan = LoopPlan(
        time=time,
        log=files.log.sha256,
        seed=files.seed,
        final=best(files.validation),
        draw_seed=draw_seed,
        judge=_judge(files.judge),
        judge_b=_judge(judge_b) if judge_b else None,
        test=tuple(test),
        texts={name: texts[name] for name in test},
        gold=tuple(gold),
        gold_twice=tuple(gold[:LABELLED_TWICE]),
        again=tuple(_once(again)),
    )
    return plan, []


def _refusals(
    files: Files, texts: Mapping[str, str], test: Sequence[str], labels: int, judge_b: str | None
) -> Iterator[Finding]:
    place = files.log.name
    if not files.validation:
        yield Finding(CLAUSE, place, "no line is of a validation split", "say which lines are")
        return
    if best(files.validation) == files.seed:
        problem = "the optimiser kept what it started with: seed and final are one candidate"
        yield Finding(CLAUSE, place, problem, "there is nothing to check")
    if known := seen(files.log, texts):
        problem = f"the optimiser saw {len(known)} of the test items, such as {known[0]}"
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
    if judge_b and same_model(judge_b, files.judge):
        problem = f"judge B, {judge_b}, is the model of judge A"
        yield Finding(CLAUSE, "plan", problem, "name a model that the optimiser never saw")


def _judge(name: str) -> PlannedJudge:
    platform, slash, _ = name.rpartition("/")
    return PlannedJudge(model=name, platform=platform if slash else "unknown")


def _once(again: Sequence[Logged]) -> Iterator[Logged]:
    """Yield each candidate and item once."""
    yield from {(logged.candidate, logged.item): logged for logged in again}.values()
