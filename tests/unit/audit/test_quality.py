"""Is the work better by gold? Worlds of known truth, by wheels of their own (Reading R91)."""

from typing import Any

import numpy as np
import pytest
from budget_support import examples
from studies.gold_worlds import WORLDS, World

from epc.audit.quality import LabelledVerdicts, Quality, blind_spots, quality, word_of
from epc.protocol.weights import UpdateRule
from epc.spec.coupling import NotMeasured
from epc.statistics.figures import Figure

STRATEGIES = 11
TASKS = 40
NAMES = [f"s{number:02}" for number in range(STRATEGIES)]
Rates = Any


LENGTH, MOSTLY_RIGHT, PERFECT = WORLDS[:3]


def drawn(world: World, seed: int) -> dict[str, LabelledVerdicts]:
    """Return a table of verdicts and labels of a world: in training (x) and at work (y)."""
    rng = np.random.default_rng(seed)
    tables = {name: world.table(index, TASKS, rng) for index, name in enumerate("xy")}
    return {
        n: LabelledVerdicts(**dict(zip(LabelledVerdicts.__slots__, table, strict=True)))
        for n, table in tables.items()
    }


def judged(won: Rates, gold: Rates, labels: Rates = None) -> LabelledVerdicts:
    labels = np.ones_like(gold) if labels is None else labels
    return LabelledVerdicts(
        won=won,
        decided=np.ones_like(won),
        tied=np.zeros_like(won),
        gold=gold * labels,
        labels=labels,
    )


def measured(
    sides: dict[str, LabelledVerdicts], names: list[str] = NAMES, rounds: int = 30
) -> Quality:
    done = quality(sides, names, rounds=rounds, rule=UpdateRule())
    assert isinstance(done, Quality)
    return done


def trained(rates: list[Rates], rounds: int = 30) -> Rates:
    """Return the mean weights of 2,000 agents that were trained by one table after the other."""
    rng = np.random.default_rng(9)
    weights = np.full((2000, len(rates[0])), 1 / len(rates[0]))
    each = np.arange(2000)
    for table in rates:
        for _ in range(rounds):
            spun = (weights.cumsum(axis=1) < rng.random((2000, 1))).sum(axis=1)
            chosen = np.minimum(spun, weights.shape[1] - 1)
            won = rng.random(2000) < table[chosen]
            weights[each, chosen] += np.where(won, 0.08, -0.04)
            weights = np.maximum(weights, 0.001)
            weights /= weights.sum(axis=1, keepdims=True)
    return weights.mean(axis=0)


def test_reading_r91_a_judge_that_loves_length_is_told_to_harm() -> None:
    """It sees its own gain all the while, and what crosses is no fault of the detour."""
    right, wins = LENGTH.rates(1), LENGTH.judged_rates(1)
    truth = float(((trained([wins, wins]) - 1 / STRATEGIES) * right).sum())

    work = measured(drawn(LENGTH, 3)).domains["y"]

    assert truth < -0.1
    assert work.word == "harms"
    assert work.gold_gain.value == pytest.approx(truth, abs=0.06)
    assert work.proxy_gain.ci95
    assert work.proxy_gain.ci95[0] > 0.05
    assert work.gold_trained_gain
    assert work.gold_trained_gain.ci95
    assert work.gold_trained_gain.ci95[0] > 0.05
    assert any(spot.reversed for spot in work.blind)


def test_reading_r91_a_judge_that_is_right_in_80_percent_gains() -> None:
    right, wins = MOSTLY_RIGHT.rates(1), MOSTLY_RIGHT.judged_rates(1)
    truth = float(((trained([wins, wins]) - 1 / STRATEGIES) * right).sum())

    work = measured(drawn(MOSTLY_RIGHT, 4)).domains["y"]

    assert truth > 0.05
    assert work.word == "gains"
    assert work.gold_gain.value == pytest.approx(truth, abs=0.05)
    assert not any(spot.reversed for spot in work.blind)


