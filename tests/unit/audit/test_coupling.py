"""Readings R70 to R74: the figures of the rule, of the domain and of these tasks."""

from math import isfinite, sqrt
from typing import Any

import numpy as np
import pytest
from audit_support import Rows, table

from epc.audit.coupling import Transfer, figures_into, these_tasks, transfer, worked_out
from epc.audit.transfer import crossings
from epc.audit.units import units_of
from epc.protocol.config import Configuration
from epc.protocol.table import VerdictTable
from epc.protocol.weights import UpdateRule, Weights
from epc.spec.domains import PhaseName
from epc.spec.epc_v1 import DIRECTIONS, DOMAINS, PHASES, REFERENCE_DOMAINS, ControlMethod
from epc.spec.reference import Strategy

T_1, T_2 = 12.706204736, 4.302652730  # Student's, 95%, of 1 and 2 degrees of freedom
OPPOSED = table(["A" * 4, "B" * 4], ["B" * 4, "A" * 4], repeated=True)


def configured(
    names: str = "xy",
    *,
    rounds: int = 30,
    control: ControlMethod = "simulated",
    **further_fields: Any,
) -> Configuration:
    return Configuration(
        strategies=tuple(Strategy(name=name, domain=None, prompt="") for name in names),
        rounds=rounds,
        control=control,
        **further_fields,
    )


def vectors(
    *seeds: Weights, repeated_weights: list[Weights] | None = None
) -> dict[PhaseName, list[Weights]]:
    """Return the same vectors for every phase of the protocol, others for those of the control."""
    weights: dict[PhaseName, list[Weights]] = {phase.name: list(seeds) for phase in PHASES}
    if repeated_weights is not None:
        weights |= dict.fromkeys(REFERENCE_DOMAINS.phase.keys() - weights.keys(), repeated_weights)
    return weights


EVEN = vectors((0.5, 0.5), (0.5, 0.5))


def test_reading_r74_these_tasks_are_held_against_the_control_that_was_measured() -> None:
    """x wins all of visual's decided verdicts and y half of them.

    x moved by 0.1, 0.2 and 0.6: 0.3 on average, and a move of x to y costs half as much. Each seed
    left out, the mean moves are 0.4, 0.35 and 0.15: half of 0.8, 0.7 and 0.3 are no more than
    these, so the jackknife finds no bias, and the spread of a mean.
    """
    verdict_table = table([["A"], ["A"]], [["AA"], ["AB"]])
    coupled: list[Weights] = [(0.5, 0.5), (0.4, 0.6), (0.1, 0.9)]
    repeated_weights: list[Weights] = [(0.6, 0.4), (0.6, 0.4), (0.7, 0.3)]
    config = configured(control="measured")

    seed_figures = these_tasks(
        vectors(*coupled, repeated_weights=repeated_weights),
        "text_to_visual",
        table=verdict_table,
        config=config,
    )

    sd = sqrt((0.2**2 + 0.1**2 + 0.3**2) / 2)
    half = T_2 * sd / sqrt(3)
    assert seed_figures.control == "measured"
    assert seed_figures.redirected == pytest.approx(0.3)
    assert seed_figures.redirected_ci95 == pytest.approx(
        (0.0, 0.3 + half)
    )  # a share is not below 0
    assert seed_figures.regret == pytest.approx(0.15)
    assert seed_figures.regret_ci95 == pytest.approx((0.15 - half / 2, 0.15 + half / 2))


