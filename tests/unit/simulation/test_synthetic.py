"""The figures of synthetic evaluators: streamed, and the same however they are cut up."""

import numpy as np
import pytest

from epc.protocol.weights import UpdateRule
from epc.simulation.evaluators import evaluator
from epc.simulation.synthetic import BLOCKS_A_PART, FIGURES, parts, simulate, summarise
from epc.simulation.training import BLOCK

SIZE = BLOCK * BLOCKS_A_PART


def test_reading_r15_parts_hold_every_seed_once() -> None:
    sent_parts = parts("coin-flip", seeds=2 * SIZE + 7, strategies=11)

    assert [part.seeds for part in sent_parts] == [SIZE, SIZE, 7]
    assert [part.first for part in sent_parts] == [0, BLOCKS_A_PART, 2 * BLOCKS_A_PART]


def test_reading_r15_more_seeds_leave_the_first_ones_as_they_were() -> None:
    few, more = (
        simulate(parts("favourite", seeds=n, rounds=5, strategies=3)[0]) for n in (BLOCK, 3 * BLOCK)
    )

    assert (few == more[:, :BLOCK]).all()
    assert not (more[:, :BLOCK] == more[:, BLOCK : 2 * BLOCK]).any(axis=1).all()


def test_epc_2_5_eq_1_the_summary_is_that_of_its_rows() -> None:
    blocks = [np.random.default_rng(n).random((len(FIGURES), n)) for n in (5, 9)]
    blocks[0][0, :3] = 0.0  # gamma, text to visual
    rows = dict(zip(FIGURES, np.concatenate(blocks, axis=1), strict=True))

    simulation = summarise(iter(blocks), 14)

    gamma = rows["gamma_text_to_visual"]
    spread = simulation.spread["gamma_text_to_visual"]
    assert spread.mean == pytest.approx(sum(gamma) / 14)
    assert spread.sd == pytest.approx(np.sqrt(((gamma - gamma.mean()) ** 2).sum() / 13))
    assert spread.standard_error == pytest.approx(spread.sd / np.sqrt(14))
    assert spread.q025 <= spread.q05 <= spread.median <= spread.q95 <= spread.q975
    assert simulation.zero == {"text_to_visual": 3, "visual_to_text": 0}
    mean, _ = simulation.excess["visual_to_text"]
    apart = rows["gamma_visual_to_text"] - rows["control_gamma_visual_to_text"]
    assert mean == pytest.approx(apart.mean())
    assert simulation.as_json()["zero_coupling_rate"]["text_to_visual"]["rate"] == 3 / 14


@pytest.mark.parametrize("text", ["coin-flip", "favourite:high=0.95,low=0.1", "always-a:tie=0.4"])
def test_reading_r15_excess_is_zero_where_domains_are_alike(text: str) -> None:
    seeds = 20_000
    simulation = summarise(
        [simulate(part) for part in parts(text, seeds=seeds, strategies=11)], seeds
    )

    for mean, error in simulation.excess.values():
        assert abs(mean) < 4 * error


def test_reading_r15_excess_is_large_where_favourites_differ() -> None:
    text, seeds = "domain-favourites:high=0.95,low=0.1", 4000
    simulation = summarise(
        [simulate(part) for part in parts(text, seeds=seeds, strategies=11)], seeds
    )

    assert all(mean > 20 * error > 0 for mean, error in simulation.excess.values())


def test_reading_r8_an_evaluator_of_nothing_but_ties_couples_by_zero() -> None:
    text = "coin-flip:tie=1"
    simulation = summarise([simulate(part) for part in parts(text, seeds=10, strategies=4)], 10)

    assert simulation.zero == {"text_to_visual": 10, "visual_to_text": 10}
    assert evaluator(text)["text"].tie.tolist() == [1.0] * 11
    assert UpdateRule() == parts(text, seeds=1, strategies=4)[0].rule
