"""How much a run may still ask for."""

import time
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from epc.core.results import Json
from epc.engine.prices import Price
from epc.errors import StoppedError, UsageError

WHOLE: Final = Decimal(1)
BATCH_SHARE: Final = Decimal("0.5")  # what providers charge of the price for a batch
_LONGER: Final = 1.1
_LANDING_S: Final = 3.0
_FRAME_TOKENS: Final = 32  # what a chat template adds around one message


class BudgetError(StoppedError):
    """A limit that the user set was reached; what has been answered is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one sitting may use. None is no limit; `max_cost` is in US dollars."""

    max_calls: int | None = None
    max_cost: Decimal | None = None
    max_time_s: float | None = None
    concurrency: int | None = None
    cache: bool = True


@dataclass(kw_only=True)
class Budget:
    """The user's limits on one sitting, and what it has used of them.

    `max_cost` is in US dollars, `max_time_s` in seconds. Before a call is sent, the most it can
    cost is set aside, so that calls under way together never exceed the limit together. A limit
    on cost needs the price of both roles, since an unknown price could be any.

    What counts is what a provider may bill: a request that it refuses is free, one whose answer
    was lost (`lost`) counts as a call, at the most that it can have cost.
    """

    max_calls: int | None = None
    max_cost: Decimal | None = None
    max_time_s: float | None = None
    prices: dict[str, Price | None] = field(default_factory=dict)
    calls: int = 0
    lost: int = 0
    cost: Decimal = Decimal(0)
    _set_aside: Decimal = Decimal(0)
    _began: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        unknown = [role for role, price in self.prices.items() if price is None]
        if self.max_cost is not None and unknown:
            raise UsageError(
                f"the price of the {unknown[0]} is not known, so --max-cost cannot be kept: "
                "use --max-calls"
            )

    def claim(self, role: str, prompt: str, max_tokens: int, *, share: Decimal = WHOLE) -> Decimal:
        """Take one call out of the budget before it is sent, and return what was set aside.

        `share` is how much of the price is paid.

        Raises: BudgetError if a limit has been reached.
        """
        price = self.prices.get(role)
        most = price.cost(most_tokens(prompt), max_tokens) * share if price else Decimal(0)
        self._admit(most)
        self._set_aside += most
        return most

    def claim_again(self, set_aside: Decimal) -> None:
        """Count an attempt whose answer was lost, and take another out of the budget.

        Raises: BudgetError if a limit has been reached; the lost attempt is counted all the same.
        """
        self.lost += 1
        self.cost += set_aside
        self._admit(Decimal(0))  # what was set aside for the lost attempt stays for the next

    def settle(self, set_aside: Decimal, call: Json | None, *, share: Decimal = WHOLE) -> None:
        """Give back what was set aside, and count what the call did cost (None: no answer)."""
        self._set_aside -= set_aside
        price = self.prices.get(call["role"]) if call is not None else None
        if call is None or price is None:
            return
        if call["tokens_in"] is None or call["tokens_out"] is None:
            self.cost += set_aside  # the provider does not say: count the most it can be
        else:
            self.cost += price.cost(call["tokens_in"], call["tokens_out"]) * share

    def left_s(self) -> float | None:
        """Return after how many seconds a call that is under way is given up; None is never.

        None is begun once the time is up. One that was begun before gets a little longer.
        """
        if self.max_time_s is None:
            return None
        return self._began + self.max_time_s * _LONGER + _LANDING_S - time.monotonic()

    def too_late(self) -> BudgetError:
        """Return what a call that is given up ends in."""
        return BudgetError(
            f"stopped at --max-time {self.max_time_s:g} s, with calls that got no answer"
        )

    def _admit(self, most: Decimal) -> None:
        if self.max_calls is not None and self.calls >= self.max_calls:
            raise BudgetError(f"stopped at --max-calls {self.max_calls}")
        if self.max_cost is not None and self.cost + self._set_aside + most > self.max_cost:
            raise BudgetError(f"stopped at --max-cost {self.max_cost}: spent ${self.cost:.4f}")
        if self.max_time_s is not None and time.monotonic() - self._began >= self.max_time_s:
            raise BudgetError(f"stopped at --max-time {self.max_time_s:g} s")
        self.calls += 1


def most_tokens(text: str) -> int:
    """Return a bound on the tokens of a text: no tokeniser makes more than one a byte."""
    return len(text.encode("utf-8", "surrogatepass")) + _FRAME_TOKENS
