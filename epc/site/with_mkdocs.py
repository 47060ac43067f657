"""Having mkdocs make the written sources into HTML, and mending its search.

A page of one snapshot or evaluator is made of its own source and of what all pages share. So it is
left as it is, and its words in the search with it, and mkdocs is shown it again only once one of
them has changed.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from epc.errors import WorldError
from epc.records.strict_json import dumps, dumps_line
from epc.records.typed import as_json, parse
from epc.registry.sums import sha256
from epc.site import mkdocs_hook
from epc.site.writing import put

_MAKERS: Final = ("mkdocs", "mkdocs-material", "markdown", "pymdown-extensions", "jinja2")
_KINDS: Final = ("snapshots", "evaluators")
INDEX: Final = "search/search_index.json"
_TOLD: Final = re.compile(r"\x1b\[[0-9;]*m")
# The theme's search (lunr) names a node of its word graph by its letters and its neighbours'
# numbers, run together: "1" to node 23 and "12" to node 3 are the same name. Where words hold
# digits, it then knows words that are on no page, and a search for their beginning fails.
_NAME_OF_NODE: Final = re.compile(r"(\w)=\1\+(\w)\+(\w)\.id\}return \1")

# It fetches its index, most of a page's weight, before anybody searches; but not from a disk, where
# it waits until the search is opened. So it does everywhere.
_EAGER: Final = 'location.protocol!=="file:"'


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """What the search reads of a page, or of the part of it below one heading."""

    location: str
    title: str
    text: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Index:
    """What the search reads, and how."""

    config: dict[str, Any]
    docs: tuple[_Words, ...]


def make_pages(sources: Path, html: Path, as_of: date, *, kept: Sequence[str], words: Path) -> None:
    """Have mkdocs build the sources, but for the pages that are kept as they are.

    `kept` are folders of pages; what the search reads of each stands in `words`, an earlier index.

    Raises: WorldError if the disk or mkdocs fails.
    """
    before = _by_page(_read(words)) if kept else {}
    _run(sources, html, as_of, _excluded(sources / "docs", {*kept}) if kept else "")
    path = html / INDEX
    search = _read(path)
    by_page = {quote(place): before.get(quote(place), []) for place in kept} | _by_page(search)
    # In one order, whichever of them were made now.
    docs = tuple(each for place in sorted(by_page) for each in by_page[place])
    put(path, dumps_line(as_json(replace(search, docs=docs))).encode())


def makers() -> str:
    """Return the versions of what makes pages, beside our own program."""
    return " ".join(f"{name} {version(name)}" for name in _MAKERS)


def shared(sources: Path) -> str:
    """Return the digest of what any page follows from beside its own source and our program."""
    total = hashlib.sha256()
    for path in (sources / "mkdocs.yml", *sorted((sources / "overrides").rglob("*"))):
        if path.is_file():
            total.update(f"{path.relative_to(sources)} {sha256(path)}\n".encode())
    return total.hexdigest()


def _read(path: Path) -> _Index:
    return parse(json.loads(path.read_text("utf-8")), _Index)


def _by_page(search: _Index) -> dict[str, list[_Words]]:
    """Return what the search reads of each page."""
    by_page: dict[str, list[_Words]] = {}
    for each in search.docs:
        by_page.setdefault(each.location.partition("#")[0], []).append(each)
    return by_page


def _run(sources: Path, html: Path, as_of: date, excluded: str) -> None:
    """Have mkdocs build the sources without what is excluded, every warning an error.

    It runs as a program of its own: it keeps state, and prints. A configuration beside the sources
    adds our hook, so that theirs stays one that any program can read.

    Raises: WorldError if the disk or mkdocs fails.
    """
    configured = sources.with_name("mkdocs.yml")
    put(configured, dumps(_hooked(sources, excluded)).encode())
    words = ["build", "--strict", "--quiet", "--config-file", str(configured)]
    moment = int(datetime.combine(as_of, time(), tzinfo=UTC).timestamp())
    quiet = {"NO_MKDOCS_2_WARNING": "1", "SOURCE_DATE_EPOCH": str(moment)}
    try:
        done = subprocess.run(  # noqa: S603  (no shell; the words are ours)
            [sys.executable, "-m", "mkdocs", *words, "--site-dir", str(html.absolute())],
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
        put(worker, _NAME_OF_NODE.sub(r'\1=\1+\2+\3.id+","}return \1', code).encode())
    for bundle in html.glob("assets/javascripts/bundle.*.js"):
        put(bundle, bundle.read_text("utf-8").replace(_EAGER, "!1").encode())


def _hooked(sources: Path, excluded: str) -> dict[str, object]:
    """Return the sources' own configuration with our hook; its paths are from beside them."""
    return {
        "INHERIT": f"{sources.name}/mkdocs.yml",
        "docs_dir": f"{sources.name}/docs",
        "theme": {"custom_dir": f"{sources.name}/overrides"},
        "hooks": [str(Path(mkdocs_hook.__file__).absolute())],
        "exclude_docs": excluded,
    }


def _excluded(documents: Path, kept: Container[str]) -> str:
    """Return the pages that are kept, as git's patterns: all of a kind but those that are not.

    mkdocs holds each file against each pattern, and most pages are kept.
    """
    folders = [
        f"{kind}/{path.parent.name}/"
        for kind in _KINDS
        for path in sorted((documents / kind).glob("*/index.md"))
    ]
    anew = [f"!/{_literal(folder)}index.md" for folder in folders if folder not in kept]
    return "\n".join([*(f"/{kind}/*/index.md" for kind in _KINDS), *anew])


def _literal(path: str) -> str:
    """Return the pattern that a path alone has, as git reads patterns."""
    return re.sub(r"([\\*?\[\]!# ])", r"\\\1", path)
