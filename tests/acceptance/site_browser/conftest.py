"""The site served on loopback, and a browser for each module."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from browser_support import Visit, chromium, served, visit
from playwright.sync_api import Browser
from site_support import BuiltSite


@pytest.fixture(scope="module")
def home(site: BuiltSite) -> Iterator[str]:
    """Return the site's address, in a folder of its host, as it was built for."""
    with served(site.out) as address:
        yield f"{address}epc/"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    # Playwright's event loop counts as running in this thread until its browser is closed, so that
    # a test of any other module could not call `asyncio.run` beside it.
    with chromium() as started:
        yield started


@pytest.fixture
def window(browser: Browser, home: str) -> Iterator[Callable[..., Visit]]:
    """Return what opens a fresh window. Nothing may leave the site or complain in it."""
    with ExitStack() as stack:
        opened: list[Visit] = []

        def open_window(**fields: Any) -> Visit:
            opened.append(stack.enter_context(visit(browser, home, **fields)))
            return opened[-1]

        yield open_window
        for opened_visit in opened:
            opened_visit.assert_quiet()
