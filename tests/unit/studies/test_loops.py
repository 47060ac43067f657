"""Reading R93: levels and power in worlds drawn apart from the program, a few runs of each.

`tests/studies/loops.py` takes 500 runs a world; its tables are drawn on the page.
"""

from math import sqrt

from studies.loop_worlds import GATES, WORLDS
from studies.loops import covers, drifts, gates, levels

RUNS = 40
NOTHING, HONEST, LENGTH, _, BOUGHT = WORLDS[:5]


def near(share: float, runs: int = RUNS) -> float:
    """Return how far from a share the rate of so many runs may be: four standard deviations."""
    return 4 * sqrt(share * (1 - share) / runs) + 1 / runs


def test_reading_r93_where_nothing_changes_no_interval_is_on_one_side_too_often() -> None:
    rates = levels(NOTHING, RUNS)

    for name in ("fresh > 0", "gold > 0", "gold < 0", "taste > 0", "taste < 0"):
        assert float(rates[name]) <= 0.025 + near(0.025), name


def test_reading_r93_a_judge_that_loves_length_is_told_by_taste_and_not_by_gold() -> None:
    rates = levels(LENGTH, RUNS)

    assert float(rates["fresh > 0"]) >= 0.9 - near(0.9)
    assert float(rates["taste > 0"]) >= 0.95 - near(0.95)
    assert float(rates["gold > 0"]) <= 0.025 + near(0.025)


def test_reading_r93_an_honest_gain_is_seen_and_called_no_taste() -> None:
    rates = levels(HONEST, RUNS)

    assert float(rates["gold > 0"]) >= 0.9 - near(0.9)
    assert float(rates["taste > 0"]) <= 0.025 + near(0.025)


def test_reading_r93_taste_that_was_bought_with_gold_harms() -> None:
    assert float(levels(BOUGHT, RUNS)["gold < 0"]) >= 0.65 - near(0.65)


def test_reading_r93_intervals_hold_the_truth() -> None:
    rates = covers(HONEST, RUNS)

    for name in ("fresh", "gold", "price", "taste"):
        assert float(rates[name]) >= 0.95 - near(0.95), name


def test_reading_r93_the_gate_passes_taste_alone_and_hardly_ever_nothing() -> None:
    nothing, honest, length = (gates(world, RUNS) for world in GATES)

    assert nothing <= 0.025 + near(0.025)
    assert abs(honest - 0.45) <= near(0.45)
    assert abs(length - 0.6) <= near(0.6)


def test_reading_r95_parts_of_a_change_hold_the_truth() -> None:
    for anchors in (10, 200):
        for share in drifts(anchors, 200):
            assert abs(share - 0.95) <= near(0.95, 200)
