"""Which of very many seeds are drawn."""

from typing import Any

import pytest

from epc.site.charts.seeds import _thinned


def rows(*values: float) -> list[dict[str, Any]]:
    return [{"value": value, "gamma": value} for value in values]


@pytest.mark.parametrize("count", [200, 399])
def test_of_more_than_two_hundred_seeds_evenly_spaced_ranks_are_drawn_with_both_ends(
    count: int,
) -> None:
    seeds = [{"value": float(n)} for n in reversed(range(count))]

    drawn = [row["value"] for row in _thinned(seeds, 1)]

    assert len(drawn) == 200
    if count > 200:  # every second one of 399
        assert drawn == [2.0 * n for n in range(200)]
    else:
        assert drawn == [row["value"] for row in seeds]
