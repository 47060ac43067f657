"""Numbers are ranked by counting where they are dense, by sorting elsewhere: with one result."""

import pytest

from epc.arrays import np, ranks


@pytest.mark.parametrize(
    ("values", "ranked"),
    [
        ([7, 3, 7, 0], [2, 1, 2, 0]),
        ([7, 3, 7, 900_000_000], [1, 0, 1, 2]),  # too far apart to be counted
        ([-1, 4, -1], [0, 1, 0]),
        ([], []),
    ],
)
def test_ranks_are_places_among_the_distinct_numbers(values: list[int], ranked: list[int]) -> None:
    assert ranks(np.array(values, np.int64)).tolist() == ranked
