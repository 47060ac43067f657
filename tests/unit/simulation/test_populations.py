"""Populations: what each named parameter does to the rates, against values worked out by hand."""

import numpy as np
import pytest

from epc.simulation.populations import Population, drawn

RUNS = 40
MANY = (200, 200)


def rates(population: Population) -> dict[str, "np.typing.NDArray[np.float64]"]:
    judged = drawn(population, RUNS, np.random.default_rng(3))
    return {
        domain: verdict_odds.a / (1 - verdict_odds.tie) for domain, verdict_odds in judged.items()
    }


def logit(share: "np.typing.NDArray[np.float64]") -> "np.typing.NDArray[np.float64]":
    return np.asarray(np.log(share / (1 - share)))


def test_reading_r75_without_structure_every_task_has_the_evaluators_rates() -> None:
    found = rates(Population(evaluator="favourite:high=0.8,low=0.3"))

    assert np.unique(found["text"].round(12)).tolist() == [0.3, 0.8]
    assert found["text"][:, 1] == pytest.approx(0.8)
    assert found["text"].shape == (RUNS, 11, 8)


def test_reading_r70_a_shift_and_noise_keep_the_order_of_one_ranking() -> None:
    found = rates(Population(ranking=1, shift=2, noise=(1, 4)))

    text, visual = (logit(found[domain]) for domain in ("text", "visual"))
    assert visual == pytest.approx(text / 4 - 2)


def test_reading_r74_tasks_of_one_topic_share_their_interaction() -> None:
    text = rates(Population(interaction=(1, 1), topic=4))["text"]

    assert (text[..., :4] == text[..., :1]).all()
    assert (text[..., 4] != text[..., 0]).all()


def test_reading_r74_groups_are_declared_or_not() -> None:
    assert Population(topic=4).groups is None
    assert Population(topic=4, declared=True).groups == {
        "text": ["000000"] * 4 + ["000001"] * 4,
        "visual": ["000000"] * 4 + ["000001"] * 4,
    }


def test_reading_r75_task_effects_move_all_strategies_alike() -> None:
    found = logit(rates(Population(effects=1, tasks=MANY))["text"])

    assert found == pytest.approx(found[:, :1] + np.zeros_like(found))
    assert found.std() == pytest.approx(1, abs=0.05)


def test_reading_r16_flips_press_every_pair_to_its_own_answer() -> None:
    found = rates(Population(evaluator="favourite:high=0.8,low=0.3", flips=0.03, tasks=MANY))

    assert np.unique(found["text"].round(12)).tolist() == [0.03, 0.97]
    # 0.8 x 0.97 + 0.2 x 0.03; the standard error over 8,000 pairs is 0.004.
    assert found["text"][:, 1].mean() == pytest.approx(0.782, abs=0.02)


@pytest.mark.parametrize("repeats", [0.0, 0.4, 1.0])
def test_reading_r75_answers_that_repeat_leave_win_rates_as_stated(repeats: float) -> None:
    population = Population(
        evaluator="domain-favourites:high=0.7,low=0.4", repeats=repeats, alike=0.2, tasks=MANY
    )

    text = rates(population)["text"]

    assert text[:, 1].mean() == pytest.approx(0.7, abs=0.03)
    assert text[:, 2:].mean() == pytest.approx(0.4, abs=0.03)


def test_reading_r75_the_shares_of_a_coins_variance_are_as_stated() -> None:
    text = rates(Population(repeats=0.5, alike=0.2, tasks=(400, 400)))["text"]

    # A coin's verdict has a variance of 1/4; half is the pair's own, a fifth the task's.
    assert text.var() == pytest.approx(0.25 * 0.5, abs=0.01)
    both = ((text[:, 0] - 0.5) * (text[:, 1] - 0.5)).mean()
    assert both == pytest.approx(0.25 * 0.2, abs=0.01)


def test_reading_r72_two_strategies_lack_a_share_of_the_visual_pairs() -> None:
    judged = drawn(Population(missing=0.85, tasks=MANY), RUNS, np.random.default_rng(3))

    assert judged["text"].present.all()
    assert judged["visual"].present[:, 2:].all()
    assert judged["visual"].present[:, :2].mean() == pytest.approx(0.15, abs=0.01)


def test_reading_r72_ties_of_a_domain_leave_the_rates_of_what_is_decided() -> None:
    judged = drawn(
        Population(evaluator="favourite:high=0.8,low=0.3", ties=(0, 0.4)),
        RUNS,
        np.random.default_rng(3),
    )

    assert (judged["text"].tie == 0).all()
    assert judged["visual"].tie == pytest.approx(0.4)
    assert judged["visual"].a[:, 1] == pytest.approx(0.8 * 0.6)
