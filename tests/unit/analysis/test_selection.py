"""Intervals of the best of n cover what they say; the study has more worlds (Reading R94)."""

import numpy as np

from epc.analysis.selection import selections
from epc.records.banks import Bank


def test_reading_r94_intervals_cover_a_taste_of_none_and_the_luck_that_there_is() -> None:
    """Scores are gold and noise that is new at each asking, so all that is not gold is luck.

    The truth of luck is the mean over all repeats; that of taste is 0.
    """
    rng = np.random.default_rng(17)
    right = np.tile([1.0, 0.0, 0.0, 0.0], (80, 1))
    ids = np.arange(80)
    found: dict[str, list[tuple[float, float, float]]] = {}
    for _ in range(150):
        bank = Bank(
            judge="j",
            item=ids,
            cluster=ids,
            domain=np.zeros(80, np.int64),
            domains=["all"],
            scores=right[:, None] + rng.normal(0, 1, (80, 8, 4)),
            gold=right,
            left_out=0,
        )
        (done,) = selections([bank], 2)
        for name, figure in done.domains["all"].gains[-1].figures.items():
            assert figure.ci95
            found.setdefault(name, []).append((figure.value, *figure.ci95))

    for name in ("taste_least", "taste_most", "luck", "fresh", "gold"):
        values, low, high = np.array(found[name]).T
        truth = 0.0 if name.startswith("taste") else values.mean()
        assert 0.88 <= ((low <= truth) & (truth <= high)).mean() <= 1, name
