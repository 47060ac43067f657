"""A real optimiser's run from its log to its checks (`epc loop demo`, the published loops)."""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import structs

from epc.analysis.loop_decisions import draw
from epc.analysis.loop_files import Files
from epc.api.loop import record
from epc.engine.optimised import Adapter, Candidate, Item, Split, Work, optimised
from epc.errors import refuse
from epc.records.loops import (
    GOLD,
    Check,
    LoopPlan,
    append,
    beside,
    digest,
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
    return optimised(recorder, start, split, most=work.most, calls=calls, seed=seed)


def check(work: Work, split: Split, log: Path, *, time: str) -> None:
    """Plan the checks of a log, then score seed and final on items that the optimiser never saw.

    Raises: MalformedError if nothing can be planned; WorldError if the disk refuses.
    """
    plan_path, checks, kept_path = beside(log)
    kept, items = read_kept(kept_path), {item.item: item for item in split.test}
    plan, findings = draw(
        Files(log=read_log(log), checks=()),
        items,
        labels=len(items),
        judge=work.judge,
        judge_b=next(iter(work.others), None),
        time=time,
        ledger=(),
        kept=kept,
    )
    refuse(findings)
    assert plan is not None
    write_plan(plan_path, plan)
    _, name = read_plan(plan_path)
    rows = [*_again(work, plan, kept)]
    for candidate in (plan.seed, plan.final):
        rows += checked(work, kept["candidate", candidate], [items[each] for each in plan.test])
    append(checks, (structs.replace(row, plan=name, at=time) for row in rows))


def checked(work: Work, candidate: Candidate, items: Sequence[Item]) -> Iterator[Check]:
    """Yield what each judge and gold say of a candidate's outputs."""
    outputs = work.outputs(candidate, items)
    by_judge = {judge: work.fresh(judge, items, outputs) for judge in (work.judge, *work.others)}
    for judge, scores in {**by_judge, GOLD: work.right(items, outputs)}.items():
        for item, output, score in zip(items, outputs, scores, strict=True):
            yield Check(
                candidate=digest(candidate),
                item=item.item,
                output=digest(output),
                judge=judge,
                score=score,
            )


def _again(work: Work, plan: LoopPlan, kept: dict[tuple[str, str], Any]) -> Iterator[Check]:
    """Yield what the optimiser's judge says of logged outputs, asked again."""
    items = [Item(**kept["item", each.item]) for each in plan.again]
    outputs = [kept["output", each.output] for each in plan.again]
    scores = work.fresh(work.judge, items, outputs)
    for each, score in zip(plan.again, scores, strict=True):
        yield Check(
            candidate=each.candidate,
            item=each.item,
            output=each.output,
            judge=work.judge,
            score=score,
            asking=1,
        )
