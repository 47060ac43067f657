"""Prices of models, and how much a run may still ask for."""

import asyncio
import os
import time
from collections.abc import Callable
from decimal import Decimal
from typing import Final

from msgspec import Struct, field

from epc.errors import EpcError, StoppedError, UsageError
from epc.protocol.results import Json
from epc.records.model_names import RECORDED

_MILLION = 10**6
_PROMPT: Final = 1000  # tokens of a call; makers charge more for one of 200,000 and more


class Price(Struct, frozen=True, kw_only=True):
    """US dollars for a million tokens read and a million written."""

    read: Decimal
    written: Decimal

    def cost(self, tokens_in: int, tokens_out: int) -> Decimal:
        """Return what so many tokens cost, in US dollars."""
        return (self.read * tokens_in + self.written * tokens_out) / _MILLION


FREE = Price(read=Decimal(0), written=Decimal(0))


def price_of(name: str) -> Price | None:
    """Return the price of a model by its `provider/model` name; None where nobody has stated it.

    Models that run here, mocks and records cost nothing. What the user states goes before the
    table, and is all that is known of a self-hosted server: `VLLM_PRICE=0.15,0.60` is dollars for a
    million tokens read and written.

    Raises: UsageError if that is no such pair.
    """
    from epc.engine.providers import PROVIDERS

    provider, _, model = name.partition("/")
    if provider in ("local", "mock") or name.startswith(RECORDED):
        return FREE
    entry = PROVIDERS.get(provider)
    own_price = _price_in_environment(entry.price_variable) if entry else None
    if own_price or (entry and not entry.needs_key):
        return own_price
    if entry:
        provider = entry.priced_as or provider
    from genai_prices import Usage, calc_price

    def dollars(tokens_in: int, tokens_out: int) -> Decimal:
        usage = Usage(input_tokens=tokens_in, output_tokens=tokens_out)
        price = calc_price(usage, model_ref=model, provider_id=provider).total_price
        return price * _MILLION / _PROMPT

    try:
        return Price(read=dollars(_PROMPT, 0), written=dollars(0, _PROMPT))
    except LookupError:
        return None


def price_variable(name: str) -> str:
    """Return the variable by which the user states the price of a `provider/model`."""
    from epc.engine.providers import PROVIDERS

    provider, _, _ = name.partition("/")
    return PROVIDERS[provider].price_variable


def _price_in_environment(variable: str) -> Price | None:
    """Return the price that the user states, if any."""
    if not (text := os.environ.get(variable)):
        return None
    try:
        read, written = map(Decimal, text.split(","))
    except (ValueError, ArithmeticError):
        read = written = Decimal(-1)
    if not (read >= 0 and written >= 0 and (read + written).is_finite()):
        raise UsageError(
            f"{variable}={text} is no price\n  fix: dollars for a million tokens read and written: "
            f"{variable}=0.15,0.60"
        )
    return Price(read=read, written=written)


def maker_of(model: str) -> str | None:
    """Return the provider that serves a model of its own; None where the table has none."""
    from genai_prices.data_snapshot import get_snapshot

    from epc.engine.providers import PROVIDERS

    try:
        provider, _ = get_snapshot().find_provider_model(model, None, None, None)
    except LookupError:
        return None
    names = {entry.priced_as: entry.name for entry in PROVIDERS.values() if not entry.decides}
    return names.get(provider.id, provider.id)


_LONGER: Final = 1.1
_LANDING_S: Final = 3.0
_FRAME_TOKENS: Final = 32  # what a chat template adds around one message


class BudgetError(StoppedError):
    """A limit that the user set was reached; what has been answered is kept."""


class CostCapError(BudgetError):
    """A call no longer fits under `--max-cost`; cheaper ones may, and are still asked.

    It tells of the budget as it is when somebody reads it: after the last call has ended.
    """

    def __init__(self, budget: "Budget") -> None:
        super().__init__(budget)
        self.budget = budget

    def __str__(self) -> str:
        budget = self.budget
        return (
            f"stopped at --max-cost {budget.max_cost}: spent ${budget.cost:.6f}, "
            f"${budget.reserved:.6f} reserved for calls under way; "
            f"the next may cost ${budget.least_refused:.6f}"
        )


class Limits(Struct, frozen=True, kw_only=True):
    """Limits of one session. None is no limit; `max_cost` is in US dollars.

    `timeout_s` is how long a model may take for one reply.
    """

    max_calls: int | None = None
    max_cost: Decimal | None = None
    max_time_s: float | None = None
    timeout_s: float | None = None
    concurrency: int | None = None
    cache: bool = True


class Claim(Struct, kw_only=True):
    """Part of the budget that one call takes, in US dollars.

    `upper_cost` is the most that one attempt can cost, `reserved` what is set aside. `stopped` says
    what has stopped whoever claims: what waits for room then ends in that.
    """

    upper_cost: Decimal
    reserved: Decimal = Decimal(0)
    stopped: Callable[[], EpcError | None] = lambda: None


