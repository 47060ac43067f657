"""Links that lead somewhere, and pages that are light."""

import gzip
from itertools import chain
from pathlib import Path
from typing import Any

from browser_support import Visit, broken_links, served, visit
from budget_support import is_night
from playwright.sync_api import Browser
from registry_support import ROOT
from site_support import ADDRESS, BuiltSite

# The page of what is missing loads the names of all judges, 46 kB that grow with the registry.
BYTES, REQUESTS = 160_000, 20
WORKER = "workers/search."  # 12 kB, which come with the first word that somebody searches
INDEX = "search/search_index.json"  # grows with the registry: fetched once somebody searches


def packed(path: Path) -> int:
    return len(gzip.compress(path.read_bytes()))


def heaviest(site: Path) -> list[str]:
    """Return the heaviest page of every folder, and of `/compare/` the two heaviest snapshots.

    Of folders that are one document each, the five heaviest by day: they load the same files.
    """
    folders: dict[str, list[Path]] = {}
    for page in site.rglob("*.html"):
        folders.setdefault(page.relative_to(site).parts[0], []).append(page)
    if not is_night():
        named = {path.stem for path in (ROOT / "site" / "docs").glob("*.md")} & folders.keys()
        documents = sorted(named, key=lambda name: max(map(packed, folders[name])))
        for name in documents[:-5]:
            del folders[name]
    pages = [max(of_folder, key=packed) for of_folder in folders.values()]
    a, b = sorted((site / "compare").glob("*.json"), key=packed)[-2:]
    found = (page.relative_to(site).as_posix().removesuffix("index.html") for page in pages)
    return sorted(chain(found, [f"compare/?a={a.stem}&b={b.stem}"]))


def loaded(seen: Visit, path: str) -> tuple[float, list[str]]:
    """Return how many bytes came over the line for a page, and every address that was asked."""
    session = seen.page.context.new_cdp_session(seen.page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    sizes: list[float] = []
    asked: list[str] = []

    def took(event: dict[str, Any]) -> None:
        sizes.append(event["encodedDataLength"])

    session.on("Network.loadingFinished", took)
    session.on("Network.requestWillBeSent", lambda event: asked.append(event["request"]["url"]))
    seen.to(path)
    session.detach()
    return sum(sizes), asked


def test_no_internal_link_or_anchor_is_broken(site: BuiltSite) -> None:
    assert broken_links(site.out, ADDRESS) == []


def test_the_heaviest_page_of_every_kind_is_light(browser: Browser, deployed: Path) -> None:
    pages = heaviest(deployed)
    heavy: dict[str, tuple[float, int]] = {}
    with served(deployed) as home, visit(browser, home) as seen:
        for path in pages:
            size, asked = loaded(seen, path)
            assert size > 20_000, path
            assert not [url for url in asked if INDEX in url or WORKER in url], path
            if size > BYTES or len(asked) > REQUESTS:
                heavy[path] = (size, len(asked))

    assert len(pages) > (40 if is_night() else 20)
    assert heavy == {}
