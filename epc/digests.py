"""SHA-256 in hexadecimal digits: of a text, of bytes, of a file, of a folder as SHA256SUMS."""

import hashlib
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from epc.errors import able_to

if TYPE_CHECKING:
    from pathlib import Path


def sha256(content: str | bytes) -> str:
    """Return the digest of bytes, or of a text in UTF-8, lone surrogates included."""
    if isinstance(content, str):
        content = content.encode("utf-8", "surrogatepass")
    return hashlib.sha256(content).hexdigest()


def file_sha256(path: "Path") -> str:
    """Return a file's digest.

    Raises: WorldError if it cannot be read.
    """
    with able_to("read", path), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


_LINE: Final = re.compile(r"([0-9a-f]{64})  (\S+)")


def sums_text(digests: Mapping[str, str]) -> str:
    """Return the text of a SHA256SUMS."""
    return "".join(f"{digests[name]}  {name}\n" for name in sorted(digests))


def parse_sums(text: str) -> dict[str, str] | None:
    """Return the digests that a SHA256SUMS lists, by file; None if it is not canonical."""
    matches = [_LINE.fullmatch(line) for line in text.splitlines()]
    listed = {match[2]: match[1] for match in matches if match}
    return listed if sums_text(listed) == text else None