class Budget(Struct, kw_only=True):
    """The user's limits on one session, and what it has used of them.

    `max_cost` is in US dollars, `max_time_s` in seconds. Before a call is sent, the most it can
    cost is set aside (`reserved`), so that calls under way together never exceed the limit
    together. Most calls cost less: one that does not fit waits for what they leave. One that
    would not fit even then is refused, and only that one: `least_refused` is the cheapest of
    those, so less than that is left in the end. `prices` are by the name of the model. A limit on
    cost needs the price of each, since an unknown price could be any.

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
    began: float = field(default_factory=time.monotonic)
    reserved: Decimal = Decimal(0)
    least_refused: Decimal | None = None
    _waiting: list["asyncio.Future[None]"] = field(default_factory=list)

    def __post_init__(self) -> None:
        unknown = [model for model, price in self.prices.items() if price is None]
        if self.max_cost is not None and unknown:
            raise UsageError(
                f"the price of {unknown[0]} is not known, so --max-cost cannot be kept: use "
                f"--max-calls, or state it, as in {price_variable(unknown[0])}=0.15,0.60, dollars "
                "for a million tokens read and written"
            )

    async def claim(
        self,
        model: str,
        prompt: str,
        max_tokens: int,
        stopped: Callable[[], EpcError | None] = lambda: None,
    ) -> Claim:
        """Take one call out of the budget before it is sent, as soon as it fits.

        Raises: BudgetError if a limit has been reached; the error that `stopped` tells meanwhile.
        """
        claim = Claim(upper_cost=self._upper_cost(model, prompt, max_tokens), stopped=stopped)
        await self._admit(claim)
        return claim

    async def claim_again(self, claim: Claim) -> None:
        """Count an attempt whose answer was lost, and take another out of the budget.

        Raises: as `claim`; the lost attempt is counted all the same.
        """
        self.lose(claim)
        self._let_go(claim)
        await self._admit(claim)

    def lose(self, claim: Claim) -> None:
        """Count an attempt whose answer was lost, at the most that it can have cost."""
        self.lost += 1
        self.cost += claim.upper_cost

    def settle(self, claim: Claim, call: Json | None) -> None:
        """Give back what was set aside, and count what the call did cost (None: no answer)."""
        if call is not None:
            self.count(call, upper_cost=claim.upper_cost)
        self._let_go(claim)

    def count(self, call: Json, *, upper_cost: Decimal = Decimal(0)) -> None:
        """Count what a call did cost, or `upper_cost` if nobody says how long it was."""
        price = self.prices.get(call["model"])
        if price is None:
            return
        if call["tokens_in"] is None or call["tokens_out"] is None:
            self.cost += upper_cost
        else:
            self.cost += price.cost(call["tokens_in"], call["tokens_out"])

    def look_again(self) -> None:
        """Let every call that waits for its place in the budget see whether it still may."""
        for freed in self._waiting:
            if not freed.done():
                freed.set_result(None)
        self._waiting.clear()

    def left_s(self) -> float | None:
        """Return after how many seconds a call that is under way is given up; None is never.

        None is begun once the time is up. One that was begun before gets a little longer.
        """
        if self.max_time_s is None:
            return None
        return self.began + self.max_time_s * _LONGER + _LANDING_S - time.monotonic()

    def too_late(self) -> BudgetError:
        """Return what a call that is given up ends in."""
        return BudgetError(
            f"stopped at --max-time {self.max_time_s:g} s, with calls that got no answer"
        )

    async def _admit(self, claim: Claim) -> None:
        """Wait until a claim fits beside what is under way, and set it aside."""
        while not self._fits(claim):
            freed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(freed)
            await freed
        self._take(claim)

    def _fits(self, claim: Claim) -> bool:
        """Return whether another call fits now; one that never will is an error."""
        upper_cost = claim.upper_cost
        if (error := claim.stopped()) is not None:
            raise error
        if self.max_calls is not None and self.calls >= self.max_calls:
            raise BudgetError(f"stopped at --max-calls {self.max_calls}")
        if self.max_time_s is not None and time.monotonic() - self.began >= self.max_time_s:
            raise BudgetError(f"stopped at --max-time {self.max_time_s:g} s")
        if self.max_cost is None:
            return True
        if self.cost + upper_cost > self.max_cost:
            raise self._too_dear(upper_cost)
        return self.cost + self.reserved + upper_cost <= self.max_cost

    def _too_dear(self, upper_cost: Decimal) -> CostCapError:
        self.least_refused = min(upper_cost, self.least_refused or upper_cost)
        return CostCapError(self)

    def _upper_cost(self, model: str, prompt: str, max_tokens: int) -> Decimal:
        price = self.prices.get(model)
        return price.cost(most_tokens(prompt), max_tokens) if price else Decimal(0)

    def _take(self, claim: Claim) -> None:
        claim.reserved = claim.upper_cost
        self.reserved += claim.upper_cost
        self.calls += 1

    def _let_go(self, claim: Claim) -> None:
        self.reserved -= claim.reserved
        claim.reserved = Decimal(0)
        self.look_again()


def most_tokens(text: str) -> int:
    """Return a bound on the tokens of a text: no tokeniser makes more than one a byte."""
    return len(text.encode("utf-8", "surrogatepass")) + _FRAME_TOKENS
