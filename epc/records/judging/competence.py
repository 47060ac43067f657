"""Folders of evaluations that ask about a judge, beside the set that it is to judge.

    SET/competence/JUDGE/PART     an evaluation's folder; JUDGE is a digest of the judge's name

Parts are `planted` (outputs, and texts made from them), `named` (the same outputs under their
names), `ablation` (outputs without what the judge quoted) and `retest-DATE` (outputs of the set
again). Each is checked, gone on with and read like any evaluation. None is part of the set's.
"""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Final

from epc.digests import sha256
from epc.judge.planted import ABLATED, CONTROL, OFF_TASK, Original, planted
from epc.judge.samples import Sample
from epc.records.judging.documents import Part, Plan, is_evaluation, load_plan
from epc.records.judging.evaluation_set import EvaluationSet, Row
from epc.spec.judge_v1 import CROSS, Method

COMPETENCE: Final = "competence"
_RETEST: Final = "retest-"
_DIGITS: Final = 12


def part_folder(folder: Path, judge: str, part: Part) -> Path:
    """Return where a part stands, other than a retest."""
    return _judge_folder(folder, judge) / part


def retest_folder(folder: Path, judge: str, day: datetime) -> Path:
    """Return where the retest of a day stands."""
    return _judge_folder(folder, judge) / f"{_RETEST}{day.date().isoformat()}"


def retests(folder: Path, judge: str) -> list[Path]:
    """Return the retests of a judge that were planned, the first one first."""
    return [
        path
        for path in sorted(_judge_folder(folder, judge).glob(f"{_RETEST}*"))
        if is_evaluation(path)
    ]


def parts(folder: Path) -> Iterator[Path]:
    """Yield every part that stands beside a set, whole or not."""
    yield from (path for path in sorted((folder / COMPETENCE).glob("*/*")) if is_evaluation(path))


def method_asked(plan: Plan) -> Method:
    """Return by which method a judge is tested: as in the primary figures, where there are any."""
    return CROSS if CROSS in plan.methods else plan.methods[0]


def asked_rows(units: EvaluationSet, plan: Plan, judge: str) -> list[tuple[Sample, Row]]:
    """Return what a judge may be tested on: the samples that it has by that method, not blank."""
    method = method_asked(plan)
    return [
        (sample, row)
        for sample, row in units.samples()
        if (sample.judge_model, sample.method) == (judge, method) and units.text(row).strip()
    ]


def departures(folder: Path, subfolder: Path) -> Iterator[tuple[str, str]]:
    """Yield where a part was not asked as its set was, or of other texts: a place, the problem.

    What was quoted is not known here, so of an ablation the outputs are looked up and no more.
    """
    plan, part_plan = load_plan(folder), load_plan(subfolder)
    for name in ("constraint", "mapping", "retry_malformed", "rules", "thresholds"):
        if getattr(plan, name) != getattr(part_plan, name):
            yield name, "is not the set's"
    if part_plan.judges[0] not in plan.judges:
        yield "judges", "are none of the set's"
    if part_plan.prompts != {method_asked(plan): plan.prompts.get(method_asked(plan))}:
        yield "prompts", "are not the set's"
    units, part_units = EvaluationSet(folder, plan), EvaluationSet(subfolder, part_plan)
    set_rows = {row.unit.output_id: row for row in units.rows}
    for row in part_units.rows:
        base = set_rows.get(row.planted.of if row.planted else row.unit.output_id)
        if base is None or base.unit.question_id != row.unit.question_id:
            yield "samples", f"{row.unit.output_id} is made from no output of the set"
        elif not _is_made(row, base, part_units.text(row), units):
            yield "samples", f"{row.unit.output_id} is not the text that its kind says"


def _is_made(row: Row, base: Row, text: str, units: EvaluationSet) -> bool:
    """Return whether a text is what was done to its output."""
    if row.planted is None:
        return (row.unit, row.output_sha256, row.task) == (
            base.unit,
            base.output_sha256,
            base.task,
        )
    if row.planted.kind in (ABLATED, CONTROL):
        return len(text) < len(units.text(base))
    foreign = {
        candidate.output_sha256
        for candidate in units.rows
        if candidate.unit.question_id != base.unit.question_id and candidate.task != base.task
    }
    if row.planted.kind == OFF_TASK:
        return row.output_sha256 in foreign
    original = Original(output=units.text(base), task=base.task, off_task=None)
    return dict(planted(original)).get(row.planted.kind) == text


def _judge_folder(folder: Path, judge: str) -> Path:
    return folder / COMPETENCE / sha256(judge.encode())[:_DIGITS]
