"""Cost of so many seeds, asked in each of the three ways: calls, tokens, dollars, time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal

from epc.engine.forecast import Share
from epc.engine.request import Request
from epc.engine.session import expect, prepare
from epc.errors import UsageError
from epc.records.designs import Design

Way = Literal["fresh", "memo", "exhaustive"]
WAYS: Final[tuple[Way, ...]] = ("fresh", "memo", "exhaustive")
STAND_IN: Final = "mock/deterministic"  # whose prompts are as long as anyone's


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """Expected use of a run. `cost` is in US dollars; None where it is unknown.

    `refused` says why this evaluator cannot be asked in this way; all else is then 0.
    """

    calls: float = 0
    tokens_in: float = 0
    tokens_out: float = 0
    cost: float | None = 0.0
    seconds: float = 0
    refused: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How fast answers come: seconds a call takes, and how many are under way at once."""

    seconds: float
    at_once: int


USUAL_PACE: Final = Pace(seconds=1.0, at_once=128)  # of a model that nobody has timed


def need(
    evaluator: str | None,
    executor: str | None,
    way: Way,
    *,
    seeds: int,
    rounds: int,
    pace: Pace,
    now: datetime,
    pairs: float = 1.0,
    design: Design | None = None,
    decoding: Mapping[str, Any] | None = None,
) -> Need:
    """Return what one way of asking takes, with so many times the reference's pairs.

    Without an evaluator it is what any two models would be asked. Further pairs are expected to be
    as long as the reference's. `decoding` is what the evaluator shall do otherwise, by setting.
    """
    request = Request(
        evaluator=evaluator or STAND_IN,
        executor=executor if evaluator else STAND_IN,
        seeds=list(range(seeds)),
        rounds=rounds,
        reuse="none" if way == "fresh" else "memo",
        exhaustive=way == "exhaustive",
        design=design,
        decoding={"evaluator": dict(decoding)} if decoding else {},
    )
    times = pairs if request.exhaustive else 1.0
    try:
        shares = list(expect(prepare(request, now=now)).values())
    except UsageError as error:
        if request.reuse == "none":
            raise  # what is wrong is not the way of asking
        return Need(refused=str(error))
    calls = times * sum(share.calls.expected for share in shares)
    # A round waits for the verdict before it, and a coupled phase for its pure one; all pairs of
    # an exhaustive run may be asked at once, a comparison after its two answers.
    in_turn = len(shares) * (1 if request.exhaustive else 2 * request.rounds)
    return Need(
        calls=calls,
        tokens_in=times * sum(share.tokens_in.expected for share in shares),
        tokens_out=times * sum(share.tokens_out.expected for share in shares),
        cost=_cost(shares, times),
        seconds=pace.seconds * max(in_turn, calls / pace.at_once),
    )


def _cost(shares: Sequence[Share], times: float) -> float | None:
    costs = [share.cost.expected for share in shares if share.cost is not None]
    return times * sum(costs) if len(costs) == len(shares) else None
