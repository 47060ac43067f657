"""Links that lead somewhere, and a first page that is light."""

from collections.abc import Callable
from typing import Any

from browser_support import Visit, broken_links
from site_support import ADDRESS, BuiltSite

BYTES, REQUESTS = 150_000, 20


def test_no_internal_link_or_anchor_is_broken(site: BuiltSite) -> None:
    assert broken_links(site.out, ADDRESS) == []


def test_the_first_page_is_light(window: Callable[..., Visit]) -> None:
    seen = window()
    session = seen.page.context.new_cdp_session(seen.page)
    session.send("Network.enable")
    sizes: list[float] = []
    asked: list[str] = []
    seen.page.on("request", lambda request: asked.append(request.url))

    def took(event: dict[str, Any]) -> None:
        sizes.append(event["encodedDataLength"])

    session.on("Network.loadingFinished", took)
    seen.to("")

    assert len(sizes) > 3
    assert 20_000 < sum(sizes) < BYTES
    assert len(asked) <= REQUESTS
    # The index grows with the registry: it is fetched once somebody searches.
    assert not [url for url in asked if "search_index" in url]
