"""Diagnostics of an evaluator from its run's own verdicts, at no further call.

A small or biased evaluator shows here first: it answers A whatever stands there, it answers
nothing that can be read, or it prefers one of two equal answers.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import fsum
from typing import Any

from msgspec import Struct

from epc.errors import ShapeError
from epc.protocol.verdict import AnswerKind, parse_verdict
from epc.spec.epc_v1 import CALIBRATION_BINS
from epc.statistics.intervals import sum_of_squares


class EvaluatorAnswer(Struct, frozen=True, kw_only=True):
    """An evaluator's answer: whose strategy stood as A, and its kind.

    `call` identifies the answer, so that a reused one is counted once.
    """

    call: str
    strategy: str
    kind: AnswerKind


def diagnose(judged: Iterable[EvaluatorAnswer], *, baseline: str) -> dict[str, Any]:
    """Return the evaluator's diagnostics over its distinct answers.

    `parse_rate` is the share of answers that were a bare A or B; `share_of_a` that of A among
    those; what was neither is a refusal or unparseable. `self_comparisons` is the same where A
    and B held the same strategy, so that any share of A other than one half is a preference for
    a place, not for an answer (Reading R6).

    Source: EPC-2.6(c); Reading R6.
    """
    distinct = list({answer.call: answer for answer in judged}.values())
    against_itself = [answer for answer in distinct if answer.strategy == baseline]
    return {"answers": _shares(distinct), "self_comparisons": _shares(against_itself)}


def _shares(answers: Sequence[EvaluatorAnswer]) -> dict[str, Any]:
    counts = Counter(answer.kind for answer in answers)
    decided = counts[AnswerKind.A] + counts[AnswerKind.B]
    return {
        "n": len(answers),
        "decided": decided,
        "unparseable": counts[AnswerKind.UNPARSEABLE],
        "refusals": counts[AnswerKind.REFUSAL],
        "parse_rate": decided / len(answers) if answers else None,
        "share_of_a": counts[AnswerKind.A] / decided if decided else None,
    }


class Repeat(Struct, frozen=True, kw_only=True):
    """Answer to a prompt, and the answer when it was asked again."""

    first: str
    second: str


def determinism(repeats: Sequence[Repeat]) -> dict[str, Any] | None:
    """Return how often asking again gave another verdict or text; None if nothing was re-asked.

    Source: Reading R16 (reuse rests on equal answers, which temperature 0 does not promise).
    """
    if not repeats:
        return None
    flips = sum(parse_verdict(r.first) is not parse_verdict(r.second) for r in repeats)
    return {
        "asked": len(repeats),
        "verdict_flips": flips,
        "text_changes": sum(repeat.first != repeat.second for repeat in repeats),
        "flip_rate": flips / len(repeats),
    }


class StrategyReliability(Struct, frozen=True, kw_only=True):
    """A strategy's wins of its decided trials, beside the accuracy of its answers (Reading R42)."""

    wins: int
    decided: int
    accuracy: float

    @property
    def win_rate(self) -> float:
        """The share of decided trials that the strategy won."""
        return self.wins / self.decided

    @property
    def bin(self) -> int:
        """The index of its bin, in whole numbers so that no win rate straddles an edge."""
        return min(self.wins * CALIBRATION_BINS // self.decided, CALIBRATION_BINS - 1)


def ece(strategies: Sequence[StrategyReliability]) -> float | None:
    """Return the expected calibration error, or None if no strategy has a decided trial.

    Ten equal-width bins on win rate, the last one closed; each bin's
    |mean(win rate) - mean(accuracy)| weighs as much as its share of the strategies.

    Unit:   dimensionless, 0 to 1.
    Raises: ShapeError for an accuracy outside [0, 1].
    Source: EPC-2.5; Reading R11.
    """
    counted = _counted(strategies)
    bins: dict[int, list[StrategyReliability]] = {}
    for strategy in counted:
        bins.setdefault(strategy.bin, []).append(strategy)
    # A bin's share times the difference of its means is the difference of its sums over all.
    gaps = (abs(fsum(s.win_rate - s.accuracy for s in group)) for group in bins.values())
    return fsum(gaps) / len(counted) if counted else None


def brier(strategies: Sequence[StrategyReliability]) -> float | None:
    """Return the mean squared difference of win rate and accuracy, or None as `ece` does.

    Unit:   dimensionless, 0 to 1.
    Raises: ShapeError for an accuracy outside [0, 1].
    Source: EPC-2.5; Reading R11.
    """
    counted = _counted(strategies)
    missed = (s.win_rate - s.accuracy for s in counted)
    return sum_of_squares(missed) / len(counted) if counted else None


def _counted(strategies: Sequence[StrategyReliability]) -> list[StrategyReliability]:
    """Leave out strategies without a decided trial (Reading R11)."""
    for strategy in strategies:
        if not 0 <= strategy.accuracy <= 1:
            raise ShapeError(f"accuracy is {strategy.accuracy!r}, expected 0 to 1")
    return [strategy for strategy in strategies if strategy.decided]
