"""What a project's file sets for `epc scan`, and when a name fails the gate (`--fail-on`)."""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final, Self

from epc.errors import UsageError, able_to
from epc.registry.expiry import Expiry, days_away

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


# Where settings stand, and below which keys; the first file that has them counts.
PLACES: Final = ((".epc.toml", ("scan",)), ("pyproject.toml", ("tool", "epc", "scan")))
_KEYS: Final = {"fail-on": "fail_on", "ignore": "ignore", "exclude": "exclude"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a project wants of every scan: rules, names to be ignored, paths to be left out."""

    fail_on: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


def settings(folder: Path) -> Settings:
    """Return the settings of a project's folder; none where it states none.

    Raises: UsageError if they cannot be used; WorldError if they cannot be read.
    """
    for name, keys in PLACES:
        path = folder / name
        table = _table(path, keys) if path.is_file() else None
        if table is not None:
            return Settings(**{_KEYS[key]: tuple(words) for key, words in table.items()})
    return Settings()


def _table(path: Path, keys: tuple[str, ...]) -> dict[str, list[str]] | None:
    try:
        with able_to("read", path):
            table: Any = tomllib.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise UsageError(f"{path} is no TOML: {error}") from error
    for key in keys:
        table = table.get(key) if isinstance(table, dict) else None
    if table is None:
        return None
    where = f"{path} [{'.'.join(keys)}]"
    if not isinstance(table, dict) or (other := table.keys() - _KEYS.keys()):
        problem = f" has {', '.join(sorted(other))}" if isinstance(table, dict) else " is no table"
        raise UsageError(f"{where}{problem}\n  fix: it may have {', '.join(_KEYS)}")
    for key, words in table.items():
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise UsageError(f'{where} {key} is no list of texts\n  fix: {key} = ["..."]')
    return table
