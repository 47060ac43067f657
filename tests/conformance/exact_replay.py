"""Replay a conformance case in exact arithmetic, sharing no code with epc.

Every weight is a `Fraction`; a double in a case enters as the rational number it
is. Square roots and logarithms are taken to 60 digits, and each answer is rounded
to the nearest double once, at the end.

Beside the exact weights run the ones an IEEE program would hold, summed from left
to right. They make the roulette decisions. Unless a case is marked as standing on
a boundary, exact arithmetic must make the same decision with room to spare, so that
no implementation's rounding can change the outcome. And the IEEE weights must end
within a tenth of the suite's tolerance of the exact ones: each loss magnifies earlier
rounding by 1/0.96, so a long run of little but losses asks for more than doubles give.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, TypedDict, TypeVar

from oracle.learners import Learner, Steps, learner_of

if TYPE_CHECKING:
    from collections.abc import Sequence

Number = TypeVar("Number", float, Fraction)

PHASES: Final = ("text", "visual", "text_to_visual", "visual_to_text")
STARTS_FROM: Final = {"text_to_visual": "text", "visual_to_text": "visual"}
PURE: Final = {"text_to_visual": "visual", "visual_to_text": "text"}
DEFAULTS: Final = {"alpha_win": 0.08, "alpha_lose": 0.04, "weight_floor": 0.001}
DIGITS: Final = 60
ROOM: Final = Fraction(1, 10**9)
ZERO_COUPLING: Final = Decimal("1e-12")
DRIFT: Final = Fraction(1, 10**13)
UNCLEAR_GAMMA: Final = (Decimal("1e-13"), Decimal("1e-11"))


class Round(TypedDict, total=False):
    """A round: a roulette draw or a fixed strategy, and the verdict."""

    u: float
    strategy: int
    verdict: str


class Case(TypedDict, total=False):
    """A well-formed conformance case."""

    strategies: int
    initial_weights: list[float] | None
    config: dict[str, Any]
    phases: dict[str, list[Round]]


class Answer(TypedDict):
    """Answer of a conforming program."""

    weights: dict[str, list[float]]
    gamma: dict[str, float]
    jsd: dict[str, float]
    zero_coupling: dict[str, bool]
    tie_rate: float


class UnclearCaseError(Exception):
    """A case's outcome hangs on how a program rounds."""

    def __init__(self, what: str, found: object) -> None:
        """Say which quantity is too near its limit."""
        super().__init__(f"{what}: {found}")


def choose(weights: Sequence[Number], u: Number) -> int:
    """Return the first index whose running sum exceeds u, else the last (R2)."""
    sums = accumulate(weights)
    return next((i for i, total in enumerate(sums) if total > u), len(weights) - 1)


def require_clear(exact: list[Fraction], played: Round, chosen: int) -> None:
    """Raise UnclearCaseError unless the draw falls well inside its sector."""
    draw = Fraction(played["u"])
    if any(abs(bound - draw) < ROOM for bound in accumulate(exact)):
        raise UnclearCaseError("a draw lies on a boundary", played)
    if choose(exact, draw) != chosen:
        raise UnclearCaseError("IEEE and exact sums disagree", played)


class Replay:
    """A phase under way: its exact state and its IEEE shadow."""

    def __init__(
        self, exact: list[Fraction], shadow: list[float], learner: Learner, *, boundary: bool
    ) -> None:
        """Start from states of a learner."""
        self.exact, self.shadow = list(exact), list(shadow)
        self.learner = learner
        self.boundary = boundary

    def play(self, played: Round) -> None:
        """Play one round."""
        chosen = played["strategy"] if "strategy" in played else self.spin(played)
        if played["verdict"] == "tie":  # R4: no update and no renormalising
            return
        won = played["verdict"] == "A"
        if isinstance(self.learner, Steps) and not self.boundary:
            landing = self.learner.moved(self.exact[chosen], won=won)
            if abs(landing - Fraction(self.learner.floor)) < ROOM:
                raise UnclearCaseError("a weight lands on the floor", played)
        self.learner.learn(self.exact, chosen, won=won)
        self.learner.learn(self.shadow, chosen, won=won)

    def require_close(self) -> None:
        """Raise UnclearCaseError if rounding has carried the IEEE weights away."""
        pairs = zip(*self.weights(), strict=True)
        drift = max(abs(exact - Fraction(shadow)) for exact, shadow in pairs)
        if drift > DRIFT:
            raise UnclearCaseError("rounding errors have grown", float(drift))

    def spin(self, played: Round) -> int:
        """Turn the roulette wheel."""
        exact, shadow = self.weights()
        chosen = choose(shadow, float(played["u"]))
        if not self.boundary:
            require_clear(exact, played, chosen)
        return chosen

    def weights(self) -> tuple[list[Fraction], list[float]]:
        """Return how probable each strategy is in the next choice, exact and IEEE."""
        return self.learner.weights(self.exact), self.learner.weights(self.shadow)


