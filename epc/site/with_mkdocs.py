"""Having mkdocs make the sources into HTML: the folder, addresses, search, and pages' policy."""

import os
import re
import shutil
import subprocess
import sys
from base64 import b64encode
from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, date, datetime, time
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from epc.errors import UsageError, WorldError, able_to
from epc.records.strict_json import dumps
from epc.registry.expiry import days_away
from epc.site import mkdocs_hook
from epc.site.pages import Site
from epc.site.turning import Turns, add_turn

_TOLD: Final = re.compile(r"\x1b\[[0-9;]*m")
# The theme's search (lunr) names a node of its word graph by its letters and its neighbours'
# numbers, run together: "1" to node 23 and "12" to node 3 are the same name. Where words hold
# digits, it then knows words that are on no page, and a search for their beginning fails.
_NAME_OF_NODE: Final = re.compile(r"(\w)=\1\+(\w)\+(\w)\.id\}return \1")

# It fetches its index, most of a page's weight, before anybody searches; but not from a disk, where
# it waits until the search is opened. So it does everywhere.
_EAGER: Final = 'location.protocol!=="file:"'
# And it loads its worker, a tenth of a light page, for all who only read: here with its first word.
_AT_ONCE: Final = "=new Worker(e)"
_AT_NEED: Final = (
    "=Object.assign(new EventTarget,{postMessage(m){if(!this.w){this.w=new Worker(e);"
    'this.w.onmessage=({data})=>this.dispatchEvent(new MessageEvent("message",{data}))}'
    "this.w.postMessage(m)}})"
)


def make_pages(sources: Path, html: Path, as_of: date) -> None:
    """Have mkdocs build the sources, every warning an error.

    It runs as a program of its own: it keeps state, and prints. A configuration beside the sources
    adds our hook, so that theirs stays one that any program can read.

    Raises: WorldError if the disk or mkdocs fails.
    """
    configured = sources.with_name("mkdocs.yml")
    configured.write_text(dumps(_hooked(sources)), "utf-8")
    arguments = ["build", "--strict", "--quiet", "--config-file", str(configured)]
    moment = int(datetime.combine(as_of, time(), tzinfo=UTC).timestamp())
    quiet = {"NO_MKDOCS_2_WARNING": "1", "SOURCE_DATE_EPOCH": str(moment)}
    try:
        done = subprocess.run(  # noqa: S603  (no shell; the words are ours)
            [sys.executable, "-m", "mkdocs", *arguments, "--site-dir", str(html.absolute())],
            env=os.environ | quiet,
            capture_output=True,
            check=False,
        )
    except OSError as error:
        raise WorldError(f"cannot run mkdocs: {error.strerror or error}") from error
    if done.returncode:
        output = _TOLD.sub("", (done.stderr + done.stdout).decode(errors="replace")).strip()
        raise WorldError(f"mkdocs refused the pages:\n{output}")
    for worker in html.glob("assets/javascripts/workers/search.*.js"):
        code = worker.read_text("utf-8")
        worker.write_text(_NAME_OF_NODE.sub(r'\1=\1+\2+\3.id+","}return \1', code), "utf-8")
    for bundle in html.glob("assets/javascripts/bundle.*.js"):
        code = bundle.read_text("utf-8").replace(_EAGER, "!1").replace(_AT_ONCE, _AT_NEED)
        bundle.write_text(code, "utf-8")


def _hooked(sources: Path) -> dict[str, object]:
    """Return the sources' own configuration with our hook; its paths are from beside them."""
    return {
        "INHERIT": f"{sources.name}/mkdocs.yml",
        "docs_dir": f"{sources.name}/docs",
        "theme": {"custom_dir": f"{sources.name}/overrides"},
        "hooks": [str(Path(mkdocs_hook.__file__).absolute())],
    }


_CHARSET: Final = re.compile(r'<meta charset="[^"]*"\s*/?>', re.IGNORECASE)
_SCRIPT: Final = re.compile(r"<script(\s[^>]*)?>(.*?)</script>", re.IGNORECASE | re.DOTALL)
# A script with an address has nothing inside; JSON is data, which nothing runs.
_NOT_RUN: Final = re.compile(r"\b(src\s*=|type\s*=\s*.?application/json)", re.IGNORECASE)
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


