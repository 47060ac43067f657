"""Thresholds of the word `coupled`: every number of Readings R71 to R74, once.

These are ours, not the paper's. A change of any of them is another version of the rule.
"""

from typing import Final, Literal

from msgspec import Struct, field

# The first rule asked whether verdicts differ between domains (Reading R39). The second had other
# estimates and intervals of the same figures, and said its word where tasks fell into topics. The
# third said `coupled` of few strategies, where copies among the tasks are hardly ever found.
RULE: Final = 4
LEVEL: Final = 0.05
MARGIN: Final = 0.02  # of win rate: the transfer regret below which nobody need care

FEWEST_SPLITS: Final = 20  # distinct ways to deal the groups out, for any word at all
CLUSTER_LEVEL: Final = 0.01  # over the domains together: units that share topics give no word
# How often the check of verdicts finds copies, by the number of strategies: both domains have 8
# tasks, each of which stands twice (tests/studies/coupling/copies.py).
COPIES_FOUND: Final = {
    2: 0.0,
    3: 0.005,
    4: 0.065,
    5: 0.185,
    6: 0.265,
    7: 0.45,
    8: 0.535,
    9: 0.675,
    10: 0.81,
    11: 0.935,
}
# Below so many strategies nothing is called coupled where copies would not have been found: neither
# groups are declared nor were texts compared (Reading R102).
FEWEST_CHECKED: Final = 8
UNEQUAL: Final = 2  # numbers of groups that differ more than so-fold are not permuted

# A word about coupling is of the judge's own verdicts; this stands beside it without gold (R91).
UNKNOWN_QUALITY: Final = "quality: not measured"


class NotMeasured(Struct, frozen=True, kw_only=True):
    """Absence of a measured quality of the work: why, and what would measure it (R91)."""

    why: str = field(default_factory=lambda: "the word is of the judge's own verdicts")
    how: str = field(default_factory=lambda: "`epc audit RUN --gold FILE` takes labels")
    measured: Literal[False] = field(default_factory=lambda: False)


FEWEST_TASKS: Final = 0.5  # of a domain's, on which a strategy is decided
FEWEST_STRATEGIES: Final = 0.25  # for which a task is decided
FEWEST_DECIDED: Final = 0.25  # of all verdicts
