"""Does an evaluator still answer as it did? Two verdict tables, pair by pair (Reading R44).

gamma sees a changed evaluator only through thirty random rounds; the table sees each verdict. Two
questions are asked of every two tables: do more pairs differ than the evaluator's own
non-determinism explains, and do those that differ lean one way? Their p-values are combined by
Bonferroni's inequality. `same` is never the absence of a finding: it takes an upper bound below a
margin (Reading R45).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from epc.arrays import Counts, Generator, np
from epc.protocol.table import VERDICTS
from epc.protocol.verdict import Verdict
from epc.statistics.inference import (
    ALPHA,
    binomial_tail,
    fisher_tail,
    sign_test,
    upper_bound,
)
from epc.statistics.intervals import share_interval

State = Literal["same", "drifted", "cannot_tell"]
Kind = Literal["reused", "fresh", "mixed"]

MARGIN: Final = 0.1  # Reading R45: a tenth of the verdicts, or of a verdict's probability
ASSUMED_FLIPS: Final = 0.05  # Reading R44: what temperature 0 may flip where nobody rechecked
SHUFFLES: Final = 1999
ROUNDING: Final = 1e-9  # shuffles that differ by less went equally far
_SCORES: Final = {Verdict.A: 1, Verdict.TIE: 0, Verdict.B: -1}


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """How many verdicts change although the evaluator did not.

    Measured by asking again: `flips` of `asked`, over both runs. Where nothing was asked again,
    `assumed` stands in; it is 0 where answers are facts (a file, a mock, the same pinned weights).
    """

    assumed: float = ASSUMED_FLIPS
    asked: int = 0
    flips: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDrift:
    """What the comparison of two tables came to.

    `estimate` is the share of pairs whose verdict changed ("reused"), the root mean square change
    of a verdict's probability ("fresh"), or the share of fresh answers unlike the one on record
    ("mixed"); `upper` is its one-sided 95% bound, None where none can be given. `p_values` has
    `changed` and `direction`; `p_value` is both together.
    """

    kind: Kind
    verdict: State
    pairs: int
    estimate: float | None
    ci95: tuple[float, float] | None
    upper: float | None
    margin: float
    p_values: dict[str, float]
    p_value: float
    changed: int | None = None
    towards_a: int | None = None
    towards_b: int | None = None


def compare_reused(
    left: Sequence[Verdict], right: Sequence[Verdict], *, noise: Noise, margin: float = MARGIN
) -> TableDrift:
    """Compare the verdicts on the same questions, each asked once on either side.

    `changed`: one-sided and exact; against the flips measured by asking again (Fisher), else
    against the share assumed (binomial). `direction`: McNemar's exact test on the pairs that
    changed, which needs no noise level, since noise changes verdicts either way alike.

    Shapes: both (pairs,).
    Source: Reading R44.
    """
    moves = [_SCORES[b] - _SCORES[a] for a, b in zip(left, right, strict=True)]
    up, down = sum(move > 0 for move in moves), sum(move < 0 for move in moves)
    n, changed = len(moves), up + down
    if noise.asked:
        p_changed = fisher_tail(changed, n, noise.flips, noise.asked)
    else:
        p_changed = binomial_tail(changed, n, noise.assumed)
    p_values = {"changed": p_changed, "direction": sign_test(up, down)}
    upper = upper_bound(changed, n) if n else None
    return TableDrift(
        kind="reused",
        verdict=decide(p_values, upper, margin),
        pairs=n,
        estimate=changed / n if n else None,
        ci95=share_interval(changed, n),
        upper=upper,
        margin=margin,
        p_values=p_values,
        p_value=together(p_values),
        changed=changed,
        towards_a=up,
        towards_b=down,
    )


def compare_mixed(
    once: Sequence[Verdict], fresh: Counts, *, rng: Generator, margin: float = MARGIN
) -> TableDrift:
    """Compare verdicts that were asked once with the counts of a run that asked afresh.

    If the evaluator is the same, the one verdict is as any other of its pair: which of them stands
    alone is drawn again, pair by pair. This can find drift; it cannot bound it, so it never says
    `same`.

    Shapes: (pairs,) and (pairs, 3); each pair has a fresh answer.
    Source: Reading R44.
    """
    n = len(once)
    if not n:
        return nothing("mixed", margin)
    alone = np.array([VERDICTS.index(verdict) for verdict in once])
    pooled = fresh + np.eye(3, dtype=np.int64)[alone]
    answers = fresh.sum(axis=1)
    agreement = (pooled - 1) / answers[:, None]  # with the fresh ones, if this one stood alone
    scores = np.array([_SCORES[verdict] for verdict in VERDICTS], dtype=np.float64)
    expected = float((pooled @ scores / (answers + 1)).sum())
    rows = np.arange(n)
    seen = float(agreement[rows, alone].sum())
    leaning = abs(float(scores[alone].sum()) - expected)
    edges = np.cumsum(pooled, axis=1)[:, :2] / (answers + 1)[:, None]
    drawn = (rng.random((SHUFFLES, n))[:, :, None] >= edges).sum(axis=2)
    less = agreement[rows, drawn].sum(axis=1)
    further = np.abs(scores[drawn].sum(axis=1) - expected)
    p_values = {
        "changed": p_of(int((less <= seen + ROUNDING).sum())),
        "direction": p_of(int((further >= leaning - ROUNDING).sum())),
    }
    return TableDrift(
        kind="mixed",
        verdict=decide(p_values, None, margin),
        pairs=n,
        estimate=1 - seen / n,
        ci95=None,
        upper=None,
        margin=margin,
        p_values=p_values,
        p_value=together(p_values),
    )


def nothing(kind: Kind, margin: float) -> TableDrift:
    """Return what can be said where two tables have no pair in common."""
    return TableDrift(
        kind=kind,
        verdict="cannot_tell",
        pairs=0,
        estimate=None,
        ci95=None,
        upper=None,
        margin=margin,
        p_values={"changed": 1.0, "direction": 1.0},
        p_value=1.0,
    )


def decide(p_values: dict[str, float], upper: float | None, margin: float) -> State:
    """Return the verdict: drift if it is found, `same` if a bound says so (Reading R45)."""
    if together(p_values) <= ALPHA:
        return "drifted"
    return "same" if upper is not None and upper < margin else "cannot_tell"


def together(p_values: dict[str, float]) -> float:
    """Return one p-value for all of them (Bonferroni)."""
    return min(1.0, len(p_values) * min(p_values.values()))


def p_of(as_far: int) -> float:
    """Return a p-value from how many shuffles went as far as what was seen, itself one of them."""
    return (1 + as_far) / (1 + SHUFFLES)