def test_reading_r74_redirected_choices_of_few_seeds_lose_what_noise_adds() -> None:
    """Moves of x by 0.3 and -0.1: the mean is 0.1, with one left out 0.1 and 0.3.

    The jackknife: 2 x 0.1 - 1 x 0.2 = 0; its variance 1/2 x (0.1^2 + 0.1^2) = 0.01.
    """
    config = configured(control="measured")
    seeds: list[Weights] = [(0.2, 0.8), (0.6, 0.4)]

    seed_figures = these_tasks(
        vectors(*seeds, repeated_weights=[(0.5, 0.5)] * 2),
        "text_to_visual",
        table=OPPOSED,
        config=config,
    )

    assert seed_figures.redirected == pytest.approx(0, abs=1e-15)
    assert seed_figures.redirected_ci95 == pytest.approx((0, 1))  # 0.1 x 12.7 is past all choices
    # y wins all of visual and x nothing: choices that moved to x would have cost.
    assert seed_figures.regret == pytest.approx(-0.1)
    assert seed_figures.regret_ci95 == pytest.approx((-0.1 - 0.2 * T_1, -0.1 + 0.2 * T_1))


def test_reading_r74_a_single_seed_has_no_interval() -> None:
    config = configured(control="measured")

    seed_figures = these_tasks(
        vectors((0.25, 0.75), repeated_weights=[(0.5, 0.5)]),
        "visual_to_text",
        table=OPPOSED,
        config=config,
    )

    assert (seed_figures.redirected, seed_figures.regret) == (0.25, 0.25)
    assert seed_figures.redirected_ci95 is None
    assert seed_figures.regret_ci95 is None


def test_reading_r70_without_a_measured_control_it_is_simulated_from_the_verdicts() -> None:
    """One round of training twice, x always winning: see `recursion`, the mean of four outcomes."""
    config = configured(rounds=1)

    seed_figures = these_tasks(EVEN, "visual_to_text", table=OPPOSED, config=config)

    x = (0.58 / 1.08 + 0.5 / 0.96) / 2
    x2 = sum(
        (first * (first + 0.08) / 1.08 + (1 - first) * first / 0.96) / 2
        for first in (0.58 / 1.08, 0.5 / 0.96)
    )
    assert x2 > x
    assert seed_figures.control == "simulated"
    assert seed_figures.redirected == pytest.approx(x2 - 0.5, abs=5e-4)
    assert seed_figures.regret == pytest.approx(x2 - 0.5, abs=5e-4)
    assert seed_figures.regret_ci95 == (
        seed_figures.regret,
        seed_figures.regret,
    )  # both seeds say the same


def test_reading_r72_a_missing_pair_of_a_whole_table_moves_no_weight_in_its_control() -> None:
    """y was never judged: its rounds pass, and its win rate is that of what was decided."""
    verdict_table = table(["A", "."], ["A", "."], repeated=True, whole=True)

    seed_figures = these_tasks(
        EVEN, "visual_to_text", table=verdict_table, config=configured(rounds=1)
    )

    # x wins its round, or nothing happens: 0.5, then x again.
    first = 0.58 / 1.08
    x2 = (first * (first + 0.08) / 1.08 + (1 - first) * first) / 2
    x2 += (0.5 * first + 0.5 * 0.5) / 2
    assert seed_figures.redirected == pytest.approx(x2 - 0.5, abs=1e-3)
    assert seed_figures.regret == pytest.approx(0, abs=1e-12)


def figures(given: VerdictTable, names: str = "xy", **further_fields: Any) -> Transfer:
    seeds = vectors(*[(1 / len(names),) * len(names)] * 2)
    return transfer(seeds, table=given, config=configured(names, **further_fields))


