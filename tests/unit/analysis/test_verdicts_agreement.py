"""Intervals of observed verdicts' agreement hold what they promise (Reading R77)."""

from dataclasses import replace

import numpy as np
import pytest
from observed_support import SETTINGS, columns, report, verdict

from epc.analysis.verdicts_agreement import between, comparable
from epc.analysis.verdicts_figures import of_scores
from epc.analysis.verdicts_rows import file_names, rows_of
from epc.analysis.verdicts_self_preference import of_own
from epc.records.verdicts.converting import digest
from epc.records.verdicts.types import Choices
from epc.statistics.inference import binomial_tail

DRAWS, ITEMS = 120, 40


def require_coverage(hits: int) -> None:
    """Hold hits to 95%: neither so few nor so many that 1 in 1,000 had them."""
    assert binomial_tail(DRAWS - hits, DRAWS, 0.05) > 0.001
    assert binomial_tail(hits, DRAWS, 0.95) > 0.001


def test_reading_r77_kappas_interval_covers_it_although_both_orders_of_an_item_agree() -> None:
    """The second judge copies the first one's verdict in 6 of 10 items and tosses a coin else."""
    rng = np.random.default_rng(20261123)
    names = [str(index) for index in range(ITEMS)]
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
        other_choices = np.where(rng.random(ITEMS) < 0.6, one, coin)
        choices = np.concatenate([one, one, other_choices, other_choices])
        rows = replace(rows, verdict=choices)
        half = 2 * ITEMS
        pairs = between(
            [("x", SETTINGS["one"], rows[:half]), ("y", SETTINGS["other"], rows[half:])]
        )
        interval = pairs[0].figures["kappa"].ci95
        hits += bool(interval and interval[0] <= 0.6 <= interval[1])

    require_coverage(hits)


def test_reading_r77_the_slope_of_lengths_covers_it_where_questions_differ_in_it() -> None:
    """Half a point per doubling on average, by question between 0.2 and 0.8, with a level each."""
    rng = np.random.default_rng(20261124)
    alone = {"item": "0", "setting": "one", "file": "f", "a_sha256": digest("a"), "a_length": 1}
    lines = [
        {**alone, "item": f"{q}/{n}", "question_sha256": digest(str(q)), "a_score": 0}
        for q in range(ITEMS)
        for n in range(4)
    ]
    rows, question = rows_of(columns(*lines)[1]), np.repeat(np.arange(ITEMS), 4)
    hits = 0
    for _ in range(DRAWS):
        length = rng.integers(50, 800, len(question)).astype(np.float64)
        slope, level = rng.uniform(0.2, 0.8, ITEMS), rng.normal(0, 2, ITEMS)
        noise = rng.normal(0, 1, len(question))
        score = slope[question] * np.log2(length) + level[question] + noise
        rows = replace(rows, length=length, score=score)
        interval = dict(of_scores(rows))["score_per_doubling"].ci95
        hits += bool(interval and interval[0] <= 0.5 <= interval[1])

    require_coverage(hits)


def test_reading_r24_the_interval_of_self_preference_covers_it_where_questions_differ() -> None:
    """j favours its own by 1 point on average, by question between 0 and 2, and all by 0.5."""
    rng = np.random.default_rng(20261125)
    alone = {"file": "f", "a_sha256": digest("a"), "a_length": 1, "a_score": 0}
    lines = [
        {
            **alone,
            "item": f"{q}/{by}",
            "setting": judge,
            "a_by": by,
            "question_sha256": digest(f"{q}"),
        }
        for judge in ("one", "other")
        for q in map(str, range(ITEMS))
        for by in ("j", "p", "r")
    ]
    _, verdicts = columns(*lines)
    rows, of_file = rows_of(verdicts), file_names(verdicts)
    own, half = np.tile([1, 0, 0], ITEMS), len(lines) // 2
    hits = 0
    for _ in range(DRAWS):
        favour = np.repeat(rng.uniform(0, 2, ITEMS), 3) * own + 0.5
        score = rng.normal(5, 2, half)
        scores = np.concatenate([score + favour, score]) + rng.normal(0, 1, 2 * half)
        rows = replace(rows, score=scores)
        judges = [("x", SETTINGS["one"], rows[:half]), ("y", SETTINGS["other"], rows[half:])]
        interval = dict(of_own(judges[0], judges, of_file, Choices()))["self_preference_score"].ci95
        hits += bool(interval and interval[0] <= 1 <= interval[1])

    require_coverage(hits)


def self_preference(*said: tuple[str, str, str, str]) -> float:
    """Return j's, by pairs of authors, j's own verdict and that of another judge."""
    lines = [
        verdict(
            str(index), "a", word, setting=judge, a_by=a, b_by=b, question_sha256=digest(f"{index}")
        )
        for judge, which in (("one", 2), ("other", 3))
        for index, (a, b, *_) in enumerate(said)
        for word in [said[index][which]]
    ]
    _, verdicts = columns(*lines)
    rows, half = rows_of(verdicts), len(said)
    judges = [("x", SETTINGS["one"], rows[:half]), ("y", SETTINGS["other"], rows[half:])]
    return dict(of_own(judges[0], judges, file_names(verdicts), Choices()))["self_preference"].value


def test_reading_r24_without_a_baseline_what_one_of_two_others_gains_the_other_loses() -> None:
    # Of its own j gives 1 win and 0 more than the other judge does; p and r, r and s say nothing.
    own = ("j", "p", "a", "b"), ("p", "j", "b", "b")

    assert self_preference(*own, ("p", "r", "a", "b"), ("r", "s", "b", "a")) == 0.5


def test_reading_r24_with_a_baseline_others_are_favoured_by_what_they_win_of_it() -> None:
    # p is in every pair: r wins one less by j than by the other judge, s half a win more.
    own = ("j", "p", "a", "b"), ("p", "j", "b", "b")
    others = ("p", "r", "a", "b"), ("s", "p", "tie", "b")

    # Of its own 1/2 on average, of others' (-1 + 1/2) / 2.
    assert self_preference(*own, *others) == 0.5 + 0.25


def test_reading_r76_an_answer_that_two_judges_share_is_no_agreement() -> None:
    copied = {"answer_sha256": digest("said"), "answer_length": 100}
    judges = ("one", "other")

    (pair,) = report(
        *(verdict("1", "a", "a", setting=name, **copied) for name in judges),
        *(verdict("2", "a", said, setting=n) for n, said in zip(judges, "ab", strict=True)),
    ).pairs

    assert (pair.shared_answers, pair.figures["agreement"].value) == (1, 0)
    assert "kappa" in pair.figures


@pytest.mark.parametrize(
    ("names", "compared"),
    [
        (("one", "unstated"), False),
        (("one", "warmer"), False),
        (("stated", "stated too"), False),  # two names of one model
        (("one", "stated"), True),
    ],
)
def test_reading_r77_a_judge_is_not_compared_with_itself(
    names: tuple[str, str], *, compared: bool
) -> None:
    lines = [verdict("1", "a", "a", setting=name) for name in names]

    assert bool(report(*lines).pairs) is compared


def test_a_judge_that_saw_images_is_held_against_none_that_saw_text() -> None:
    one, other = SETTINGS["one"], SETTINGS["other"]

    assert comparable(one, other)
    assert not comparable(one, replace(other, modality="image"))
    assert comparable(replace(one, modality="image"), replace(other, modality="image"))
