"""Short words for writing conformance cases down."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from exact_replay import Case, Replay, Round, start

Rounds = Sequence[Round]

# How a case tells its reader where its draws come from; see `draws`.
STREAM = "x <- (1103515245 x + 12345) mod 2^31; (floor(x / 2^16) mod 10^4) / 10^4; "

LARGEST_BELOW_ONE = 0.9999999999999999  # 1 - 2**-53


@dataclass(frozen=True, slots=True, kw_only=True)
class Vector:
    """A well-formed case before its answer is worked out.

    `boundary` marks a case worked by hand in IEEE doubles because a draw or a
    weight stands exactly on its boundary.
    """

    description: str
    given: Case
    worked: str = ""
    boundary: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Malformed:
    """A case a program must refuse, and the pointer to what is wrong.

    `given` is a string when the fault would not survive reading and writing JSON.
    """

    description: str
    given: object
    error: str


def win(*strategies: int) -> list[Round]:
    """Fix each strategy in turn and let it win."""
    return [{"strategy": s, "verdict": "A"} for s in strategies]


def lose(*strategies: int) -> list[Round]:
    """Fix each strategy in turn and let it lose."""
    return [{"strategy": s, "verdict": "B"} for s in strategies]


def tie(*strategies: int) -> list[Round]:
    """Fix each strategy in turn and let it tie."""
    return [{"strategy": s, "verdict": "tie"} for s in strategies]


def spin(verdict: str, *draws: float) -> list[Round]:
    """Choose by each roulette draw in turn, all with the same verdict."""
    return [{"u": u, "verdict": verdict} for u in draws]


def case(
    strategies: int,
    text: Rounds = (),
    visual: Rounds = (),
    text_to_visual: Rounds = (),
    visual_to_text: Rounds = (),
    *,
    initial: list[float] | None = None,
    **config: Any,
) -> Case:
    """Assemble a case, leaving out what it does not set."""
    built: Case = {"strategies": strategies}
    if initial is not None:
        built["initial_weights"] = initial
    if config:
        built["config"] = config
    built["phases"] = {
        "text": list(text),
        "visual": list(visual),
        "text_to_visual": list(text_to_visual),
        "visual_to_text": list(visual_to_text),
    }
    return built


def draws(seed: int) -> Iterator[float]:
    """Yield four-decimal draws from a linear congruential generator.

    x <- (1103515245 x + 12345) mod 2**31, from x = seed; each draw is
    (floor(x / 2**16) mod 10000) / 10000.
    """
    x = seed
    while True:
        x = (1103515245 * x + 12345) % 2**31
        yield (x >> 16) % 10000 / 10000


def random_phase(
    stream: Iterator[float],
    count: int,
    wins: float = 0.5,
    ties: float = 0.0,
) -> list[Round]:
    """Take two draws a round: one chooses, one decides A, tie or B in that order."""
    phase: list[Round] = []
    for _ in range(count):
        u, decision = next(stream), next(stream)
        tied = "tie" if decision < wins + ties else "B"
        phase.append({"u": u, "verdict": "A" if decision < wins else tied})
    return phase


def preferring_phase(
    replay: Replay,
    stream: Iterator[float],
    count: int,
    liked: set[int],
) -> list[Round]:
    """Take a draw a round; the verdict is A exactly for the liked strategies."""
    phase: list[Round] = []
    for _ in range(count):
        played: Round = {"u": next(stream), "verdict": "tie"}
        chosen = replay.play(played)
        played["verdict"] = "A" if chosen in liked else "B"
        replay.play({"strategy": chosen, "verdict": played["verdict"]})
        phase.append(played)
    return phase


def preferring(
    strategies: int,
    seed: int,
    count: int,
    text: set[int],
    visual: set[int],
) -> Case:
    """Run an evaluator with scripted preferences, one set of them a domain."""
    stream = draws(seed)

    def begin() -> Replay:
        return Replay(*start({"strategies": strategies}), {}, boundary=False)

    from_text, from_visual = begin(), begin()
    return case(
        strategies,
        preferring_phase(from_text, stream, count, text),
        preferring_phase(from_visual, stream, count, visual),
        preferring_phase(from_text, stream, count, visual),
        preferring_phase(from_visual, stream, count, text),
    )


def random_case(
    strategies: int,
    seed: int,
    count: int,
    *,
    wins: float = 0.5,
    ties: float = 0.0,
    initial: list[float] | None = None,
    **config: Any,
) -> Case:
    """Run four phases of one length from one stream of draws."""
    stream = draws(seed)
    text, visual, forth, back = (random_phase(stream, count, wins, ties) for _ in range(4))
    return case(strategies, text, visual, forth, back, initial=initial, **config)
