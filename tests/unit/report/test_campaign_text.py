"""A campaign's runs side by side as they are printed, worked out by hand."""

from typing import Any

from epc.analysis.campaign import Agreement, CampaignComparison, Row
from epc.report.campaign_text import report

THERE = Row(
    run="m1",
    evaluator="mock/one",
    executor="mock/writer",
    direction="text_to_visual",
    word="coupled",
    p_value=0.012,
    redirected=0.42,
    redirected_ci95=(0.3, 0.5),
    chance=0.2,
    regret=0.031,
    regret_ci95=(-0.01, 0.05),
    gamma=1.25,
    gamma_ci95=None,
    epc_5_2="substantial, within noise",
    floor=1.1,
    floor_ci95=(0.5, 1.9),
    tie_rate=0.125,
    seeds=30,
    executor_answers=176,
    comparisons=352,
)
GAMMA = "1.250 (1.100, 0.50 to 1.90) substantial, within noise"
UNDECIDED = dict.fromkeys(
    ("redirected", "redirected_ci95", "chance", "regret", "regret_ci95", "p_value")
)


def row(run: str, direction: str, **given: Any) -> Row:
    names = Row.__slots__
    told = {name: getattr(THERE, name) for name in names} | {"run": run, "direction": direction}
    return Row(**told | given)


def comparison(*rows: Row, agreements: tuple[Agreement, ...] = ()) -> CampaignComparison:
    return CampaignComparison(
        id="C", rows=rows, agreements=agreements, incomplete=("gone",), swapped=("other",)
    )


LAST = [
    "",
    "NOT COMPLETE: gone",
    "SWAPPED: another evaluator answered within other: measure it again",
]


def test_each_run_has_its_row_and_each_figure_its_table_of_directions() -> None:
    few = {"tie_rate": None, "word": "inconclusive", "seeds": 3}
    found = comparison(
        THERE,
        row("m1", "visual_to_text", regret=-0.02, regret_ci95=None, redirected=1.0, chance=None),
        row("long-name", "text_to_visual", **UNDECIDED, **few),
        row("long-name", "visual_to_text", **UNDECIDED, **few),
    )

    assert report(found).splitlines() == [
        "2 complete runs of campaign C",
        "             seeds  answers  comparisons  ties   p      word",
        "  m1         30     176      352          12.5%  0.012  coupled",
        "  long-name  3      176      352          none   none   inconclusive",
        "",
        "transfer regret, points of win rate [95%, for the domain]",
        "             text to visual          visual to text",
        "  m1         +3.1 [-1.0, +5.0]       -2.0",
        "  long-name  too little was decided  too little was decided",
        "",
        "choices redirected, of 100 [95%, for the domain] (by chance)",
        "             text to visual          visual to text",
        "  m1         42 [30, 50] (20)        100 [30, 50]",
        "  long-name  too little was decided  too little was decided",
        "",
        "gamma (noise floor, 95% of seeds), by EPC-5.2",
        f"             text to visual{' ' * 41}visual to text",
        f"  m1         {GAMMA}  {GAMMA}",
        f"  long-name  {GAMMA}  {GAMMA}",
        *LAST,
    ]


def test_two_directions_stand_beside_each_other_and_the_next_below() -> None:
    directions = ("a_to_b", "b_to_a", "a_to_c")

    lines = report(comparison(*(row("m1", each) for each in directions))).splitlines()

    begin = lines.index("gamma (noise floor, 95% of seeds), by EPC-5.2")
    assert lines[begin + 1 : begin + 6] == [
        f"      a to b{' ' * 49}b to a",
        f"  m1  {GAMMA}  {GAMMA}",
        "",
        "      a to c",
        f"  m1  {GAMMA}",
    ]


def test_agreements_stand_together_by_whose_answers_they_are_on() -> None:
    told: dict[str, Any] = {"left": "m1", "right": "m2", "shared": 100}
    agreed = Agreement(
        executor="x", decided=80, same=0.75, same_ci95=(0.6, 0.9), chance=0.5, **told
    )
    nothing = Agreement(executor=None, decided=0, same=None, same_ci95=None, chance=None, **told)

    found = comparison(agreements=(agreed, nothing))

    head = "of 100 [95%, for the domain] (by chance)"
    assert report(found).splitlines() == [
        "0 complete runs of campaign C",
        "",
        f"verdicts alike on the same answers of x, {head}",
        "  m1  m2  75 [60, 90] (50)  80 that both decided, of 100",
        "",
        f"verdicts alike on the same pairs, {head}",
        "  m1  m2  none  0 that both decided, of 100",
        *LAST,
    ]


def test_of_one_run_the_heading_is_in_the_singular() -> None:
    assert report(comparison(THERE)).startswith("1 complete run of campaign C\n")