def test_reading_r91_a_perfect_judge_loses_nothing_beyond_what_gold_itself_would() -> None:
    """People prefer other things at work, so its own verdicts show what the detour costs."""
    rates, local_rates = PERFECT.rates(0), PERFECT.rates(1)
    truth = float(
        ((trained([local_rates, local_rates]) - trained([rates, local_rates])) * local_rates).sum()
    )

    done = measured(drawn(PERFECT, 4))
    detour = done.directions["x_to_y"]

    assert truth > 0.03
    assert detour.gold_loss == detour.regret == detour.gold_trained_loss
    assert detour.gold_loss.ci95
    assert detour.gold_loss.ci95[0] < truth < detour.gold_loss.ci95[1]
    assert detour.beyond
    assert detour.beyond.value == 0
    assert {work.word for work in done.domains.values()} <= {"gains", "gain_not_shown"}


@pytest.mark.parametrize(
    ("ends", "word"),
    [
        ((0.021, 0.3), "gains"),
        ((0.02, 0.3), "gain_not_shown"),
        ((-0.3, 0.3), "gain_not_shown"),
        ((-0.3, 0.0), "gain_not_shown"),
        ((-0.3, -0.001), "harms"),
        (None, "gain_not_shown"),
    ],
)
def test_reading_r91_a_word_takes_an_end_beyond_two_points_or_below_none(
    ends: tuple[float, float] | None, word: str
) -> None:
    assert word_of(Figure(value=0.1, ci95=ends)) == word


def test_reading_r91_nobody_is_flattered_by_having_chosen_what_happened_to_win() -> None:
    """Verdicts and labels by the same coin: chosen and valued by the same tasks they would gain."""
    rng = np.random.default_rng(6)
    gains, flattered = [], []
    for _ in range(examples(60)):
        coins = {name: rng.integers(0, 2, (10, 6)).astype(float) for name in ("x", "y")}
        done = measured({n: judged(c, c) for n, c in coins.items()}, NAMES[:6])
        gains += [work.proxy_gain.value or 0.0 for work in done.domains.values()]
        for coin in coins.values():
            won = coin.mean(axis=0)
            flattered.append(float(((trained([won, won]) - 1 / 6) * won).sum()))

    assert np.mean(flattered) > 0.02
    assert abs(np.mean(gains)) < 2.5 * np.std(gains) / np.sqrt(len(gains))


def test_reading_r91_two_trainings_at_home_differ_by_the_floor() -> None:
    """All tasks alike: no half teaches another choice. Of coins they do."""
    alike = np.tile([1.0, 1.0, 0.0], (12, 1))
    coins = np.random.default_rng(2).integers(0, 2, (12, 3)).astype(float)

    done = measured({"x": judged(coins, coins), "y": judged(alike, alike)}, NAMES[:3])

    assert done.domains["y"].floor.value == 0
    assert done.domains["x"].floor.value
    assert done.domains["x"].floor.value > 0.1


def test_reading_r91_verdicts_help_where_labels_are_of_some_tasks_alone() -> None:
    """A judge that is gold itself fills every gap: the worth is that of all verdicts."""
    rng = np.random.default_rng(8)
    sides = {}
    for name in ("x", "y"):
        won = (rng.random((24, 4)) < [0.2, 0.4, 0.6, 0.8]).astype(float)
        labels = np.zeros((24, 4))
        labels[:16] = 1
        sides[name] = judged(won, won, labels)

    done = measured(sides, NAMES[:4])

    for name, side in sides.items():
        assert done.domains[name].labels == 64
        assert done.domains[name].start.value == pytest.approx(side.won.mean(), abs=1e-9)


def test_reading_r91_labels_too_sparse_to_train_by_leave_the_agent_of_gold_out() -> None:
    rng = np.random.default_rng(8)
    sides = {}
    for name in ("x", "y"):
        won = (rng.random((30, 3)) < [0.2, 0.5, 0.8]).astype(float)
        labels = np.zeros((30, 3))
        labels[::3] = 1
        sides[name] = judged(won, won, labels)

    done = measured(sides, NAMES[:3])

    assert done.domains["x"].gold_trained_gain is None
    assert done.directions["x_to_y"].beyond is None
    assert done.domains["x"].gold_gain.ci95


