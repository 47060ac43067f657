"""Where a registry's files can be read from: a folder, or a web server that publishes it."""

from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Final

from epc.errors import WorldError, able_to

_TIMEOUT: Final = 60  # seconds that a server may be silent
_LONGEST: Final = 600  # seconds that a whole answer may take
_LARGEST: Final = 512 * 2**20  # bytes; ten thousand snapshots have a document of 100 MB
_PART: Final = 2**20
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

    Raises: WorldError if it does not, in a time and a size that no honest answer exceeds.
    """
    from http.client import HTTPException
    from urllib.request import urlopen

    until, content = monotonic() + _LONGEST, b""
    try:
        with urlopen(address, timeout=_TIMEOUT) as answer:  # noqa: S310  (http and https alone)
            while part := answer.read1(_PART):
                content += part
                if len(content) > _LARGEST:
                    raise ValueError(f"more than {_LARGEST:,} bytes")  # noqa: TRY301
                if monotonic() > until:
                    raise ValueError(f"not all of it in {_LONGEST} s")  # noqa: TRY301
            return content
    except (OSError, HTTPException, ValueError) as error:
        raise WorldError(
            f"cannot read {address}: {error}\n  fix: check the address, or try again later"
        ) from error
