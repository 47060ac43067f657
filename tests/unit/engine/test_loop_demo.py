"""What an optimiser works on in the demo and in the published loops (Reading R93)."""

import random
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from registry_support import ROOT

from epc.engine.loop_demo import JUDGES, SIZES, STARTS, Pickers, Split, Sums
from epc.errors import UsageError
from epc.records.banks import SharedBank, shared_bank

pytestmark = pytest.mark.extra  # Parquet


@pytest.fixture(scope="module")
def bank() -> SharedBank:
    return shared_bank((ROOT / "snapshots" / "bank.parquet").read_bytes())


def test_reading_r93_equal_votes_are_decided_without_gold(bank: SharedBank) -> None:
    """The right answer stands first in the bank: to take the first of equals would cheat."""
    work = Pickers.from_bank(bank, "gpt-5.4")
    nobody = dict.fromkeys(work.names, "0.0")

    right = np.mean(work.right(work.items, work.outputs(nobody, work.items)))

    assert right == pytest.approx(0.25, abs=3 * np.sqrt(0.25 * 0.75 / len(work.items)))


def test_reading_r93_the_asking_of_the_checks_is_never_the_optimisers(bank: SharedBank) -> None:
    judge = "gpt-5.4-nano"
    marked = {**bank.scores, judge: np.broadcast_to(np.arange(8.0), bank.scores[judge].shape)}
    work = Pickers.from_bank(replace(bank, scores=marked), judge)
    items = work.items[:1]

    figures = [work.scores(items, [2]) for _ in range(20)]

    assert [score for [score] in figures] == [n % 7 for n in range(20)]
    assert work.fresh(judge, items, [2]) == [7]


def test_a_candidate_hands_in_the_answer_with_most_weighted_votes(bank: SharedBank) -> None:
    """One picker alone decides as it did: counted from the scores in the bank."""
    work = Pickers.from_bank(bank, "gpt-5.4")
    picker = STARTS["good"]
    alone = np.argmax(bank.scores[picker][:, :, 0], axis=1)

    chosen = work.outputs(work.start(picker), work.items)

    places = [bank.items.index(item.item) for item in work.items]
    assert np.mean(chosen == alone[places]) > 0.999  # equal scores of two answers are rare


def test_judges_a_and_b_are_of_other_makers_and_no_picker_is_a_judge(bank: SharedBank) -> None:
    makers = {name: name.split("-")[0] for name in JUDGES}

    assert all(makers[a] != makers[b] for a, b in JUDGES.items())
    assert not set(Pickers.from_bank(bank, "gpt-5.4").names) & set(JUDGES)


def test_the_starts_are_the_pickers_that_are_right_most_and_least_often(bank: SharedBank) -> None:
    work = Pickers.from_bank(bank, "gpt-5.4")
    right = {
        name: np.mean(work.right(work.items, work.outputs(work.start(name), work.items)))
        for name in work.names
    }

    assert max(right, key=right.__getitem__) == STARTS["good"]
    assert min(right, key=right.__getitem__) == STARTS["weak"]


def test_a_seed_draws_parts_without_a_common_item(bank: SharedBank) -> None:
    items = Pickers.from_bank(bank, "gpt-5.4").items

    split = Split.drawn(items, SIZES, 3)

    parts = [{item.item for item in part} for part in split.by_name.values()]
    assert tuple(map(len, parts)) == SIZES
    assert not parts[0] & parts[1] | parts[1] & parts[2] | parts[0] & parts[2]
    assert split != Split.drawn(items, SIZES, 4)


def test_a_proposal_keeps_about_half_of_the_weights(bank: SharedBank) -> None:
    work = Pickers.from_bank(bank, "gpt-5.4")
    rng = random.Random(1)
    steps = [work.start(STARTS["weak"])]
    for _ in range(500):
        steps.append(work.changed(steps[-1], rng))

    kept_counts = Counter(old[n] == new[n] for old, new in pairwise(steps) for n in work.names)

    # one half stays, and a redraw gives one of eleven weights again
    assert kept_counts[True] / kept_counts.total() == pytest.approx(0.5 + 0.5 / 11, abs=0.03)


def test_a_judge_that_is_not_in_the_bank_is_named_with_those_that_are(bank: SharedBank) -> None:
    with pytest.raises(UsageError, match=r"no judge gpt-5\.4-nan: did you mean gpt-5\.4-nano"):
        Pickers.from_bank(bank, "gpt-5.4-nan")


def test_the_embedded_model_writes_sums_its_likelihood_judges_and_arithmetic_is_gold(
    request: pytest.FixtureRequest,
) -> None:
    work = Sums()
    request.addfinalizer(work.close)
    items = [item for item in work.items if item.item in {"2+3", "9+9"}]

    texts = work.outputs({"instruction": "Answer with the number alone."}, items)

    assert all(texts)
    assert all(0 < score < 1 for score in work.scores(items, texts))
    assert work.scores(items, texts) == work.fresh(work.judge, items, texts)
    assert work.right(items, ["2 + 3 = 5", "it is 18, or 81"]) == [1, 0]
    assert work.changed(work.begin, random.Random(0)) != work.begin
