"""Two runs that asked every round afresh: their tables, seed by seed (Readings R44 and R45)."""

from math import sqrt
from typing import Final

from epc.arrays import Array, Counts, Generator, np
from epc.audit.drift import MARGIN, ROUNDING, SHUFFLES, TableDrift, decide, p_of, together
from epc.spec.epc_v1 import SCREENING_SEEDS
from epc.statistics.inference import ALPHA, t_point

_GROUPS: Final = 200  # seeds are put together past this many: the shuffles stay exact
_BATCH: Final = 100


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
    both = (a.sum(axis=(0, 2)) > 0) & (b.sum(axis=(0, 2)) > 0)
    return TableDrift(
        kind="fresh",
        verdict=decide(p_values, upper, margin),
        pairs=int(both.sum()),
        estimate=None if excess is None else sqrt(max(0.0, excess)),
        ci95=None,
        upper=upper,
        margin=margin,
        p_values=p_values,
        p_value=together(p_values),
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
        as_far += [(gap >= seen_gap - ROUNDING).sum(), (lean >= seen_lean - ROUNDING).sum()]
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
        within = _within(left, n) + _within(right, m)
        between = (left * right).sum(axis=-1) / np.maximum(n * m, 1)
        weight = np.where(usable, n * m / np.maximum(n + m, 1), 0.0)
        values: Array = (weight * (within / 2 - between)).sum(axis=-1) / weight.sum(axis=-1)
        return values

    twice = (left.sum(axis=1) > 1) & (right.sum(axis=1) > 1)
    if not twice.any():
        return None, None
    left, right, a, b = left[twice], right[twice], a[:, twice], b[:, twice]
    seen = float(excess(left, right))
    if min(len(a), len(b)) < SCREENING_SEEDS:
        return seen, None
    if paired:
        without = [excess(left - a, right - b)]
    else:
        without = [excess(left - a, right[None]), excess(left[None], right - b)]
    variance = sum(float(((w - w.mean()) ** 2).sum()) * (len(w) - 1) / len(w) for w in without)
    freedom = min(len(a), len(b)) - 1
    return seen, seen + t_point(freedom, 2 * ALPHA) * sqrt(variance)


def _within(counts: Array, n: Array) -> Array:
    """Return how often two answers of one run agree."""
    agree: Array = (counts * (counts - 1)).sum(axis=-1) / np.maximum(n * (n - 1), 1)
    return agree
