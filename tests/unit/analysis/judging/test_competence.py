"""Detection rates: what counts, and whether their words hold what they promise."""

from collections.abc import Sequence

import numpy as np
import pytest

from epc.analysis.judging.competence import Pair, _points, detection

BASE = (2, 2, 1, 1)
LESS = (2, 1, 1, 1)


def pair(number: int, base: Sequence[int] | None, made: Sequence[int] | None) -> Pair:
    return Pair(question=f"Q{number}", base=base, altered=made)


def test_reading_r87_lost_pairs_are_wrong_and_floored_ones_are_left_out() -> None:
    pairs = [
        pair(0, BASE, LESS),
        pair(1, BASE, BASE),
        pair(2, BASE, None),
        pair(3, None, LESS),
        pair(4, (0, 0, 0, 0), (0, 0, 0, 0)),
    ]

    actual_detection = detection("truncated", pairs, constant=False)

    assert (actual_detection.count, actual_detection.value) == (1, 1 / 4)
    assert (actual_detection.pairs, actual_detection.lost, actual_detection.at_floor) == (5, 2, 1)
    assert actual_detection.bounds == (1 / 5, 4 / 5)
    assert (actual_detection.ci95, actual_detection.word) == (
        None,
        "cannot_tell",
    )  # four are too few
    assert detection("truncated", pairs, constant=True).value == 1 / 5


@pytest.mark.parametrize(("pairs", "is_stated"), [(7, False), (8, True)])
def test_reading_r87_an_interval_is_stated_from_eight_pairs_on(
    pairs: int, *, is_stated: bool
) -> None:
    actual_detection = detection(
        "truncated", [pair(n, BASE, LESS) for n in range(pairs)], constant=False
    )

    assert (actual_detection.ci95 is not None) == is_stated


@pytest.mark.parametrize(
    ("kind", "lower", "same", "higher"),
    [("truncated", 1, 0, 0), ("same_text", 0, 1, 0), ("padded", 1, 1, 0)],
)
def test_reading_r87_each_kind_has_its_order(kind: str, lower: int, same: int, higher: int) -> None:
    shares = [
        detection(kind, [pair(0, base, made)], constant=False).value
        for base, made in ((BASE, LESS), (BASE, BASE), (LESS, BASE))
    ]

    assert shares == [lower, same, higher]


def test_reading_r87_the_interval_and_the_words_hold_what_they_promise() -> None:
    """Judges that are simulated here, who are better on some questions than on others."""
    rng = np.random.default_rng(19)
    said = {0.75: [0, 0], 0.95: [0, 0], 0.5: [0, 0]}
    covered = 0
    for truth, words in said.items():
        for _ in range(200):
            spread = rng.beta(6 * truth, 6 * (1 - truth), size=16)
            right = rng.random((16, 4)) < spread[:, None]
            pairs = [
                pair(number, BASE, LESS if hit else BASE)
                for number, row in enumerate(right)
                for hit in row
            ]
            actual_detection = detection("all", pairs, constant=False)
            assert actual_detection.ci95 is not None
            covered += actual_detection.ci95[0] <= truth <= actual_detection.ci95[1]
            words[0] += actual_detection.word == "capable"
            words[1] += actual_detection.word == "incapable"

    assert covered >= 0.93 * 600
    assert max(said[0.75]) <= 0.05 * 200  # each side of the bound: 2.5%, and what 200 runs vary by
    assert said[0.95][0] >= 0.8 * 200
    assert said[0.5][1] >= 0.8 * 200
    assert said[0.95][1] == said[0.5][0] == 0


@pytest.mark.parametrize(
    ("over", "points"),
    [
        ("overall_score", 6),
        ("FORMAT_COMPLIANCE", 2),
        ("SEMANTIC_FIDELITY + COMPLETENESS", 1),
    ],
)
def test_reading_r87_points_are_of_some_dimensions_or_of_all(over: str, points: int) -> None:
    """In the order of the dimensions: format, instructions, fidelity, completeness."""
    assert _points((2, 3, 1, 0), over) == points
