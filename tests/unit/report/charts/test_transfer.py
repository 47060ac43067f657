"""What crosses between three or more domains, as a matrix of each figure."""

from itertools import permutations

import pytest
from msgspec.structs import replace
from records_support import vega_lite

from epc.audit.coupling import Into, SeedFigures
from epc.report.charts.transfer import matrix_chart, transfer_chart

THESE = SeedFigures(
    control="simulated", redirected=0.0, redirected_ci95=None, regret=0.0, regret_ci95=None
)


def into(redirected: float = 0.1, regret: float = 0.01, *, interval: bool = True) -> Into:
    return Into(
        redirected=redirected,
        redirected_ci95=(0.0, 0.5) if interval else None,
        chance=0.1,
        regret=regret,
        regret_ci95=(-0.02, 0.04) if interval else None,
        harm=0.0,
        harm_ci95=None,
        crossing=0.0,
        crossing_ci95=None,
        these_tasks=THESE,
    )


def crossing(*names: str) -> dict[str, Into]:
    return {f"{left}_to_{right}": into() for left, right in permutations(names, 2)}


@pytest.mark.parametrize(
    ("names", "pairs"), [("ab", None), ("abc", 6), ("abcd", 12)], ids=["two", "three", "four"]
)
def test_reading_r78_three_domains_or_more_have_a_matrix(names: str, pairs: int | None) -> None:
    chart = matrix_chart(crossing(*names))

    assert (len(chart.rows) if chart else None) == (None if pairs is None else 2 * pairs)


def test_reading_r78_each_ordered_pair_has_a_cell_of_each_figure() -> None:
    input_crossing = crossing("a", "b", "c")
    input_crossing["a_to_c"] = into(redirected=0.42, regret=-0.031)
    input_crossing["c_to_b"] = into(redirected=0.0, regret=0.0, interval=False)

    chart = matrix_chart(input_crossing)

    assert chart
    cells = {(row["first"], row["then"], row["figure"]): row for row in chart.rows}
    assert len(cells) == len(chart.rows) == 12
    redirected, regret = cells["a", "c", "redirected"], cells["a", "c", "regret"]
    assert (redirected["value"], redirected["said"]) == (42, "42")
    assert (regret["value"], regret["said"]) == (-3.1, "-3.1")
    assert (redirected["interval"], regret["interval"]) == ("[0, 50]", "[-2.0, +4.0]")
    assert (cells["c", "b", "regret"]["said"], cells["c", "b", "regret"]["interval"]) == (
        "+0.0",
        "",
    )
    assert "a to c 42 [0, 50]; b to a 10 [0, 50]" in chart.alternative
    assert "c to b +0.0." in chart.alternative
    assert list(vega_lite().iter_errors(chart.specification)) == []


def test_reading_r78_colours_of_redirection_begin_at_0_and_those_of_regret_have_0_between() -> None:
    input_crossing = crossing("a", "b", "c")
    input_crossing["a_to_c"] = into(redirected=0.42, regret=-0.031)

    chart = matrix_chart(input_crossing)

    assert chart
    redirected, regret = chart.specification["vconcat"]
    scales = [panel["layer"][0]["encoding"]["color"]["scale"] for panel in (redirected, regret)]
    assert [scale["domain"] for scale in scales] == [[0, 42], [3.1, -3.1]]


def test_reading_r70_both_figures_and_both_intervals_of_a_direction_are_in_hundredths() -> None:
    seed_figures = SeedFigures(control="simulated", redirected=0.25, redirected_ci95=(0.125, 0.375),
                       regret=-0.0625, regret_ci95=None)  # fmt: skip
    found = replace(into(0.5, 0.25), these_tasks=seed_figures)

    chart = transfer_chart({"text_to_code": found}, word="coupled", rule=3)

    assert chart is not None
    keys = ("figure", "of", "value", "low", "high", "chance")
    assert [tuple(row[key] for key in keys) for row in chart.rows] == [
        ("redirected", "for the domain", 50, 0, 50, 10),
        ("redirected", "for these tasks", 25, 12.5, 37.5, 10),
        ("regret", "for the domain", 25, -2, 4, None),
        ("regret", "for these tasks", -6.25, None, None, None),
    ]
    assert {row["direction"] for row in chart.rows} == {"text to code"}
    redirected, regret = (panel["layer"] for panel in chart.content["vconcat"])
    assert redirected[0]["data"]["values"] == [
        {"direction": "text to code", "chance": 10, "none": 0}
    ]
    assert [layer["data"]["values"] for layer in regret[:2]] == [[{"at": 0}], [{"at": 2}]]
    assert regret[1]["mark"]["strokeDash"] == [4, 3]
    assert regret[2]["data"]["values"] == chart.rows[2:3], "what has no interval has no line"
    assert regret[3]["data"]["values"] == chart.rows[2:]
    assert "The audit's word: coupled, by rule 3" in chart.alternative
    assert [*vega_lite().iter_errors(chart.specification)] == []
    assert transfer_chart({}, word="coupled", rule=3) is None


def test_without_any_interval_there_is_no_line_of_one() -> None:
    chart = transfer_chart({"text_to_code": into(interval=False)}, word="coupled", rule=3)

    assert chart is not None
    redirected, regret = (panel["layer"] for panel in chart.content["vconcat"])
    assert (len(redirected), len(regret)) == (2, 3)
