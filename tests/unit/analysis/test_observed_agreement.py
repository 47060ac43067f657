"""Intervals of observed verdicts' agreement hold what they promise (Reading R77)."""

import numpy as np
import pytest
from observed_support import SETTINGS, columns, report, verdict

from epc.analysis.observed import measure
from epc.analysis.observed_agreement import between
from epc.analysis.observed_rows import rows_of
from epc.records.observed.converting import digest
from epc.statistics.inference import binomial_tail

DRAWS, ITEMS = 120, 40


def test_reading_r77_kappas_interval_covers_it_although_both_orders_of_an_item_agree() -> None:
    """The second judge copies the first one's verdict in 6 of 10 items and tosses a coin else."""
    rng = np.random.default_rng(20261123)
    names = [str(at) for at in range(ITEMS)]
    lines = [
        verdict(name, place, "a", setting=judge)
        for judge in ("one", "other")
        for place in "ab"
        for name in names
    ]
    rows = rows_of(columns(*lines)[1])
    hits = 0
    for _ in range(DRAWS):
        one, coin = rng.integers(0, 2, (2, ITEMS))
        other = np.where(rng.random(ITEMS) < 0.6, one, coin)
        rows.verdict[:] = np.concatenate([one, one, other, other])
        half = 2 * ITEMS
        pairs = between(
            [("x", SETTINGS["one"], rows[:half]), ("y", SETTINGS["other"], rows[half:])]
        )
        interval = pairs[0].figures["kappa"].ci95
        hits += bool(interval and interval[0] <= 0.6 <= interval[1])

    # Neither far too few nor all: as likely as 1 in 1,000 where 95% are covered.
    assert binomial_tail(DRAWS - hits, DRAWS, 0.05) > 0.001
    assert binomial_tail(hits, DRAWS, 0.95) > 0.001


def test_reading_r76_an_answer_that_two_judges_share_is_no_agreement() -> None:
    copied = {"answer_sha256": digest("said"), "answer_length": 100}
    judges = ("one", "other")

    (pair,) = report(
        *(verdict("1", "a", "a", setting=name, **copied) for name in judges),
        *(verdict("2", "a", said, setting=n) for n, said in zip(judges, "ab", strict=True)),
    ).pairs

    assert (pair.shared_answers, pair.figures["agreement"].value) == (1, 0)
    assert "kappa" in pair.figures


@pytest.mark.parametrize("prompt", ["unstated", "warmer"])
def test_reading_r77_a_judge_is_not_compared_with_itself(prompt: str) -> None:
    lines = [verdict("1", "a", "a", setting=name) for name in ("one", prompt)]

    assert measure(*columns(*lines)).pairs == []
