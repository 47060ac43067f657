"""One built site with every kind of page, served on loopback, and a browser for each module."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from browser_support import Visit, chromium, served, visit
from playwright.sync_api import Browser
from registry_support import FIGURES, generation_record, life_record, stated
from shared_support import shared
from site_support import (
    IN_A_WORKFLOW,
    WEIGHTS,
    BuiltSite,
    build,
    evaluated_by_endpoint,
    furnished,
    judged,
    measured,
)

from epc.records.strict_json import dumps


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> BuiltSite:
    return shared(tmp_path_factory, "browser", _site)


def _site(folder: Path) -> BuiltSite:
    """Return a site of snapshots that hold, expire in turn, are in doubt, and were withdrawn."""
    made = furnished(folder / "clone")
    doubtful = life_record(
        platform="cloud", model="judge-3", retires=stated("2026-05-01", "not_before")
    )
    made.evaluator(generation_record("Judge-3", doubtful))
    model = {"model": "judge-3", "platform": "cloud", "gateway": None, "proxy": False}
    days = {"from": "2026-02-10", "to": "2026-02-14"}
    folder = made.publish("v1.0-Judge-3", evaluator=model | {"as_printed": None}, measured=days)
    two = FIGURES | {"n": 12, "jsd": {"text_to_visual": {"mean": 0.25, "ci95": None}}}
    (folder / "metrics.json").write_text(dumps({"kind": "reported", "figures": two}))
    made.seal(folder.name)
    measured(made)
    judged(made)
    retires = stated("2026-05-20")
    made.evaluator(
        generation_record(
            "Judge-4", life_record(platform="self-hosted", model="judge-1", retires=retires)
        )
    )
    judged(
        made,
        evaluated_by_endpoint(made.folder.parent / "hosted"),
        generation="Judge-4",
        weights=WEIGHTS,
    )
    return build(made, env=IN_A_WORKFLOW)


@pytest.fixture(scope="session")
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

        def open_window(**given: Any) -> Visit:
            opened.append(stack.enter_context(visit(browser, home, **given)))
            return opened[-1]

        yield open_window
        for each in opened:
            each.assert_quiet()
