"""Keeping secrets out of everything that is written or shown."""

import json
import os
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Final
from urllib.parse import parse_qsl, quote, unquote, urlsplit

_MARKS: Final = ("KEY", "TOKEN", "SECRET", "PASSWORD")
SHORTEST: Final = 6  # a shorter value would blank out ordinary words
# Parts of an address, by what stands before them (`/key/...`, `?sig=...`) or by how they look.
_NAMED: Final = re.compile(r"key|token|secret|passw|credential|^sig|auth", re.IGNORECASE)
_RANDOM: Final = re.compile(
    r"\b(?:sk|pk|rk|xai|gsk|hf|ghp|gho)[-_]|(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{16}"
    r"|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-"
)


def redact(text: str) -> str:
    """Return a text with every secret of the environment blanked out.

    Secret are the values of variables that are named like a secret, the user and password of
    addresses, also in the form in which they are sent, and what opens an address in its path or
    query; each also in base64, where it may stand within more, URL-quoted, and as JSON writes it.
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
        if "://" in value:
            for secret in (*_of_user(value), *in_address(value)):
                yield name, secret


def _forms(secret: str) -> set[str]:
    """Return the ways in which a secret may be written: all of them give it away.

    In base64 a byte takes one and a third letters, so what stands before a secret moves it by none,
    one or two bytes. Letters that also hold a neighbour's bits are left out.
    """
    raw = secret.encode("utf-8", "surrogatepass")
    forms = {secret, quote(raw), quote(raw, safe=""), json.dumps(secret)[1:-1]}
    for before in range(3):
        span = slice(-(-8 * before // 6), 8 * (before + len(raw)) // 6)
        for encode in (b64encode, urlsafe_b64encode):
            forms.add(encode(bytes(before) + raw).decode()[span])
    return forms


def in_address(url: str) -> Iterator[str]:
    """Yield what of the path, query and fragment of an address is named or looks like a secret."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return
    path = parts.path.split("/")
    pairs = [*zip(["", *path], path, strict=False), *parse_qsl(f"{parts.query}&{parts.fragment}")]
    for name, value in pairs:
        if len(value) >= SHORTEST and (_NAMED.search(name) or _RANDOM.search(value)):
            yield value


def _of_user(url: str) -> Iterator[str]:
    try:
        user_info, separator, _ = urlsplit(url).netloc.rpartition("@")
    except ValueError:
        return
    if separator:
        plain = unquote(user_info)
        sent = plain if ":" in plain else f"{plain}:"
        yield from (user_info, plain, b64encode(sent.encode()).decode())
        yield from (plain.partition(":")[2], user_info.partition(":")[2])
