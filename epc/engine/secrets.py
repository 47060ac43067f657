"""Keeping secrets out of everything that is written or shown."""

import json
import os
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Final
from urllib.parse import quote, unquote, urlsplit

_MARKS: Final = ("KEY", "TOKEN", "SECRET", "PASSWORD")
SHORTEST: Final = 6  # a shorter value would blank out ordinary words


def redact(text: str) -> str:
    """Return a text with every secret of the environment blanked out.

    Secret are the values of variables that are named like a secret, and the user and password of
    addresses, also in the form in which they are sent; each also in base64, where it may stand
    within more, URL-quoted, and as JSON writes it.
    """
    return redactor()(text)


def redactor() -> Callable[[str], str]:
    """Return `redact` for the environment as it is now, which is then looked through once."""
    return _redactor(tuple(os.environ.items()))


@lru_cache(maxsize=1)
def _redactor(environment: tuple[tuple[str, str], ...]) -> Callable[[str], str]:
    written = {
        form: name
        for name, secret in _secrets(environment)
        if len(secret) >= SHORTEST
        for form in _forms(secret)
    }
    longest_first = sorted(written, key=len, reverse=True)

    def blank_out(text: str) -> str:
        for form in longest_first:
            if form in text:
                text = text.replace(form, f"[{written[form]}]")
        return text

    return blank_out


def secrets() -> Iterator[tuple[str, str]]:
    """Yield what the environment holds that must not be shown: its variable's name, and itself."""
    yield from _secrets(os.environ.items())


def _secrets(environment: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for name, value in environment:
        if any(mark in name.upper() for mark in _MARKS):
            yield name, value
        if "://" in value and "@" in value:
            for secret in _of_address(value):
                yield name, secret


def _forms(secret: str) -> set[str]:
    """Return the ways in which a secret may be written: all of them give it away.

    In base64 a byte takes one and a third letters, so what stands before a secret moves it by none,
    one or two bytes. Letters that also hold a neighbour's bits are left out.
    """
    raw = secret.encode("utf-8", "surrogatepass")
    forms = {secret, quote(raw), quote(raw, safe=""), json.dumps(secret)[1:-1]}
    for before in range(3):
        within = slice(-(-8 * before // 6), 8 * (before + len(raw)) // 6)
        for encode in (b64encode, urlsafe_b64encode):
            forms.add(encode(bytes(before) + raw).decode()[within])
    return forms


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
