"""Shares and means of judgments, each with its interval, clustered by question.

Judgments of one question depend on each other. An evaluation under the first rules keeps the
intervals that were published for such: those of independent judgments (Readings R10 and R33).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum
from pathlib import Path
from typing import Final

from msgspec import structs

from epc.analysis.judging.results import (
    Accuracy,
    Bounds,
    Dimension,
    Ends,
    Evidence,
    Group,
    Reasons,
    ScoreCount,
    Share,
)
from epc.analysis.sharing import Answer, answer_of, undated
from epc.arrays import Array, Codes, np
from epc.judge.evidence import Quotes
from epc.judge.samples import Unit
from epc.records.findings import Findings
from epc.records.judging.documents import Record, calls_of, load_plan, records, role_of
from epc.spec.epc_v1 import BOOTSTRAP_RESAMPLES, BOOTSTRAP_SEED, CONFIDENCE
from epc.spec.judge_v1 import (
    CROSS,
    DIMENSIONS,
    FLAGS,
    HIGHEST_OVERALL,
    KINDS,
    RULES,
    SCALE,
    VERDICTS,
    Flag,
    Kind,
    Method,
    Rules,
)
from epc.statistics.clusters import bounded_mean, clustered_mean, clustered_share
from epc.statistics.figures import Mean
from epc.statistics.intervals import Interval, share_interval

_FEWEST_EFFECTIVE: Final = 2.0  # independent observations that a share took under rules 2
AXES: Final = ("judge_model", "prompt_variant", "target_model", "question_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgment:
    """Fields of one record that statistics need; `scores` are in the order of the dimensions.

    `answer` tells it from another answer to the same question (Reading R76). `own_scale` is the
    overall score on another rubric's scale.
    """

    unit: Unit
    output_sha256: str
    judge_model: str
    method: Method
    valid: bool
    verdict: str | None
    scores: tuple[int, ...] | None
    quotes: Quotes
    flags: tuple[Flag, ...] = ()
    answer: Answer | None = None
    own_scale: float | None = None

    @property
    def question(self) -> str:
        """The question that was answered, which judgments have in common."""
        return self.unit.question_id

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
    judgments: dict[str, Judgment] = {}
    calls = _answers(folder)
    for _, record in records(folder):
        if record.output_sha256 is not None:
            judgments.setdefault(record.id, _judgment(record, record.output_sha256, calls))
    return list(judgments.values())


def _answers(folder: Path) -> dict[str, Answer]:
    """Return the answers of providers' models by the names of their calls.

    A mock and pinned weights give the same answer to the same question, whenever they are asked.
    """
    hosted = {
        role_of(judge.model)
        for judge in load_plan(folder).judges
        if (model := judge.model_identity) is not None and not model.gives_facts
    }
    calls = calls_of(folder, Findings()) if hosted else ()
    return {call.id: answer_of(call) for _, call in calls if call.role in hosted}


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
        quotes=record.quotes,
        flags=record.flags,
        answer=answer,
        own_scale=record.judge_overall,
    )


# A question, what was seen of it, and of how many: a verdict's 0 or 1 of 1, or quotes of quotes.
Observation = tuple[str, float, float]


def share(observations: Sequence[Observation], rules: Rules = RULES) -> Share:
    """Return a share with its 95% interval; None where there is nothing to take a share of."""
    hits, n = (
        round(sum(observation[1] for observation in observations)),
        round(sum(observation[2] for observation in observations)),
    )
    interval = None
    if n and rules == 1:
        interval = share_interval(hits, n)
    elif n:
        fewest = _FEWEST_EFFECTIVE if rules == 2 else 0.0  # noqa: PLR2004  (a version)
        interval = clustered_share(*_arrays(observations), fewest=fewest)[1]
    return Share(count=hits, value=hits / n if n else None, ci95=interval)


def mean(
    observations: Sequence[tuple[str, float]], rules: Rules = RULES, *, ends: Interval | None = None
) -> Mean:
    """Return a mean with its 95% interval; `observations` are questions with their values.

    `ends` are those of the values' scale, None where it has none that is known.
    """
    if not observations:
        return Mean(value=None, ci95=None)
    values = [value for _, value in observations]
    if rules == 1:
        interval = _resampled(values)
    else:
        numbers, _, questions = _arrays(
            [(question, value, 1.0) for question, value in observations]
        )
        if ends is None or rules == 2:  # noqa: PLR2004  (a version)
            interval = clustered_mean(numbers, questions)[1]
        else:
            interval = bounded_mean(numbers, questions, ends)[1]
    return Mean(value=fsum(values) / len(values), ci95=interval)


def _arrays(observations: Sequence[Observation]) -> tuple[Array, Array, Codes]:
    """Return values, sizes and questions by number.

    Shapes: each (m,).
    """
    questions = numbered(observation[0] for observation in observations)
    return (
        np.array([observation[1] for observation in observations], dtype=np.float64),
        np.array([observation[2] for observation in observations], dtype=np.float64),
        np.array([questions[observation[0]] for observation in observations], dtype=np.int64),
    )


def numbered(questions: Iterable[str]) -> dict[str, int]:
    """Return the number of each question, in the order in which they first come."""
    return {question: number for number, question in enumerate(dict.fromkeys(questions))}


def _resampled(values: Sequence[float]) -> Interval | None:
    """Return the bootstrap interval of the mean of independent values.

    Resampling n values that repeat is drawing how often each of them comes, which takes the same
    memory whatever n is.
    """
    if len(values) == 1:  # says nothing of a spread (Reading R10)
        return None
    distinct, counts = np.unique(np.asarray(values, dtype=np.float64), return_counts=True)
    rng = np.random.default_rng(BOOTSTRAP_SEED)
    drawn = rng.multinomial(len(values), counts / counts.sum(), size=BOOTSTRAP_RESAMPLES)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(drawn @ distinct / len(values), [round(tail, 3), round(1 - tail, 3)])
    return float(low), float(high)


def groups(judgments: Sequence[Judgment], axis: str, rules: Rules = RULES) -> tuple[Group, ...]:
    """Return verdicts, invalid evaluations and scores for each value of an axis."""
    by_value: dict[str, list[Judgment]] = {}
    for judgment in judgments:
        by_value.setdefault(judgment.axis(axis), []).append(judgment)
    return tuple(
        replace(counted(group, rules), value=value) for value, group in sorted(by_value.items())
    )


def counted(judgments: Sequence[Judgment], rules: Rules = RULES) -> Group:
    """Return the shares of some judgments: verdicts of the valid ones, invalid of all."""
    valid = [judgment for judgment in judgments if judgment.valid]
    return Group(
        samples=len(judgments),
        valid=len(valid),
        invalid=share([(j.question, not j.valid, 1) for j in judgments], rules),
        verdicts={
            name: share([(j.question, j.verdict == name, 1) for j in valid], rules)
            for name in VERDICTS
        },
        overall_score=mean(
            [(j.question, j.overall) for j in valid], rules, ends=(0, HIGHEST_OVERALL)
        ),
        overall_counts=dict(sorted(Counter(str(j.overall) for j in valid).items())),
        dimensions=dict(_dimensions(valid, rules)),
        bounds=_bounds(valid, len(judgments)),
        own_scale=_own_scale(judgments, rules),
    )


def _own_scale(judgments: Sequence[Judgment], rules: Rules) -> Mean | None:
    """Return the mean of another rubric's overall scores, or None where there are none.

    It has no interval: the ends of that scale are not known, and Student's would pass them.
    """
    observations = [(j.question, j.own_scale) for j in judgments if j.own_scale is not None]
    return structs.replace(mean(observations, rules), ci95=None) if observations else None


# Reading R26: what is excluded is not missing at random.
def _bounds(valid: Sequence[Judgment], samples: int) -> Bounds:
    """Return how far each figure could lie off if every invalid evaluation were valid.

    From all of them as the worst to all as the best: without the verdict and with it, 0 and 8.
    """
    missing, total = samples - len(valid), fsum(judgment.overall for judgment in valid)
    verdicts = Counter(judgment.verdict for judgment in valid)

    def between(low: float, high: float) -> Ends | None:
        return (low / samples, high / samples) if samples else None

    return Bounds(
        verdicts={name: between(verdicts[name], verdicts[name] + missing) for name in VERDICTS},
        overall_score=between(total, total + HIGHEST_OVERALL * missing),
    )


def by_score(judgments: Iterable[Judgment]) -> tuple[ScoreCount, ...]:
    """Return the share of invalid evaluations for each overall score that could be read."""
    scored: dict[int, list[Judgment]] = {}
    for judgment in judgments:
        if judgment.scores is not None:
            scored.setdefault(judgment.overall, []).append(judgment)
    return tuple(
        ScoreCount(
            overall_score=score,
            readable=len(group),
            invalid=share([(j.question, not j.valid, 1) for j in group]),
        )
        for score, group in sorted(scored.items())
    )


def _dimensions(valid: Sequence[Judgment], rules: Rules) -> Iterator[tuple[str, Dimension]]:
    for index, name in enumerate(DIMENSIONS):
        observations = [(j.question, j.scores[index]) for j in valid if j.scores is not None]
        counts, average = (
            Counter(score for _, score in observations),
            mean(observations, rules, ends=(SCALE[0], SCALE[-1])),
        )
        counted = {str(score): counts[score] for score in SCALE}
        yield name, Dimension(value=average.value, ci95=average.ci95, counts=counted)


def evidence(judgments: Sequence[Judgment], rules: Rules = RULES) -> tuple[Evidence, ...]:
    """Return for each judge what share of its quotes is of which kind (Reading R25).

    All readable replies count, valid or not: an invented quote is what makes some invalid. Under
    the first rules nothing but the invented ones is known: what the output does not hold.
    """
    return tuple(_evidence(judge, ones, rules) for judge, ones in by_judge(judgments))


def reasons(judgments: Iterable[Judgment], rules: Rules = RULES) -> tuple[Reasons, ...]:
    """Return for each judge what share of its evaluations is invalid for each reason.

    One evaluation may be invalid for several.
    """
    return tuple(
        Reasons(
            judge=judge,
            samples=len(ones),
            flags={
                flag: share(
                    [(judgment.question, flag in judgment.flags, 1) for judgment in ones], rules
                )
                for flag in FLAGS
                if any(flag in judgment.flags for judgment in ones)
            },
        )
        for judge, ones in by_judge(judgments)
    )


def by_judge(judgments: Iterable[Judgment]) -> list[tuple[str, list[Judgment]]]:
    """Return judgments by judge, in the order of the judges' names."""
    by_model: dict[str, list[Judgment]] = {}
    for judgment in judgments:
        by_model.setdefault(judgment.judge_model, []).append(judgment)
    return sorted(by_model.items())


def _evidence(judge: str, judgments: Sequence[Judgment], rules: Rules) -> Evidence:
    kinds: Sequence[Kind] = ("invented",) if rules == 1 else KINDS
    quoted = [
        (judgment.question, judgment.quotes) for judgment in judgments if judgment.quotes.given
    ]
    return Evidence(
        judge=judge,
        quotes=sum(quotes.given for _, quotes in quoted),
        kinds={
            kind: share(
                [(question, getattr(counts, kind), counts.given) for question, counts in quoted],
                rules,
            )
            for kind in kinds
        },
    )


def accuracy(judgments: Iterable[Judgment]) -> tuple[Accuracy, ...]:
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
    return tuple(
        Accuracy(strategy=variant, accuracy=passed[variant] / n, judgments=n)
        for variant, n in sorted(valid.items())
    )
