"""A real optimiser's run from its log to its checks (`epc loop demo`, the published loops)."""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import structs

from epc.analysis.loop_decisions import draw
from epc.analysis.loop_files import Files
from epc.api.loop import record
from epc.engine.loop_demo import Adapter, Candidate, Item, Split, Work, optimise
from epc.errors import refuse
from epc.records.loop import (
    GOLD,
    MARGIN,
    Check,
    LoopPlan,
    append,
    digest,
    loop_paths,
    read_kept,
    read_log,
    read_plan,
    write_plan,
)


def run(
    work: Work, start: Candidate, split: Split, *, calls: int, seed: int, log: Path
) -> Candidate:
    """Run GEPA with a recorder around it, and return the candidate that it ends with.

    Raises: MissingExtraError without GEPA; WorldError if the disk refuses.
    """
    adapter = Adapter(work=work, rng=random.Random(seed))  # noqa: S311  (a draw, no secret)
    recorder = record(adapter, judge=work.judge, split_of=split.by_name, out=log)
    return optimise(recorder, start, split, top_score=work.top_score, calls=calls, seed=seed)


def check(work: Work, split: Split, log: Path, *, time: str) -> None:
    """Plan the checks of a log, then score seed and final on items that the optimiser never saw.

    Raises: MalformedError if nothing can be planned; WorldError if the disk refuses.
    """
    plan_path, checks, kept_path = loop_paths(log)
    kept_texts, items = read_kept(kept_path), {item.item: item for item in split.test}
    plan, findings = draw(
        Files(log=read_log(log), checks=()),
        items,
        labels=len(items),
        margin=MARGIN,
        judge=work.judge,
        judge_b=next(iter(work.unseen_judges), None),
        time=time,
        ledger=(),
        stored=kept_texts,
    )
    refuse(findings)
    assert plan is not None
    write_plan(plan_path, plan)
    _, name = read_plan(plan_path)
    rows = [*_retest(work, plan, kept_texts)]
    for candidate in (plan.seed, plan.final):
        rows += checked(
            work, kept_texts["candidate", candidate], [items[item_name] for item_name in plan.test]
        )
    append(checks, (structs.replace(row, plan=name, time=time) for row in rows))


def checked(work: Work, candidate: Candidate, items: Sequence[Item]) -> Iterator[Check]:
    """Yield what each judge and gold say of a candidate's outputs."""
    outputs = work.outputs(candidate, items)
    by_judge = {
        judge: work.fresh(judge, items, outputs) for judge in (work.judge, *work.unseen_judges)
    }
    for judge, scores in {**by_judge, GOLD: work.right(items, outputs)}.items():
        for item, output, score in zip(items, outputs, scores, strict=True):
            yield Check(
                candidate=digest(candidate),
                item=item.item,
                output=digest(output),
                judge=judge,
                score=score,
            )


def _retest(work: Work, plan: LoopPlan, kept_texts: dict[tuple[str, str], Any]) -> Iterator[Check]:
    """Yield what the optimiser's judge says of logged outputs, asked again."""
    items = [Item(**kept_texts["item", sample.item]) for sample in plan.repeats]
    outputs = [kept_texts["output", sample.output] for sample in plan.repeats]
    scores = work.fresh(work.judge, items, outputs)
    for sample, score in zip(plan.repeats, scores, strict=True):
        yield Check(
            candidate=sample.candidate,
            item=sample.item,
            output=sample.output,
            judge=work.judge,
            score=score,
            asking=1,
        )