def guarded(page: str, hashes: Collection[str]) -> str:
    """Return a page with its policy, which stands before anything that it is about.

    `hashes` are those of the theme's scripts, by `themes`.

    Raises: ValueError if a page does not state its characters, behind which the policy stands.
    """
    inline = dict.fromkeys(text for text in _inside(page) if _HOME.sub("", text) in hashes)
    names = (f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in inline)
    scripts = " ".join(("script-src 'self'", *names))
    policy = "; ".join(("default-src 'none'", scripts, *_ELSE))
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    html, places = _CHARSET.subn(lambda charset: f"{charset[0]}{meta}", page, count=1)
    if not places:
        raise ValueError("a page without <meta charset>")
    return html


def _inside(page: str) -> Iterator[str]:
    return (text for about, text in _SCRIPT.findall(page) if not _NOT_RUN.search(about))


Content = str | bytes | Path  # a path is that of a file which is copied

# Stands in a folder that the site's builds may empty; holds the address that it was built for.
MARK: Final = ".epc-site"


def require_ours(path: Path) -> None:
    """Refuse a folder that somebody else filled.

    Raises: UsageError.
    """
    if path.exists() and not (path / MARK).is_file() and (path.is_file() or any(path.iterdir())):
        raise UsageError(
            f"{path} holds something else\n"
            "  fix: name an empty folder, or one that `epc admin site build` made"
        )


class Folder:
    """A folder made anew; `address` is where it will be published, if it will.

    Of two names that a disk does not tell apart the first one stays.

    Raises: UsageError if the folder is somebody else's; WorldError if the disk fails.
    """

    def __init__(self, path: Path, address: str = "") -> None:
        require_ours(path)
        self.path = path
        with able_to("write", path):
            path.mkdir(parents=True, exist_ok=True)
            for entry in path.iterdir():
                if entry.is_dir() and not entry.is_symlink():
                    shutil.rmtree(entry)
                else:
                    entry.unlink()
        self.put(MARK, address)

    def put(self, name: str, content: Content) -> None:
        """Have a file hold this, or what another one holds."""
        path = self.path / name
        if path.exists():
            return
        with able_to("write", path):
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, Path):
                shutil.copyfile(content, path)
            else:
                path.write_bytes(content.encode() if isinstance(content, str) else content)


_FRESH: Final = 120  # days after which a site says that it knows nothing newer
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
    values = {"ADDRESS": site.address.rstrip("/")}
    link = _HERE
    if site.repository:
        values["REPOSITORY"] = site.repository.address
        link = rf"[\1]({site.repository.address})"
    text = _LINK.sub(link, path.read_text("utf-8"))
    return _WORDS.sub(lambda word: values.get(word[0]) or word[0], text)


def settings(site: Site) -> dict[str, Any]:
    """Return what mkdocs is told of the site's age, and of addresses that are known."""
    extra = {"generator": False, "age": _age(site)}
    options: dict[str, Any] = {"copyright": _origin(site), "extra": extra}
    if site.address:
        options["site_url"] = site.address
    if site.repository:
        repository = site.repository
        options |= {"repo_url": repository.address, "repo_name": repository.name}
        # mkdocs would guess a branch if it were told nothing.
        options["edit_uri"] = f"{repository.edit}/{_DOCUMENTS}/" if repository.edit else ""
    return options


def _age(site: Site) -> dict[str, Any]:
    """Return the day of building, and what every page says of it from which day on."""
    turns: Turns = []
    add_turn(turns, site.as_of, "")
    built = f"{site.as_of.day} {site.as_of:%B %Y}"
    text = f"This site was built on {built}. Nothing newer is known here: look for a newer one."
    add_turn(turns, days_away(site.as_of, _FRESH), text)
    return {"built": site.as_of.isoformat(), "turns": [list(turn) for turn in turns]}


def _origin(site: Site) -> str:
    """Return what stands at every page's end: where it is from, and where a fault is reported."""
    repository = site.repository
    if repository is None:
        return f"Built from {_HERE}."
    fault = f' <a href="{repository.issues}">Report a fault</a>.' if repository.issues else ""
    return f'Built from <a href="{repository.address}">{repository.name}</a>.{fault}'
