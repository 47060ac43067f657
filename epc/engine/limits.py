"""Keeping to an endpoint's rate limits, as its own headers state them.

Requests and tokens are both counted. Each reply says how much was left when its request came in;
what was sent since is taken off, and what the endpoint gives back with time is added.
"""

import asyncio
import math
import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final, NamedTuple
from weakref import WeakValueDictionary

_UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_PART: Final = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_LONGEST_HOLD_S: Final = 600.0  # a limit that takes longer to reset is met by failing, not waiting
_MINUTE_S: Final = 60.0  # what limits are stated for where a reply does not say when they reset
_ROUNDING: Final = 1e-6  # of a request or token: less than that is not worth a wait
# How OpenAI and Anthropic spell what a reply says of a limit: what is left, all of it, the reset.
_HEADERS: Final = {
    kind: tuple(
        (f"x-ratelimit-{what}-{kind}", f"anthropic-ratelimit-{kind}-{what}")
        for what in ("remaining", "limit", "reset")
    )
    for kind in ("requests", "tokens")
}
_LEFT: Final = frozenset(name for (left, _, _) in _HEADERS.values() for name in left)
_BYTES_A_TOKEN: Final = 4  # usually; a token more or less is set right by the next reply


class Ticket(NamedTuple):
    """A request on its way: whose limits it counts against, and how much had been sent by then."""

    model: str
    requests: float
    tokens: float


class Gate:
    """Holds calls back while an endpoint has told us to wait, or has nothing left to give.

    A 429 holds every call to the endpoint, not only the one that got it. What is left of the
    limits is kept by model, since providers state it so; two roles with one model share it.
    `heard_at` is when it last answered a prompt, by this process's clock.
    """

    def __init__(self) -> None:
        self._open_at = 0.0
        self._allowances: dict[str, tuple[_Allowance, _Allowance]] = {}
        self.heard_at = -math.inf

    @property
    def answered(self) -> bool:
        """True once the endpoint has answered a prompt: it is there, and was asked rightly."""
        return self.heard_at > -math.inf

    async def passage(self, model: str = "", tokens: int = 1) -> Ticket:
        """Wait until the endpoint may be asked again, and count a request of so many tokens."""
        requests_left, tokens_left = self._allowances_of(model)
        while True:
            now = time.monotonic()
            left = max(
                self._open_at - now, requests_left.wait(1, now), tokens_left.wait(tokens, now)
            )
            if left <= 0:
                return Ticket(model, requests_left.take(1), tokens_left.take(tokens))
            left = min(left, _LONGEST_HOLD_S)
            await asyncio.sleep(left)

    def hold(self, seconds: float) -> None:
        """Keep every call back for so long, within reason."""
        self._open_at = max(self._open_at, time.monotonic() + min(seconds, _LONGEST_HOLD_S))

    def learn(self, ticket: Ticket, headers: Mapping[str, str]) -> None:
        """Take over what the reply to a request says is left of the limits."""
        if headers.keys().isdisjoint(_LEFT):
            return
        now = time.monotonic()
        for (left, limit, reset), allowance, sent in zip(
            _HEADERS.values(), self._allowances_of(ticket.model), ticket[1:], strict=True
        ):
            remaining = duration(_header(headers, left))
            if remaining is not None:
                allowance.learn(
                    remaining,
                    sent=sent,
                    limit=duration(_header(headers, limit)),
                    reset_s=_reset(_header(headers, reset)),
                    now=now,
                )

    def _allowances_of(self, model: str) -> "tuple[_Allowance, _Allowance]":
        if model not in self._allowances:
            self._allowances[model] = (_Allowance(), _Allowance())
        return self._allowances[model]


