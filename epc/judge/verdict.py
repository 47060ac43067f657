"""From four scores to a verdict (JUDGE-3)."""

from collections.abc import Mapping

from epc.spec.judge_v1 import (
    DECISIVE,
    FAIL_TO,
    PARTIAL_FROM,
    PASS_FROM,
    Verdict,
)

Scores = Mapping[str, int]


def overall_of(scores: Scores) -> int:
    """Return the sum of the four scores, 0 to 8 (JUDGE-3.2)."""
    return sum(scores.values())


def verdict_of(scores: Scores) -> Verdict:
    """Return the verdict that we archive.

    Source: JUDGE-3.3. Reading R20: as printed, a vector can be PARTIAL and FAIL at once; the
    sum decides.
    """
    overall = overall_of(scores)
    if overall <= FAIL_TO:
        return "FAIL"
    return "PASS" if overall >= PASS_FROM else "PARTIAL"


def admitted(scores: Scores) -> tuple[Verdict, ...]:
    """Return every verdict that the printed thresholds admit; a judge may give any of them.

    Source: JUDGE-3.3; Reading R20.
    """
    overall = overall_of(scores)
    holds: dict[Verdict, bool] = {
        "PASS": overall >= PASS_FROM and all(scores[name] != 0 for name in DECISIVE),
        "PARTIAL": PARTIAL_FROM <= overall < PASS_FROM or 0 in scores.values(),
        "FAIL": overall <= FAIL_TO,
    }
    return tuple(verdict for verdict, held in holds.items() if held)
