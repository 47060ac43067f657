"""Everything that programs read beside the pages, as files of the published folder."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from epc.records.strict_json import dumps, dumps_line
from epc.registry import layout
from epc.registry.calendar import calendar
from epc.registry.data import Keep, Table, texts, withheld
from epc.registry.data import tables as tables_of
from epc.registry.exports import model_eol, osv
from epc.registry.sealed import open_sealed
from epc.registry.tables import TABLES
from epc.site import api, badges, feeds, guessing, linked_data, names, tables
from epc.site.alone import Alone, about, digest_of
from epc.site.pages import EvaluatorPage, Site
from epc.site.parts import Group
from epc.site.writing import Content

_FIGURES: Final = "figures.parquet"  # stands at the root too
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """The tables of `epc data`, and the files of their folder."""

    tables: tuple[Table, ...]
    files: Mapping[str, Content]


def data(site: Site, work: Path, keep: Keep) -> Tables:
    """Return the tables of `epc data`.

    A table that is kept is not read again from the store; `epc snapshot verify` looks at that.

    Raises: MalformedError if a file is not as it was published; WorldError if the disk fails.
    """
    with open_sealed(str(site.checkout)) as sealed:
        made = dict(tables_of(sealed, [*TABLES], work, site.as_of, _untold, keep=keep))
        beside = texts(sealed.registry, [*made], site.as_of, tuple(withheld(sealed.registry)))
    files = {table.path: path for table, path in made.items()}
    return Tables(tables=tuple(made), files={**files, **beside})


def _untold(_: str) -> None:
    """Say nothing of how far a table is."""


def groups(site: Site, every: Sequence[Alone], written: Tables) -> Iterator[Group]:
    """Yield all that programs read, but what is of one snapshot or one evaluator alone."""
    lives = [[page.name, page.platforms] for page in site.evaluators]
    of_lives = digest_of([about(site), site.registry.records, lives])
    yield Group(name="lives", given=of_lives, make=partial(_of_lives, site))
    own = {each.page.name: each for each in every if isinstance(each.page, EvaluatorPage)}
    for guess in guessing.guesses(site):
        means = [own[meaning.page.name] for meaning in guess.means]
        says = [guess.place, guess.spelt, [meaning.href for meaning in guess.means]]
        yield Group(
            name=f"guess {guess.place}",
            given=digest_of([says, [each.given for each in means]]),
            make=partial(guessing.files, means[0].site, guess),
        )
    files = {f"data/{name}": content for name, content in written.files.items()}
    files[_FIGURES] = written.files[_FIGURES]
    of_tables = digest_of([written.tables, [*map(str, written.files.values())]])
    yield Group(name="data", given=of_tables, make=files.items)
    whole = [site.registry.given, site.changes, site.successions, written.tables]
    yield Group(
        name="all",
        given=digest_of([about(site), whole, [each.given for each in every]]),
        make=partial(_of_all, site, written.tables),
    )


def of_alone(each: Alone) -> Iterator[tuple[str, Content]]:
    """Yield what programs read of one snapshot, or of one evaluator under its own name."""
    for name, document in api.of_alone(each):
        yield name, dumps(document)
    if isinstance(each.page, EvaluatorPage):
        yield f"badges/{each.page.name}.svg", badges.svg(each.page)
        whole = guessing.Meaning(page=each.page, platform=None)
        for pattern, content in guessing.subscriptions(each.site, whole):
            yield pattern.format(each.page.name), content


def _of_lives(site: Site) -> Iterator[tuple[str, Content]]:
    """Yield what follows from the dates of evaluators, and from no snapshot."""
    yield f"{api.HOME}/osv.json", dumps_line(osv(site.registry))
    for maker, feed in model_eol(site.registry, site.as_of).items():
        # Any other could name a place outside, or none that a disk takes.
        if _NAME.fullmatch(maker):
            yield f"{api.HOME}/model-eol/{maker}.json", dumps(feed)
    yield from guessing.sets(site)


def _of_all(site: Site, written: Sequence[Table]) -> Iterator[tuple[str, Content]]:
    """Yield what every snapshot is in."""
    for name, document in api.documents(site):
        # Half of the map of successions would be blanks.
        yield name, (dumps_line if name == api.SUCCESSION else dumps)(document)
    yield layout.PUBLISHED, dumps_line(site.registry.given)  # a third of it would be blanks
    yield names.PLACE, dumps_line(names.document(site.registry, site.as_of))
    table = tables.csv_text(site).encode()
    yield "figures.csv", table
    yield "croissant.json", dumps(linked_data.croissant(site, written))
    yield "feed.xml", feeds.of_changes(site)
    yield "calendar.ics", calendar(page.row.standing.state for page in site.snapshots)
    yield "robots.txt", _robots(site)
    yield "llms.txt", _llms(site)


def remote(checkout: Path) -> Iterator[tuple[str, Path]]:
    """Yield every published file of the registry, with where it lies in the checkout.

    Its folder at an address is what `epc snapshot fetch --from` and DVC read. What is hidden in it,
    but for the store, is being written, or git's.
    """
    root = str(checkout / layout.FOLDER)
    for place, folders, below in os.walk(root):
        folders[:] = sorted(name for name in folders if name != "raw" and not _is_hidden(name))
        home = Path(layout.FOLDER, place.removeprefix(root).lstrip(os.sep)).as_posix()
        for name in sorted(below):
            path = Path(place, name)
            if not _is_hidden(name) and path.is_file():
                yield f"{home}/{name}", path


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
