"""SHA256SUMS: the digests of a folder's files, as `sha256sum --check` reads them."""

import re
from collections.abc import Mapping
from typing import Final

_LINE: Final = re.compile(r"([0-9a-f]{64})  (\S+)")


def sums_text(digests: Mapping[str, str]) -> str:
    """Return the text of a SHA256SUMS."""
    return "".join(f"{digests[name]}  {name}\n" for name in sorted(digests))


def parse_sums(text: str) -> dict[str, str] | None:
    """Return the digests that a SHA256SUMS lists, by file; None if it is not canonical."""
    matches = [_LINE.fullmatch(line) for line in text.splitlines()]
    listed = {match[2]: match[1] for match in matches if match}
    return listed if sums_text(listed) == text else None