class _Allowance:
    """Remainder of one limit: a bucket that fills evenly up to the limit.

    Until a reply has spoken, everything is left. Where replies do not state the limit, nothing is
    known of how it fills, and what they say holds until the reset they name.
    """

    def __init__(self) -> None:
        self._left = math.inf
        self._limit = math.inf
        self._rate = 0.0  # a second
        self._at = 0.0
        self._until = math.inf  # from then on nothing is known
        self._sent = 0.0  # in all
        self._newest = -1.0  # what had been sent before the newest request that was replied to

    def wait(self, amount: float, now: float) -> float:
        """Return in how many seconds so much will be left."""
        if self._left == math.inf:
            return 0.0
        if now >= self._until:
            self._left = math.inf
            return 0.0
        self._left = min(self._limit, self._left + self._rate * (now - self._at))
        self._at = now
        missing = min(amount, self._limit) - self._left
        if missing <= _ROUNDING:
            return 0.0
        return min(missing / self._rate if self._rate else math.inf, self._until - now)

    def take(self, amount: float) -> float:
        """Count what is sent now, and return what has been sent in all."""
        self._left -= amount
        self._sent += amount
        return self._sent

    def learn(
        self,
        remaining: float,
        *,
        sent: float,
        limit: float | None,
        reset_s: float | None,
        now: float,
    ) -> None:
        """Take over what was left when a request came in, `sent` having been sent with it."""
        if sent < self._newest or (limit is None and reset_s is None):
            return  # an older word than the last, or nothing that says when to go on
        self._newest, self._at = sent, now
        self._left = remaining - (self._sent - sent)
        if limit:
            self._limit, self._until = limit, math.inf
            used = limit - remaining
            self._rate = used / reset_s if reset_s and used > 0 else limit / _MINUTE_S
        else:
            self._limit, self._rate = math.inf, 0.0
            self._until = now + min(reset_s or 0.0, _LONGEST_HOLD_S)


_GATES: WeakValueDictionary[tuple[str, str | None], Gate] = WeakValueDictionary()


def gate_of(address: str, key: str | None) -> Gate:
    """Return the gate before an endpoint: one for everybody who asks it under the same key."""
    gate = _GATES.get((address, key))
    if gate is None:
        gate = _GATES[address, key] = Gate()
    return gate


def usual_tokens(text: str, max_tokens: int) -> int:
    """Return about how many tokens a provider counts for a request when it comes in."""
    return len(text.encode("utf-8", "surrogatepass")) // _BYTES_A_TOKEN + max_tokens


def _header(headers: Mapping[str, str], spellings: tuple[str, str]) -> str:
    """Return a rate-limit header, or nothing."""
    openai_name, anthropic_name = spellings
    return headers.get(openai_name) or headers.get(anthropic_name, "")


def _reset(text: str) -> float | None:
    """Return the seconds until a reset that is stated as a duration or as a moment."""
    if (seconds := duration(text)) is not None:
        return seconds
    try:
        until = datetime.fromisoformat(text)
    except ValueError:
        return None
    return _seconds_until(until, datetime.now(UTC))


def duration(text: str) -> float | None:
    """Return the seconds that a header such as `6m0s`, `250ms` or `12` stands for."""
    if not text:
        return None
    text = text.strip()
    parts = _PART.findall(text)
    if parts and "".join(number + unit for number, unit in parts) == text:
        return sum(float(number) * _UNITS[unit] for number, unit in parts)
    try:
        seconds = float(text)
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None


def retry_after(headers: Mapping[str, str], *, now: datetime | None = None) -> float | None:
    """Return how many seconds a reply asks us to wait: `Retry-After` as seconds or as a date."""
    if (milliseconds := duration(headers.get("retry-after-ms", ""))) is not None:
        return milliseconds / 1000
    header = headers.get("retry-after", "")
    if (seconds := duration(header)) is not None:
        return seconds
    from email.utils import parsedate_to_datetime  # most of a mail library

    try:
        until = parsedate_to_datetime(header)
    except ValueError:
        return None
    return _seconds_until(until, now or datetime.now(UTC))


def _seconds_until(moment: datetime, now: datetime) -> float:
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())