def test_reading_r71_the_figures_of_opposed_domains() -> None:
    figure_rows = figures(OPPOSED)

    assert (figure_rows.rule, figure_rows.margin) == (4, 0.02)
    assert figure_rows.units == {"text": 4, "visual": 4}
    assert figure_rows.test is not None
    assert figure_rows.test.p_value == pytest.approx(1 / 35)
    assert figure_rows.directions is not None
    crossed, _, chance = worked_out(units_of(OPPOSED, ["x", "y"]), 30, UpdateRule())
    into_text, into_visual = (
        figure_rows.directions[d] for d in ("visual_to_text", "text_to_visual")
    )
    # Strategies by name: visual's units (x lost, y won) sort before text's, and come first.
    for into, worked, share in zip((into_visual, into_text), crossed.into, chance, strict=True):
        assert into.regret == worked.regret.value
        assert into.regret_ci95 == worked.regret.interval
        assert into.harm == worked.harm.value
        assert into.harm_ci95 == worked.harm.interval
        assert into.crossing == worked.crossing.value
        assert into.crossing_ci95 == worked.crossing.interval
        assert into.redirected == worked.redirected.value
        assert into.chance == share
        assert into.these_tasks.control == "simulated"
    assert figure_rows.regret == max(into_text.regret, into_visual.regret)
    assert into_text.regret_ci95 is not None
    assert into_visual.regret_ci95 is not None
    assert figure_rows.upper_end == max(into_text.regret_ci95[1], into_visual.regret_ci95[1])


def test_reading_r70_a_share_of_choices_and_its_interval_are_shares() -> None:
    """Corrected for bias and in an interval of three tasks, a share could leave 0 to 1."""
    for verdict_table in (
        table(["ABA", "BAB"], ["ABB", "BAA"]),
        table(["AAA", "BBB"], ["BBA", "AAA"]),
    ):
        figure_rows = figures(verdict_table)
        assert figure_rows.directions is not None
        for into in figure_rows.directions.values():
            assert into.redirected_ci95 is not None
            for share in (into.redirected, *into.redirected_ci95, into.chance):
                assert 0 <= share <= 1


def test_reading_r70_all_is_zero_where_nothing_crosses() -> None:
    figure_rows = figures(table(["A" * 8, "B" * 8], ["A" * 8, "B" * 8]))

    assert figure_rows.test is not None
    assert figure_rows.test.p_value == 1
    assert (figure_rows.regret, figure_rows.upper_end) == (0, 0)
    assert figure_rows.directions is not None
    for into in figure_rows.directions.values():
        assert (into.redirected, into.redirected_ci95, into.chance) == (0, (0, 0), 0)
        assert (into.crossing, into.crossing_ci95) == (0, (0, 0))


def test_reading_r72_with_under_a_quarter_decided_every_figure_is_none() -> None:
    verdict_table = table([["Atttt"] * 4] * 2, [["Atttt"] * 4] * 2)

    figure_rows = figures(verdict_table)

    assert figure_rows.decided_share == 0.2
    assert figure_rows.test is None
    assert figure_rows.directions is None
    assert (figure_rows.regret, figure_rows.upper_end) == (None, None)
    assert figure_rows.ties.share == {"text": 0.8, "visual": 0.8}


def test_reading_r74_groups_of_the_configuration_are_its_units() -> None:
    pairs = ("one", "one", "two", "two")

    figure_rows = figures(OPPOSED, groups={"text": pairs, "visual": pairs})

    assert figure_rows.units == {"text": 2, "visual": 2}
    assert figure_rows.test is not None
    assert (figure_rows.test.unit, figure_rows.test.splits) == ("group", 3)


def test_reading_r74_a_domain_of_one_task_has_figures_and_no_interval_for_the_domain() -> None:
    figure_rows = figures(table(["A", "B"], ["B" * 6, "A" * 6]))

    assert figure_rows.upper_end is None
    assert figure_rows.test is not None
    assert (figure_rows.test.p_value, figure_rows.test.method) == (1, "jackknife")
    assert figure_rows.directions is not None
    for into in figure_rows.directions.values():
        assert into.regret_ci95 is None
        assert into.redirected_ci95 is None
        assert 0.3 < into.redirected <= 1


LONG = 10**15
HOSTILE: list[tuple[Rows, Rows]] = [
    (["........"] * 3, ["........"] * 3),
    (["tttttttt"] * 3, ["tttttttt"] * 3),
    (["AAAA"], ["BBBB"]),
    (["A", "B"], ["B", "A"]),
    (["", ""], ["A", "B"]),
    (["A", "B"], ["A" * 500, "B" * 500]),
    (["AB" * 4] * 12, ["BA" * 4] * 12),
    (["AA......", *[".." + "B" * 6] * 7], ["A" * 8] * 8),
]


