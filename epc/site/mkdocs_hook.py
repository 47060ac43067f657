"""Finished markup set aside while mkdocs makes a page, and put back in what it made: mkdocs's hook.

mkdocs, Markdown and the search read a page element by element, four times over. A generated page is
headings with finished HTML between them, which all four leave as it is; so it waits here, and a
page with pictures costs no more than one without. Without this hook the same pages come out, only
later: tests hold the two against each other.
"""

import re
from typing import Any, Final

GENERATED: Final = "finished"  # in a page's front matter: all but its headings is finished HTML
_HEADING: Final = re.compile(r"^(#{1,6} .*)$", re.MULTILINE)
_PICTURES: Final = re.compile(r'^<div class="epc-gallery">.*$', re.MULTILINE)
_PLACE: Final = '<div data-epc-aside="{}"></div>'
_PLACES: Final = re.compile(r'<div data-epc-aside="(\d+)"></div>')

_waiting: dict[str, list[str]] = {}


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Set a generated page's finished parts aside."""
    if GENERATED not in page.meta:
        return markdown
    set_aside = _waiting[page.file.src_uri] = []
    parts = _HEADING.split(markdown)
    parts[::2] = [_placeholder(part, set_aside) for part in parts[::2]]
    return "".join(parts)


def _placeholder(part: str, parts: list[str]) -> str:
    """Return what stands for a part: the pictures wait behind a place of their own in it."""
    if not part.strip():
        return part
    return f"\n\n{_aside(_PICTURES.sub(lambda drawn: _aside(drawn[0], parts), part), parts)}\n\n"


def _aside(text: str, parts: list[str]) -> str:
    parts.append(text.strip())
    return _PLACE.format(len(parts) - 1)


def on_page_content(html: str, *, page: Any, **_: Any) -> str:
    """Put back what the search is to read: all but the pictures, if it reads the page at all."""
    if (page.meta.get("search") or {}).get("exclude"):
        return html
    return _back(html, _waiting.get(page.file.src_uri, []))


def on_post_page(output: str, *, page: Any, **_: Any) -> str:
    """Put back all that is still missing."""
    parts = _waiting.pop(page.file.src_uri, [])
    return _back(_back(output, parts), parts)


def _back(html: str, parts: list[str]) -> str:
    return _PLACES.sub(lambda match: parts[int(match[1])], html) if parts else html
