"""A campaign's runs side by side as they are printed."""

from typing import Any

from golden_support import Golden

from epc.analysis.campaign import Agreement, CampaignComparison, Row
from epc.report.campaign_text import report
from epc.spec.coupling import NotMeasured

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
    quality=NotMeasured(),
)
UNDECIDED = dict.fromkeys(
    ("redirected", "redirected_ci95", "chance", "regret", "regret_ci95", "p_value")
)


def row(run: str, direction: str, **fields: Any) -> Row:
    names = Row.__slots__
    told = {name: getattr(THERE, name) for name in names} | {"run": run, "direction": direction}
    return Row(**told | fields)


def comparison(*rows: Row, agreements: tuple[Agreement, ...] = ()) -> CampaignComparison:
    return CampaignComparison(id="C", rows=rows, agreements=agreements, incomplete=("gone",))


def test_the_words_of_a_campaign(golden: Golden) -> None:
    few = {"tie_rate": None, "word": "inconclusive", "seeds": 3}
    record: dict[str, Any] = {"left": "m1", "right": "m2", "shared": 100}
    agreed = Agreement(
        executor="x", decided=80, same=0.75, same_ci95=(0.6, 0.9), chance=0.5, **record
    )
    nothing = Agreement(executor=None, decided=0, same=None, same_ci95=None, chance=None, **record)
    two_runs = comparison(
        THERE,
        row("m1", "visual_to_text", regret=-0.02, regret_ci95=None, redirected=1.0, chance=None),
        row("long-name", "text_to_visual", **UNDECIDED, **few),
        row("long-name", "visual_to_text", **UNDECIDED, **few),
    )
    three_directions = comparison(*(row("m1", way) for way in ("a_to_b", "b_to_a", "a_to_c")))
    cases = {
        "two runs, one with too little decided": report(two_runs),
        "one run in three directions": report(three_directions),
        "no run, and agreement": report(comparison(agreements=(agreed, nothing))),
    }

    golden("campaign", cases)
