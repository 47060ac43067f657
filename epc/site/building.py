"""The whole build: collect, write plain Markdown, have it made into pages, add the machines' files.

    build/site/sources/   the documents and the generated pages, with a mkdocs.yml of their own
    build/site/mkdocs.yml the same, with our hook that spares mkdocs what is finished already
    build/site/html/      what mkdocs made of them
    build/site/last.json  what the last build read and left; while that stands, nothing is done
    OUT/                  that, and everything that programs read

The sources are plain: any program that reads mkdocs.yml can build them.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup

from epc.errors import UsageError
from epc.registry.recall import Recall
from epc.registry.repository import Repository
from epc.registry.succession import Kept, successions
from epc.site.addressing import addressed, settings
from epc.site.charts import charts_of_evaluator, charts_of_judged
from epc.site.charts.drawing import script
from epc.site.charts.gallery import hung
from epc.site.collecting import collect
from epc.site.evidence_cache import gathered
from epc.site.last_build import SOURCES, Counts, LastBuild
from epc.site.machines import data, files, remote, sitemap
from epc.site.pages import EvaluatorPage, Site, SnapshotPage
from epc.site.policy import guarded, themes
from epc.site.reference import page as functions
from epc.site.rendering import Pictures, pages
from epc.site.result_cache import ResultCache
from epc.site.with_mkdocs import make_pages
from epc.site.writing import MARK, Folder

WORK: Final = Path("build") / "site"
_SCRIPT: Final = "assets/vega-embed.js"
_NOT_OURS: Final = ("sitemap.xml", "sitemap.xml.gz")  # ours has no time stamps


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """What a build made."""

    out: Path
    counts: Counts
    changed: int

    def as_json(self) -> dict[str, Any]:
        """Return it as plain JSON."""
        return {"out": str(self.out), **asdict(self.counts), "changed": self.changed}


def build(
    checkout: Path,
    out: Path,
    *,
    address: str,
    repository: Repository | None,
    as_of: date,
    reference: Callable[[], str],
    tell: Callable[[str], None],
) -> Built:
    """Build the site of a checkout into a folder.

    `reference` is the page about the program's commands, which only the program itself can write.

    Raises: UsageError if the folder is somebody else's; WorldError if the disk or mkdocs fails.
    """
    last = LastBuild.of(
        checkout / WORK / "last.json",
        checkout=checkout,
        out=out,
        address=address,
        repository=repository,
        as_of=as_of,
    )
    if (counts := last.counts()) is not None:
        tell("nothing changed since the last build")
        return Built(out=out, counts=counts, changed=0)
    target = Folder(out)
    results = ResultCache(checkout / WORK / "results")
    recall = results.recall
    site = collect(checkout, as_of=as_of, address=address, repository=repository, recall=recall)
    tell(f"collected {len(site.snapshots)} snapshots of {len(site.evaluators)} evaluators")
    site = replace(
        site,
        evidence=gathered(site.snapshots, checkout / WORK / "pictures"),
        successions=tuple(successions(Kept.of(site.registry, str(checkout)), as_of, recall)),
    )
    beside: dict[str, str] = {}
    sources = write_sources(site, reference(), _pictures(site, beside), recall)
    tell("wrote the pages; mkdocs makes them into HTML")
    html = checkout / WORK / "html"
    make_pages(sources, html, as_of, results)
    made = [path.relative_to(html).as_posix() for path in sorted(html.rglob("*")) if path.is_file()]
    made = [name for name in made if name not in _NOT_OURS]
    documents = {f"{path.stem}/index.html" for path in (checkout / SOURCES / "docs").glob("*.md")}
    known = themes((html / name).read_text("utf-8") for name in made if name in documents)
    changed = sum([target.put(name, _published(html / name, known)) for name in made])
    changed += sum([target.put(*file) for file in _pictures_files(site, beside)])
    tables = data(site, checkout / WORK / "data", results.put_file)
    results.tidy()
    changed += sum([target.put(name, content) for name, content in files(site, tables)])
    changed += sum([target.put(name, path.read_bytes()) for name, path in remote(checkout)])
    folders = [name.removesuffix("index.html") for name in made if name.endswith("index.html")]
    if address:
        changed += target.put("sitemap.xml", sitemap(site, folders))
    target.put(".nojekyll", "")
    target.put(MARK, address)
    target.tidy()
    counts = Counts(
        snapshots=len(site.snapshots), evaluators=len(site.evaluators), pages=len(folders)
    )
    last.keep(counts)
    return Built(out=out, counts=counts, changed=changed)


def _published(path: Path, known: frozenset[str]) -> str | bytes:
    """Return what stands in the site for a file that mkdocs made: a page gets its policy."""
    is_page = path.suffix == ".html"
    return guarded(path.read_text("utf-8"), known) if is_page else path.read_bytes()


def _pictures(site: Site, beside: dict[str, str]) -> Pictures:
    """Return what draws the pictures that are not kept; their files end up in `beside`."""

    def hang(page: EvaluatorPage | SnapshotPage) -> Markup:
        if isinstance(page, EvaluatorPage):
            folder, charts = f"evaluators/{page.name}", charts_of_evaluator(page, site.evidence)
        else:
            folder, charts = f"snapshots/{page.row.tag}", charts_of_judged(page)

        def put(name: str, text: str) -> None:
            beside[f"{folder}/{name}"] = text

        return hung(charts, site.checkout / WORK / "pictures", put)

    return hang


def _pictures_files(site: Site, beside: dict[str, str]) -> Iterator[tuple[str, str | bytes]]:
    """Yield what goes with pictures: their numbers, their specifications, and their one script."""
    yield from beside.items()
    for tag, evidence in site.evidence.items():
        for name, content in evidence.files():
            yield f"snapshots/{tag}/{name}", content
    if beside or site.evidence:
        yield _SCRIPT, script(site.checkout / WORK / "pictures")


def write_sources(site: Site, reference: str, pictures: Pictures, recall: Recall) -> Path:
    """Write documents, generated pages and mkdocs.yml, and return the folder that holds them.

    Raises: UsageError if the checkout has no documents; WorldError if the disk fails.
    """
    originals = site.checkout / SOURCES
    if not (originals / "mkdocs.yml").is_file():
        raise UsageError(
            f"there is no {originals / 'mkdocs.yml'}\n"
            "  fix: build in a checkout of the registry, with its site/ folder"
        )
    sources = Folder(site.checkout / WORK / "sources")
    for path in sorted((originals / "docs").rglob("*")):
        if path.is_file():
            name = f"docs/{path.relative_to(originals / 'docs').as_posix()}"
            is_document = path.suffix == ".md"
            sources.put(name, addressed(site, path) if is_document else path.read_bytes())
    for path in sorted((originals / "overrides").rglob("*")):
        if path.is_file():
            sources.put(path.relative_to(originals).as_posix(), path.read_bytes())
    for name, text in pages(site, pictures, recall):
        sources.put(f"docs/{name}", text)
    sources.put("docs/commands.md", reference)
    sources.put("docs/functions.md", functions())
    sources.put("mkdocs.yml", _config(originals / "mkdocs.yml", site))
    sources.tidy()
    return sources.path


def _config(path: Path, site: Site) -> str:
    """Return the configuration for the written sources, whose paths are its own."""
    import yaml

    try:
        config: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    except yaml.YAMLError as error:
        raise UsageError(f"{path} is not YAML: {error}\n  fix: mend it") from error
    config |= {"docs_dir": "docs", "site_dir": "html", **settings(site)}
    return yaml.safe_dump(config, sort_keys=False, allow_unicode=True)
