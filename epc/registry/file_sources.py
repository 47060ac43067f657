"""Where a registry's files can be read from: a folder, or a web server that publishes it."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from epc.errors import WorldError, able_to

_TIMEOUT: Final = 60
WEB: Final = ("http://", "https://")


def reader(location: str) -> Callable[[str], bytes]:
    """Return what reads a file below a place by its relative path.

    It raises WorldError where there is none, or the disk or the network fails.
    """

    def read(path: str) -> bytes:
        if location.startswith(WEB):
            return fetch(f"{location.rstrip('/')}/{path}")
        file = Path(location) / path
        with able_to("read", file, fix="name a place that has it with --from or --store"):
            return file.read_bytes()

    return read


def fetch(address: str) -> bytes:
    """Return what an address answers.

    Raises: WorldError if it does not.
    """
    from http.client import HTTPException
    from urllib.request import urlopen

    try:
        with urlopen(address, timeout=_TIMEOUT) as answer:  # noqa: S310  (http and https alone)
            content: bytes = answer.read()
            return content
    except (OSError, HTTPException, ValueError) as error:
        raise WorldError(
            f"cannot read {address}: {error}\n  fix: check the address, or try again later"
        ) from error
