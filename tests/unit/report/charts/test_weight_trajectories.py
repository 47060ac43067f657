"""How the weights went: which order, which strategy, in the picture and in words."""

from epc.analysis.trajectories import Trajectories
from epc.report.charts.weight_trajectories import trajectories_chart
from epc.spec.domains import Pair

START, MORE, LESS = (0.5, 0.5, 0.5), (0.7500004, 0.6, 0.9), (0.25, 0.1, 0.4)
CHART = trajectories_chart(
    Trajectories(
        pairs=(Pair("text", "visual"), Pair("visual", "text")),
        strategies=("p", "q"),
        rounds=1,
        seeds=30,
        paths=(
            ((START, START, MORE), (START, START, LESS)),
            ((START, START, LESS), (START, START, MORE)),
        ),
    )
)


def test_every_order_and_strategy_has_a_row_a_round() -> None:
    assert len(CHART.rows) == 2 * 2 * 3
    assert [row["order"] for row in CHART.rows[::6]] == ["text, then visual", "visual, then text"]
    assert CHART.rows[2] == {
        "order": "text, then visual",
        "strategy": "p",
        "round": 2,
        "mean": 0.7500004,
        "low": 0.6,
        "high": 0.9,
    }


def test_the_words_say_which_strategy_ends_with_most_weight() -> None:
    assert CHART.alternative == (
        "Mean weights by round over 30 seeds. text, then visual: p ends with most weight, 0.75; "
        "visual, then text: q ends with most weight, 0.75."
    )


def test_the_picture_has_both_phases_and_five_places() -> None:
    assert CHART.content["data"]["values"][2]["mean"] == 0.75
    x = CHART.content["spec"]["layer"][3]["encoding"]["x"]
    assert x["axis"]["values"] == [0, 1, 2]
    assert CHART.content["spec"]["layer"][1]["data"]["values"] == [{"mean": 0.5}]