def test_reading_r91_labels_that_say_nothing_are_refused_with_the_reason() -> None:
    coins = np.ones((10, 2))
    few, one = np.zeros((10, 2)), np.ones((10, 2))
    few[:3] = 1
    one[:, 1] = 0

    def said(labels: Rates) -> object:
        sides = {"x": judged(coins, coins, labels), "y": judged(coins, coins)}
        done = quality(sides, NAMES[:2], rounds=30, rule=UpdateRule())
        assert isinstance(done, NotMeasured)
        assert not done.measured
        return done.why

    assert said(few) == "3 tasks of x have labels; at least 4 are needed"
    assert said(one) == "no task of x has a label of the strategy 's01'"


def test_reading_r73_the_order_of_tasks_and_strategies_changes_no_bit() -> None:
    sides = drawn(LENGTH, 1)
    rng = np.random.default_rng(1)
    columns, rows = rng.permutation(STRATEGIES), rng.permutation(TASKS)
    turned = {
        name: LabelledVerdicts(
            **{n: getattr(side, n)[rows][:, columns] for n in LabelledVerdicts.__slots__}
        )
        for name, side in sides.items()
    }

    assert measured(turned, [NAMES[at] for at in columns]) == measured(sides)


def test_reading_r91_a_blind_spot_is_a_pair_that_gold_separates_and_the_judge_does_not() -> None:
    """The first is right in 19 of 20 and the second in one; the judge says 10 of 20 for both.

    The last is as the second for gold and the judge alike: of these two there is nothing to see.
    """
    gold = np.tile([1.0, 0.0, 1.0, 0.0], (20, 1))
    gold[0] = [0, 1, 0, 1]  # intervals take a spread
    coin = np.arange(20) % 2
    won = np.stack([coin, 1 - coin, np.ones(20), 1 - coin], axis=1)

    spots = [*blind_spots(judged(won, gold), ["a", "b", "c", "d"])]

    entries = [(spot.strategies, spot.reversed) for spot in spots]
    assert entries == [(("a", "b"), False), (("a", "d"), False)]
    assert spots[0].gold.value == pytest.approx(0.9)
    assert spots[0].judge.value == pytest.approx(0)


def test_reading_r91_two_strategies_that_look_alike_may_still_differ() -> None:
    """Each won 10 of 20. Were they 30 points apart, two standard errors, 10 would be gained."""
    half = np.stack([np.arange(20) % 2, (np.arange(20) + 1) % 2], axis=1).astype(float)

    work = measured({"x": judged(half, half), "y": judged(half, half)}, NAMES[:2]).domains["y"]

    assert work.gold_gain.ci95
    assert work.gold_gain.ci95[0] < 0
    assert work.gold_gain.ci95[1] > 0.1


def test_reading_r91_intervals_cover_what_they_say() -> None:
    """Tables of one world against the mean of them all; the study has more of each figure."""
    right, wins = np.array([0.3, 0.5, 0.7]), np.array([0.6, 0.5, 0.4])
    rng = np.random.default_rng(31)
    found: dict[str, list[tuple[float, float, float]]] = {}
    for _ in range(examples(400)):
        sides = {
            name: judged(
                (rng.random((16, 3)) < wins).astype(float),
                (rng.random((16, 3)) < right).astype(float),
            )
            for name in ("x", "y")
        }
        done = measured(sides, NAMES[:3], rounds=10)
        work, detour = done.domains["y"], done.directions["x_to_y"]
        for name, figure in (
            ("start", work.start),
            ("gold gain", work.gold_gain),
            ("proxy gain", work.proxy_gain),
            ("gold loss", detour.gold_loss),
        ):
            assert figure.value is not None
            assert figure.ci95
            found.setdefault(name, []).append((figure.value, *figure.ci95))

    for name, figures in found.items():
        middle = np.mean([value for value, _, _ in figures])
        covered = np.mean([low <= middle <= high for _, low, high in figures])
        assert covered >= 0.85, name
