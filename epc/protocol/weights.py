"""The agent's weight vector: its simplex, the roulette wheel and the TTRL update (EPC-2.3).

Plain Python floats summed from left to right, on purpose: additions, divisions and comparisons
of IEEE doubles in a fixed order give the same bits on every machine and in every language, which
a BLAS or a vectorised sum does not promise (ADR 3).
"""

from collections.abc import Sequence
from itertools import accumulate
from math import fsum, isfinite
from typing import ClassVar

from msgspec import Struct

from epc.arrays import Array
from epc.errors import ShapeError, SimplexError
from epc.protocol.columns import Columns, WeightColumns
from epc.spec.epc_v1 import ALPHA_LOSE, ALPHA_WIN, SIMPLEX_TOLERANCE, WEIGHT_FLOOR

Weights = tuple[float, ...]


class UpdateRule(Struct, frozen=True, kw_only=True):
    """The three constants of the update (EPC-2.3(b), (c)); the defaults are the protocol's.

    The reference among the learning rules (`epc.protocol.rules`): its state is its policy.
    """

    name: ClassVar[str] = "weights"
    alpha_win: float = ALPHA_WIN
    alpha_lose: float = ALPHA_LOSE
    weight_floor: float = WEIGHT_FLOOR

    @property
    def worth(self) -> tuple[float, float]:
        """The worth of a win and of a loss: the steps that the weight takes."""
        return self.alpha_win, -self.alpha_lose

    def start(self, strategies: int) -> Weights:
        """Return the uniform start."""
        return uniform(strategies)

    def policy(self, state: Weights) -> Weights:
        """Return the weights, which are the state."""
        return state

    def columns(self, state: Array) -> Columns:
        """Return the weights of many seeds, to be moved."""
        win, loss = self.worth
        return WeightColumns(state, win=win, loss=loss, floor=self.weight_floor)

    def after(self, state: Weights, *, chosen: int, won: bool) -> Weights:
        """Return the weights after one decided round."""
        return update(state, chosen=chosen, won=won, rule=self)


def uniform(strategies: int) -> Weights:
    """Return the start of a pure phase: every weight 1/K.

    Shapes: (K,).
    Raises: ShapeError if K is not positive.
    Source: Reading R1.
    """
    if strategies < 1:
        raise ShapeError(f"{strategies} strategies: at least one is needed")
    return (1 / strategies,) * strategies


def choose(weights: Sequence[float], u: float) -> int:
    """Return the strategy that the roulette wheel stops at.

    The first index whose running sum exceeds u; the last one where rounding leaves none.

    Shapes: weights (K,); u in [0, 1).
    Source: EPC-2.3 step 1; Reading R2.
    """
    for index, running in enumerate(accumulate(weights)):
        if running > u:
            return index
    return len(weights) - 1


def update(
    before: Sequence[float], *, chosen: int, won: bool, rule: UpdateRule | None = None
) -> Weights:
    """Return the weights after one decided round.

    The chosen weight moves and is floored; only then are all divided by their sum, so a weight
    that was not chosen may end below the floor.

    Shapes: (K,) in and out.
    Source: EPC-2.3 step 4, (b), (c); Reading R3.
    """
    rule = rule or UpdateRule()
    step = rule.alpha_win if won else -rule.alpha_lose
    after = list(before)
    after[chosen] = max(rule.weight_floor, after[chosen] + step)
    total = 0.0
    for weight in after:
        total += weight
    return tuple(weight / total for weight in after)


def simplex_problem(weights: Sequence[float]) -> str | None:
    """Say in what way a stored vector is not a distribution, or None if it is one.

    Shapes: (K,).
    Source: EPC-2.3 (the weights live on the simplex).
    """
    if not weights:
        return "no weights"
    total = fsum(weights)  # the same in whatever order a record lists them
    if min(weights) >= 0 and abs(total - 1) <= SIMPLEX_TOLERANCE:
        return None  # where one is not finite, the sum is not either
    for index, weight in enumerate(weights):
        if not isfinite(weight) or weight < 0:
            return f"weight {index} is {weight!r}, expected a finite number not below 0"
    return f"the weights sum to {total!r}, expected 1 within {SIMPLEX_TOLERANCE}"


def require_simplex(*vectors: Sequence[float]) -> None:
    """Raise SimplexError unless every vector is a distribution."""
    for vector in vectors:
        if problem := simplex_problem(vector):
            raise SimplexError(problem)


def require_same_shape(left: Sequence[float], right: Sequence[float]) -> None:
    """Raise ShapeError unless both vectors have the same length."""
    if len(left) != len(right):
        raise ShapeError(f"{len(left)} weights against {len(right)}: expected the same number")
