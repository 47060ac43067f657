"""Where pages say they are from: the repository and the site's address, or this checkout."""

import re
from pathlib import Path
from typing import Any, Final

from epc.site.pages import Site

_HERE: Final = "this checkout"
# In the repository's own documents a link to its root; mkdocs knows nothing outside of them.
_LINK: Final = re.compile(r"\[([^\]]+)\]\(\.\./\.\./\)")
_WORDS: Final = re.compile(r"\b(ADDRESS|REPOSITORY)\b")
_DOCUMENTS: Final = "site/docs"


def addressed(site: Site, path: Path) -> str:
    """Return a document with the addresses that are known.

    Links to the repository's root lead to it on the web, or say that it is this checkout. ADDRESS
    and REPOSITORY become the addresses of site and repository; what is unknown stays a word.
    """
    known = {"ADDRESS": site.address.rstrip("/")}
    link = _HERE
    if site.repository:
        known["REPOSITORY"] = site.repository.address
        link = rf"[\1]({site.repository.address})"
    text = _LINK.sub(link, path.read_text("utf-8"))
    return _WORDS.sub(lambda word: known.get(word[0]) or word[0], text)


def settings(site: Site) -> dict[str, Any]:
    """Return what mkdocs is told of addresses: nothing of those that are not known."""
    options: dict[str, Any] = {"copyright": _origin(site)}
    if site.address:
        options["site_url"] = site.address
    if site.repository:
        own = site.repository
        options |= {"repo_url": own.address, "repo_name": own.name}
        # mkdocs would guess a branch if it were told nothing.
        options["edit_uri"] = f"{own.edit}/{_DOCUMENTS}/" if own.edit else ""
    return options


def _origin(site: Site) -> str:
    """Return what stands at every page's end: where it is from, and where a fault is reported."""
    own = site.repository
    if own is None:
        return f"Built from {_HERE}."
    fault = f' <a href="{own.issues}">Report a fault</a>.' if own.issues else ""
    return f'Built from <a href="{own.address}">{own.name}</a>.{fault}'
