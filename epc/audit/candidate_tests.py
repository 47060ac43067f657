"""The tests that were candidates for the audit's p-value, beside the one that was adopted.

They stand here so that anyone can hold them against it again: `epc study`. None of them decides
anything in a measurement.
"""

from collections.abc import Iterator
from math import erfc, exp, pi, sqrt
from typing import TYPE_CHECKING, Final

from epc.audit.permutation import by_seeds, by_tasks, residuals, splits
from epc.protocol.table import VerdictTable
from epc.protocol.weights import UpdateRule
from epc.spec.epc_v1 import DIRECTIONS, DOMAINS, REFERENCE, Direction, PhaseName
from epc.statistics.inference import t_two_sided

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy import float64
    from numpy.typing import NDArray

    Array = NDArray[float64]

ADOPTED: Final = "table"
_ROUNDING: Final = 1e-9
_NOTHING: Final = 1e-18
_WON, _LOST = 0, 1  # columns of a verdict table


def from_table(table: VerdictTable, rule: UpdateRule) -> dict[str, float]:
    """Return the p-value of every test that looks at the verdict table.

    `table` is the adopted one, by_tasks. The next three are the same permutation of tasks with
    another statistic: a strategy's sum divided by its rounds, by its own spread over tasks, and the
    largest of the latter. The last is the likelihood ratio of a strategy's pooled wins and losses,
    which takes all verdicts for independent.
    """
    return {
        ADOPTED: by_tasks(table, rule).p_value,
        **dict(_permuted(table, rule)),
        "table: likelihood ratio": likelihood_ratio(table),
    }


def _permuted(table: VerdictTable, rule: UpdateRule) -> Iterator[tuple[str, float]]:
    import numpy as np

    left = residuals(table, rule)
    text = table.tasks()[DOMAINS[0]]
    rows, listed = splits(text, table.tasks()[DOMAINS[1]])
    squares = (left @ rows.T) ** 2
    observed = left[:, :text].sum(axis=1) ** 2
    rounds = sum(table.counts[domain].sum(axis=(1, 2)) for domain in DOMAINS)
    spread = (left**2).sum(axis=1)
    scales = {
        "by rounds": 1 / np.maximum(rounds, 1),
        "standardised": np.divide(1, spread, out=np.zeros_like(spread), where=spread > _NOTHING),
    }
    sums = {name: (scale @ squares, float(scale @ observed)) for name, scale in scales.items()}
    scale = scales["standardised"][:, None]
    sums["largest"] = (squares * scale).max(axis=0), float((observed[:, None] * scale).max())
    for name, (all_of, one) in sums.items():
        extreme = int((all_of >= one * (1 - _ROUNDING) - _NOTHING).sum())
        yield f"table: {name}", extreme / len(rows) if listed else (1 + extreme) / (1 + len(rows))


def likelihood_ratio(table: VerdictTable) -> float:
    """Return the p-value of a common share of wins, strategy by strategy, against two.

    Twice the gain in log-likelihood is held against chi-squared with a degree of freedom for every
    strategy that was judged in both domains.
    """
    import numpy as np

    won, lost = (
        np.stack([table.counts[domain].sum(axis=1)[:, at] for domain in DOMAINS]).astype(float)
        for at in (_WON, _LOST)
    )
    gain = _log_likelihood(won, lost).sum() - _log_likelihood(won.sum(0), lost.sum(0)).sum()
    return chi_squared_tail(2 * float(gain), int(((won + lost) > 0).all(axis=0).sum()))


def _log_likelihood(won: "Array", lost: "Array") -> "Array":
    """Return the log-likelihood at the observed shares, with 0 ln 0 = 0."""
    import numpy as np

    judged = won + lost
    total = np.zeros_like(judged)
    for count in (won, lost):
        share = np.divide(count, judged, out=np.ones_like(count), where=count > 0)
        total += count * np.log(share)
    return total


def chi_squared_tail(value: float, freedom: int) -> float:
    """Return the probability that chi-squared is above a value.

    A finite sum for whole degrees of freedom; SciPy's takes longer to load than to compute.

    Source: M. Abramowitz, I. Stegun, Handbook of Mathematical Functions, 26.4.4 and 26.4.5.
    """
    if freedom < 1 or value <= 0:
        return 1.0
    odd = freedom % 2
    term = exp(-value / 2) * (sqrt(2 * value / pi) if odd else 1.0)
    total = erfc(sqrt(value / 2)) if odd else 0.0
    for above in range(2 + odd, freedom + 1, 2):
        total += term
        term *= value / above
    return total


def from_weights(
    vectors: "Mapping[PhaseName, Array]",
    *,
    paired: "Mapping[Direction, Array]",
    expected: "Mapping[str, float]",
) -> dict[str, float]:
    """Return the p-value of every test that looks at weights or figures.

    `paired` is gamma minus that of a control phase on the very draws of the coupled one; `expected`
    the mean control of gamma and JSD. It is the true one, which no measurement knows: what these
    tests could do at best. Both directions count, by Bonferroni.

    Shapes: vectors (K, n); paired (n,).
    """
    from epc.simulation.training import divergences, gammas

    found = {"weights": by_seeds(vectors["text"].T, vectors["visual"].T).p_value}
    for name, figure in (("gamma", gammas), ("jsd", divergences)):
        found[f"{name}: excess"] = _either(
            student_p(
                figure(vectors[direction], vectors[REFERENCE[direction]])
                - expected[f"control_{name}_{direction}"]
            )
            for direction in DIRECTIONS
        )
    found["gamma: paired draws"] = _either(student_p(paired[d]) for d in DIRECTIONS)
    return found


def _either(p_values: Iterator[float]) -> float:
    return min(1.0, len(DIRECTIONS) * min(p_values))


def student_p(values: "Array") -> float:
    """Return the two-sided p-value of a mean of 0 by Student's t.

    Shapes: (n,).
    """
    n = len(values)
    spread = float(values.std(ddof=1))
    if not spread:
        return 1.0 if not values.any() else 0.0
    t = abs(float(values.mean())) / (spread / sqrt(n))
    return t_two_sided(t, n - 1)
