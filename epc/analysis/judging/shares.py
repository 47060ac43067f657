"""Shares and means of judgments, each with its interval (Readings R10 and R33)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from typing import Final

from epc.analysis.comparability import are_facts
from epc.analysis.sharing import Answer, answer_of, undated
from epc.judge.samples import Unit
from epc.protocol.results import Json
from epc.records.judging.asked import calls_of
from epc.records.judging.documents import Record
from epc.records.judging.layout import load_plan, role_of
from epc.records.judging.recheck import records
from epc.spec.epc_v1 import BOOTSTRAP_RESAMPLES, BOOTSTRAP_SEED, CONFIDENCE
from epc.spec.judge_v1 import CROSS, DIMENSIONS, SCALE, VERDICTS, Method
from epc.statistics.intervals import share_interval

AXES: Final = ("judge_model", "prompt_variant", "target_model", "question_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgment:
    """What the statistics need of one record; `scores` are in the order of the dimensions.

    `answer` tells it from another answer to the same question (Reading R76).
    """

    unit: Unit
    output_sha256: str
    judge_model: str
    method: Method
    valid: bool
    verdict: str | None
    scores: tuple[int, ...] | None
    quotes: int
    invented: int
    answer: Answer | None = None

    @property
    def overall(self) -> int:
        """The sum of the scores."""
        return sum(self.scores or ())

    def axis(self, name: str) -> str:
        """Return where this judgment stands on one of the axes."""
        value: str = getattr(self if name == "judge_model" else self.unit, name)
        return value


def judgments_of(folder: Path) -> list[Judgment]:
    """Return every judgment of the evaluation set, valid or not; surplus replies are left out.

    A sample that was judged twice stands here once, as invalid.
    """
    found: dict[str, Judgment] = {}
    calls = _answers(folder)
    for _, record in records(folder):
        if record.output_sha256 is not None:
            found.setdefault(record.id, _judgment(record, record.output_sha256, calls))
    return list(found.values())


def _answers(folder: Path) -> dict[str, Answer]:
    """Return the answers of providers' models by the names of their calls.

    A mock and pinned weights give the same answer to the same question, whenever they are asked.
    """
    hosted = {
        role_of(judge.model)
        for judge in load_plan(folder).judges
        if (model := judge.asked) is not None and not are_facts(model, model)
    }
    calls = calls_of(folder) if hosted else ()
    return {call.id: answer_of(call) for call in calls if call.role in hosted}


def _judgment(record: Record, output_sha256: str, calls: Mapping[str, Answer]) -> Judgment:
    answer = calls.get(record.calls[-1]) if record.calls else None
    if answer is None and record.raw is not None:
        answer = undated(record.raw)
    scores = record.scores
    return Judgment(
        unit=record.sample.unit,
        output_sha256=output_sha256,
        judge_model=record.sample.judge_model,
        method=record.sample.method,
        valid=record.valid,
        verdict=record.verdict,
        scores=None if scores is None else tuple(scores[name] for name in DIMENSIONS),
        quotes=record.quotes.given,
        invented=record.quotes.invented,
        answer=answer,
    )


def share(hits: int, n: int) -> Json:
    """Return a share with its 95% interval; None where there is nothing to take a share of."""
    interval = share_interval(hits, n)
    return {
        "count": hits,
        "share": hits / n if n else None,
        "ci95": None if interval is None else list(interval),
    }


def mean(values: Sequence[float]) -> Json:
    """Return a mean with its 95% bootstrap interval.

    Resampling n values that repeat is drawing how often each of them comes, which takes the same
    memory whatever n is.
    """
    if not values:
        return {"mean": None, "ci95": None}
    average = fsum(values) / len(values)
    if len(values) == 1:  # says nothing of a spread (Reading R10)
        return {"mean": average, "ci95": None}
    import numpy as np

    distinct, counts = np.unique(np.asarray(values, dtype=np.float64), return_counts=True)
    rng = np.random.default_rng(BOOTSTRAP_SEED)
    drawn = rng.multinomial(len(values), counts / counts.sum(), size=BOOTSTRAP_RESAMPLES)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(drawn @ distinct / len(values), [round(tail, 3), round(1 - tail, 3)])
    return {"mean": average, "ci95": [float(low), float(high)]}


def groups(judgments: Sequence[Judgment], axis: str) -> list[Json]:
    """Return verdicts, invalid evaluations and scores for each value of an axis."""
    by_value: dict[str, list[Judgment]] = {}
    for judgment in judgments:
        by_value.setdefault(judgment.axis(axis), []).append(judgment)
    return [{"value": value, **counted(group)} for value, group in sorted(by_value.items())]


def counted(judgments: Sequence[Judgment]) -> Json:
    """Return the shares of some judgments: verdicts of the valid ones, invalid of all."""
    valid = [judgment for judgment in judgments if judgment.valid]
    verdicts = Counter(judgment.verdict for judgment in valid)
    return {
        "samples": len(judgments),
        "valid": len(valid),
        "invalid": share(len(judgments) - len(valid), len(judgments)),
        "verdicts": {name: share(verdicts[name], len(valid)) for name in VERDICTS},
        "overall_score": mean([judgment.overall for judgment in valid]),
        "dimensions": dict(_dimensions(valid)),
    }


def _dimensions(valid: Sequence[Judgment]) -> Iterator[tuple[str, Json]]:
    for index, name in enumerate(DIMENSIONS):
        scores = [judgment.scores[index] for judgment in valid if judgment.scores is not None]
        counts = Counter(scores)
        yield name, {**mean(scores), "counts": {str(score): counts[score] for score in SCALE}}


def evidence(judgments: Iterable[Judgment]) -> list[Json]:
    """Return for each judge the share of its quotes that are not in the output it judged.

    All readable replies count, valid or not: an invented quote is what makes some invalid.
    """
    quotes: Counter[str] = Counter()
    invented: Counter[str] = Counter()
    for judgment in judgments:
        quotes[judgment.judge_model] += judgment.quotes
        invented[judgment.judge_model] += judgment.invented
    return [
        {"judge": judge, "quotes": n, "invented": share(invented[judge], n)}
        for judge, n in sorted(quotes.items())
    ]


def accuracy(judgments: Iterable[Judgment]) -> list[Json]:
    """Return the PASS share of each variant over its valid cross-judged outputs.

    This is the accuracy per strategy that ECE and Brier take (Reading R11). A variant without a
    valid judgment has none.
    """
    valid: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    for judgment in judgments:
        if judgment.valid and judgment.method == CROSS:
            valid[judgment.unit.prompt_variant] += 1
            passed[judgment.unit.prompt_variant] += judgment.verdict == "PASS"
    return [
        {"strategy": variant, "accuracy": passed[variant] / n, "judgments": n}
        for variant, n in sorted(valid.items())
    ]
