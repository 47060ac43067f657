"""Everything that programs read beside the pages, as files of the published folder."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Final

from epc.answers.service import life_state
from epc.answers.snapshot_status import snapshot_states
from epc.records.strict_json import dumps, dumps_line
from epc.registry import layout
from epc.registry.data import Table, texts, withheld
from epc.registry.data import tables as tables_of
from epc.registry.expiry import Expiry
from epc.registry.exports import calendar, model_eol, osv
from epc.registry.fetching import open_sealed
from epc.registry.figures import figures_of
from epc.registry.lifecycles import ServiceTerm
from epc.registry.tables import (
    BASIS,
    COLUMNS,
    FIGURE,
    SNAPSHOT,
    TABLES,
    basis_row,
    figure_row,
    snapshots,
)
from epc.site import api, citing, guessing, names, numbers
from epc.site.guessing import feed_of_changes
from epc.site.pages import EvaluatorPage, Site, SnapshotPage
from epc.site.with_mkdocs import Content


def figures_csv(site: Site) -> str:
    """Return the table as CSV (RFC 4180), numbers as JSON writes them.

    Truth values are as JSON writes them too, days as ISO 8601 does.
    """
    line = numbers.csv_line
    lines = [line(COLUMNS)]
    rows = snapshots(site.registry, snapshot_states(site.registry, site.as_of))
    for snapshot, row in zip(site.registry.snapshots.values(), rows, strict=True):
        head = line(_written(row[name]) for name in SNAPSHOT)
        for figure in figures_of(snapshot):
            fields = figure_row(figure) | basis_row(figure, row["n"])
            lines.append(f"{head},{line(fields[name] for name in FIGURE | BASIS)}")
    return "\r\n".join([*lines, ""])


def _written(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, date) else value


_FIGURES: Final = "figures.parquet"  # stands at the root too
# Raw files are in the store, evaluators in `registry.json`; `dvc metrics` reads a clone.
_NOT_SERVED: Final = {"raw", "evaluators", "dvc"}
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
    (
        "Reference Snapshot v1.0",
        "reference-snapshot/",
        "the paper's tables, each row with its state",
    ),
    ("The statistics", "statistics/", "what can be concluded from a figure"),
    ("Expiry", "expiry/", "the rules"),
    ("Known faults", "known-faults/", "of the published reference"),
)


def files(site: Site, work: Path) -> Iterator[tuple[str, Content]]:
    """Yield all that programs read, each file with its place; tables are written below `work`.

    Raises: MalformedError if a file is not as it was published; WorldError if the disk fails.
    """
    work.mkdir(parents=True, exist_ok=True)
    with open_sealed(str(site.checkout)) as sealed:
        states = snapshot_states(sealed.registry, site.as_of)
        paths = dict(tables_of(sealed, [*TABLES], work, states, lambda _: None))
        side_texts = texts(sealed.registry, [*paths], site.as_of, tuple(withheld(sealed.registry)))
    for table, path in paths.items():
        yield f"data/{table.path}", path
        if table.path == _FIGURES:
            yield _FIGURES, path
    yield from ((f"data/{name}", text) for name, text in side_texts.items())
    pages: list[EvaluatorPage | SnapshotPage] = [*site.evaluators, *site.snapshots]
    for name, document in (item for page in pages for item in api.of_page(site, page)):
        yield name, dumps(document)
    for evaluator in site.evaluators:
        yield from guessing.for_people(site, evaluator)
    yield from guessing.files_of_aliases(site)
    yield from _of_lives(site)
    yield from _of_all(site, [*paths])
    yield from remote(site.checkout)
    yield layout.JOINED, joined(site.checkout, site.registry.snapshots)


def _of_lives(site: Site) -> Iterator[tuple[str, Content]]:
    """Yield what follows from the dates of evaluators, and from no snapshot."""
    yield f"{api.HOME}/osv.json", dumps_line(osv(site.registry))

    def state_of(life: ServiceTerm) -> Expiry:
        return life_state(site.registry, life.model, life, site.as_of)

    for maker, feed in model_eol(site.registry, site.as_of, state_of).items():
        # Any other could name a place outside, or none that a disk takes.
        if _NAME.fullmatch(maker):
            yield f"{api.HOME}/model-eol/{maker}.json", dumps(feed)
    yield from guessing.sets(site)


def _of_all(site: Site, written: Sequence[Table]) -> Iterator[tuple[str, Content]]:
    """Yield what every snapshot is in."""
    for name, document in api.documents(site):
        # Half of the map of successions would be blanks.
        yield name, (dumps_line if name == api.SUCCESSION else dumps)(document)
    yield layout.PUBLISHED, dumps_line(site.registry.document)  # a third of it would be blanks
    index, places = names.documents(site.registry, site.as_of)
    yield names.NAMES, dumps_line(index)
    yield names.PLACES, dumps_line(places)
    table = figures_csv(site).encode()
    yield "figures.csv", table
    yield "croissant.json", dumps(citing.croissant(site, written))
    yield "feed.xml", feed_of_changes(site)
    yield "calendar.ics", calendar(page.row.standing.state for page in site.snapshots)
    yield "robots.txt", _robots(site)
    yield "llms.txt", _llms(site)


def remote(checkout: Path) -> Iterator[tuple[str, Path]]:
    """Yield the files of every snapshot, and the store, with where they lie in the checkout.

    Their folder at an address is what `epc snapshot fetch --from` and DVC read. What is hidden in
    it, but for the store, is being written, or git's. What `joined` has is not there again.
    """
    root = str(checkout / layout.FOLDER)
    for place, folders, below in os.walk(root):
        folders[:] = sorted(n for n in folders if n not in _NOT_SERVED and not _is_hidden(n))
        home = Path(layout.FOLDER, place.removeprefix(root).lstrip(os.sep)).as_posix()
        for name in sorted(below):
            path = Path(place, name)
            is_joined = name in layout.JOINED_NAMES and home != layout.FOLDER
            if not (_is_hidden(name) or is_joined) and path.is_file():
                yield f"{home}/{name}", path


def joined(checkout: Path, tags: Iterable[str]) -> str:
    """Return the digests of every snapshot's files and the pointer to its raw ones, as one file."""
    texts: dict[str, dict[str, str]] = {}
    for tag in tags:
        paths = [checkout / layout.FOLDER / tag / name for name in layout.JOINED_NAMES]
        texts[tag] = {path.name: path.read_text("utf-8") for path in paths if path.is_file()}
    return dumps_line(texts)


def _is_hidden(name: str) -> bool:
    return name.startswith(".") and name != layout.STORE


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
    root = site.address or "/"
    current_pages = [page for page in site.snapshots if page.row.standing.holds]
    lines = [*_ABOUT, "## Data", ""]
    lines += [f"- [{title}]({root}{path}): {says}" for title, path, says in _DATA]
    lines += ["", "## Documents", ""]
    lines += [f"- [{title}]({root}{path}): {says}" for title, path, says in _DOCUMENTS]
    if site.repository:
        lines.append(f"- [The repository]({site.repository.address}): program, data, documents")
    lines += ["", f"## Snapshots that hold on {site.as_of}", ""]
    lines += [
        f"- [{page.row.tag}]({root}snapshots/{page.row.tag}/): {page.card.kind}, N = {page.row.n}"
        f"{', a failed run' if page.row.failed else ''}"
        for page in current_pages
    ]
    return "\n".join(lines) + "\n"
