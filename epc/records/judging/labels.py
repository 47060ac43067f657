"""Labels that people gave an evaluation's outputs: a table (Reading R26)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median_low
from typing import Any, Final

from epc.errors import Finding, MalformedError
from epc.judge.samples import Unit
from epc.protocol.results import Json
from epc.records.judging.documents import LABELS, load_plan
from epc.records.judging.evaluation_set import EvaluationSet
from epc.records.strict_json import dumps_line, write_text
from epc.records.tables import TableRow, rows_of
from epc.spec.judge_v1 import DIMENSIONS, SCALE, VERDICTS, verdict_of

_CLAUSE: Final = "JUDGE-7.1"
_ONE: Final = "people"  # who labelled, where a table does not say
_SHOWN: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """Label that one person, or all of them together, gave an output.

    `scores` are in the order of the dimensions; None where only a verdict was given.
    """

    unit: Unit
    labeller: str
    verdict: str
    scores: tuple[int, ...] | None


def read_labels(path: Path, units: "list[Unit]") -> list[Label]:
    """Return the labels of a table: `output_id`, the four dimensions or a `verdict`, `labeller`.

    Raises: MalformedError for a row that cannot be used, or is about no output of the set;
    WorldError if the disk refuses.
    """
    units_by_id = {unit.output_id: unit for unit in units}
    labels = [_label(row, units_by_id) for row in rows_of(path, clause=_CLAUSE)]
    if not labels:
        raise _refused(path.name, "holds no labels", "give one row for each output")
    twice = Counter((label.unit, label.labeller) for label in labels).most_common(1)[0]
    if twice[1] > 1:
        (unit, labeller), _ = twice
        problem = f"{labeller!r} labels the output {unit.output_id!r} more than once"
        raise _refused(path.name, problem, "keep one row, or name the labellers in a column")
    return labels


def units_of(folder: Path) -> list[Unit]:
    """Return the units of an evaluation's set."""
    return [row.unit for row in EvaluationSet(folder, load_plan(folder)).rows]


def keep_labels(path: Path, folder: Path) -> list[Label]:
    """Keep the labels of a table in an evaluation's folder, as `labels.jsonl`, and return them.

    A person's name becomes a number, and no other column is kept: the file can be published.

    Raises: UsageError or MalformedError if folder or table cannot be used; WorldError if the disk
    refuses.
    """
    labels = _numbered(read_labels(path, units_of(folder)))
    write_text(folder / LABELS, map(dumps_line, _rows(labels)))
    return labels


def departures(folder: Path) -> Iterator[Finding]:
    """Yield what is wrong with the labels that an evaluation's folder keeps, if it keeps any."""
    path = folder / LABELS
    if not path.is_file():
        return
    try:
        expected = "".join(map(dumps_line, _rows(_numbered(read_labels(path, units_of(folder))))))
    except MalformedError as error:
        yield replace(error.finding, where=f"/{LABELS}")
        return
    if path.read_bytes() != expected.encode():
        problem = "holds more than output, person, scores or verdict"
        remedy = "keep the labels again with `epc judge label`"
        yield Finding(clause=_CLAUSE, where=f"/{LABELS}", problem=problem, remedy=remedy)


def _numbered(labels: Sequence[Label]) -> list[Label]:
    names = dict.fromkeys(label.labeller for label in labels if label.labeller != _ONE)
    person = {name: f"person {number}" for number, name in enumerate(names, 1)} | {_ONE: _ONE}
    return [replace(label, labeller=person[label.labeller]) for label in labels]


def _rows(labels: Sequence[Label]) -> Iterator[Json]:
    for label in labels:
        row: Json = {"output_id": label.unit.output_id, "labeller": label.labeller}
        if label.scores is None:
            yield row | {"verdict": label.verdict}
        else:
            yield row | dict(zip(DIMENSIONS, label.scores, strict=True))


def together(labels: list[Label]) -> dict[Unit, Label]:
    """Return one label for each output: the lower median of scores, or the verdict of most.

    An output on whose verdict people are evenly divided has none.
    """
    by_unit: dict[Unit, list[Label]] = {}
    for label in labels:
        by_unit.setdefault(label.unit, []).append(label)
    joined = {unit: _joined(unit, group) for unit, group in by_unit.items()}
    return {unit: label for unit, label in joined.items() if label is not None}


def _joined(unit: Unit, labels: list[Label]) -> Label | None:
    scored = [label.scores for label in labels if label.scores is not None]
    if len(scored) == len(labels):
        scores = tuple(median_low(values) for values in zip(*scored, strict=True))
        return Label(unit=unit, labeller=_ONE, verdict=_verdict(scores), scores=scores)
    counts = Counter(label.verdict for label in labels).most_common(2)
    if len(counts) > 1 and counts[0][1] == counts[1][1]:
        return None
    return Label(unit=unit, labeller=_ONE, verdict=counts[0][0], scores=None)


def _label(row: TableRow, units_by_id: dict[str, Unit]) -> Label:
    where = f"{row.file}, {row.place}"
    value: dict[str, Any] = row.value if isinstance(row.value, dict) else {}
    output_id, labeller, verdict = (
        str(value.get(name) or "") for name in ("output_id", "labeller", "verdict")
    )
    unit = units_by_id.get(output_id)
    if unit is None:
        examples = ", ".join(repr(name) for name in list(units_by_id)[:_SHOWN])
        problem = f"output_id is {output_id!r}, which the set does not have"
        raise _refused(where, problem, f"name outputs as the set does: {examples}, ...")
    labeller, verdict = labeller or _ONE, verdict.strip().upper()
    raw_scores = [value.get(name) for name in DIMENSIONS]
    if any(score not in (None, "") for score in raw_scores):
        scores = tuple(_score(score, where) for score in raw_scores)
        return Label(unit=unit, labeller=labeller, verdict=_verdict(scores), scores=scores)
    if verdict not in VERDICTS:
        problem = "has neither four scores nor a verdict"
        remedy = (
            f"fill {', '.join(DIMENSIONS)} with 0, 1 or 2, or verdict with {', '.join(VERDICTS)}"
        )
        raise _refused(where, problem, remedy)
    return Label(unit=unit, labeller=labeller, verdict=verdict, scores=None)


def _score(value: Any, where: str) -> int:
    text = str(value).strip().removesuffix(".0")
    if text not in {str(score) for score in SCALE}:
        raise _refused(where, f"has the score {value!r}", "give each dimension 0, 1 or 2")
    return int(text)


def _verdict(scores: tuple[int, ...]) -> str:
    return verdict_of(dict(zip(DIMENSIONS, scores, strict=True)))


def _refused(where: str, problem: str, remedy: str) -> MalformedError:
    return MalformedError(Finding(clause=_CLAUSE, where=where, problem=problem, remedy=remedy))
