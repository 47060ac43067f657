"""Figures of a judge asked in one way, as a whole and by subset, and beside other ways (R77)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from epc.analysis.verdicts_agreement import of_ways
from epc.analysis.verdicts_figures import average, of_all, of_gold, repeats
from epc.analysis.verdicts_lists import (
    Askings,
    Lists,
    RightWins,
    effect,
    independent,
    lists_of,
    of_lists,
    of_orders,
    of_picks,
    side_by_side,
    won_by,
)
from epc.analysis.verdicts_names import FIGURES, family
from epc.analysis.verdicts_rows import Rows, questions
from epc.arrays import np
from epc.records.verdicts.columns import Verdicts
from epc.records.verdicts.types import Setting
from epc.statistics.figures import ClusteredFigure

# What is stated of a subset by itself, where it has so many questions.
_OF_SUBSET: Final = (
    *("accuracy", "accuracy_readable", "best", "ties", "unreadable"),
    *("repeat_consistency", "rearranged_consistency", "input_tokens", "output_tokens"),
)
_LEAST: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Questions that one judge was asked in one way, or those of them of a subset.

    `judge` and `won` are of its lists: side by side, and what the right candidates won.
    """

    rows: Rows
    verdicts: Verdicts
    lists: Lists
    judge: Askings
    won: RightWins

    @property
    def questions(self) -> int:
        """How many questions it is about."""
        return len(np.union1d(self.rows.cluster, self.lists.cluster))

    def subsets(self, names: Sequence[str]) -> "dict[str, Part]":
        """Return what is of each subset that has enough questions to state figures of."""
        parts = {name: self._of_subset(code) for code, name in enumerate(names)}
        return {name: part for name, part in parts.items() if part.questions >= _LEAST}

    def _of_subset(self, code: int) -> "Part":
        return Part(
            rows=self.rows[self.rows.subset == code],
            verdicts=self.verdicts[self.verdicts.subset.codes == code],
            lists=self.lists[self.lists.subset == code],
            judge=self.judge[self.judge.subset == code],
            won=self.won[self.won.subset == code],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WayComparison:
    """Several ways of asking, each under its first name, on what all of them were asked about."""

    settings: Sequence[str]
    figures: Mapping[str, ClusteredFigure]


Way = tuple[str, Setting, Part]


def part_of(rows: Rows, verdicts: Verdicts) -> Part:
    """Return what a judge was asked: verdicts, and the rows of their pairs."""
    lists = lists_of(verdicts)
    won = won_by(side_by_side(lists[lists.order < 0]))
    return Part(rows=rows, verdicts=verdicts, lists=lists, judge=side_by_side(lists), won=won)


def of_part(part: Part, question_count: int) -> dict[str, ClusteredFigure]:
    """Return the figures that can be stated of a subset too.

    `question_count` counts the questions, with those of which there is no verdict.
    """
    figures = dict(of_picks(part.lists)) | dict(of_orders(part.lists))
    figures |= dict(of_lists(part.won, question_count))
    figures |= dict(of_gold(part.rows)) | dict(of_all(part.rows))
    for name in ("input_tokens", "output_tokens"):
        tokens = getattr(part.verdicts, name).as_numbers()
        present = np.isfinite(tokens)
        figures |= dict(average(name, tokens[present], questions(part.verdicts)[present]))
    return figures


def by_subset(
    subsets: Mapping[str, Part], question_counts: Mapping[str, int]
) -> dict[str, dict[str, ClusteredFigure]]:
    """Return the figures of each subset."""
    return {
        name: in_order(
            of_part(part, question_counts.get(name, 0)) | repeats(part.rows)[2], _OF_SUBSET
        )
        for name, part in subsets.items()
    }


def in_order(
    figures: Mapping[str, ClusteredFigure], families: Iterable[str] = FIGURES
) -> dict[str, ClusteredFigure]:
    """Return the figures of some families in their order, which is that of the report."""
    order = [*families]
    names = [name for name in figures if family(name) in order]
    return {name: figures[name] for name in sorted(names, key=lambda n: order.index(family(n)))}


def panels(ways: Sequence[Way]) -> Iterator[WayComparison]:
    """Yield judges side by side, each in the way in which it was asked about most lists."""
    by_model: dict[str, tuple[str, Askings]] = {}
    for name, setting, part in ways:
        before = by_model.get(setting.judge.model)
        if not setting.note and len(part.judge.list) > (len(before[1].list) if before else 0):
            by_model[setting.judge.model] = name, part.judge
    sizes = [size for size in dict.fromkeys((len(by_model), 2)) if size > 1]
    for panel in (panel for size in sizes for panel in combinations(by_model.values(), size)):
        if figures := dict(independent([judge for _, judge in panel])):
            yield WayComparison(settings=[name for name, _ in panel], figures=figures)


def effects(ways: Sequence[Way]) -> Iterator[WayComparison]:
    """Yield what another prompt, or another decoding, changes in a judge."""
    for (name, setting, part), (other_name, other_setting, other_part) in combinations(ways, 2):
        changed = (setting.prompt != other_setting.prompt) + (
            setting.decoding != other_setting.decoding
        )
        if (
            setting.judge == other_setting.judge
            and changed == 1
            and not (setting.note or other_setting.note)
        ):
            figures = dict(of_ways(part.rows, other_part.rows))
            if figures := figures | dict(effect(part.won, other_part.won)):
                yield WayComparison(settings=[name, other_name], figures=figures)
