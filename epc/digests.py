"""SHA-256 in hexadecimal digits: of a text, of bytes, of a file."""

import hashlib
from typing import TYPE_CHECKING

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
