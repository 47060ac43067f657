"""Learning rules: by hand, to the bit in a column each, and by the second implementation."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from oracle.learners import learner_of

from epc.protocol.batch_replay import play
from epc.protocol.rules import (
    CELLS,
    Bayes,
    BradleyTerry,
    Rule,
    State,
    Thompson,
    policies,
    rates_of,
    rule_json,
    rule_of,
    rule_text,
    starts,
)
from epc.protocol.weights import UpdateRule, choose

RULES: Sequence[Rule] = (
    UpdateRule(alpha_win=0.06, alpha_lose=0.06),
    Bayes(),
    BradleyTerry(step=0.7),
    Thompson(),
    Thompson(prior_wins=3, prior_losses=2),
)
OTHERS = RULES[1:]


def named(rule: Rule) -> str:
    return "-".join([rule.name, *map(str, rates_of(rule).values())])


def learnt(rule: Rule, verdicts: Sequence[tuple[int, bool]], strategies: int) -> State:
    state = rule.start(strategies)
    for chosen, won in verdicts:
        state = rule.after(state, chosen=chosen, won=won)
    return state


def test_reading_r81_bayes_by_hand() -> None:
    """(1/2, 1/2): a win gives (.75, .25); another 9/10; a loss of the other strategy 27/28."""
    rule = Bayes(high=0.75, low=0.25)

    assert learnt(rule, [(0, True)], 2) == (0.75, 0.25)
    assert learnt(rule, [(0, True), (0, True), (1, False)], 2) == pytest.approx((27 / 28, 1 / 28))


def test_reading_r81_bradley_terry_by_hand() -> None:
    """A win at even strength: 1 + 1/2. A loss: 1 / (1 + 1/2). Shares of 5/2 and of 5/3."""
    rule = BradleyTerry(step=1.0)

    assert learnt(rule, [(0, True)], 2) == (1.5, 1.0)
    assert rule.policy((1.5, 1.0)) == (0.6, 0.4)
    assert rule.policy(learnt(rule, [(0, False)], 2)) == pytest.approx((0.4, 0.6))


def test_reading_r81_thompson_by_hand() -> None:
    """Of Beta(2, 1) against Beta(1, 1) the first is higher with 2/3; 16 cells give 341/512."""
    rule = Thompson()

    assert rule.policy(learnt(rule, [(0, True)], 2)) == (341 / 512, 171 / 512)


def test_reading_r81_thompsons_policy_is_how_often_the_highest_draw_is_whose() -> None:
    """Against draws from the Beta posteriors themselves, which share nothing with the cells."""
    rule, rng = Thompson(), np.random.default_rng(5)
    verdicts = [(0, True)] * 4 + [(0, False)] * 2 + [(1, True)] * 3 + [(2, False)] * 3
    drawn = rng.beta([5, 4, 1], [3, 1, 4], (200_000, 3)).argmax(axis=1)

    policy = rule.policy(learnt(rule, verdicts, 3))

    assert policy == pytest.approx(np.bincount(drawn) / len(drawn), abs=0.01)


@pytest.mark.parametrize("rule", RULES, ids=named)
def test_epc_6_3_every_rule_begins_even_and_learns_from_a_win(rule: Rule) -> None:
    even = rule.policy(rule.start(4))
    raised = rule.policy(learnt(rule, [(1, True)], 4))
    lowered = rule.policy(learnt(rule, [(1, False)], 4))

    assert even == (0.25,) * 4
    assert raised[1] > 0.25 > lowered[1]
    assert sum(raised) == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize("rule", RULES, ids=named)
@pytest.mark.parametrize(("strategies", "seeds"), [(1, 3), (3, 1), (11, 6), (2, 300)])
def test_adr_3_columns_take_the_steps_of_one_seed_to_the_last_bit(
    rule: Rule, strategies: int, seeds: int
) -> None:
    """With ties and missing pairs, a lone column, and so many that the wheel turns otherwise."""
    rng, rounds = np.random.default_rng(6), 30
    spun, draws = (
        rng.random((rounds, seeds)),
        rng.choice(4, (rounds, seeds), p=[0.5, 0.3, 0.1, 0.1]),
    )
    state = starts(rule, strategies, seeds)

    play(state, iter(spun), lambda number, *_: draws[number], rule)

    ended = policies(rule, state)
    for seed in range(min(seeds, 8)):
        alone = rule.start(strategies)
        for u, verdict in zip(spun[:, seed].tolist(), draws[:, seed].tolist(), strict=True):
            if verdict < 2:
                chosen = choose(rule.policy(alone), u)
                alone = rule.after(alone, chosen=chosen, won=verdict == 0)
        assert tuple(state[:, seed].tolist()) == alone
        assert tuple(ended[:, seed].tolist()) == rule.policy(alone)


@pytest.mark.parametrize("rule", OTHERS, ids=named)
def test_reading_r81_the_second_implementation_has_the_same_bits(rule: Rule) -> None:
    rng = np.random.default_rng(7)
    verdicts = [(int(rng.integers(5)), bool(rng.integers(2))) for _ in range(120)]
    learner = learner_of({"rule": rule_json(rule)})
    state = learner.begin(5, float)

    for chosen, won in verdicts:
        learner.learn(state, chosen, won=won)

    assert tuple(state) == learnt(rule, verdicts, 5)
    assert tuple(learner.weights(state)) == rule.policy(learnt(rule, verdicts, 5))


def test_a_long_run_of_wins_or_losses_stays_a_distribution() -> None:
    for rule in OTHERS:
        for won in (True, False):
            policy = rule.policy(learnt(rule, [(0, won)] * 3000, 3))
            assert sum(policy) == pytest.approx(1)
            assert (policy[0] > 0.9) is won


def test_more_wins_never_lower_a_strategy() -> None:
    for rule in OTHERS:
        chances = [rule.policy(learnt(rule, [(0, True)] * n, 3))[0] for n in range(12)]
        assert all(later > earlier for earlier, later in pairwise(chances))


@pytest.mark.parametrize("rule", RULES, ids=named)
def test_epc_2_7_a_rule_is_the_one_that_its_record_states(rule: Rule) -> None:
    assert rule_of(rule_json(rule)) == rule
    assert (
        rule_of({key: float(rate) for key, rate in rates_of(rule).items()} | {"name": rule.name})
        == rule
    )


def test_reading_r81_the_protocols_rule_is_stated_as_ever() -> None:
    assert rule_json(UpdateRule()) == {"alpha_win": 0.08, "alpha_lose": 0.04, "weight_floor": 0.001}
    assert rule_of({}) == UpdateRule()
    assert rule_text(UpdateRule()) == "0.08 on a win, 0.04 on a loss"
    assert rule_text(Bayes()) == "bayes, high 0.65, low 0.35"


def test_adr_3_win_rates_are_exact() -> None:
    state = Thompson().start(1)

    assert len(state) == CELLS
    assert set(state) == {1 / 16}


@pytest.mark.parametrize("rule", OTHERS, ids=named)
def test_reading_r81_a_win_and_a_loss_count_alike(rule: Rule) -> None:
    assert rule.worth == (1.0, -1.0)


def test_reading_r81_a_prior_of_wins_and_losses_has_their_likelihood() -> None:
    """Two wins and one loss beyond the flat prior: rate squared, times what is left of 1."""
    flat, prior = Thompson().start(2), Thompson(prior_wins=3, prior_losses=2).start(2)
    rates = [(cell + 0.5) / CELLS for cell in range(CELLS)]
    likely = [rate**2 * (1 - rate) for rate in rates]

    assert flat == pytest.approx([1 / CELLS] * 2 * CELLS)
    assert prior[:CELLS] == pytest.approx([each / sum(likely) for each in likely])
    assert prior[CELLS:] == prior[:CELLS]
