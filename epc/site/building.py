"""The whole build: collect, write plain Markdown, have it made into pages, add the machines' files.

    build/site/sources/   the documents and the generated pages, with a mkdocs.yml of their own
    build/site/mkdocs.yml the same, with our hook that sets finished markup aside
    build/site/html/      what mkdocs made of them
    build/site/data/      the tables
    OUT/                  the pages, and everything that programs read

The sources are plain: any program that reads mkdocs.yml can build them.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup

from epc.answers.succession import successions
from epc.errors import Finding, MalformedError, UsageError
from epc.grid import FEW, spread
from epc.records import strict_json
from epc.records.layout import MANIFEST, RAW
from epc.records.manifest import Manifest
from epc.registry.record import AuditSummary
from epc.registry.repository import Repository
from epc.registry.succession import VerdictStore
from epc.simulation.training import coin_bands
from epc.site import describing, machines
from epc.site.charts import charts_of_snapshot
from epc.site.charts.gallery import document as pictures_document
from epc.site.charts.gallery import hung, script
from epc.site.collecting import collect
from epc.site.pages import Evidence, Site, SnapshotPage, WinRate
from epc.site.reference import clauses_page, with_drawn
from epc.site.reference import page as functions
from epc.site.rendering import lists, with_tables
from epc.site.rendering import pages as rendered
from epc.site.social import cards
from epc.site.templating import environment
from epc.site.with_mkdocs import (
    Content,
    Folder,
    addressed,
    guarded,
    make_pages,
    require_ours,
    settings,
    themes,
)

_WINS, _LOSSES, _TIES = range(3)
_Job = tuple[AuditSummary, Path, Path | None]


def gathered(pages: Sequence[SnapshotPage]) -> dict[str, Evidence]:
    """Return the evidence of every measured snapshot by tag.

    Raises: MalformedError if trials are not those of their manifest; WorldError if the disk fails.
    """
    jobs: dict[str, _Job] = {
        page.row.tag: (page.audit, page.folder / MANIFEST, page.raw.get(RAW["trials"]))
        for page in pages
        if page.audit
    }
    evidence_by_tag: dict[str, Evidence] = {}
    done = spread(_evidence_of, [*jobs.values()], few=FEW)
    for tag, evidence in zip(jobs, done, strict=True):
        if isinstance(evidence, Finding):
            raise MalformedError(evidence)
        evidence_by_tag[tag] = evidence
    return evidence_by_tag


def _evidence_of(job: _Job) -> Evidence | Finding:
    """Return what a snapshot's files say, or what is wrong with them."""
    audit, path, trials = job
    content, problems = strict_json.read(path)
    if problems:
        return replace(problems[0], where=f"{path}{problems[0].where}")
    manifest = Manifest.parse(content)
    rates = tuple(win_rates(manifest))
    try:
        charts = charts_of_snapshot(manifest, audit, trials)
    except MalformedError as error:
        return replace(error.finding, where=f"{path.parent}{error.finding.where}")
    provenance = list(describing.provenance(manifest))
    context = {"manifest": manifest, "audit": audit, "rates": rates, "provenance": provenance}
    return Evidence(
        coin=coin_bands(manifest.configuration),
        win_rates=rates,
        note=_part("note", context),
        account=_part("account", context),
        gallery=hung(charts),
        pictures=strict_json.dumps_line(pictures_document(charts)),
    )


def _part(name: str, context: dict[str, Any]) -> Markup:
    """Return a part of a page by its template."""
    return Markup(environment().get_template(f"{name}.md.j2").render(context))  # noqa: S704  (made by our templates)


def win_rates(manifest: Manifest) -> Iterator[WinRate]:
    """Yield the win rate of each strategy in each domain."""
    counts = manifest.results.verdict_table.counts
    for strategy in manifest.names:
        for domain in manifest.domains.names:
            cells = counts[domain].get(strategy, ())
            yield WinRate(
                strategy=strategy,
                domain=domain,
                wins=sum(cell[_WINS] for cell in cells),
                losses=sum(cell[_LOSSES] for cell in cells),
                ties=sum(cell[_TIES] for cell in cells),
            )


