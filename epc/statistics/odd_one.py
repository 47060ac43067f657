"""Are three answers to each pair those of one evaluator? Two of them surely are.

If all three are, and one of them stands alone, it is any of the three as likely as another, however
often the evaluator changes its mind. So an answer that is too often the odd one is of another
evaluator: the recorded one of a spot check (Reading R99), or a later look's (Reading R76). This is
the null hypothesis of `epc.audit.drift.compare_mixed`, and its distribution in closed form. Pure.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from epc.statistics.inference import ALPHA, binomial_tail, upper_bound

_ODD: Final = 1 / 3
Word = Literal["agrees", "differs", "cannot_tell"]
Interval = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How the first fresh answers agree with the recorded ones, and with the second fresh ones.

    `uneven` counts the pairs on which one of three answers stands against two; on `odd` of them it
    is the recorded one. `chance` is the agreement of answers that have nothing to do with each
    other and are as often A, B and tie as these.
    """

    pairs: int
    agreed: int
    agreement_ci95: Interval
    flipped: int
    flips_ci95: Interval
    uneven: int
    odd: int
    p_value: float
    chance: float
    verdict: Word


def exact_interval(hits: int, n: int) -> Interval:
    """Return the exact two-sided 95% interval of a share (Clopper and Pearson)."""
    return 1 - upper_bound(n - hits, n, ALPHA / 2), upper_bound(hits, n, ALPHA / 2)


def agreement(answers: Sequence[tuple[str, str, str]]) -> Agreement:
    """Return what the answers of each pair say: recorded, asked, and asked once more.

    `differs`: the recorded answer is the odd one too often, one-sided at 5%, exactly. `agrees`: not
    so, and the interval of the agreement lies above chance. An evaluator that nearly always says
    the same can be copied by anybody, so nothing can be told of it.
    """
    n = len(answers)
    agreed = sum(was == now for was, now, _ in answers)
    flipped = sum(now != again for _, now, again in answers)
    odd, uneven = odd_ones(answers)
    chance = sum(
        sum(was == word for was, _, _ in answers) * sum(now == word for _, now, _ in answers)
        for word in {was for was, _, _ in answers}
    ) / (n * n)
    p_value, interval = p_odd(odd, uneven), exact_interval(agreed, n)
    passed: Word = "agrees" if interval[0] > chance else "cannot_tell"
    return Agreement(
        pairs=n,
        agreed=agreed,
        agreement_ci95=interval,
        flipped=flipped,
        flips_ci95=exact_interval(flipped, n),
        uneven=uneven,
        odd=odd,
        p_value=p_value,
        chance=chance,
        verdict="differs" if p_value <= ALPHA else passed,
    )


def odd_ones(answers: Sequence[tuple[str, str, str]]) -> tuple[int, int]:
    """Return on how many pairs the first of three answers stands alone, and on how many any."""
    odd = sum(b == c != a for a, b, c in answers)
    return odd, odd + sum(b != c and a in {b, c} for a, b, c in answers)


def p_odd(odd: int, uneven: int) -> float:
    """Return the probability that the first answer is the odd one so often by chance."""
    return binomial_tail(odd, uneven, _ODD)
