"""Two raters on the same rows: kappa, the difference of two shares, the mean of two shares."""

from math import sqrt
from typing import Final

from epc.arrays import Array, Codes, np
from epc.statistics.clusters import spread_between
from epc.statistics.inference import t_point
from epc.statistics.intervals import Interval

_CERTAIN: Final = 1e-12  # chance agreement so near to 1 leaves nothing to agree on
_NOTHING: Final = 1e-20  # a variance that rounding leaves
_ROWS_MORE: Final = 2.0


# Reading R102: two rows more in all, spread evenly over the table's cells.
def kappa(
    left: Array, right: Array, clusters: Codes, *, verdicts: float | None = None
) -> tuple[float | None, Interval | None]:
    """Return Cohen's kappa with its 95% interval; None where chance alone would always agree.

    The interval is that of a table with two rows more in all, spread evenly over the cells of the
    answers that were given: where an answer is rare, the table at hand shows too little of how
    kappa varies. Clusters count by their design effect, which divides the rows. `verdicts` is how
    many there are where rows are means of several: a row may say more than one verdict does.

    Shapes: what either said, as shares (m, answers) twice; (m,).
    Source: J. Cohen, Educational and Psychological Measurement 20 (1960), 37-46; its spread as by
        J. L. Fleiss, J. Cohen and B. S. Everitt, Psychological Bulletin 72 (1969), 323-327.
    """
    answers_given = (left.sum(axis=0) + right.sum(axis=0)) > 0
    left, right = left[:, answers_given], right[:, answers_given]
    rows, answers = left.shape
    table = left.T @ right
    measured = linearised(table)
    if measured is None:
        return None, None
    value, moves = measured
    off = (left @ moves * right).sum(axis=1) / rows
    alone = float((table * moves**2).sum()) / rows**2
    effect = design_effect(off, alone, clusters, least=rows / max(rows, verdicts or 0))
    count = len(np.unique(clusters))
    widened = table / effect + _ROWS_MORE / answers**2
    measured = linearised(widened)
    if count < 2 or measured is None:  # noqa: PLR2004  (two is what a spread takes)
        return value, None
    middle, moves = measured
    n = float(widened.sum())
    shares = widened / n
    half = t_point(count - 1) * sqrt(float((shares * moves**2).sum()) / n)
    return value, (max(-1.0, middle - half), min(1.0, middle + half))


def linearised(table: Array) -> tuple[float, Array] | None:
    """Return kappa of a table, and what a row in each cell moves it by, times the rows.

    Shapes: (answers, answers) in and out.
    """
    shares = table / table.sum()
    ones, column_sums = shares.sum(axis=1), shares.sum(axis=0)
    observed, chance = float(np.trace(shares)), float((ones * column_sums).sum())
    room = 1 - chance
    if room <= _CERTAIN:
        return None
    by_chance = column_sums[:, None] + ones[None, :] - 2 * chance
    agreed = np.eye(len(shares)) - observed
    return (observed - chance) / room, (agreed * room - (1 - observed) * by_chance) / room**2


def design_effect(off: Array, alone: float, clusters: Codes, *, least: float = 1.0) -> float:
    """Return by how much rows in clusters vary more than as many independent ones.

    `off` is what each row moves a figure by, `alone` the variance of independent rows, of which
    each is about the figure. Where nothing varies, a cluster is one row.

    Shapes: each (m,).
    Source: L. Kish, Survey Sampling (1965), section 8.2.
    """
    rows = len(off)
    spread, count = spread_between(off, clusters, np.ones(rows))
    if alone <= _NOTHING or count < 2:  # noqa: PLR2004  (as above)
        return rows / max(1, count)
    return max(least, spread / alone * (rows - 1) / rows)


def paired_difference(left: Array, right: Array, clusters: Codes) -> tuple[float, Interval | None]:
    """Return by how much the second share exceeds the first on the same rows, with its interval.

    The interval never has a width of 0: each way of differing has one row more. No interval for a
    single cluster.

    Shapes: 0 and 1, or shares of repeats, each (m,).
    Unit:   share, -1 to 1.
    Source: D. G. Bonett and R. M. Price, J. Educ. Behav. Stat. 37 (2012), 479-488.
    """
    apart = right - left
    rows, value = len(apart), float(apart.mean())
    count = len(np.unique(clusters))
    if count < 2:  # noqa: PLR2004  (as above)
        return value, None
    off = (apart - value) / rows
    effect = design_effect(off, float((off**2).sum()), clusters)
    up, down = (float(np.maximum(0, sign * apart).sum()) / effect for sign in (1, -1))
    return value, difference_interval(up, down, rows / effect, t_point(count - 1))


def difference_interval(up: float, down: float, n: float, point: float) -> Interval:
    """Return the interval of (up - down) / n, of n rows of which some went up and some down.

    `point` is how many standard errors it reaches.

    Source: as `paired_difference`.
    """
    p, q = (up + 1) / (n + 2), (down + 1) / (n + 2)
    half = point * sqrt((p + q - (p - q) ** 2) / (n + 2))
    return max(-1.0, p - q - half), min(1.0, p - q + half)


def mean_of_two(
    shares: tuple[float, float], ends: tuple[Interval, Interval], correlation: float = 0.0
) -> tuple[float, Interval]:
    """Return the mean of two shares, and its interval by those of both.

    `correlation` is that of what each cluster moves either by; 0 where none has rows of both.

    Source: G. Y. Zou and A. Donner, Stat. Med. 27 (2008), 1693-1702 (MOVER).
    """
    value = sum(shares) / 2
    halves = []
    for end in (0, 1):
        x, y = (abs(share - ends_of[end]) for share, ends_of in zip(shares, ends, strict=True))
        halves.append(sqrt(max(0.0, x * x + y * y + 2 * correlation * x * y)) / 2)
    return value, (max(0.0, value - halves[0]), min(1.0, value + halves[1]))
