"""Whether a judge favours its own outputs, apart from being lenient (Reading R24)."""

from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import Final

from epc.analysis.judging.results import SelfPreference
from epc.analysis.judging.shares import Judgment
from epc.spec.judge_v1 import CROSS
from epc.statistics.clusters import left_out_interval

_OWN, _OTHERS = "own", "others"
# A question's number, a third's name, whose outputs, and by how much the judge scored higher.
Gap = tuple[int, str, str, int]
_NONE: Final = "no output of others was judged by it and by another judge that is not its author"


def self_preferences(judgments: Iterable[Judgment]) -> tuple[SelfPreference, ...]:
    """Return for each judge of its own outputs how much more it favours these than others'.

    Units: points of the overall score. `own` and `others` count the outputs that are compared.
    """
    by_output: dict[object, dict[str, Judgment]] = {}
    for judgment in judgments:
        if judgment.valid:
            by_output.setdefault(judgment.unit, {})[judgment.judge_model] = judgment
    self_judges = {
        j.judge_model for ones in by_output.values() for j in ones.values() if j.method != CROSS
    }
    return tuple(_stated(judge, list(by_output.values())) for judge in sorted(self_judges))


def _stated(judge: str, outputs: Sequence[Mapping[str, Judgment]]) -> SelfPreference:
    questions: dict[str, int] = {}
    gaps: list[Gap] = []
    compared: dict[str, int] = {_OWN: 0, _OTHERS: 0}
    for ones in outputs:
        if judge not in ones:
            continue
        # What another author says of its own output is its own preference, and no yardstick.
        thirds = {name: one for name, one in ones.items() if name != judge and one.method == CROSS}
        whose = _OTHERS if ones[judge].method == CROSS else _OWN
        number = questions.setdefault(ones[judge].question, len(questions))
        compared[whose] += bool(thirds)
        gaps += [
            (number, name, whose, ones[judge].overall - one.overall) for name, one in thirds.items()
        ]

    def difference(left_out: frozenset[int]) -> float | None:
        return _difference([gap for gap in gaps if gap[0] not in left_out])

    excess = difference(frozenset())
    interval = left_out_interval(difference, len(questions))
    return SelfPreference(
        judge=judge,
        **compared,
        questions=len({number for number, *_ in gaps}),
        value=excess,
        ci95=interval,
        not_stated=_NONE if excess is None else None,
    )


def _difference(gaps: Sequence[Gap]) -> float | None:
    """Return the judge's excess on its own outputs minus that on others', judge by judge.

    Each other judge is compared on the outputs that both judged, so that its leniency drops out.
    """
    by_third: dict[str, dict[str, list[int]]] = {}
    for _, third, whose, gap in gaps:
        by_third.setdefault(third, {_OWN: [], _OTHERS: []})[whose].append(gap)
    excesses = [
        fsum(sides[_OWN]) / len(sides[_OWN]) - fsum(sides[_OTHERS]) / len(sides[_OTHERS])
        for sides in by_third.values()
        if sides[_OWN] and sides[_OTHERS]
    ]
    return fsum(excesses) / len(excesses) if excesses else None
