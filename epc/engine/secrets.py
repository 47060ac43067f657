"""Keeping secrets out of everything that is written or shown."""

import os
from base64 import b64encode
from collections.abc import Callable, Iterator
from typing import Final
from urllib.parse import unquote, urlsplit

_MARKS: Final = ("KEY", "TOKEN", "SECRET", "PASSWORD")
SHORTEST: Final = 6  # a shorter value would blank out ordinary words


def redact(text: str) -> str:
    """Return a text with every secret of the environment blanked out.

    Secret are the values of variables that are named like a secret, and the user and password of
    addresses, also in the form in which they are sent.
    """
    return redactor()(text)


def redactor() -> Callable[[str], str]:
    """Return `redact` for the environment as it is now, which is then looked through once."""
    long_enough = [(name, secret) for name, secret in secrets() if len(secret) >= SHORTEST]
    longest_first = sorted(long_enough, key=lambda named: len(named[1]), reverse=True)

    def blank_out(text: str) -> str:
        for name, secret in longest_first:
            text = text.replace(secret, f"[{name}]")
        return text

    return blank_out


def secrets() -> Iterator[tuple[str, str]]:
    """Yield what the environment holds that must not be shown: its variable's name, and itself."""
    for name, value in os.environ.items():
        if any(mark in name.upper() for mark in _MARKS):
            yield name, value
        if "://" in value and "@" in value:
            for secret in _of_address(value):
                yield name, secret


def _of_address(url: str) -> Iterator[str]:
    try:
        user_info, at, _ = urlsplit(url).netloc.rpartition("@")
    except ValueError:
        return
    if at:
        plain = unquote(user_info)
        sent = plain if ":" in plain else f"{plain}:"
        yield from (user_info, plain, b64encode(sent.encode()).decode())
        yield from (plain.partition(":")[2], user_info.partition(":")[2])
