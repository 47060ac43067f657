"""Verdict tables with labels whose truth is known, by wheels of their own; no code of the program.

A strategy has a skill and a length. Gold is drawn by the skill of a domain and the task's own
difficulty, which the first three worlds, those of Reading R91, do not have; the judge sees gold,
flips it, or looks at length. What an agent is worth in truth is what wheels here, trained by fresh
tables of half the tasks, are worth by the true rates.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

Array = Any
ROUNDS: Final = 30
_TABLES, _WHEELS = 6000, 4
_NODES, _MASSES = np.polynomial.hermite_e.hermegauss(41)


@dataclass(frozen=True, kw_only=True)
class World:
    """Differences between worlds.

    `kind` is what the judge sees: length, gold with a fifth flipped, gold itself, or nothing.
    `tasks` are those of x and of y; `difficulty` is the spread of tasks, and of groups of tasks.
    """

    name: str
    kind: str = "flips"
    tasks: tuple[int, int] = (40, 40)
    strategies: int = 11
    difficulty: float = 0.5
    tied: float = 0.0
    judged: tuple[float, float] = (1.0, 1.0)  # how often, of the first strategy and the last
    labelled: float = 1.0  # of tasks
    groups_of: int = 1  # tasks, at most
    star: float = 0.0  # more skill of the first strategy

    @property
    def skills(self) -> tuple[Array, Array, Array]:
        """By gold in x and in y, and the length."""
        skill = np.random.default_rng(8).normal(0, 1, self.strategies)
        length = np.linspace(-1.5, 1.5, self.strategies)
        skill[0] += self.star
        if self.kind == "length":
            return 0.5 * skill + 0.6 * length, 0.5 * skill - 1.2 * length, length
        if self.kind == "gold":
            return 0.8 * skill + 1.2 * length, 0.8 * skill - 1.2 * length, length
        level = 0.0 if self.kind == "nothing" else 0.9
        return level * skill, level * skill, length

    def table(self, domain: int, groups: int, rng: Any, shape: tuple[int, ...] = ()) -> Array:
        """Return won, decided, tied, gold and labels. Shapes: (5, *shape, groups, K)."""
        skill, length = self.skills[domain], self.skills[2]
        size = (*shape, groups, self.groups_of, self.strategies)
        hard = self.difficulty * (
            rng.normal(size=(*size[:-2], 1, 1))
            + (self.groups_of > 1) * rng.normal(size=size[:-1])[..., None]
        )
        gold = rng.random(size) < logistic(skill + hard)
        won = gold
        if self.kind == "length":
            won = rng.random(size) < logistic(0.3 * skill + 1.8 * length + hard)
        elif self.kind == "flips":
            won = gold ^ (rng.random(size) < 0.2)
        elif self.kind == "nothing":
            won = rng.random(size) < 0.5
        members = rng.integers(1, self.groups_of + 1, size[:-2])
        there = np.arange(self.groups_of) < members[..., None]
        seen = rng.random(size) < np.linspace(*self.judged, self.strategies)
        seen &= there[..., None]
        tied = seen & (rng.random(size) < self.tied)
        labelled = (rng.random(size[:-1]) < self.labelled)[..., None] & seen
        parts = won & seen & ~tied, seen & ~tied, tied, gold & labelled, labelled
        return np.stack([part.sum(axis=-2).astype(float) for part in parts])

    def rates(self, domain: int) -> Array:
        """Return how often each strategy is right, over all tasks that there could be."""
        spread = self.difficulty * (2**0.5 if self.groups_of > 1 else 1)
        at = logistic(self.skills[domain][:, None] + spread * _NODES)
        return at @ _MASSES / _MASSES.sum()

    def judged_rates(self, domain: int) -> Array:
        """Return how often each strategy wins by the judge."""
        if self.kind == "length":
            spread = self.difficulty * (2**0.5 if self.groups_of > 1 else 1)
            liked = 0.3 * self.skills[domain] + 1.8 * self.skills[2]
            return logistic(liked[:, None] + spread * _NODES) @ _MASSES / _MASSES.sum()
        right = self.rates(domain)
        return {"flips": 0.2 + 0.6 * right, "gold": right, "nothing": 0 * right + 0.5}[self.kind]

    def lesson(self) -> dict[str, float]:
        """Return what is right in y at the start, and after gold or the judge has taught there.

        Neither has made up its mind: a verdict is drawn anew each time.
        """
        right, liked = self.rates(1), self.judged_rates(1)
        draws = np.random.default_rng(7).random((2, ROUNDS, 2, _TABLES * _WHEELS))
        by_gold, by_judge = (
            float(trained([rates[None]] * 2, draws, self.tied).mean(axis=0) @ right)
            for rates in (right, liked)
        )
        return {"start": float(right.mean()), "by gold": by_gold, "by the judge": by_judge}

    def truth(self) -> dict[str, float]:
        """Return what each figure of y is, and of the way from x to y, without chance."""
        rng = np.random.default_rng(7)
        seen: dict[str, list[Array]] = {"judge": [], "gold": []}
        for domain in (0, 1):
            groups = self.tasks[domain] // 2
            won, decided, _, gold, labels = self.table(domain, groups, rng, (_TABLES,)).sum(axis=-2)
            seen["judge"].append(_shares(won, decided))
            seen["gold"].append(_shares(gold, labels))
        right, liked, alike = self.rates(1), self.judged_rates(1), 1 / self.strategies
        worth = {"start": float(right.mean())}
        for by, tie in (("judge", self.tied), ("gold", 0.0)):
            there, here = seen[by]
            draws = rng.random((2, ROUNDS, 2, _TABLES * _WHEELS))
            twice, crossed = (
                trained(ways, draws, tie).mean(axis=0) for ways in ([here, here], [there, here])
            )
            gained, lost = ((p * right).sum() for p in (twice - alike, twice - crossed))
            if by == "judge":
                worth |= {
                    "proxy_gain": float(((twice - alike) * liked).sum()),
                    "gold_gain": float(gained),
                    "regret": float(((twice - crossed) * liked).sum()),
                    "gold_loss": float(lost),
                }
            else:
                worth |= {"gold_trained_gain": float(gained), "gold_trained_loss": float(lost)}
        worth["beyond"] = worth["gold_loss"] - worth["gold_trained_loss"]
        return worth


def trained(ways: list[Array], draws: Array, tie: float) -> Array:
    """Return the weights of agents trained by one table after the other, some agents a table.

    Shapes: each way (tables, K); draws (2, rounds, 2, agents); (agents, K).
    """
    agents = draws.shape[-1]
    each, strategies = np.arange(agents), ways[0].shape[1]
    weights = np.full((agents, strategies), 1 / strategies)
    for phase, rates in zip(draws, ways, strict=False):
        rate = np.repeat(rates, agents // len(rates), axis=0)
        for spin, verdict in phase:
            chosen = (weights.cumsum(axis=1)[:, :-1] <= spin[:, None]).sum(axis=1)
            odds = rate[each, chosen] * (1 - tie)
            step = np.where(verdict < odds, 0.08, np.where(verdict < 1 - tie, -0.04, 0.0))
            moved = weights[each, chosen] + step
            weights[each, chosen] = np.where(step == 0, moved, np.maximum(moved, 0.001))
            weights /= weights.sum(axis=1, keepdims=True)
    return weights


def _shares(won: Array, decided: Array) -> Array:
    overall = won.sum(axis=1, keepdims=True) / np.maximum(1, decided.sum(axis=1, keepdims=True))
    return np.where(decided > 0, won / np.maximum(1, decided), overall)


def logistic(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


WORLDS: Final = (
    World(name="loves length, 40 tasks", kind="length", difficulty=0.0),
    World(name="right in 80%, 40 tasks", difficulty=0.0),
    World(name="perfect, 40 tasks", kind="gold", difficulty=0.0),
    World(name="loves length, 16 tasks", kind="length", tasks=(16, 16)),
    World(name="right in 80%, 16 tasks", tasks=(16, 16)),
    World(name="perfect, 16 tasks", kind="gold", tasks=(16, 16)),
    World(name="sees nothing, 40 tasks", strategies=6, kind="nothing"),
    World(name="right in 80%, 8 tasks", strategies=6, tasks=(8, 8)),
    World(name="loves length, 8 tasks", strategies=6, kind="length", tasks=(8, 8)),
    World(name="right in 80%, 4 tasks", strategies=6, tasks=(4, 4)),
    World(name="60% ties, 24 tasks", strategies=6, tied=0.6, tasks=(24, 24)),
    World(name="strategies judged on 15% to all of 40 tasks", strategies=6, judged=(0.15, 1.0)),
    World(name="labels on 30% of 60 tasks", strategies=6, labelled=0.3, tasks=(60, 60)),
    World(
        name="24 groups of 1 to 6 tasks", strategies=6, groups_of=6, difficulty=1.0, tasks=(24, 24)
    ),
    World(name="12 tasks there, 100 here", strategies=6, kind="length", tasks=(12, 100)),
    World(name="one strategy far above, 24 tasks", strategies=6, star=6.0, tasks=(24, 24)),
    World(name="right in 80%, 250 tasks", strategies=6, tasks=(250, 250)),
    World(name="right in 80%, three strategies, 20 tasks", strategies=3, star=1.6, tasks=(20, 20)),
    World(name="two strategies, 20 tasks", strategies=2, kind="gold", tasks=(20, 20)),
    World(name="right in 80%, two strategies, 20 tasks", strategies=2, star=1.6, tasks=(20, 20)),
)
