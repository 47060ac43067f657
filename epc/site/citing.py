"""How a snapshot is cited: BibTeX, and the Citation File Format."""

import json
import re
from collections.abc import Mapping
from typing import Final

from epc.records.observed.types import UNKNOWN
from epc.site.pages import About, Site, SnapshotPage

_TITLE: Final = "EPC registry: evaluator preference coupling, measured and versioned"
_MEASURES: Final[Mapping[About, str]] = {
    "coupling": "Evaluator preference coupling",
    "judgments": "Outputs scored by a judge model, no coupling",
    "records": "Verdicts of a judge model that others recorded",
}
_MESSAGES: Final[Mapping[About, str]] = {
    "coupling": "If you use this baseline, please cite it by its id.",
    "judgments": "If you use these scores, please cite them by their id.",
    "records": "If you use these figures, please cite them by their id, and their source.",
}
# What BibTeX or TeX would act upon.
_TEX: Final = re.compile(r"[\\{}$&#^_~%]")
_ESCAPED: Final = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
}


def bibtex(site: Site, page: SnapshotPage) -> str:
    """Return a BibTeX entry."""
    row = page.row
    fields = {
        "title": f"{{{_tex(row.tag)}: {page.subject}}}",
        "author": f"{{{_tex(page.card.contributor)}}}",
        "year": _day(page)[:4],
        "month": str(int(_day(page)[5:7])),
        "version": row.tag,
        "publisher": "EPC registry",
        "note": f"{_MEASURES[row.about]}; N = {row.n}; {row.trust}",
    }
    if site.address:
        fields["url"] = f"{site.address}snapshots/{row.tag}/"
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
    return f"@misc{{epc-{row.tag},\n{lines}}}"


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
        f"  - name: {json.dumps(page.card.contributor)}",
    ]
    if site.address:
        lines.append(f"url: {json.dumps(f'{site.address}snapshots/{row.tag}/')}")
    lines += ["references:", "  - type: software", f"    title: {json.dumps(_TITLE)}"]
    lines += ["    authors:", '      - name: "The EPC registry contributors"']
    return "\n".join(lines)


def _day(page: SnapshotPage) -> str:
    """Return the day of publication, else that of measuring."""
    days = (event.date for event in page.events if event.event == "published")
    day = next(days, page.row.snapshot.last_day)
    assert day  # only what nobody published yet has no event, and an observed one has
    return day.isoformat()


def _tex(text: str) -> str:
    return _TEX.sub(lambda match: _ESCAPED.get(match[0], f"\\{match[0]}"), text)
