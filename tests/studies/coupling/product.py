"""The program's own answers about a verdict table: the word and its figures."""

from studies.coupling.generators import ROUNDS, Array, Counts

from epc.audit.redirection import p_value_of, permutable, permuted, redirected_interval
from epc.audit.side_checks import clustered, clusters
from epc.audit.transfer import Rates, cost, crossings, estimates, figures_of
from epc.audit.units import Units, units_of
from epc.protocol.table import VerdictTable
from epc.protocol.weights import UpdateRule
from epc.spec.coupling import FEWEST_SPLITS, LEVEL, MARGIN


def units(
    text: Counts,
    visual: Counts,
    *,
    recorded: bool,
    groups: tuple[list[int], list[int]] | None = None,
) -> Units:
    """Return a table's units; `recorded`: a pair has the verdict that was recorded."""
    table = VerdictTable(
        counts={"text": text, "visual": visual}, repeated=recorded, is_whole=recorded
    )
    names = [f"strategy {index:02}" for index in range(len(text))]
    declared = groups and {
        domain: [str(group) for group in of]
        for domain, of in zip(("text", "visual"), groups, strict=True)
    }
    return units_of(table, names, declared)


def coupled(text: Counts, visual: Counts, *, recorded: bool, fewer: int) -> bool:
    """Return whether the program calls a table coupled; costs are over so many times fewer wheels.

    They are worked out where the rest of the rule asks for them alone.
    """
    unit_set = units(text, visual, recorded=recorded)
    rule = UpdateRule()
    if not unit_set.bearable or unit_set.splits < FEWEST_SPLITS or clustered(clusters(unit_set)):
        return False
    if not permutable(unit_set) or permuted(unit_set, rounds=ROUNDS, rule=rule) > LEVEL:
        return False

    def figures(rates: Rates, wheels: int, alike: bool) -> list[dict[str, Array]]:  # noqa: FBT001
        return figures_of(
            rates, unit_set.ties, rounds=ROUNDS, rule=rule, wheels=wheels, alike=alike
        )

    into = estimates(unit_set, figures, fewer=fewer)
    return (
        cost(
            (own_estimates["regret"].value, own_estimates["crossing"].value)
            for own_estimates in into
        )
        or 0.0
    ) >= MARGIN


def figures_into_both(
    text: Counts, visual: Counts
) -> tuple[tuple[int, ...], list[dict[str, tuple[float, float, float]]]]:
    """Return which strategies are kept and, into text and visual, figures and intervals."""
    unit_set = units(text, visual, recorded=True)
    crossed = crossings(unit_set, rounds=ROUNDS, rule=UpdateRule())
    p_value = p_value_of(unit_set, crossed.crossings, rounds=ROUNDS, rule=UpdateRule())
    found = []
    for domain in ("text", "visual"):
        into = crossed.into[unit_set.domains.index(domain)]
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
    names = [f"strategy {index:02}" for index in range(len(text))]
    return tuple(map(names.index, unit_set.strategies)), found
