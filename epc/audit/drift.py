"""Does an evaluator still answer as it did? Two verdict tables, pair by pair (Reading R44).

gamma sees a changed evaluator only through thirty random rounds; the table sees each verdict. Two
questions are asked of every two tables: do more pairs differ than the evaluator's own
non-determinism explains, and do those that differ lean one way? Their p-values are combined by
Bonferroni's inequality. `same` is never the absence of a finding: it takes an upper bound below a
margin (Reading R45).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Final, Literal

from epc.arrays import Array, Counts, Generator, np
from epc.protocol.table import VERDICTS
from epc.protocol.verdict import Verdict
from epc.spec.epc_v1 import SCREENING_SEEDS
from epc.statistics.inference import (
    ALPHA,
    binomial_tail,
    fisher_tail,
    sign_test,
    t_point,
    upper_bound,
)
from epc.statistics.intervals import share_interval

State = Literal["same", "drifted", "cannot_tell"]
Kind = Literal["reused", "fresh", "mixed"]

MARGIN: Final = 0.1  # Reading R45: a tenth of the verdicts, or of a verdict's probability
ASSUMED_FLIPS: Final = 0.05  # Reading R44: what temperature 0 may flip where nobody rechecked
SHUFFLES: Final = 1999
_GROUPS: Final = 200  # seeds are put together past this many: the shuffles stay exact
_BATCH: Final = 100
_ROUNDING: Final = 1e-9  # shuffles that differ by less went equally far
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
    """Result of comparing two tables.

    `estimate` is the share of pairs whose verdict changed ("reused"), the root mean square change
    of a verdict's probability ("fresh"), or the share of fresh answers unlike the one on record
    ("mixed"); `upper` is its one-sided 95% bound, None where none can be given. `p_values` has
    `changed` and `direction`; `p_value` is both together.
    """

    kind: Kind
    verdict: State
    pairs: int
    estimate: float | None
    upper: float | None
    margin: float
    p_values: dict[str, float]
    p_value: float
    ci95: tuple[float, float] | None = None
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
    drift = _drift(
        "reused", p_values, pairs=n, estimate=changed / n if n else None, upper=upper, margin=margin
    )
    ci95 = share_interval(changed, n)
    return replace(drift, ci95=ci95, changed=changed, towards_a=up, towards_b=down)


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
    agreed = float(agreement[rows, alone].sum())
    leaning = abs(float(scores[alone].sum()) - expected)
    edges = np.cumsum(pooled, axis=1)[:, :2] / (answers + 1)[:, None]
    drawn = (rng.random((SHUFFLES, n))[:, :, None] >= edges).sum(axis=2)
    less = agreement[rows, drawn].sum(axis=1)
    further = np.abs(scores[drawn].sum(axis=1) - expected)
    p_values = {
        "changed": p_of(int((less <= agreed + _ROUNDING).sum())),
        "direction": p_of(int((further >= leaning - _ROUNDING).sum())),
    }
    return _drift("mixed", p_values, pairs=n, estimate=1 - agreed / n, margin=margin)


def nothing(kind: Kind, margin: float) -> TableDrift:
    """Return what can be said where two tables have no pair in common."""
    return _drift(kind, {"changed": 1.0, "direction": 1.0}, pairs=0, margin=margin)


def _drift(
    kind: Kind,
    p_values: dict[str, float],
    *,
    pairs: int,
    margin: float,
    estimate: float | None = None,
    upper: float | None = None,
) -> TableDrift:
    return TableDrift(
        kind=kind,
        verdict=decide(p_values, upper, margin),
        pairs=pairs,
        estimate=estimate,
        upper=upper,
        margin=margin,
        p_values=p_values,
        p_value=together(p_values),
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


def compare_fresh(
    left: Counts, right: Counts, *, paired: bool, rng: Generator, margin: float = MARGIN
) -> TableDrift:
    """Compare the counts of runs that asked every round afresh, seed by seed.

    Whole seeds are shuffled between the runs, or swapped within their pair if both runs made the
    same draws. If the evaluator is the same, every such shuffle is as likely as what was seen,
    although the wheel went where earlier verdicts sent it: the p-values are exact, which
    shuffling single verdicts within a pair would not be.

    Shapes: (seeds, pairs, 3), the verdicts in the order of `VERDICTS`; if `paired`, the same seeds
    in the same order.
    Source: Reading R44.
    """
    # In an order of their own, so that the same shuffles are made whichever run is named first.
    left, right = sorted((left, right), key=lambda counts: (len(counts), counts.tobytes()))
    a, b = _grouped(left), _grouped(right)
    p_values = _shuffled(a, b, paired=paired, rng=rng)
    excess, bound = _excess(a, b, paired=paired)
    enough = min(len(left), len(right)) >= SCREENING_SEEDS
    upper = sqrt(max(0.0, bound)) if bound is not None and enough else None
    shared = (a.sum(axis=(0, 2)) > 0) & (b.sum(axis=(0, 2)) > 0)
    estimate = None if excess is None else sqrt(max(0.0, excess))
    return _drift(
        "fresh", p_values, pairs=int(shared.sum()), estimate=estimate, upper=upper, margin=margin
    )


def _grouped(counts: Counts) -> Array:
    """Return at most `_GROUPS` blocks of seeds, their counts added up."""
    size = -(-len(counts) // _GROUPS) or 1
    starts = np.arange(0, len(counts), size)
    return np.add.reduceat(counts, starts, axis=0).astype(np.float64)


def _shuffled(a: Array, b: Array, *, paired: bool, rng: Generator) -> dict[str, float]:
    pairs = a.shape[1]
    stacked = np.concatenate([a, b]).reshape(len(a) + len(b), -1)
    total = stacked.sum(axis=0).reshape(pairs, 3)
    is_first = np.arange(len(stacked)) < len(a)

    def statistics(chosen: Array) -> tuple[Array, Array]:
        """How far the chosen seeds' verdicts are from the others', and how far they lean."""
        left = (chosen @ stacked).reshape(-1, pairs, 3)
        right = total - left
        n, m = left.sum(axis=2), right.sum(axis=2)
        gap = left / np.maximum(n, 1)[:, :, None] - right / np.maximum(m, 1)[:, :, None]
        weight = n * m / np.maximum(n + m, 1)
        # A minus B, weighted as Mantel and Haenszel weigh strata.
        lean = (weight * (gap[:, :, 0] - gap[:, :, 1])).sum(axis=1)
        return (weight * (gap**2).sum(axis=2)).sum(axis=1), np.abs(lean)

    seen_gap, seen_lean = statistics(is_first[None, :].astype(np.float64))
    as_far = np.zeros(2, np.int64)
    for begin in range(0, SHUFFLES, _BATCH):
        size = min(_BATCH, SHUFFLES - begin)
        if paired:
            swap = rng.random((size, len(a))) < 0.5  # noqa: PLR2004  (even odds)
            chosen = np.concatenate([~swap, swap], axis=1)
        else:
            chosen = rng.permuted(np.tile(is_first, (size, 1)), axis=1)
        gap, lean = statistics(chosen.astype(np.float64))
        as_far += [(gap >= seen_gap - _ROUNDING).sum(), (lean >= seen_lean - _ROUNDING).sum()]
    return {"changed": p_of(int(as_far[0])), "direction": p_of(int(as_far[1]))}


def _excess(a: Array, b: Array, *, paired: bool) -> tuple[float | None, float | None]:
    """Return by how much more two answers differ between the runs than within, and its bound.

    Half the squared distance of the two distributions, without bias, averaged over pairs. Its
    standard error is the jackknife's over seeds.
    """
    left, right = a.sum(axis=0), b.sum(axis=0)

    def excess(left: Array, right: Array) -> Array:
        n, m = left.sum(axis=-1), right.sum(axis=-1)
        usable = (n > 1) & (m > 1)
        self_agreement = _self_agreement(left, n) + _self_agreement(right, m)
        between = (left * right).sum(axis=-1) / np.maximum(n * m, 1)
        weight = np.where(usable, n * m / np.maximum(n + m, 1), 0.0)
        values: Array = (weight * (self_agreement / 2 - between)).sum(axis=-1) / weight.sum(axis=-1)
        return values

    twice = (left.sum(axis=1) > 1) & (right.sum(axis=1) > 1)
    if not twice.any():
        return None, None
    left, right, a, b = left[twice], right[twice], a[:, twice], b[:, twice]
    estimate = float(excess(left, right))
    if min(len(a), len(b)) < SCREENING_SEEDS:
        return estimate, None
    if paired:
        jackknife = [excess(left - a, right - b)]
    else:
        jackknife = [excess(left - a, right[None]), excess(left[None], right - b)]
    variance = sum(float(((w - w.mean()) ** 2).sum()) * (len(w) - 1) / len(w) for w in jackknife)
    freedom = min(len(a), len(b)) - 1
    return estimate, estimate + t_point(freedom, 2 * ALPHA) * sqrt(variance)


def _self_agreement(counts: Array, n: Array) -> Array:
    """Return how often two answers of one run agree."""
    agree: Array = (counts * (counts - 1)).sum(axis=-1) / np.maximum(n * (n - 1), 1)
    return agree
