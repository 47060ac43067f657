"""Text from anywhere, made to show as text in HTML, Markdown and templates alike.

The generated pages are Markdown that holds HTML, and pass through a template engine before and a
Markdown reader after; whatever could mean something to any of them becomes a character reference.
"""

import re
from typing import Any, Final

from markupsafe import Markup

# Letters, digits and what no reader gives a meaning to inside a line stay as they are.
_SPECIAL: Final = re.compile(
    r"[^A-Za-z0-9 ,;.?%/()\-\u00a1-\ud7ff\uf900-\ufffd\U00010000-\U0010ffff]"
)
# What HTML has no place for, or what makes a text read otherwise than it is written.
_UNSHOWN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e0fff]"
)
_WEB: Final = re.compile(r"https?://[^\s]+")


def shown(value: Any) -> Markup:
    """Return a text as one line of markup that shows it, in an element or a quoted attribute.

    Line breaks become spaces; what has no shape of its own becomes U+FFFD.
    """
    return _references(" ".join(str(value).splitlines()))


def verbatim(value: Any) -> Markup:
    """Return a text as markup that shows it with its lines kept, for a `pre` element.

    The line breaks are character references too, so that no line of it begins a line of Markdown.
    """
    return _references("\n".join(str(value).splitlines()))


def _references(text: str) -> Markup:
    visible = _UNSHOWN.sub("\ufffd", text)
    return Markup(_SPECIAL.sub(lambda match: f"&#{ord(match[0])};", visible))  # noqa: S704  (escaped here)


def address(value: Any, *, host: bool = False) -> Markup:
    """Return a text as a link if it is an address on the web, else as text.

    `javascript:` and its like are no addresses here. With `host` its host alone is read.
    """
    text = str(value)
    if not _WEB.fullmatch(text):
        return shown(text)
    read = text.split("/")[2] if host else text
    link = Markup('<a href="{}" rel="nofollow noopener">{}</a>')
    return link.format(shown(text), shown(read))


def finalized(value: Any) -> Any:
    """Return what a template prints for a value: markup as it is, everything else as text."""
    return value if isinstance(value, Markup) else shown(value)
