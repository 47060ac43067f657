"""When a name fails a gate: the words of `epc scan --fail-on`."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Final, Self

from epc.errors import UsageError
from epc.registry.days import days_away
from epc.registry.expiry import Expiry

WORDS: Final = ("expired", "expiring", "drifted", "unknown", "unconfirmed")
_RULE: Final = re.compile(r"(expired|expiring|drifted|unknown|unconfirmed)|expiring:([0-9]{1,4})d")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One thing that a gate does not pass; `days` is how near an end may be.

    What fails as expiring fails all the more once it has expired.
    """

    word: str
    days: int | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the rule that a word states, as `expired` or `expiring:30d`.

        Raises: UsageError if it states none.
        """
        match = _RULE.fullmatch(text)
        if match is None:
            names = ", ".join(WORDS)
            raise UsageError(f"{text!r} is no rule\n  fix: one of {names}, or expiring:30d")
        return cls(word=match[1] or "expiring", days=int(match[2]) if match[2] else None)

    def __str__(self) -> str:
        return self.word if self.days is None else f"{self.word}:{self.days}d"

    def is_broken(self, states: Iterable[Expiry], *, drifted: bool, as_of: date) -> bool:
        """Return whether the answers about a name break it; `drifted`: a figure of it did."""
        if self.word == "drifted":
            return drifted
        return any(self._meets(state, as_of) for state in states)

    def _meets(self, state: Expiry, as_of: date) -> bool:
        if self.word != "expiring":
            return state.status == self.word
        if self.days is None or state.status == "expired":
            return state.status in {"expired", "expiring"}
        return state.until is not None and state.until <= days_away(as_of, self.days)
