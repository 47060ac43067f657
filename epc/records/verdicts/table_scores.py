"""Scores of a table: how a cell is read, the scale that they are on, and what to ask of them.

Source: Reading R101.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from epc.arrays import np
from epc.errors import UsageError
from epc.records.csv_tables import decimal
from epc.records.verdicts.aliases import A_SCORE, HUMAN_SCORE
from epc.records.verdicts.cells import Cells
from epc.records.verdicts.coded import combined
from epc.records.verdicts.column_rules import MOST_COMMANDS, Ask, Choice
from epc.records.verdicts.converting import Request
from epc.records.verdicts.names import number_of
from epc.records.verdicts.scales import (
    BOTH,
    SENTINELS,
    both_scales,
    common_scale,
    known_scale,
    on_unit,
    scale_of,
)
from epc.records.verdicts.table_words import UnfitError
from epc.records.verdicts.types import Scale
from epc.records.verdicts.verdict_words import MISSING, UNREADABLE, score_in

_LARGEST: Final = 1e12
_ENOUGH: Final = 20  # scores of a judge, of which its scale may be told
_SEVERAL: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """Scores of a table whose columns are chosen; `labels` has the user's words by column."""

    cells: Cells
    choice: Choice
    request: Request
    labels: Mapping[str, Mapping[str, str]]

    @property
    def is_paired(self) -> bool:
        """Return whether the table compares two answers."""
        return self.choice.has("b", "b_sha256", "b_by", "b_score")

    def read_score(self, column: str) -> Callable[[str], Any]:
        """Return what reads a score's cell: a number, `unreadable`, None if empty, or a problem."""
        labels = self.labels.get(column, {})

        def read(cell: str) -> Any:
            text = cell.strip()
            word = labels.get(text.lower())
            if word is not None:
                if word == UNREADABLE:
                    return UNREADABLE
                text = word
            if not text or text.lower() in MISSING:
                return None
            number = number_of(text)
            if number is None:
                number = score_in(decimal(text))
            if number is None or abs(number) > _LARGEST:
                return UnfitError(f"have {cell!r} in {column}, which is no number")
            return number

        return read

    def scale(self, judges: Sequence[str]) -> tuple[Scale | None, Callable[[float, str], Any]]:
        """Return the scale of single answers' scores, and what reads a score on it."""
        people = self.choice.columns.get(HUMAN_SCORE, [])
        requested = self.request.scales
        if not judges or self.is_paired:
            if requested:
                fix = "leave it out, or --map a_score=COLUMN"
                raise UsageError(f"--scale: no scores of single answers\n  fix: {fix}")
            return None, lambda value, _: value
        by_judge, by_people = (self._numbers(columns) for columns in (judges, people))
        if both_scales(requested):
            if not people:
                fix = f"--scale {requested['judge']}" if "judge" in requested else "leave it out"
                raise UsageError(f"--scale humans: no scores of people\n  fix: {fix}")
            scales = {name: scale_of(text) for name, text in requested.items()}
            unit = Scale(low=0.0, high=1.0, step=0.1, stated=True)
            return unit, lambda value, who: _inside(value, scales[who], unit=True)
        scale = (
            scale_of(requested[BOTH], (*by_judge, *by_people))
            if requested
            else common_scale(by_judge, by_people)
        )
        if scale is None:
            return None, lambda value, _: value
        return scale, lambda value, _: _inside(value, scale)

    def _numbers(self, columns: Sequence[str]) -> set[float]:
        values = (
            self.read_score(column)(part)
            for column in columns
            for name in self.cells.columns[column].names
            for part in name.split(";")
        )
        return {value for value in values if isinstance(value, float)}

    def odd_scores(self, scale: Scale | None, judges: Sequence[str]) -> list[Ask]:
        """Return what to ask of scores that may be none: a judge's 0, a sentinel among people's."""
        if scale is None or scale.stated:
            return []
        people = self.choice.columns.get(HUMAN_SCORE, [])
        by_judge, by_people = (self._numbers(columns) for columns in (judges, people))
        asks = []
        scores = by_judge - {0.0} - SENTINELS
        if 0.0 in by_judge and scores and min(scores) >= 1 and 0.0 not in by_people:
            top = next(high for high in (5, 10, 100) if high >= max(scores))
            unreadable = {f"{judge}:0": UNREADABLE for judge in judges}
            asks.append(
                Ask(
                    problem="the judge's other scores are at least 1: is its 0 a score, or none?",
                    requests=[
                        replace(self.request, labels={**self.request.labels, **unreadable}),
                        replace(self.request, scales={"": f"0-{top}"}),
                    ],
                )
            )
        if odd := sorted(value for value in by_people if not scale.low <= value <= scale.high):
            unreadable = {
                f"{column}:{name.strip()}": UNREADABLE
                for column in people
                for name in self.cells.columns[column].names
                if number_of(name) in odd
            }
            listed = ", ".join(f"{value:g}" for value in odd)
            asks.append(
                Ask(
                    problem=f"people's scores hold {listed}, outside the scale of the others",
                    requests=[replace(self.request, labels={**self.request.labels, **unreadable})],
                )
            )
        return asks

    def unlike_scales(self, columns: Sequence[str]) -> list[Ask]:
        """Return what to ask of judges whose scores seem to be on scales of their own."""
        if self.request.scales or not columns[0] or self.is_paired:
            return []
        if self.choice.judges:
            by_judge = {self.choice.judges[c]: self.cells.counts(c) for c in columns}
        else:
            by_judge = self._scores_of_judges(columns[0])
        read = self.read_score(columns[0])
        scales = {
            judge: known_scale(filter(_is_number, map(read, counts)))
            for judge, counts in by_judge.items()
            if counts.total() >= _ENOUGH
        }
        tops = {
            judge: scale_found for judge, scale_found in scales.items() if scale_found is not None
        }
        highest = [scale_found.high for scale_found in tops.values()]
        if len(tops) < _SEVERAL or max(highest) < 2 * min(highest):
            return []
        listed = ", ".join(f"{name} {s.low:g} to {s.high:g}" for name, s in tops.items())
        requests = [
            replace(self.request, columns={**self.request.columns, A_SCORE: column})
            for column in self.choice.judges
        ]
        requests = requests[: MOST_COMMANDS - 1]
        if (scale := known_scale(self._numbers(columns))) is not None:
            ends = f"{scale.low:g}-{scale.high:g}"
            requests.append(replace(self.request, scales={BOTH: ends}))
        advice = "" if self.choice.judges else " If not, give each judge a file of its own"
        problem = f"do the judges score on one scale ({listed})?{advice}"
        return [Ask(problem=problem, requests=requests)]

    def _scores_of_judges(self, column: str) -> dict[str, Counter[str]]:
        """Return how often each judge of a column of judges gives each score."""
        judge = self.cells.columns.get(self.choice.column("judge"))
        scores = self.cells.columns.get(column)
        if judge is None or scores is None or len(judge.names) < _SEVERAL:
            return {}
        first, combination = combined([judge, scores], len(self.cells))
        numbers = np.bincount(combination, minlength=len(first)).tolist()
        by_judge: dict[str, Counter[str]] = {}
        for row, number in zip(first.tolist(), numbers, strict=True):
            name = judge.names[int(judge.codes[row])]
            by_judge.setdefault(name, Counter())[scores.names[int(scores.codes[row])]] += number
        return by_judge


def _is_number(score: Any) -> bool:
    return isinstance(score, float)


def _inside(value: float, scale: Scale, *, unit: bool = False) -> Any:
    if not scale.low <= value <= scale.high:
        return UNREADABLE
    return on_unit(value, scale) if unit else value
