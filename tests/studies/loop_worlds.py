"""Worlds in which it is known whether an optimiser improved the work; no code of the estimators.

An item has an ability and an effect of its own; a candidate has a skill and a style. Gold is
whether ability, skill and chance together are above 0. The judge likes an answer for being right,
for its item, for the candidate's style and by a taste that is frozen to the answer; each asking
adds noise and is rounded and cut to 1 to 10. The optimiser keeps the best of 20 candidates by one
asking on 60 validation items; all else is on 300 test items.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import RegularGridInterpolator

Array = NDArray[np.float64]
CANDIDATES: Final = 20
VALIDATION: Final = 60
TEST: Final = 300


@dataclass(frozen=True, kw_only=True)
class World:
    """Differences between worlds; `labels` is how many test items have gold."""

    name: str
    skilled: bool = False
    styled: bool = False
    bought: bool = False  # style is bought with skill
    labels: int = TEST
    wrong: float = 0.0  # of the labels
    skill: float = 0.2  # mean of the candidates' skill, where they are skilled
    items: int = TEST


WORLDS: Final = (
    World(name="nothing changes"),
    World(name="judge = gold + noise", skilled=True),
    World(name="length bias only", styled=True),
    World(name="both", skilled=True, styled=True),
    World(name="taste bought with gold", styled=True, bought=True),
    World(name="both, 100 gold pairs", skilled=True, styled=True, labels=100),
    World(name="both, 40 gold pairs", skilled=True, styled=True, labels=40),
    World(name="judge = gold + noise, a tenth of the labels wrong", skilled=True, wrong=0.1),
)
GATES: Final = (
    World(name="nothing changes", items=100, labels=0),
    World(name="judge = gold + noise", skilled=True, items=100, labels=0),
    World(name="length bias only", styled=True, items=100, labels=0),
)


@dataclass(frozen=True, kw_only=True)
class Change:
    """A final of which the share of items that gold calls better, and worse, is known.

    The judge pays 3 points for a right answer, and `bribe` for the final's manner.
    """

    better: float
    worse: float
    labels: int
    items: int = TEST
    bribe: float = 0.0


FEW: Final = tuple(
    Change(better=better, worse=worse, labels=labels, items=items)
    for labels, items in ((40, 40), (40, TEST), (100, TEST), (TEST, TEST))
    for better, worse in (
        *((0.0, 0.0), (0.01, 0.0), (0.02, 0.01), (0.03, 0.03), (0.05, 0.0)),
        *((0.1, 0.0), (0.08, 0.02), (0.2, 0.05), (0.25, 0.15)),
    )
)
TRUTHS: Final = (-0.1, -0.05, 0.0, 0.1)
MARGINS: Final = tuple(
    Change(better=(0.4 + gold) / 2, worse=(0.4 - gold) / 2, labels=labels, items=items, bribe=bribe)
    for bribe in (1.0, 0.0)
    for labels, items in ((0, 100), (40, 100), (100, 100), (40, TEST), (100, TEST), (TEST, TEST))
    for gold in TRUTHS
)


def changes(world: Change, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return by how much judge and gold score each item otherwise after the change.

    Shapes: (items,) each; the first `labels` items have a label.
    """
    draw = rng.random(world.items)
    gold = (draw < world.better).astype(float) - (draw > 1 - world.worse)
    taste = rng.normal(0, 0.6, (2, world.items)) + rng.normal(size=(2, world.items))
    return np.rint(3 * gold + world.bribe + taste[1] - taste[0]), gold


@dataclass(frozen=True, kw_only=True)
class Scored:
    """A run of the optimiser: scores of the seed (row 0) and the final (row 1)."""

    final: int  # 0: it kept the seed
    validation: Array  # (2, 60), by the asking that chose
    test: Array  # (2, 300), by an asking of its own
    gold: Array  # (2, 300), 0 or 1
    labelled: NDArray[np.bool_]  # (300,)
    skill: float  # of the final
    style: float

    @property
    def expected(self) -> dict[str, float]:
        """The true gains, price and taste of the final."""
        return _expected(self.skill, self.style)


def run(world: World, rng: np.random.Generator) -> Scored:
    """Return one run of the optimiser in a world."""
    items = VALIDATION + world.items
    ability, effect = rng.normal(0, 1.2, items), rng.normal(0, 0.7, items)
    skill, style = rng.normal(world.skill, 0.3, CANDIDATES), abs(rng.normal(0.25, 0.25, CANDIDATES))
    skill *= world.skilled
    style *= world.styled
    skill[0] = style[0] = 0
    if world.bought:
        skill = -0.8 * style
    shape = CANDIDATES, items
    gold = (ability + skill[:, None] + rng.normal(size=shape) > 0).astype(float)
    liking = 3.5 + 3 * gold + effect + style[:, None] + rng.normal(0, 0.6, shape)
    first, second = (_scores_of(liking, rng) for _ in range(2))
    final = int(first[:, :VALIDATION].mean(axis=1).argmax())
    pair = [0, final]
    labelled = np.zeros(world.items, dtype=np.bool_)
    labelled[rng.permutation(world.items)[: world.labels]] = True
    labels = gold[pair, VALIDATION:]
    labels = np.where(rng.random(labels.shape) < world.wrong, 1 - labels, labels)
    return Scored(
        final=final,
        validation=first[pair, :VALIDATION],
        test=second[pair, VALIDATION:],
        gold=labels,
        labelled=labelled,
        skill=skill[final],
        style=style[final],
    )


def _scores_of(liking: Array, rng: np.random.Generator) -> Array:
    return np.clip(np.rint(liking + rng.normal(size=liking.shape)), 1, 10)


_MANY: Final = 50_000
_DRAWS: Final = np.random.default_rng(1).normal(size=(6, _MANY))


def _expected(skill: float, style: float) -> dict[str, float]:
    """Return what gains, price and taste of a candidate are over all items that there could be."""
    ability, effect = 1.2 * _DRAWS[0], 0.7 * _DRAWS[1]
    right = [ability + more + _DRAWS[2 + n] > 0 for n, more in enumerate((0.0, skill))]
    liked = [
        np.clip(np.rint(3.5 + 3 * r + effect + s + np.hypot(0.6, 1) * _DRAWS[4 + n]), 1, 10)
        for n, (r, s) in enumerate(zip(right, (0.0, style), strict=True))
    ]
    judged, gold = liked[1] - liked[0], right[1].astype(float) - right[0]
    price = float(np.cov(judged, gold)[0, 1] / gold.var(ddof=1))
    fresh, gained = float(judged.mean()), float(gold.mean())
    return {"fresh": fresh, "gold": gained, "price": price, "taste": fresh - price * gained}


def truths() -> Callable[[float, float], dict[str, float]]:
    """Return what gives the true gains, price and taste of a candidate.

    They change smoothly with skill and style, so a few are worked out and the others lie between.
    """
    skills, styles = np.linspace(-1.8, 2.4, 19), np.linspace(0, 2.2, 12)
    grid = [[[*_expected(skill, style).values()] for style in styles] for skill in skills]
    between = RegularGridInterpolator((skills, styles), np.array(grid), method="cubic")

    def at(skill: float, style: float) -> dict[str, float]:
        names = "fresh", "gold", "price", "taste"
        return dict(zip(names, between((skill, style)).tolist(), strict=True))

    return at
