"""The rules that competed for the word `coupled`, beside the one that was adopted.

They are here so that anyone can compare them with it again. None of them decides anything in a
measurement.
"""

from collections.abc import Mapping
from typing import Final

from epc.arrays import Array, np
from epc.audit.permutation import arrangements, by_seeds, by_tasks, residuals, share_as_large
from epc.audit.redirection import by_spread, permutable, permuted, recursion
from epc.audit.transfer import Rates, crossings, in_order_of
from epc.audit.units import Units
from epc.protocol.rules import Rule
from epc.protocol.table import VerdictTable
from epc.protocol.weights import UpdateRule
from epc.spec.coupling import FEWEST_SPLITS, LEVEL, MARGIN
from epc.spec.domains import PhaseName

OLD: Final = "rule 1"
ADOPTED: Final = "rule 2"
SAYS: Final = {
    OLD: "verdict distributions, tasks permuted between domains (Reading R39)",
    ADOPTED: "redirected choices, and a cost of 0.02 by the crossing regret (Reading R71)",
    "redirected alone": "redirected choices, of any cost",
    "regret": "redirected choices, and a transfer regret of 0.02 of whatever origin",
    "crossing permuted": "the crossing regret itself permuted, and 0.02 of it",
    "studentised": "win rates by strategy, each difference by its own spread, tasks permuted",
    "Bradley-Terry": "logits off one line through both domains, tasks permuted",
    "seeds": "the two pure vectors, swapped within seeds",
}
_NOTHING: Final = 1e-12
_ANGLES: Final = 48
_PRESSED: Final = 0.02  # how far rates are kept from 0 and 1, so that a logit is finite
_DRAWN: Final = 999


def by_rules(units: Units, *, rounds: int, rule: UpdateRule) -> dict[str, bool]:
    """Return what each rule about transfer says of a verdict table.

    The size of what crosses is worked out only where a p-value asks for it.
    """
    says = dict.fromkeys((ADOPTED, "redirected alone", "regret", "crossing permuted"), False)
    if not units.bearable or units.splits < FEWEST_SPLITS:
        return says
    crossed = None
    if permutable(units):
        redirects = permuted(units, rounds=rounds, rule=rule) <= LEVEL
        crosses = permuted(units, rounds=rounds, rule=rule, statistic=_crossing) <= LEVEL
    else:
        crossed = crossings(units, rounds=rounds, rule=rule)
        redirects = crosses = by_spread(crossed.crossings) <= LEVEL
    if redirects or crosses:
        crossed = crossed or crossings(units, rounds=rounds, rule=rule)
        says[ADOPTED] = redirects and crossed.cost >= MARGIN
        says["regret"] = redirects and max(i.regret.value for i in crossed.into) >= MARGIN
        says["crossing permuted"] = (
            crosses and max(i.crossing.value for i in crossed.into) >= MARGIN
        )
    return {**says, "redirected alone": redirects}


def by_others(
    table: VerdictTable, units: Units, vectors: Mapping[PhaseName, Array], rule: UpdateRule
) -> dict[str, bool]:
    """Return what the tests say that look at verdicts or at weights, and at no transfer.

    Shapes: vectors (K, n).
    """
    p_values = {
        OLD: by_tasks(table, rule).p_value,
        "studentised": studentised(table, rule),
        "Bradley-Terry": bradley_terry(units) if units.bearable else 1.0,
        "seeds": by_seeds(*(vectors[domain].T for domain in table.domains.names)).p_value,
    }
    return {name: p_value <= LEVEL for name, p_value in p_values.items()}


def _crossing(rates: Rates, tie: Array, rounds: int, rule: Rule) -> Array:
    """Return the crossing regret of both directions added, of many tables, by the recursion.

    Shapes: (tables,).
    """
    assert isinstance(rule, UpdateRule), "the recursion is of the protocol's own rule"
    start = np.full_like(rates.first, 1 / len(rates.first))
    total = np.zeros(rates.first.shape[1])
    for own, other in (rates, rates[::-1]):
        ended = [
            recursion(
                recursion(start, side, tie, rounds=rounds, rule=rule),
                own,
                tie,
                rounds=rounds,
                rule=rule,
            )
            for side in (in_order_of(other, own), other)
        ]
        total += ((ended[0] - ended[1]) * own).sum(axis=0)
    return total


def studentised(table: VerdictTable, rule: UpdateRule) -> float:
    """Return the p-value of Welch's t of each strategy, squared and summed, tasks permuted.

    Source: E. Chung, J. P. Romano, Annals of Statistics 41 (2013), 484-507.
    """
    left = residuals(table, rule)
    first, second = (table.tasks()[domain] for domain in table.domains.names)
    every = arrangements(first, second, drawn=_DRAWN).T
    apart, variance = np.zeros((len(left), every.shape[1])), np.zeros((len(left), every.shape[1]))
    for sign, side, n in ((1, every, first), (-1, 1 - every, second)):
        sums = left @ side
        apart += sign * sums / n
        variance += (left**2 @ side - sums**2 / n) / (n * max(1, n - 1))
    welch = apart**2 / np.maximum(variance, _NOTHING)
    return share_as_large(welch.sum(axis=0), negligible=_NOTHING)


def bradley_terry(units: Units) -> float:
    """Return the p-value of strengths that differ by more than an intercept and a scale.

    Bradley and Terry's strength of a strategy is its logit against the baseline. If both domains
    have one order of strengths, up to an intercept and a scale, the logits of one lie on a line
    over those of the other. The statistic is the squared distance from the best such line, each by
    its variance (Berkson's minimum logit chi-squared), with tasks permuted between the domains.

    Source: R. A. Bradley, M. E. Terry, Biometrika 39 (1952), 324-345; J. Berkson, Journal of the
    American Statistical Association 50 (1955), 130-162.
    """
    every = arrangements(*units.numbers.values(), drawn=_DRAWN)
    strengths, variances = [], []
    for side in (every, 1 - every):
        decided = side @ units.decided
        rate = _PRESSED + (1 - 2 * _PRESSED) * (side @ units.won) / np.maximum(1, decided)
        strengths.append(np.log(rate / (1 - rate)))
        variances.append(1 / (np.maximum(1, decided) * rate * (1 - rate)))
    least = np.full(len(every), np.inf)
    for angle in np.linspace(0, np.pi / 2, _ANGLES):  # a scale is positive, as an order is kept
        along, across = np.cos(angle), np.sin(angle)
        off = along * strengths[1] - across * strengths[0]
        weight = 1 / (along**2 * variances[1] + across**2 * variances[0])
        middle = (off * weight).sum(axis=1) / weight.sum(axis=1)
        least = np.minimum(least, ((off - middle[:, None]) ** 2 * weight).sum(axis=1))
    return share_as_large(least, negligible=_NOTHING)
