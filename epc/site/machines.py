"""Everything that programs read beside the pages, as files of the published folder."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from epc.records.strict_json import dumps, dumps_line
from epc.registry import layout
from epc.registry.calendar import calendar
from epc.registry.data import Data, Keep, write
from epc.registry.exports import model_eol, osv
from epc.registry.sealed import open_sealed
from epc.registry.tables import TABLES
from epc.site import api, badges, feeds, guessing, linked_data, names, tables
from epc.site.pages import Site

Content = str | bytes

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,79}")

_ABOUT: Final = (
    "# EPC registry",
    "",
    (
        "> Published baselines of evaluator preference coupling (EPC): how far a judging model's"
        " preferences move the strategy weights of the agent that learns from it. Every figure"
        " has its noise floor, its interval and the day until which it holds."
    ),
    "",
    (
        "gamma has no built-in zero: a coin flip gives about 1.17. Read the audit's word, which"
        " says whether training in one domain redirects choices in the other at a cost,"
        " and ask /api/v1/expiry.json whether a figure still holds."
    ),
    "",
)
_DATA: Final = (
    ("Index", "api/v1/index.json", "every snapshot with its headline figure and state"),
    ("OpenAPI", "api/v1/openapi.json", "what the files under /api/v1/ hold"),
    ("All figures", "figures.csv", "one row a figure, as CSV"),
    ("All data", "data/", "figures, verdicts and trials as Parquet"),
    ("Expiry", "api/v1/expiry.json", "what holds, until when, and why not"),
    ("Succession", api.SUCCESSION, "which judges agree with one that ended or will"),
    ("Registry", "registry.json", "the whole registry as one document"),
)
_DOCUMENTS: Final = (
    ("The protocol", "protocol/", "clause by clause"),
    ("The statistics", "statistics/", "what can be concluded from a figure"),
    ("Expiry", "expiry/", "the rules"),
    ("Known faults", "known-faults/", "of the published reference"),
)


def data(site: Site, work: Path, keep: Keep) -> Data:
    """Write the tables of `epc data` to a folder, in place of those of an earlier build.

    A table that is kept is not read again from the store; `epc snapshot verify` looks at that.

    Raises: MalformedError if a file is not as it was published; WorldError if the disk fails.
    """
    shutil.rmtree(work, ignore_errors=True)
    with open_sealed(str(site.checkout)) as sealed:
        return write(sealed, [*TABLES], work, site.as_of, lambda _: None, keep=keep)


def files(site: Site, written: Data) -> Iterator[tuple[str, Content]]:
    """Yield every file's path from the site's root, with what it holds."""
    for name, document in api.documents(site):
        # Half of the map of successions would be blanks.
        yield name, (dumps_line if name == api.SUCCESSION else dumps)(document)
    yield (
        layout.PUBLISHED,
        dumps_line(site.registry.given),
    )  # for programs: a third of it was blanks
    yield names.PLACE, dumps_line(names.document(site.registry, site.as_of))
    table = tables.csv_text(site).encode()
    yield "figures.csv", table
    for path in sorted(Path(written.out).iterdir()):
        yield f"data/{path.name}", path.read_bytes()
    yield "figures.parquet", (Path(written.out) / "figures.parquet").read_bytes()
    yield "croissant.json", dumps(linked_data.croissant(site, written.tables))
    yield "feed.xml", feeds.of_changes(site)
    yield "calendar.ics", calendar(page.row.standing.state for page in site.snapshots)
    for evaluator in site.evaluators:
        yield f"badges/{evaluator.name}.svg", badges.svg(evaluator)
        whole = guessing.Meaning(page=evaluator, platform=None)
        for pattern, content in guessing.subscriptions(site, whole):
            yield pattern.format(evaluator.name), content
    yield f"{api.HOME}/osv.json", dumps_line(osv(site.registry))
    for maker, feed in model_eol(site.registry, site.as_of).items():
        if _NAME.fullmatch(
            maker
        ):  # any other could name a place outside, or none that a disk takes
            yield f"{api.HOME}/model-eol/{maker}.json", dumps(feed)
    yield from guessing.sets(site)
    yield from guessing.files(site)
    yield "robots.txt", _robots(site)
    yield "llms.txt", _llms(site)


def remote(checkout: Path) -> Iterator[tuple[str, Path]]:
    """Yield every published file of the registry, with where it lies in the checkout.

    Its folder at an address is what `epc snapshot fetch --from` and DVC read. What is hidden in it,
    but for the store, is being written, or git's.
    """
    home = checkout / layout.FOLDER
    for path in sorted(home.rglob("*")):
        parts = path.relative_to(home).parts
        hidden = any(part.startswith(".") for part in parts if part != layout.STORE)
        if path.is_file() and "raw" not in parts[:-1] and not hidden:
            yield path.relative_to(checkout).as_posix(), path


def _robots(site: Site) -> str:
    lines = ["User-agent: *", "Allow: /"]
    if site.address:
        lines += ["", f"Sitemap: {site.address}sitemap.xml"]
    return "\n".join(lines) + "\n"


def sitemap(site: Site, pages: list[str]) -> str:
    """Return the sitemap of some pages, by their paths from the root, without time stamps."""
    places = "".join(f"<url><loc>{site.address}{path}</loc></url>\n" for path in pages)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        f"{places}</urlset>\n"
    )


def _llms(site: Site) -> str:
    """Return what a language model needs to answer from this site, as llmstxt.org has it."""
    at = site.address or "/"
    held = [page for page in site.snapshots if page.row.standing.held]
    lines = [*_ABOUT, "## Data", ""]
    lines += [f"- [{title}]({at}{path}): {says}" for title, path, says in _DATA]
    lines += ["", "## Documents", ""]
    lines += [f"- [{title}]({at}{path}): {says}" for title, path, says in _DOCUMENTS]
    if site.repository:
        lines.append(f"- [The repository]({site.repository.address}): program, data, documents")
    lines += ["", f"## Snapshots that hold on {site.as_of}", ""]
    lines += [
        f"- [{page.row.tag}]({at}snapshots/{page.row.tag}/): {page.card.kind}, N = {page.row.n}"
        f"{', a failed run' if page.row.failed else ''}"
        for page in held
    ]
    return "\n".join(lines) + "\n"
