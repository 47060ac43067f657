"""How a snapshot is cited, and how data catalogues read the tables of all (Croissant)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from epc.registry.data import Table, licences
from epc.registry.kinds.table import About
from epc.registry.record import Citation, Origin
from epc.registry.tables import TABLES
from epc.site.pages import Site, SnapshotPage

_MEASURES: Final[Mapping[About, str]] = {
    "coupling": "Evaluator preference coupling",
    "judgments": "Outputs scored by a judge model, no coupling",
    "records": "Verdicts of a judge model that others recorded",
    "loops": "Gains of an optimiser under a judge model",
}
_ARXIV: Final = re.compile(r"arXiv:(\d\d)\d\d\.\d+")
# What BibTeX or TeX would act upon.
_TEX: Final = re.compile(r"[\\{}$&#^_~%]")
_ESCAPED: Final = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The work that printed a figure, as a card names it."""

    id: str
    title: str
    authors: str
    year: str


def work_of(citation: Citation) -> Work:
    """Return the work of a citation: `arXiv:2607.00297v1, "Title"`.

    No card names the authors. They are never us, and who they are the work itself says.
    """
    name, _, title = citation.work.partition(", ")
    arxiv = _ARXIV.match(name)
    return Work(
        id=name,
        title=title.strip('"') or name,
        authors=f"The authors of {name}",
        year=f"20{arxiv[1]}" if arxiv else "",
    )


def plain(site: Site, page: SnapshotPage) -> str:
    """Return a citation for a text: the work and the place in it first, if a work printed it."""
    row, card = page.row, page.card
    citation = f"EPC registry, snapshot {row.tag} ({row.trust}), {_day(page)}."
    if site.address:
        citation += f" {site.address}snapshots/{row.tag}/"
    if card.citation:
        work = work_of(card.citation)
        year = f" ({work.year})" if work.year else ""
        return (
            f"{work.authors}{year}. {work.title}. {work.id}, {card.citation.place}. "
            f"{card.citation.address} As transcribed in: {citation}"
        )
    if card.origin:
        return f"{_source(card.origin)}. As recorded in: {citation}"
    return f"{card.contributor} ({_day(page)[:4]}). {row.tag}: {page.subject}. {citation}"


def _source(origin: Origin) -> str:
    return f"{origin.name}, {origin.repository}, commit {origin.commit}"


def bibtex(site: Site, page: SnapshotPage) -> str:
    """Return a BibTeX entry: of a reported figure, that of the work which printed it."""
    row, card = page.row, page.card
    if card.citation:
        return _bibtex_of_work(site, page, card.citation)
    fields = {
        "title": f"{{{_tex(row.tag)}: {page.subject}}}",
        "author": f"{{{_tex(page.card.contributor)}}}",
        "year": _day(page)[:4],
        "month": str(int(_day(page)[5:7])),
        "version": row.tag,
        "publisher": "EPC registry",
        "note": f"{_MEASURES[row.about]}; N = {row.n}; {row.trust}"
        + (f"; {_tex(_source(card.origin))}" if card.origin else ""),
    }
    if site.address:
        fields["url"] = f"{site.address}snapshots/{row.tag}/"
    return _entry(row.tag, fields)


def _bibtex_of_work(site: Site, page: SnapshotPage, citation: Citation) -> str:
    tag, work = page.row.tag, work_of(citation)
    page_address = f", {site.address}snapshots/{tag}/" if site.address else ""
    fields = {
        "title": f"{{{_tex(work.title)}}}",
        "author": f"{{{_tex(work.authors)}}}",
        "year": work.year,
        "howpublished": _tex(work.id),
        "url": citation.address,
        "note": _tex(
            f"{citation.place}; as transcribed in the EPC registry, snapshot {tag}{page_address}"
        ),
    }
    return _entry(tag, {name: value for name, value in fields.items() if value})


def _entry(tag: str, fields: Mapping[str, str]) -> str:
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
    return f"@misc{{epc-{tag},\n{lines}}}"


def _day(page: SnapshotPage) -> str:
    """Return the day of publication, else that of measuring."""
    days = (event.date for event in page.events if event.event == "published")
    day = next(days, page.row.snapshot.last_day)
    assert day  # only what nobody published yet has no event, and an observed one has
    return day.isoformat()


def _tex(text: str) -> str:
    return _TEX.sub(lambda match: _ESCAPED.get(match[0], f"\\{match[0]}"), text)


_LICENCES: Final = "https://spdx.org/licenses/"
_UNITS: Final = {
    "float": "sc:Float",
    "integer": "sc:Integer",
    "text": "sc:Text",
    "code": "sc:Text",
    "boolean": "sc:Boolean",
    "date": "sc:Date",
}
# Croissant's own terms; without its context a reader takes one of them for schema.org's.
_TERMS: Final = (
    *("citeAs", "column", "equivalentProperty", "extract", "field", "fileObject", "fileProperty"),
    *("fileSet", "format", "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField"),
    *("path", "recordSet", "references", "regex", "repeated", "replace", "samplingRate"),
    *("separator", "source", "subField", "transform"),
)
_CONTEXT: Final = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{term: f"cr:{term}" for term in _TERMS},
}
_ABOUT: Final = (
    "Evaluator preference coupling: how far a judging model's preferences move the strategy "
    "weights of the agent that learns from it, with noise floor, interval and expiry."
)


def croissant(site: Site, tables: Sequence[Table]) -> dict[str, Any]:
    """Return the published tables as a Croissant 1.0 data set, each a record set of its own."""
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": "epc-registry",
        "creator": {"@type": "sc:Organization", "name": "EPC registry"},
        "description": f"{_ABOUT} Every figure, verdict and trial of every published snapshot.",
        "license": [f"{_LICENCES}{licence}" for licence in licences(site.registry)],
        "url": site.address or "./",
        "version": "1.1.0",
        "datePublished": max((c.date for c in site.changes), default=site.as_of).isoformat(),
        "citeAs": "Cite the snapshot's id, as its page says.",
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": table.path,
                "name": table.path,
                "contentUrl": f"{site.address}data/{table.path}",
                "contentSize": f"{table.bytes} B",
                "encodingFormat": "application/x-parquet",
                "sha256": table.sha256,
            }
            for table in tables
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": table.name,
                "name": table.name,
                "field": [
                    {
                        "@type": "cr:Field",
                        "@id": f"{table.name}/{name}",
                        "name": name,
                        "description": says,
                        "dataType": _UNITS[kind],
                        "source": {
                            "fileObject": {"@id": table.path},
                            "extract": {"column": name},
                        },
                    }
                    for name, (kind, says) in TABLES[table.name].items()
                ],
            }
            for table in tables
        ],
    }
