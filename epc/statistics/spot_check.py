"""Does an evaluator that is asked again answer as a record says?

Each drawn pair has three answers: the recorded one and two fresh ones. If all three are the
evaluator's, any of them is the odd one as likely as another, however often it changes its mind. So
a record whose answers are too often the odd ones is not the evaluator's. Pure.
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
    odd = sum(now == again != was for was, now, again in answers)
    uneven = odd + sum(now != again and was in {now, again} for was, now, again in answers)
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


def p_odd(odd: int, uneven: int) -> float:
    """Return the probability that the recorded answer is the odd one so often by chance."""
    return binomial_tail(odd, uneven, _ODD)
