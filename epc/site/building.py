"""The whole build: collect, write plain Markdown, have it made into pages, add the machines' files.

    build/site/sources/   the documents and the generated pages, with a mkdocs.yml of their own
    build/site/mkdocs.yml the same, with our hook that spares mkdocs what stands already
    build/site/html/      what mkdocs made of them this time
    build/site/results/   what was worked out of sealed snapshots
    build/site/last.json  what each part of the site was made from; while that stands, it is left
    OUT/                  the pages, and everything that programs read

The sources are plain: any program that reads mkdocs.yml can build them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from epc.errors import UsageError
from epc.registry.kept_ballots import Kept
from epc.registry.repository import Repository
from epc.registry.succession import successions
from epc.site.addressing import addressed, settings
from epc.site.alone import alone
from epc.site.charts.drawing import script
from epc.site.clauses import page as clauses
from epc.site.collecting import collect
from epc.site.evidence_cache import gathered
from epc.site.last_build import SOURCES, Counts, LastBuild, digest
from epc.site.machines import data, groups, remote, sitemap
from epc.site.making import Making
from epc.site.pages import Site
from epc.site.parts import Group, Parts
from epc.site.reference import page as functions
from epc.site.rendering import lists, with_tables
from epc.site.result_cache import ResultCache
from epc.site.writing import MARK

WORK: Final = Path("build") / "site"
_SCRIPT: Final = "assets/vega-embed.js"


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
    work = (checkout / WORK).absolute()
    last = LastBuild.of(
        work / "last.json",
        checkout=checkout,
        out=out.absolute(),
        sources=work / "sources",
        address=address,
        repository=repository,
        as_of=as_of,
    )
    if (counts := last.counts()) is not None:
        tell("nothing changed since the last build")
        return Built(out=out, counts=counts, changed=0)
    target, sources = Parts(last.out, last), Parts(work / "sources", last)
    results = ResultCache(work / "results")
    recall = results.recall
    site = collect(checkout, as_of=as_of, address=address, repository=repository, recall=recall)
    tell(f"collected {len(site.snapshots)} snapshots of {len(site.evaluators)} evaluators")
    site = replace(
        site,
        evidence=gathered(site.snapshots, work / "pictures"),
        successions=tuple(successions(Kept.of(site.registry, str(checkout)), as_of, recall)),
    )
    every = [*alone(site)]
    sources.put("sources", "", _sources(site, reference()))
    making = Making(
        documents=checkout / SOURCES / "docs",
        work=work,
        sources=sources,
        target=target,
        last=last,
    )
    pages = making.make(every, as_of, tell)
    tables = data(site, work, results.file)
    results.tidy()
    for group in groups(site, every, tables):
        target.bring(group)
    for folder, files in groupby(remote(checkout), lambda file: file[1].parent):
        target.bring(_copies(folder, [*files], last))
    if any("/pictures/" in path for part in last.parts.values() for path in part.files):
        target.put("pictures", "", [(_SCRIPT, script(work / "pictures"))])
    if address:
        target.put("sitemap", "", [("sitemap.xml", sitemap(site, pages))])
    target.put("site", "", [(".nojekyll", ""), (MARK, address)])
    for each in (target, sources):
        each.tidy()
    counts = Counts(
        snapshots=len(site.snapshots), evaluators=len(site.evaluators), pages=len(pages)
    )
    last.keep(counts)
    return Built(out=out, counts=counts, changed=target.changed)


def _copies(folder: Path, files: Sequence[tuple[str, Path]], last: LastBuild) -> Group:
    """Return the published files of a folder of the registry, which are copied as they are."""
    return Group(
        name=f"copies {folder}",
        given=digest(f"{path} {last.read[str(path)]}" for _, path in files),
        make=lambda: files,
    )


def _sources(site: Site, reference: str) -> Iterator[tuple[str, str | bytes]]:
    """Yield the documents, the lists and mkdocs.yml, each with its place among the sources.

    Raises: UsageError if the checkout has no documents.
    """
    originals = site.checkout / SOURCES
    if not (originals / "mkdocs.yml").is_file():
        raise UsageError(
            f"there is no {originals / 'mkdocs.yml'}\n"
            "  fix: build in a checkout of the registry, with its site/ folder"
        )
    for path in sorted((originals / "docs").rglob("*")):
        if path.is_file():
            name = f"docs/{path.relative_to(originals / 'docs').as_posix()}"
            is_document = path.suffix == ".md"
            yield (
                name,
                with_tables(addressed(site, path), site) if is_document else path.read_bytes(),
            )
    for path in sorted((originals / "overrides").rglob("*")):
        if path.is_file():
            yield path.relative_to(originals).as_posix(), path.read_bytes()
    for name, text in lists(site):
        yield f"docs/{name}", text
    yield "docs/commands.md", reference
    yield "docs/functions.md", functions()
    yield "docs/clauses.md", clauses(originals / "docs")
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
