"""Does the evaluator still answer as when the run began? A small panel, asked again (Reading R76).

The panel is asked twice before the run, so that its evaluator's own flips are seen and nothing is
assumed of them, and once more at each look. Of one pair's three answers, one may stand alone. If
the evaluator is the same, the three are answers of one model to one question, and each is as likely
as another to be the one that stands alone. So of the pairs with such an answer, the share in which
it is the look's is binomial with one in three, however often the evaluator contradicts itself. This
is the null hypothesis of `epc.audit.drift.compare_mixed`, and its distribution in closed form.
"""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from epc.protocol.verdict import Verdict
from epc.statistics.inference import binomial_tail

PAIRS: Final = 24
ERROR: Final = 0.025  # Reading R76: one false alarm in 40 runs at most, over all looks of a run
_ONE_OF_THREE: Final = 1 / 3


class Look(Struct, frozen=True, kw_only=True):
    """What asking the panel again came to.

    `told` counts the pairs in which one of the three answers stands alone, `odd` those in which it
    is the look's. The evaluator `departed` if `p_value` is at most `level`.
    """

    told: int
    odd: int
    p_value: float
    level: float
    departed: bool


def look(
    first: Sequence[Verdict], second: Sequence[Verdict], other: Sequence[Verdict], *, number: int
) -> Look:
    """Return whether answers come from another model than the two sets that one model gave.

    The looks of a run are numbered from 1, and the k-th has ERROR / (k (k + 1)) of the error rate:
    together they have no more than ERROR, however many there are.

    Shapes: all three (pairs,).
    """
    alone = [
        b == a
        for a, b, c in zip(first, second, other, strict=True)
        if len({a, b, c}) == 2  # noqa: PLR2004  (two of three agree)
    ]
    decisive, odd = len(alone), sum(alone)
    p_value, level = binomial_tail(odd, decisive, _ONE_OF_THREE), level_of(number)
    return Look(told=decisive, odd=odd, p_value=p_value, level=level, departed=p_value <= level)


def level_of(number: int) -> float:
    """Return the error rate of one look."""
    return ERROR / (number * (number + 1))
