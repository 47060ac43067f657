"""A real browser over a built site: what it asks for, what it complains of, what it shows."""

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Dialog,
    Page,
    Request,
    Response,
    sync_playwright,
)

from epc.site.serving import SiteServer

# Without the first line every window loads two pages of its own, for an address bar that nobody
# sees. Of two lists Chromium reads the last one, so Playwright's own follows.
_OFF = (
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup"),
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades"),
    *("HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter", "PaintHolding"),
    *("ThirdPartyStoragePartitioning", "AvoidCorsURLLoaderRestartOnRedirect", "OptimizationHints"),
    *("NetworkTimeServiceQuerying", "AimEnabled", "PreconnectToSearch"),
)
_QUIET = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
    f"--disable-features={','.join(_OFF)}",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
)
DESKTOP, PHONE = 1280, 360
PATIENCE, QUIET_SECONDS = 60.0, 0.3
_LOADED = "() => performance.getEntriesByType('resource').map((entry) => entry.name)"
# A page that was just scrolled fades its tabs out once its scripts get to it, which a busy machine
# lets happen in the middle of axe's look: from here on nothing fades, it only is or is not.
_AT_REST = """() => {
    const still = new CSSStyleSheet();
    const all = "*, ::before, ::after";
    still.replaceSync(`${all} { transition: none !important; animation: none !important }`);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, still];
}"""
KINDS = {
    "home": "",
    "expired": "expired/",
    "snapshots": "snapshots/",
    "evaluators": "evaluators/",
    "makers": "makers/maker/",
    "check": "check/",
    "compare": "compare/?a=v1.1-Judge-1&b=v1.0-CoinFlip",
    "changes": "changes/",
    "measured": "snapshots/v1.0-CoinFlip/",
    "judged": "snapshots/v1.0-CarelessJudge/",
    "judging evaluator": "evaluators/Judge-4/",
    "reported": "snapshots/v1.1-Judge-1/",
    "withdrawn": "snapshots/v1.0-Judge-1/",
    "evaluator": "evaluators/Judge-1/",
    "evaluator without baselines": "evaluators/Judge-2/",
    "platform": "evaluators/maker/",
    "document": "statistics/",
    "commands": "commands/",
    "missing": "404.html",
    "which": "which/",
    "succession": "succession/",
    "loops": "loops/",
    "questions": "faq/",
    "readings": "readings/",
    "glossary": "glossary/",
    "python": "python/",
    "first steps": "getting-started/",
    "registry": "registry/",
    "gold": "gold/",
    "about": "about/",
    "judge protocol": "judge-protocol/",
}


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the system's chromium, best the one without windows (`make browser` installs it)."""
    path = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    assert path, "no chromium: run `make browser`"
    with sync_playwright() as playwright:
        # Without a limit of its own, as `visit` has it.
        browser = playwright.chromium.launch(executable_path=path, args=list(_QUIET), timeout=0)
        yield browser
        browser.close()


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder as `epc admin site serve` does, and yield its address."""
    site_server = SiteServer(folder, 0)
    Thread(target=site_server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{site_server.server_port}/"
    site_server.shutdown()
    site_server.server_close()


def settled(page: Page, address: str) -> Response | None:
    """Go to an address, wait until all that it asks for has come, and return the first answer.

    The browser's own word for it ("networkidle") was once waited for in vain for fifteen minutes,
    on a page that was complete. So a request also counts as ended once the page's own record of
    what it loaded names it, and what is missing after `PATIENCE` seconds is named.
    """
    pending: dict[Request, None] = {}
    began = time.monotonic()
    changed = began

    def start(request: Request) -> None:
        nonlocal changed
        pending[request], changed = None, time.monotonic()

    def end(request: Request) -> None:
        nonlocal changed
        changed = time.monotonic()
        pending.pop(request, None)

    listeners = {"request": start, "requestfinished": end, "requestfailed": end}
    for event, listener in listeners.items():
        page.on(event, listener)  # type: ignore[call-overload]
    response = page.goto(address, wait_until="load")
    while pending or time.monotonic() < changed + QUIET_SECONDS:
        page.wait_for_timeout(50)
        if time.monotonic() > began + PATIENCE:
            loaded = {address, *page.evaluate(_LOADED)}
            missing = [request.url for request in pending if request.url not in loaded]
            assert missing == [], f"{address} still waits for {missing}"
            break
    for event, listener in listeners.items():
        page.remove_listener(event, listener)
    return response


def opened(page: Page, address: str) -> Page:
    """Open an address, and wait until its scripts have run and have marked what is of today."""
    settled(page, address)
    # A function, as all that is waited for: the site's policy evaluates no text a second time.
    page.wait_for_function(
        "() => !document.querySelector('[data-as-of]')"
        " || document.documentElement.dataset.epcToday",
        timeout=PATIENCE * 1000,
    )
    return page


@dataclass(kw_only=True)
class Visit:
    """A page in a browser that notes what it asks for and complains of.

    A request that would leave the site is noted, and never made. Without `scripts` none runs.
    """

    page: Page
    home: str
    scripts: bool = True
    outside: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.context.on("request", self._requested)
        self.page.on("console", self._noted)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", self._dismissed)

    def _requested(self, request: Request) -> None:
        if not request.url.startswith((self.home, "data:", "blob:")):
            self.outside.append(request.url)

    def _noted(self, said: ConsoleMessage) -> None:
        if said.type in {"error", "warning"}:
            self.complaints.append(said.text)

    def _dismissed(self, dialog: Dialog) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def assert_quiet(self) -> None:
        """Assert that since the last time nothing left the site, complained or asked."""
        noted = [*self.outside, *self.complaints, *self.dialogs]
        for kind in (self.outside, self.complaints, self.dialogs):
            kind.clear()
        assert noted == [], noted

    def to(self, path: str) -> Page:
        """Open a page of the site, and wait until it has asked for all that it wants."""
        if self.scripts:
            return opened(self.page, self.home + path)
        self.page.goto(self.home + path, wait_until="load")  # no script will mark it
        return self.page

    def enlivened(self) -> int:
        """Bring every picture into view, unfolded, and return how many came alive."""
        self.unfold()
        for picture in self.page.query_selector_all(".epc-drawn"):
            picture.scroll_into_view_if_needed()
            self.page.wait_for_function("place => 'lively' in place.dataset", arg=picture)
        return self.page.locator(".epc-drawn[data-lively]").count()

    def unfold(self) -> None:
        """Open all that is folded."""
        for details in self.page.query_selector_all("details"):
            details.evaluate("place => { place.open = true; }")

    def wider_than_the_window(self) -> list[str]:
        """Return the elements that stick out of the window, if the page can be pushed sideways."""
        texts: list[str] = self.page.evaluate(
            """() => document.documentElement.scrollWidth <= innerWidth ? [] :
            [...document.body.querySelectorAll("*")]
                .filter((e) => e.getBoundingClientRect().right > innerWidth + 1)
                .map((e) => e.outerHTML.slice(0, 120)).concat("the page")"""
        )
        return texts

    def barriers(self) -> list[str]:
        """Return what axe finds against the page at rest, each with a place."""
        self.page.evaluate(_AT_REST)
        found: Any = Axe().run(self.page).response["violations"]
        return [
            f"{each['id']}: {node['target']} {node['html'][:120]}"
            for each in found
            for node in each["nodes"]
        ]


@contextmanager
def visit(browser: Browser, home: str, *, width: int = DESKTOP, **fields: Any) -> Iterator[Visit]:
    """Open a fresh window on a site; `given` is what a browser's context takes."""
    context = browser.new_context(viewport={"width": width, "height": 900}, **fields)
    context.set_default_timeout(1000 * 2 * PATIENCE)  # a busy machine may take longer than 30 s
    scripts = fields.get("java_script_enabled", True)
    yield Visit(page=context.new_page(), home=home, scripts=scripts)
    context.close()


class _Links(HTMLParser):
    """What a page refers to, and what in it can be referred to."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = {"", "top"}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for key, value in attrs:
            if key in {"href", "src"} and value is not None:
                self.links.append(value)
            if key in {"id", "name"} and value:
                self.anchors.add(value)


def broken_links(root: Path, home: str) -> list[str]:
    """Return every reference inside a built site that leads nowhere; `home` is its own address."""
    pages = {path: _Links() for path in sorted(root.rglob("*.html"))}
    for path, links in pages.items():
        links.feed(path.read_text("utf-8"))
    broken = []
    for path, links in pages.items():
        here = urljoin(home, path.relative_to(root).as_posix())
        for link in links.links:
            address = urljoin(here, link)
            if address.startswith(home) and not _leads(root, pages, address.removeprefix(home)):
                broken.append(f"{path.relative_to(root)}: {link}")
    return broken


def _leads(root: Path, pages: dict[Path, _Links], inside: str) -> bool:
    parts = urlsplit(inside)
    target = root / unquote(parts.path)
    if target.is_dir():
        target /= "index.html"
    if not target.is_file():
        return False
    return target not in pages or unquote(parts.fragment) in pages[target].anchors