@pytest.mark.parametrize("rounds", [0, 1, 31])
@pytest.mark.parametrize("given", range(len(HOSTILE)))
@pytest.mark.parametrize("whole", [True, False])
def test_reading_r72_no_table_breaks_the_rule_or_has_a_figure_that_is_no_number(
    given: int, *, whole: bool, rounds: int
) -> None:
    rows = HOSTILE[given]
    names = "".join(chr(ord("a") + index) for index in range(len(rows[0])))

    figure_rows = figures(table(*rows, whole=whole), names, rounds=rounds)

    for into in (figure_rows.directions or {}).values():
        each = (into.redirected, into.chance, into.regret, into.harm, into.crossing)
        pairs = (into.redirected_ci95, into.regret_ci95, into.harm_ci95, into.crossing_ci95)
        assert all(map(isfinite, each))
        assert all(isfinite(end) for pair in pairs if pair for end in pair)
        assert rounds or (*each,) == (0, 0, 0, 0, 0)
    assert figure_rows.test is None or 0 <= figure_rows.test.p_value <= 1


def test_reading_r72_counts_of_any_size_have_the_figures_of_their_shares() -> None:
    """A million billion verdicts a pair: rates are the same, and so is every figure."""
    few = table(["AABA", "BBAB"], ["BABB", "AAAB"])
    verdict_table = VerdictTable(
        counts={domain: LONG * few.counts[domain] for domain in DOMAINS}, repeated=False
    )

    left, right = (
        worked_out(units_of(given, ["x", "y"]), 10, UpdateRule()) for given in (few, verdict_table)
    )

    assert left == right


def test_reading_r78_names_of_any_script_are_names() -> None:
    verdict_table = table(["AABA", "BBAB"], ["BABB", "AAAB"])
    plain, other_transfer = (
        transfer(EVEN, table=verdict_table, config=configured(names)) for names in ("ab", "é漢")
    )

    assert plain == other_transfer


def test_reading_r73_these_tasks_know_no_order_flag_or_name_of_a_domain() -> None:
    """Strategies and domains exchanged, and called repeated or not; weights go along."""
    verdict_table = table(["AtBA", "BBAB", "AAAB"], ["B.BB", "AAAt", "ABAB"], repeated=True)
    seeds: list[Weights] = [(0.2, 0.3, 0.5), (0.6, 0.1, 0.3)]
    order = [2, 0, 1]
    turned: dict[PhaseName, list[Weights]] = {
        direction: [tuple(seed[at] for at in order) for seed in seeds] for direction in DIRECTIONS
    }
    moved = VerdictTable(
        counts={
            domain: np.ascontiguousarray(verdict_table.counts[right][order])
            for domain, right in zip(DOMAINS, DOMAINS[::-1], strict=True)
        },
        repeated=False,
    )

    for direction, exchanged in zip(DIRECTIONS, DIRECTIONS[::-1], strict=True):
        seed_figures = these_tasks(
            vectors(*seeds), direction, table=verdict_table, config=configured("xyz")
        )
        other_seed_figures = these_tasks(turned, exchanged, table=moved, config=configured("zxy"))
        assert seed_figures == other_seed_figures


def test_reading_r78_one_figure_by_itself_has_the_interval_of_one() -> None:
    units = units_of(table(["AAAB", "BBBA"], ["BBBA", "AAAB"]), ["x", "y"])
    crossed = crossings(units, rounds=15, rule=UpdateRule()).into[0]

    alone, of_six = (figures_into(crossed, 0.1, 0.5, *given) for given in ((), (6,)))

    for name in ("regret", "harm", "crossing"):
        low, high = alone[f"{name}_ci95"]
        assert (low, high) == getattr(crossed, name).interval
        assert of_six[f"{name}_ci95"][0] < low < high < of_six[f"{name}_ci95"][1]
