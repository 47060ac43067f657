"""The pages of the site: those that stand are left, the others written, made and put in place."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from pathlib import Path
from typing import Final

from markupsafe import Markup

from epc.site.alone import Alone
from epc.site.charts import charts_of_evaluator, charts_of_judged
from epc.site.charts.gallery import hung
from epc.site.last_build import LastBuild, digest
from epc.site.machines import of_alone
from epc.site.pages import EvaluatorPage, SnapshotPage
from epc.site.parts import Parts
from epc.site.policy import guarded, themes
from epc.site.rendering import page_alone
from epc.site.with_mkdocs import INDEX, make_pages, shared
from epc.site.writing import Content

_OTHERS: Final = "pages"  # the part of those pages that are of no one snapshot or evaluator
_PAGE: Final = "index.html"
_NOT_OURS: Final = ("sitemap.xml", "sitemap.xml.gz")  # ours has no time stamps


@dataclass(frozen=True, slots=True, kw_only=True)
class Making:
    """Where pages are written, made and put; `pictures` are files beside a page, by its place."""

    documents: Path
    work: Path
    sources: Parts
    target: Parts
    last: LastBuild
    pictures: dict[str, dict[str, str]] = field(default_factory=dict)

    def make(self, every: Sequence[Alone], as_of: date, tell: Callable[[str], None]) -> list[str]:
        """Make the pages of the sources, and all that is of one snapshot or evaluator alone.

        Return the folder of each page of the site.

        Raises: WorldError if the disk or mkdocs fails.
        """
        while True:
            scripts = self.last.scripts
            given = self._given(every)
            anew = self._written(every, given)
            tell("wrote the pages; mkdocs makes them into HTML")
            known = self._made(every, anew, as_of)
            # What stands was made with the theme's scripts, which only a page that is made tells.
            self.last.scripts = digest(sorted(known))
            if self.last.scripts == scripts or len(anew) == len(every):
                break
        given = self._given(every)
        places = {f"{each.place}{_PAGE}": each.place for each in anew}
        names = [*self._names()]
        for name in names:
            part = places.get(name, _OTHERS)
            self.target.put(part, given.get(part, ""), [(name, self._published(name, known))])
        for each in anew:
            self.target.put(each.place, given[each.place], self._files(each))
        pages = {*names, *(f"{each.place}{_PAGE}" for each in every)}
        ordered = sorted(pages, key=lambda name: name.split("/"))
        return [name.removesuffix(_PAGE) for name in ordered if name.endswith(_PAGE)]

    @property
    def _html(self) -> Path:
        return self.work / "html"

    def _given(self, every: Sequence[Alone]) -> dict[str, str]:
        """Return the digest of all that each page follows from, theme and scripts included."""
        common = [shared(self.sources.folder.path), self.last.scripts]
        return {each.place: digest([each.given, *common]) for each in every}

    def _written(self, every: Sequence[Alone], given: Mapping[str, str]) -> list[Alone]:
        """Write the sources of those pages that do not stand, and return them."""
        has_words = self.last.holds(_OTHERS, self.target.folder.path / INDEX)
        anew = [
            each
            for each in every
            if not (has_words and self.last.stands(each.place, given[each.place]))
        ]
        for each in anew:
            text = page_alone(each, partial(self._drawn, each))
            self.sources.put(each.place, given[each.place], [(f"docs/{each.place}index.md", text)])
        self.sources.tidy()
        return anew

    def _made(self, every: Sequence[Alone], anew: Sequence[Alone], as_of: date) -> frozenset[str]:
        """Have mkdocs make what was written, and return the scripts of its theme."""
        new = {each.place for each in anew}
        make_pages(
            self.sources.folder.path,
            self._html,
            as_of,
            kept=[each.place for each in every if each.place not in new],
            words=self.target.folder.path / INDEX,
        )
        sources = self.documents.glob("*.md")
        documents = {f"{path.stem}/{_PAGE}" for path in sources} & {*self._names()}
        return themes((self._html / name).read_text("utf-8") for name in documents)

    def _names(self) -> Iterator[str]:
        """Yield the places of all that mkdocs made."""
        for path in sorted(self._html.rglob("*")):
            name = path.relative_to(self._html).as_posix()
            if name not in _NOT_OURS and path.is_file():
                yield name

    def _published(self, name: str, known: frozenset[str]) -> Content:
        """Return what stands in the site for a file that mkdocs made: a page gets its policy."""
        path = self._html / name
        is_page = path.suffix == ".html"
        return guarded(path.read_text("utf-8"), known) if is_page else path.read_bytes()

    def _drawn(self, each: Alone, page: EvaluatorPage | SnapshotPage) -> Markup:
        """Return the pictures of a page that has no evidence, and keep the files beside them."""
        if isinstance(page, EvaluatorPage):
            charts = charts_of_evaluator(page, each.site.evidence)
        else:
            charts = charts_of_judged(page)
        beside = self.pictures[each.place] = {}
        return hung(charts, self.work / "pictures", beside.__setitem__)

    def _files(self, each: Alone) -> Iterator[tuple[str, Content]]:
        """Yield what is of a snapshot or an evaluator alone, but its page."""
        for name, text in self.pictures.get(each.place, {}).items():
            yield f"{each.place}{name}", text
        if isinstance(each.page, SnapshotPage):
            for evidence in each.site.evidence.values():
                for name, content in evidence.files():
                    yield f"{each.place}{name}", content
        yield from of_alone(each)
