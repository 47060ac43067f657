"""Comparison of every two means of the same observations, so that hardly any finding is false."""

from typing import Final

from epc.arrays import Array, Codes, Flags, Generator, np
from epc.statistics.inference import ALPHA

EQUAL: Final = 1e-9  # a spread so small is that of equal rows
_DRAWS: Final = 400_000  # the third digit of the point is then hardly by chance
_BLOCK: Final = 2_000  # draws at a time
_DIGITS: Final = 3  # of the point


def mean_of_strata(values: Array, strata: Codes) -> tuple[Array, Array]:
    """Return the means of rows, each stratum of equal weight, and how far observations move them.

    The products of the second's rows are the covariance of the means: that of each stratum's mean,
    summed and divided by the square of their number.

    Shapes: (rows, observations), (observations,); (rows,) and (rows, observations) out.
    """
    names = np.unique(strata)
    means, off = np.zeros(len(values)), np.empty_like(values)
    for name in names:
        in_stratum = strata == name
        n = int(in_stratum.sum())
        middle = values[:, in_stratum].mean(axis=1)
        means += middle / len(names)
        reach = len(names) * np.sqrt(n * (n - 1))
        off[:, in_stratum] = (values[:, in_stratum] - middle[:, None]) / reach
    return means, off


# Reading R102: the more ways are compared, the further chance alone drives the largest t.
def all_pairs_point(
    values: Array, rng: Generator, draws: int = _DRAWS, *, strata: Codes | None = None
) -> float:
    """Return the t that a difference of two rows' means must pass to be shown.

    With it, no pair at all is shown falsely in 95 of 100 tables, however many rows are equal. It is
    what the largest t of all pairs, in both directions, passes by chance in 5%: means are drawn
    with the rows' own covariance about no difference. Pairs that pass leave, and the rest is drawn
    anew until none leaves (step-down). Infinite where no two rows differ. Of several strata the
    means are those that weigh each alike.

    Shapes: (rows, observations); (observations,) of `strata`.
    Source: J. P. Romano and M. Wolf, Econometrica 73 (2005), 1237-1282.
    """
    rows, n = values.shape
    groups = np.zeros(n, np.int64) if strata is None else strata
    middle, off = mean_of_strata(values, groups)
    left, right = np.triu_indices(rows, 1)
    errors = np.sqrt(((off[left] - off[right]) ** 2).sum(axis=1))
    differs = errors > EQUAL
    if not differs.any():
        return float("inf")
    pairs = (np.eye(rows)[left] - np.eye(rows)[right])[differs].T / errors[differs]
    # Each pair in both directions; the pairs that are left say less than all of them.
    directions, t = np.hstack([pairs, -pairs]), middle @ np.hstack([pairs, -pairs])
    root: Array = np.asarray(np.linalg.qr(off.T, mode="r"))
    freedom = n - len(np.unique(groups))
    blocks = [_drawn(root, freedom, rng) for _ in range(draws // _BLOCK)]
    remaining: Flags = np.ones(len(t), np.bool_)
    while True:
        largest = [(block @ directions[:, remaining]).max(axis=1) for block in blocks]
        point = round(float(np.quantile(np.concatenate(largest), 1 - ALPHA)), _DIGITS)
        passing = remaining & (t > point)
        if not passing.any():
            return point
        remaining &= ~passing


def _drawn(root: Array, freedom: int, rng: Generator) -> Array:
    """Return rows' mean differences by chance, over the spread that a sample would have.

    Shapes: (rows, rows), a root of the means' covariance; (draws, rows).
    """
    means = rng.standard_normal((_BLOCK, len(root))) @ root
    drawn: Array = means * np.sqrt(freedom / rng.chisquare(freedom, (_BLOCK, 1)))
    return drawn
