"""The outputs on which judges differ most, what each said and quoted, and the words they share."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from epc.analysis.judging.results import Cited, Disagreement, Opinion
from epc.analysis.judging.shares import Judgment
from epc.json_text import storable
from epc.judge.evidence import Output
from epc.judge.mapping import RubricMapping
from epc.judge.reply import items, read_reply
from epc.protocol.results import Json
from epc.records.judging.documents import Plan, Record
from epc.records.judging.evaluation_set import EvaluationSet, Row
from epc.records.judging.prompts import load_mapping
from epc.records.judging.recheck import records
from epc.spec.judge_v1 import CROSS, EVIDENCE_KEYS

if TYPE_CHECKING:
    from epc.judge.samples import Unit

MOST_SHOWN: Final = 10
LONGEST_OUTPUT: Final = 6_000  # characters
LONGEST_QUOTE: Final = 600
MOST_QUOTES: Final = 12


def disagreements(
    folder: Path, plan: Plan, judgments: Iterable[Judgment]
) -> tuple[Disagreement, ...]:
    """Return the outputs whose overall scores lie furthest apart, the widest first.

    Cross-judging only; every reply counts whose scores can be read, valid or not (Reading R26).
    """
    by_unit: dict[Unit, list[int]] = {}
    for judgment in judgments:
        if judgment.method == CROSS and judgment.scores is not None:
            by_unit.setdefault(judgment.unit, []).append(judgment.overall)
    apart = {unit: max(scores) - min(scores) for unit, scores in by_unit.items()}
    widest = sorted(
        (unit for unit, points in apart.items() if points),
        key=lambda unit: (-apart[unit], unit.output_id),
    )[:MOST_SHOWN]
    if not widest:
        return ()
    units, mapping = EvaluationSet(folder, plan), load_mapping(folder, plan)
    opinions: dict[Unit, dict[str, Opinion]] = {unit: {} for unit in widest}
    for _, record in records(folder):
        unit, judge = record.sample.unit, record.sample.judge_model
        if unit in opinions and record.sample.method == CROSS and record.scores is not None:
            opinions[unit].setdefault(judge, _opinion(record, units, mapping))
    ranks = {unit: number for number, unit in enumerate(widest)}
    return tuple(
        _disagreement(row, apart[row.unit], opinions[row.unit], units.text(row))
        for row in sorted(units.rows, key=lambda row: ranks.get(row.unit, -1))
        if row.unit in ranks
    )


def _disagreement(
    row: Row, points: int, opinions: Mapping[str, Opinion], text: str
) -> Disagreement:
    unit = row.unit
    return Disagreement(
        question_id=unit.question_id,
        prompt_variant=unit.prompt_variant,
        target_model=unit.target_model,
        output_id=unit.output_id,
        task=row.task,
        points=points,
        characters=len(text),
        shown=text[:LONGEST_OUTPUT],
        opinions=tuple(opinion for _, opinion in sorted(opinions.items())),
    )


def _opinion(record: Record, units: EvaluationSet, mapping: RubricMapping | None) -> Opinion:
    scores = record.scores or {}
    return Opinion(
        judge=record.sample.judge_model,
        valid=record.valid,
        flags=record.flags,
        verdict=record.verdict,
        overall_score=sum(scores.values()),
        scores=scores,
        evidence=tuple(cited(record, units, mapping)),
    )


def cited(record: Record, units: EvaluationSet, mapping: RubricMapping | None) -> Iterator[Cited]:
    """Yield the evidence of a record about the set."""
    _, reply, _ = read_reply(record.raw or "")
    if mapping is not None and reply is not None:
        reply, _ = mapping.convert(reply, units.asked(record.sample))
    yield from _cited(reply or {}, units.folded(record.output_sha256 or ""))


def _cited(reply: Json, output: Output) -> Iterator[Cited]:
    """Yield the evidence of a reply as far as it has the form of evidence."""
    for item in islice(items(reply, "evidence"), MOST_QUOTES):
        if isinstance(item, dict):
            texts = [item.get(key) for key in EVIDENCE_KEYS]
            dimension, quote, reason = (text if isinstance(text, str) else "" for text in texts)
            cut = (storable(text[:LONGEST_QUOTE]) for text in (dimension, quote, reason))
            yield Cited(**dict(zip(EVIDENCE_KEYS, cut, strict=True)), kind=output.kind(quote))
