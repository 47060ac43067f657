"""Agreement of judges on items that both were asked about, and what a registry records of it.

Nothing here computes one: a look-up needs these, and no verdicts.
"""

from collections import Counter
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, Self

from epc.statistics.figures import TOO_FEW, ClusteredFigure
from epc.statistics.inference import ALPHA, t_point

# Of agreement above chance that must be shown, and of right answers that may be lost at most. Ours
# (Reading R96), not the paper's.
SUCCESSOR_MARGIN: Final = 0.1
BETTER: Final = "better"  # the share right, a tie counted as wrong


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Agreement of one judge with another, on all tasks or on one kind of them.

    `alike` is the share of equal verdicts, `chance` what two judges would have that give their
    verdicts by place, or their scores, as often as these do but each by itself. `shifts` are the
    other's figures minus the judge's own.
    `shared_answers` counts the orders left out because both have the same long answer, which is one
    answer copied (Reading R76).
    """

    judge: str
    model: str
    sources: tuple[str, ...]
    prompt: str
    same_decoding: bool
    subset: str | None
    items: int
    shared_answers: int
    alike: ClusteredFigure
    chance: float
    shifts: Mapping[str, ClusteredFigure]

    @property
    def summary(self) -> str:
        """How often the two give the same verdict, and how often chance would."""
        alike = self.alike.text(".1c", TOO_FEW)
        return f"same verdict on {alike} of 100, chance {100 * self.chance:.1f}"

    def unfit(self, choices: int) -> str:
        """Return why it shows no successor, as the best of `choices` judges; empty if it does.

        Source: Reading R96.
        """
        margin = f"{100 * SUCCESSOR_MARGIN:.0f} points"
        low = _corrected(self.alike, choices)
        if low is None:
            return "the common items are too few for an interval"
        if low <= self.chance + SUCCESSOR_MARGIN:
            return f"this is not shown to exceed chance by {margin}, as the best of {choices:,}"
        better = self.shifts.get(BETTER)
        right = _corrected(better, choices) if better else 0.0
        if right is None or right < -SUCCESSOR_MARGIN:
            moved = better.text("+.1c") if better else ""
            return f"its share of right answers may be lower by more than {margin} ({moved})"
        return ""

    @property
    def floor(self) -> float:
        """The lower end of agreement, by which judges are ranked."""
        return self.alike.ci95[0] if self.alike.ci95 else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class UncomparedJudge:
    """A judge with common items that was perhaps asked with another prompt: nobody can say."""

    model: str
    items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAgreements:
    """How far others agree with a judge; `recorded` counts the items of its own verdicts."""

    recorded: int
    agreements: tuple[Agreement, ...]
    unlike: tuple[UncomparedJudge, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementRecord:
    """Agreement with a judge as a registry records it: that of others that can be shown.

    `ways` counts in how many ways each other judge was compared, among which the best is chosen;
    `agreements` are those that would be shown of a single one, best first.
    """

    ways: Mapping[str, int] = field(default_factory=dict)
    agreements: tuple[Agreement, ...] = ()

    @classmethod
    def from_agreements(cls, judge: JudgeAgreements) -> Self:
        """Return the record of the agreements with a judge."""
        unsplit = [agreement for agreement in judge.agreements if agreement.subset is None]
        return cls(
            ways=dict(Counter(agreement.model for agreement in unsplit)),
            agreements=tuple(agreement for agreement in unsplit if not agreement.unfit(1)),
        )

    def best(self, models: Container[str]) -> tuple[Agreement, ...]:
        """Return the best agreement that is shown of each of some models, the best first.

        Source: Reading R96.
        """
        choices = sum(count for model, count in self.ways.items() if model in models)
        fit = (a for a in self.agreements if a.model in models and not a.unfit(choices))
        by_model: dict[str, Agreement] = {}
        for agreement in fit:
            by_model.setdefault(agreement.model, agreement)
        return tuple(by_model.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplacementJudge:
    """Judge to turn to first in place of another, and why.

    A platform has `named` it, it is the best `agreeing` one, or it is `chosen` for what was
    measured of it at the same platform.
    """

    name: str
    how: Literal["named", "agreeing", "chosen"]
    why: str

    @property
    def text(self) -> str:
        """The judge, with why it is that one."""
        return f"{self.name}, {self.why}"

    def in_place_of(self, name: str) -> str:
        """Say in place of whom one turns to it."""
        return f"instead of {name}: {self.text}"


def _corrected(figure: ClusteredFigure, choices: int) -> float | None:
    """Return the lower end of a figure's interval, corrected for a choice among so many."""
    if figure.ci95 is None:
        return None
    freedom = max(1, figure.items - 1)
    wider = t_point(freedom, ALPHA / choices) / t_point(freedom)
    return figure.value - wider * (figure.value - figure.ci95[0])
