"""A judge's card: all that is known of one model, and how that stands to a user's thresholds.

Pure: it is given values, and looks nothing up.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from typing import Final, Literal, Self

from epc.analysis.agreement import ReplacementJudge
from epc.analysis.headline import dated, is_any, is_of
from epc.analysis.loop import RunsReport
from epc.analysis.quotable import QuotableFigures
from epc.audit.facts import Word
from epc.errors import UsageError
from epc.protocol.results import Json
from epc.records.choices import Picked
from epc.records.typed import as_json
from epc.spec.coupling import NotMeasured
from epc.statistics.figures import Figure

Range = tuple[float, float | None]  # a missing upper end is open
Answer = Literal["meets", "does not meet", "unknown"]

DAYS_LEFT: Final = "days_left"
PLACES: Final = "place_consistency_readable"
COUPLING: Final = "coupling"
# Which figures a reader is shown first, by the beginnings of their names.
SECTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "reliability": (
        *("place_consistency", PLACES, "first_place", "repeat_consistency", "ties", "tie_rate"),
        *("repeat_consistency_all", "rearranged_consistency", "place_picked", "unreadable"),
        *("judges", "judges_kappa", "self_preference", "self_preference_score"),
        *("flip_rate", "controls", "invalid"),
    ),
    "accuracy": (
        *("accuracy", "accuracy_readable", "best", "pairs", "place_right", "brier", "ece"),
        *("ece_by_chance", "accuracy_gold_first", "accuracy_gold_second"),
        *(
            "alone",
            "tpr",
            "tnr",
            "balanced_accuracy",
            "rank_correlation",
            "weighted_kappa",
            "kappa",
        ),
        *("within_step", "shuffled", "shift", "pass_shift"),
        *("longer", "longer_by_gold"),
    ),
    COUPLING: ("gamma", "control/excess", "pci", "transfer/redirected", "transfer/regret"),
    "under an optimiser": ("loop",),
    "evidence honesty": ("invented_quotes", "evidence"),
}
OTHER: Final = "other observed figures"
KINDS_OF_TASK: Final = "accuracy by kind of task"
_REQUIREMENT: Final = re.compile(r"([^<>=\s]+)\s*(>=|<=)\s*([^<>=\s]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformService:
    """State of the model on one platform, in the words of `epc expiry`."""

    platform: str
    model: str
    status: str
    reason: str | None
    until: str | None
    pinned: bool
    words: str
    note: str
    source: str | None
    not_before: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardFigure:
    """A figure of a card: what it rests on, under which conditions, and whether it still holds.

    `of` is the snapshot or the file, `setting` what was asked how, `unit` what `n` counts.
    `month` is that of its verdicts, "by" it where only a bound is known, and `marks` are known
    faults that mark it.
    `note` is what it means for a user, such as from which confidence on a judge decides alone.
    `left_out` says why it counts for no requirement; empty if it does. `epc_5_2` is what the paper
    makes of a gamma, and whether the noise allows it. `plain` is a figure of the prompt with which
    judges are compared; `subset` is the kind of task that it is of, empty for all.
    """

    name: str
    value: float | None
    ci95: Range | None
    n: int
    unit: str
    items: int | None
    of: str
    source: str
    setting: str
    conditions: str
    state: str
    prompt: str = ""
    note: str = ""
    left_out: str = ""
    epc_5_2: str = ""
    plain: bool = False
    subset: str = ""
    month: str = ""
    marks: tuple[str, ...] = ()

    @property
    def basis(self) -> str:
        """The snapshot or setting that it was measured in, by the name that a reader knows."""
        return self.of if self.items is None else self.setting

    @property
    def section(self) -> str:
        """The heading that it stands under; empty where only programs are shown it."""
        if self.subset:
            return KINDS_OF_TASK
        return _section(self.name) or (OTHER if self.items is not None else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class CardSource:
    """A snapshot or verdict file that the card rests on; `word` is its audit's.

    `quality` is what is known of the work beside that word (Reading R91).
    """

    of: str
    kind: str
    trust: str
    n: int
    unit: str
    word: str | None
    failed: bool
    state: str
    source: str
    counts: bool
    quality: NotMeasured | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Something that is known to be wrong with one of them."""

    of: str
    id: str
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """Sentence that may not be said of a judge, and why: what it rests on is in snapshot `tag`."""

    says: str
    because: Literal["fault", "missing", "stale", "other_version"]
    tag: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCoupling:
    """Effect of training by a judge in the domain `source` on an agent's choices in `target`.

    Of all directions it is the one with the largest regret. `chance` is what is redirected where
    the tasks are dealt out to the domains by lot, so that nothing can cross. Of recorded verdicts
    `systems` wrote the answers, in so many `domains` of the source `recorded_in`; it is empty where
    the protocol was measured. `says` is all of it in one clause.
    """

    tag: str
    source: str
    target: str
    regret: Figure
    redirected: Figure
    chance: float
    word: Word
    month: str
    is_stale: bool = False
    systems: int = 0
    domains: int = 2
    recorded_in: str = ""
    says: str = ""

    @property
    def dated(self) -> str:
        """The month, and whether the figures are too old."""
        return dated(self.month, is_stale=self.is_stale)


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """All that is known of one model on a day; `drift` is what was recorded of its changes.

    `picked` is what picking an answer by it gains, by domain, with the month of its verdicts, and
    `optimised` what an optimiser gains under it, by what its runs start from.
    `aliases` are names that ever pointed to it: what was recorded under one need not be its own.
    `means` is the model that its name stands for on the day, where all of the figures are that
    model's. `limits` are what may not be said of it, the sharpest first, and `quotable` are its
    figures that may be stated: the headline is the first of them. `instead` is the judge to turn to
    if it has an end, and `agreeing` are those that are shown to agree, each in words.
    `coupling` is what crosses by its verdicts.
    `of_files` are sentences of what a user's own verdict files say first.
    """

    name: str
    maker: str | None
    as_of: str
    aliases: tuple[str, ...]
    served: tuple[PlatformService, ...]
    figures: tuple[CardFigure, ...]
    rests_on: tuple[CardSource, ...]
    drift: tuple[str, ...]
    faults: tuple[Fault, ...]
    quotable: QuotableFigures
    picked: Mapping[str, Picked] = field(default_factory=dict)
    picked_month: str = ""
    optimised: Mapping[str, RunsReport] = field(default_factory=dict)
    means: str | None = None
    limits: tuple[Limit, ...] = ()
    instead: ReplacementJudge | None = None
    agreeing: Mapping[str, str] = field(default_factory=dict)
    coupling: JudgeCoupling | None = None
    of_files: tuple[str, ...] = ()

    def counted(self, name: str) -> list[CardFigure]:
        """Return the figures of a name, or of its directions, that count as evidence."""
        figures = (f for f in self.figures if is_of(f.name, name))
        return [f for f in figures if not f.left_out and not f.subset]


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """A threshold that a figure is held to, such as `place_consistency>=0.8`."""

    figure: str
    sign: Literal[">=", "<="]
    threshold: float

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the requirement that a text states.

        Raises: UsageError if it states none.
        """
        match = _REQUIREMENT.fullmatch(text.strip())
        try:
            threshold = float(match[3]) if match else float("nan")
        except ValueError:
            threshold = float("nan")
        if match is None or not abs(threshold) < float("inf"):
            raise UsageError(
                f"{text!r} is no requirement\n"
                "  fix: write FIGURE>=VALUE or FIGURE<=VALUE, such as place_consistency>=0.8"
            )
        return cls(figure=match[1], sign=">=" if match[2] == ">=" else "<=", threshold=threshold)

    def __str__(self) -> str:
        return f"{self.figure}{self.sign}{self.threshold:g}"

    def answer(self, figure: CardFigure) -> Answer:
        """Return how one figure stands to the threshold, by its whole interval."""
        if figure.ci95 is None:
            return "unknown"
        low, high = figure.ci95[0], float("inf") if figure.ci95[1] is None else figure.ci95[1]
        if self.sign == "<=":
            low, high, threshold = -high, -low, -self.threshold
        else:
            threshold = self.threshold
        return "meets" if low >= threshold else "does not meet" if high < threshold else "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class RequirementAnswer:
    """How a card stands to one requirement, and the figures that say so."""

    requirement: str
    answer: Answer
    why: str
    figures: tuple[CardFigure, ...]


def answered(card: Card, requirement: Requirement) -> RequirementAnswer:
    """Return how a card stands to a requirement.

    It meets it if every figure of that name does, by its whole interval. It does not if one does
    not. Where an interval holds the threshold, or nothing is known, the answer is unknown.
    """
    figures = card.counted(requirement.figure)
    answers = [requirement.answer(figure) for figure in figures]
    count = len(figures)
    answer: Answer = "unknown"
    if not figures:
        why = _absent(card, requirement.figure)
    elif failing := answers.count("does not meet"):
        answer, why = "does not meet", f"{failing} of {count} intervals miss it whole"
    elif unsure := answers.count("unknown"):
        why = f"{unsure} of {count} figures have no interval, or one that holds the threshold"
    else:
        answer, why = "meets", f"{count} of {count} intervals meet it whole"
    return RequirementAnswer(
        requirement=str(requirement), answer=answer, why=why, figures=tuple(figures)
    )


def _absent(card: Card, name: str) -> str:
    if any(is_of(figure.name, name) for figure in card.figures):
        return "each figure of this name is left out"
    close = get_close_matches(name, sorted({figure.name for figure in card.figures}))
    return f"it is not in this registry{f'; did you mean {close[0]}?' if close else ''}"


@cache
def _section(name: str) -> str:
    titles = (title for title, names in SECTIONS.items() if is_any(name, names))
    return next(titles, "")


def card_json(card: Card, sentence: str, answers: Iterable[RequirementAnswer] = ()) -> Json:
    """Return a card as plain JSON, with its sentence and the answers to requirements."""
    requirements = [as_json(answer) for answer in answers]
    return {
        "sentence": sentence,
        **as_json(card),
        **({"requirements": requirements} if requirements else {}),
    }
