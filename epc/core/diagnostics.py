"""What a run's own verdicts say about its evaluator, at no further call.

A small or biased evaluator shows here first: it answers A whatever stands there, it answers
nothing that can be read, or it prefers one of two equal answers.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from epc.core.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One evaluator answer: whose strategy stood as A, and what was said.

    `call` identifies the answer, so that a reused one is counted once.
    """

    call: str
    strategy: str
    verdict: Verdict


def diagnose(judged: Iterable[Judged], *, baseline: str) -> dict[str, Any]:
    """Return the evaluator's diagnostics over its distinct answers.

    `parse_rate` is the share of answers that were a bare A or B; `share_of_a` that of A among
    those; `self_comparisons` the same where A and B held the same strategy, so that any share of
    A other than one half is a preference for a place, not for an answer (Reading R6).

    Source: EPC-2.6(c); Reading R6.
    """
    distinct = list({answer.call: answer for answer in judged}.values())
    against_itself = [answer for answer in distinct if answer.strategy == baseline]
    return {"answers": _shares(distinct), "self_comparisons": _shares(against_itself)}


def _shares(answers: Sequence[Judged]) -> dict[str, Any]:
    decided = [answer for answer in answers if answer.verdict.decided]
    said_a = sum(answer.verdict is Verdict.A for answer in decided)
    return {
        "n": len(answers),
        "decided": len(decided),
        "parse_rate": len(decided) / len(answers) if answers else None,
        "share_of_a": said_a / len(decided) if decided else None,
    }