def to_decimal(value: Fraction) -> Decimal:
    """Divide in the current decimal context."""
    return Decimal(value.numerator) / Decimal(value.denominator)


def gamma(coupled: list[Decimal], pure: list[Decimal]) -> Decimal:
    """Return |coupled - pure| / |pure| in the L2 norm (EPC-2.5 eq. 1)."""
    moved = sum((a - b) ** 2 for a, b in zip(coupled, pure, strict=True))
    return (Decimal(moved) / sum(b**2 for b in pure)).sqrt()


def jsd(amounts: list[Decimal], other: list[Decimal]) -> Decimal:
    """Return the Jensen-Shannon divergence in nats, with 0 log 0 = 0 (R9)."""
    total = Decimal(0)
    for a, b in zip(amounts, other, strict=True):
        if a == b:
            continue
        middle = (a + b) / 2
        total += sum(p * (p / middle).ln() for p in (a, b) if p)
    return total / 2


def start(case: Case, learner: Learner) -> tuple[list[Fraction], list[float]]:
    """Return the states, exact and IEEE, that both pure phases start from (R1)."""
    initial_weights = case.get("initial_weights")
    if initial_weights is None:
        count = case["strategies"]
        return learner.begin(count, Fraction), learner.begin(count, float)
    return [Fraction(weight) for weight in initial_weights], [
        float(weight) for weight in initial_weights
    ]


def run_phases(case: Case, *, boundary: bool) -> dict[str, list[Fraction]]:
    """Play the four phases and return each one's final exact weights."""
    learner = learner_of({**DEFAULTS, **case.get("config", {})})
    ends: dict[str, Replay] = {}
    for phase in PHASES:
        before = ends.get(STARTS_FROM.get(phase, ""))
        exact, shadow = (before.exact, before.shadow) if before else start(case, learner)
        replay = Replay(exact, shadow, learner, boundary=boundary)
        for played in case["phases"][phase]:
            replay.play(played)
        replay.require_close()
        ends[phase] = replay
    return {phase: replay.weights()[0] for phase, replay in ends.items()}


def tie_rate(case: Case) -> float:
    """Return ties over all rounds of all four phases, 0 without rounds."""
    verdicts = [r["verdict"] for phase in PHASES for r in case["phases"][phase]]
    return verdicts.count("tie") / len(verdicts) if verdicts else 0.0


def answer(case: Case, *, boundary: bool = False) -> Answer:
    """Return the expected answer to a well-formed case."""
    ends = run_phases(case, boundary=boundary)
    with localcontext() as context:
        context.prec = DIGITS
        fine = {phase: [to_decimal(w) for w in ends[phase]] for phase in PHASES}
        gammas = {d: gamma(fine[d], fine[pure]) for d, pure in PURE.items()}
        jsds = {d: jsd(fine[d], fine[pure]) for d, pure in PURE.items()}
    low, high = UNCLEAR_GAMMA
    if any(low < value < high for value in gammas.values()):
        raise UnclearCaseError("gamma is near the limit of zero coupling", gammas)
    return {
        "weights": {phase: [float(w) for w in ends[phase]] for phase in PHASES},
        "gamma": {d: float(value) for d, value in gammas.items()},
        "jsd": {d: float(value) for d, value in jsds.items()},
        "zero_coupling": {d: value <= ZERO_COUPLING for d, value in gammas.items()},
        "tie_rate": tie_rate(case),
    }