WORK: Final = Path("build") / "site"
_SOURCES: Final = "site"
_SCRIPT: Final = "assets/vega-embed.js"
_PAGE: Final = "index.html"
# Our sitemap has no time stamps, and our mark is another; our search reads English, and nobody
# debugs the theme here.
_NOT_OURS: Final = re.compile(
    r"sitemap\.xml(\.gz)?|assets/javascripts/lunr/.*|.*\.map|assets/images/favicon\.png"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildReport:
    """Report of a build: where its output is, and how much it has."""

    out: Path
    snapshots: int
    evaluators: int
    pages: int

    def as_json(self) -> dict[str, Any]:
        """Return it as plain JSON."""
        return {**asdict(self), "out": str(self.out)}


def build(
    checkout: Path,
    out: Path,
    *,
    address: str,
    repository: Repository | None,
    as_of: date,
    reference: Callable[[], str],
    progress: Callable[[str], None],
) -> BuildReport:
    """Build the site of a checkout into a folder.

    `reference` is the page about the program's commands, which only the program itself can write.

    Raises: UsageError if the folder is somebody else's; WorldError if the disk or mkdocs fails.
    """
    work = (checkout / WORK).absolute()
    require_ours(out)
    sources = Folder(work / "sources")
    site = collect(checkout, as_of=as_of, address=address, repository=repository)
    progress(f"collected {len(site.snapshots)} snapshots of {len(site.evaluators)} evaluators")
    site = replace(
        site,
        evidence=gathered(site.snapshots),
        successions=tuple(
            successions(VerdictStore.from_registry(site.registry, str(checkout)), as_of)
        ),
    )
    for name, text in _sources(site, reference()):
        sources.put(name, text)
    for place, page in rendered(site):
        sources.put(f"docs/{place}index.md", page)
    progress("wrote the pages; mkdocs makes them into HTML")
    make_pages(sources.path, work / "html", as_of)
    target = Folder(out.absolute(), address)
    pages: list[str] = []
    for name, content in _published(work / "html", checkout / _SOURCES / "docs"):
        target.put(name, content)
        pages += [name.removesuffix(_PAGE)] if name.endswith(_PAGE) else []
    for name, content in _other_files(site, pages, work):
        target.put(name, content)
    return BuildReport(
        out=target.path,
        snapshots=len(site.snapshots),
        evaluators=len(site.evaluators),
        pages=len(pages),
    )


def _other_files(site: Site, pages: list[str], work: Path) -> Iterator[tuple[str, Content]]:
    """Yield all that is no page: pictures, and what programs read."""
    for tag, evidence in site.evidence.items():
        yield f"snapshots/{tag}/pictures.json", evidence.pictures
    if site.evidence:
        yield _SCRIPT, script()
    yield from cards(site)
    yield from machines.files(site, work / "data")
    if site.address:
        yield "sitemap.xml", machines.sitemap(site, pages)
    yield ".nojekyll", ""


def _published(html: Path, documents: Path) -> Iterator[tuple[str, Content]]:
    """Yield what mkdocs made, by its place in the site; each page gets its policy."""
    paths = [path for path in sorted(html.rglob("*")) if path.is_file()]
    names = [path.relative_to(html).as_posix() for path in paths]
    pages = {f"{path.stem}/{_PAGE}" for path in documents.glob("*.md")} & {*names}
    scripts = themes((html / name).read_text("utf-8") for name in pages)
    for name, path in zip(names, paths, strict=True):
        if not _NOT_OURS.fullmatch(name):
            is_page = path.suffix == ".html"
            yield name, guarded(path.read_text("utf-8"), scripts) if is_page else path


def _sources(site: Site, reference: str) -> Iterator[tuple[str, str | bytes]]:
    """Yield the documents, the lists and mkdocs.yml, each with its place among the sources.

    Raises: UsageError if the checkout has no documents.
    """
    originals = site.checkout / _SOURCES
    if not (originals / "mkdocs.yml").is_file():
        raise UsageError(
            f"there is no {originals / 'mkdocs.yml'}\n"
            "  fix: build in a checkout of the registry, with its site/ folder"
        )
    documents = originals / "docs"
    for path in sorted(documents.rglob("*")):
        if path.is_file():
            name = f"docs/{path.relative_to(documents).as_posix()}"
            if path.suffix == ".md":
                yield name, with_drawn(with_tables(addressed(site, path), site), documents)
            else:
                yield name, path.read_bytes()
    for path in sorted((originals / "overrides").rglob("*")):
        if path.is_file():
            yield path.relative_to(originals).as_posix(), path.read_bytes()
    for name, text in lists(site):
        yield f"docs/{name}", text
    yield "docs/commands.md", reference
    yield "docs/functions.md", functions()
    yield "docs/clauses.md", clauses_page(originals / "docs")
    yield "mkdocs.yml", _config(originals / "mkdocs.yml", site)


def _config(path: Path, site: Site) -> str:
    """Return the configuration for the written sources, whose paths are its own."""
    import yaml

    try:
        config: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    except yaml.YAMLError as error:
        raise UsageError(f"{path} is not YAML: {error}\n  fix: mend it") from error
    config |= {"docs_dir": "docs", "site_dir": "html", **settings(site)}
    return yaml.safe_dump(config, sort_keys=False, allow_unicode=True)
