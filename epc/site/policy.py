"""What a page may load and run: a Content-Security-Policy in each, worked out when it is built.

The site loads nothing from elsewhere. The theme has small scripts inside its pages, which a policy
names by digest. Only what stands in a page of the repository's own documents counts as the
theme's, so that a script which somebody else's text brought into another page does not run.
Styles may stand inside a page: the pictures and the theme need that, and a style runs nothing.
"""

import re
from base64 import b64encode
from collections.abc import Collection, Iterable, Iterator
from hashlib import sha256
from typing import Final

_CHARSET: Final = re.compile(r'<meta charset="[^"]*"\s*/?>', re.IGNORECASE)
_SCRIPT: Final = re.compile(r"<script(\s[^>]*)?>(.*?)</script>", re.IGNORECASE | re.DOTALL)
# A script with an address has nothing inside; JSON is data, which nothing runs.
_NOT_RUN: Final = re.compile(r"\b(src\s*=|type\s*=\s*.?application/(ld\+)?json)", re.IGNORECASE)
_HOME: Final = re.compile(r'new URL\("[\w./-]*",location\)')  # the way home is each page's own
_ELSE: Final = (
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    "object-src 'none'",
)


def themes(documents: Iterable[str]) -> frozenset[str]:
    """Return the scripts inside pages that nobody else's text is in, whatever their way home."""
    return frozenset(_HOME.sub("", text) for page in documents for text in _inside(page))


def guarded(page: str, known: Collection[str]) -> str:
    """Return a page with its policy, which stands before anything that it is about.

    `known` are the theme's scripts, by `themes`.

    Raises: ValueError if a page does not state its characters, behind which the policy stands.
    """
    own = dict.fromkeys(text for text in _inside(page) if _HOME.sub("", text) in known)
    names = (f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in own)
    scripts = " ".join(("script-src 'self'", *names))
    policy = "; ".join(("default-src 'none'", scripts, *_ELSE))
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    made, places = _CHARSET.subn(lambda stated: f"{stated[0]}{meta}", page, count=1)
    if not places:
        raise ValueError("a page without <meta charset>")
    return made


def _inside(page: str) -> Iterator[str]:
    return (text for about, text in _SCRIPT.findall(page) if not _NOT_RUN.search(about))
