"""How a snapshot is cited: BibTeX, and the Citation File Format."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from epc.records.observed.types import UNKNOWN
from epc.registry.kinds.table import About
from epc.registry.record import Citation, Origin, Record
from epc.site.pages import Site, SnapshotPage

_TITLE: Final = "EPC registry: evaluator preference coupling, measured and versioned"
_MEASURES: Final[Mapping[About, str]] = {
    "coupling": "Evaluator preference coupling",
    "judgments": "Outputs scored by a judge model, no coupling",
    "records": "Verdicts of a judge model that others recorded",
    "loops": "Gains of an optimiser under a judge model",
}
_MESSAGES: Final[Mapping[About, str]] = {
    "coupling": "If you use this baseline, please cite it by its id.",
    "judgments": "If you use these scores, please cite them by their id.",
    "records": "If you use these figures, please cite them by their id, and their source.",
    "loops": "If you use these gains, please cite them by their id.",
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
    where = f", {site.address}snapshots/{tag}/" if site.address else ""
    fields = {
        "title": f"{{{_tex(work.title)}}}",
        "author": f"{{{_tex(work.authors)}}}",
        "year": work.year,
        "howpublished": _tex(work.id),
        "url": citation.address,
        "note": _tex(
            f"{citation.place}; as transcribed in the EPC registry, snapshot {tag}{where}"
        ),
    }
    return _entry(tag, {name: value for name, value in fields.items() if value})


def _entry(tag: str, fields: Mapping[str, str]) -> str:
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
    return f"@misc{{epc-{tag},\n{lines}}}"


def cff(site: Site, page: SnapshotPage) -> str:
    """Return a CITATION.cff of a snapshot as a data set. JSON strings are YAML strings."""
    row = page.row
    lines = [
        "cff-version: 1.2.0",
        f"message: {json.dumps(_MESSAGES[row.about])}",
        "type: dataset",
        f"title: {json.dumps(f'{row.tag}: {page.subject}')}",
        f"version: {json.dumps(row.tag)}",
        f"date-released: {_day(page)}",
        *([] if page.licence == UNKNOWN else [f"license: {page.licence}"]),
        "authors:",
        f"  - name: {json.dumps(_author(page.card))}",
    ]
    if site.address:
        lines.append(f"url: {json.dumps(f'{site.address}snapshots/{row.tag}/')}")
    lines += ["references:", "  - type: software", f"    title: {json.dumps(_TITLE)}"]
    lines += ["    authors:", '      - name: "The EPC registry contributors"']
    if page.card.citation:
        lines += _cff_of_work(page.card.citation)
    return "\n".join(lines)


def _author(card: Record) -> str:
    """Return whose the figures are: of a reported one, of the work's authors."""
    return work_of(card.citation).authors if card.citation else card.contributor


def _cff_of_work(citation: Citation) -> list[str]:
    work = work_of(citation)
    return [
        "  - type: article",
        f"    title: {json.dumps(work.title)}",
        *([f"    year: {work.year}"] if work.year else []),
        f"    url: {json.dumps(citation.address)}",
        f"    section: {json.dumps(citation.place)}",
        "    authors:",
        f"      - name: {json.dumps(work.authors)}",
    ]


def _day(page: SnapshotPage) -> str:
    """Return the day of publication, else that of measuring."""
    days = (event.date for event in page.events if event.event == "published")
    day = next(days, page.row.snapshot.last_day)
    assert day  # only what nobody published yet has no event, and an observed one has
    return day.isoformat()


def _tex(text: str) -> str:
    return _TEX.sub(lambda match: _ESCAPED.get(match[0], f"\\{match[0]}"), text)
