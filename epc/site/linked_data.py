"""What search engines and data catalogues read: schema.org and Croissant, as JSON-LD."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup

from epc.records.observed.types import UNKNOWN
from epc.registry.data import Table, licences
from epc.registry.tables import TABLES
from epc.site.pages import Site, SnapshotPage

if TYPE_CHECKING:
    from epc.registry.kinds.table import About

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

_JUDGED: Final = (
    "Judge protocol: outputs that a judging model scored with evidence that was looked up, as "
    "shares with intervals, invalid evaluations counted, and expiry."
)
_GAINED: Final = (
    "What an optimiser gained over many runs under a recorded judge: as that judge reported, on "
    "items that its run never saw, and by gold, with intervals."
)
_RECORDED: Final = (
    "Verdicts of a judging model that others recorded: how often it changed its verdict with the "
    "place, was right, tied or repeated itself, with intervals; nothing was measured for this."
)


def embedded(value: Any) -> Markup:
    """Return JSON-LD as a script element that no text in it can end."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=True)
    for special in "<>&":
        text = text.replace(special, f"\\u{ord(special):04x}")
    return Markup('<script type="application/ld+json">{}</script>').format(Markup(text))  # noqa: S704  (escaped here)


def of_snapshot(site: Site, page: SnapshotPage) -> dict[str, Any]:
    """Return a snapshot as a schema.org Dataset."""
    row, card = page.row, page.card
    root = site.address or "../../"  # from the page that it stands in
    return {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": f"{row.tag}: {page.subject}",
        "description": f"{_said(page)} {card.evaluator.model}, N = {row.n}."
        + (f" A failed run: {row.snapshot.failure}." if row.failed else ""),
        "identifier": row.tag,
        "version": row.tag,
        "license": None if page.licence == UNKNOWN else f"{_LICENCES}{page.licence}",
        "isAccessibleForFree": True,
        "creator": {"@type": "Organization", "name": card.contributor},
        "temporalCoverage": f"{card.first_day}/{card.last_day}" if card.first_day else None,
        "url": f"{root}snapshots/{row.tag}/",
        "expires": row.standing.state.until.isoformat() if row.standing.state.until else None,
        "variableMeasured": [figure.name for figure in page.figures],
        "distribution": [
            {
                "@type": "DataDownload",
                "name": file.name,
                "contentUrl": f"{root}{file.href}",
                "contentSize": str(file.bytes),
                "sha256": file.sha256,
            }
            for file in page.files
        ],
    }


def _said(page: SnapshotPage) -> str:
    says: dict[About, str] = {
        "coupling": f"{_ABOUT} Measured on",
        "judgments": f"{_JUDGED} By",
        "records": f"{_RECORDED} Of",
        "loops": f"{_GAINED} Under",
    }
    return says[page.row.about]


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
