"""The program's own answers about a verdict table: the word and its figures."""

from dataclasses import dataclass

from studies.coupling.reference import ROUNDS, Array, Counts

from epc.audit.coupling import worked_out
from epc.audit.redirection import p_value_of, permutable, permuted, redirected_interval
from epc.audit.side_checks import clustered, clusters
from epc.audit.transfer import Rates, cost, crossings, estimates, figures_of
from epc.audit.units import units_of
from epc.protocol.table import VerdictTable
from epc.protocol.weights import UpdateRule
from epc.spec.coupling import FEWEST_SPLITS, LEVEL, MARGIN


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the program says; figures are of training first in the other domain: text, visual."""

    p_value: float
    regret: tuple[float, float]
    harm: tuple[float, float]
    crossing: tuple[float, float]
    coupled: bool


def _table(text: Counts, visual: Counts, *, recorded: bool) -> VerdictTable:
    return VerdictTable(counts={"text": text, "visual": visual}, repeated=recorded, whole=recorded)


def answered(
    text: Counts,
    visual: Counts,
    *,
    recorded: bool,
    rounds: int = ROUNDS,
    groups: tuple[list[int], list[int]] | None = None,
) -> Answer:
    """Return the program's figures; `recorded`: each pair has the verdict that was recorded."""
    names = [f"strategy {index:02}" for index in range(len(text))]
    declared: dict[str, list[str]] | None = None
    if groups:
        declared = {
            "text": [str(group) for group in groups[0]],
            "visual": [str(group) for group in groups[1]],
        }
    units = units_of(_table(text, visual, recorded=recorded), names, declared)
    crossings, test, _ = worked_out(units, rounds, UpdateRule())
    one, two = crossings.into if units.domains[0] == "text" else crossings.into[::-1]
    regret = one.regret.value, two.regret.value
    crossing = one.crossing.value, two.crossing.value
    cost = max(min(pair) for pair in zip(regret, crossing, strict=True))
    return Answer(
        p_value=test.p_value,
        regret=regret,
        harm=(one.harm.value, two.harm.value),
        crossing=crossing,
        coupled=test.p_value <= LEVEL and cost >= MARGIN,
    )


def coupled(text: Counts, visual: Counts, *, recorded: bool, fewer: int) -> bool:
    """Return whether the program calls a table coupled; costs are over so many times fewer wheels.

    They are worked out where the rest of the rule asks for them alone.
    """
    names = [f"strategy {index:02}" for index in range(len(text))]
    units = units_of(_table(text, visual, recorded=recorded), names)
    rule = UpdateRule()
    if not units.bearable or units.splits < FEWEST_SPLITS or clustered(clusters(units)):
        return False
    if not permutable(units) or permuted(units, rounds=ROUNDS, rule=rule) > LEVEL:
        return False

    def figures(rates: Rates, wheels: int, alike: bool) -> list[dict[str, Array]]:  # noqa: FBT001
        return figures_of(rates, units.ties, rounds=ROUNDS, rule=rule, wheels=wheels, alike=alike)

    into = estimates(units, figures, fewer=fewer)
    return (cost((own["regret"].value, own["crossing"].value) for own in into) or 0.0) >= MARGIN


def figures_into_both(
    text: Counts, visual: Counts
) -> tuple[tuple[int, ...], list[dict[str, tuple[float, float, float]]]]:
    """Return which strategies are kept and, into text and visual, figures and intervals."""
    names = [f"strategy {index:02}" for index in range(len(text))]
    units = units_of(_table(text, visual, recorded=True), names)
    crossed = crossings(units, rounds=ROUNDS, rule=UpdateRule())
    p_value = p_value_of(units, crossed.crossings, rounds=ROUNDS, rule=UpdateRule())
    found = []
    for domain in ("text", "visual"):
        into = crossed.into[units.domains.index(domain)]
        intervals = {
            "redirected": redirected_interval(into.redirected, p_value),
            "regret": into.regret.interval,
            "crossing": into.crossing.interval,
        }
        found.append(
            {
                name: (getattr(into, name).value, *interval)
                for name, interval in intervals.items()
                if interval is not None
            }
        )
    return tuple(map(names.index, units.strategies)), found
