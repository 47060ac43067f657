"""A report as the Markdown of one comment (`epc submission comment`).

The report is untrusted: it comes from a run that a stranger's pull request could have changed. Its
shape is checked, and every text of it stands in a code span, in which a forge renders no Markdown,
no HTML, no link, no picture, and notifies nobody.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from epc.printable import shown
from epc.protocol.results import Json
from epc.records import strict_json
from epc.records.schemas import findings as schema_findings
from epc.registry.submissions.report import (
    audit_words,
    figure_line,
    headline,
    overlap_line,
    standing,
)

MARKER: Final = "<!-- epc-submission-report -->"
LARGEST: Final = 2**21
_LONGEST: Final = 60_000  # a forge takes 65,536 characters
_MOST_FINDINGS: Final = 30
_NOTE: Final = (
    "This report was made by a run that the pull request can influence. Before merging, a "
    "maintainer runs `epc submission check` on the head commit from a trusted checkout; "
    "publishing checks everything once more."
)


def comment(path: Path) -> str:
    """Return the comment for a report; for one that cannot be used, a comment that says so.

    Raises: WorldError if the file cannot be read.
    """
    if not path.is_file():
        return _unusable("it is no plain file")
    if path.stat().st_size > LARGEST:
        return _unusable(f"it has more than {LARGEST:,} bytes")
    value, wrong = strict_json.read(path)
    wrong = wrong or schema_findings("submission_report", value, clause="EPC-4")
    if wrong:
        return _unusable(f"{wrong[0].where or 'the document'}: {wrong[0].problem}")
    return markdown(value)


def markdown(value: Json) -> str:
    """Return the comment for a report of valid shape."""
    lines = [MARKER, f"### {headline(value)}", ""]
    length = sum(map(len, lines))
    for line in (*_body(value), "", _NOTE):
        length += len(line) + 1
        if length > _LONGEST:
            lines += ["", "The rest is left out; see the report of the workflow's run."]
            break
        lines.append(line)
    return "\n".join(lines) + "\n"


def code(text: str, longest: int = 300) -> str:
    """Return a text as a code span that it cannot leave."""
    kept = shown(text, longest).replace("`", "'").replace("|", "\u00a6").strip()
    return f"`{kept}`" if kept else "(nothing)"


def _body(value: Json) -> Iterator[str]:
    for submission in value["submissions"]:
        yield from _submission(submission)
    if value["findings"]:
        yield from ("", "**The pull request**", "")
        yield from _findings(value["findings"])


def _submission(given: Json) -> Iterator[str]:
    yield from ("", f"**{code(given['slug'])}**: {standing(given)}", "")
    facts = (
        ("claimed to be", given.get("claimed")),
        ("asked as", given["evaluator"]),
        ("asked at", given.get("address")),
        ("endpoint", given["endpoint"]),
        ("seeds", given["n"]),
        ("contributor", given["contributor"]),
        ("next free tag", given["tag"]),
        ("audit", audit_words(given["audit"]) if given["audit"] else None),
    )
    for name, fact in facts:
        if fact is not None:
            yield f"- {name}: {code(str(fact))}"
    for figure in given["figures"]:
        yield f"- {code(figure_line(figure))}"
    for each in given.get("overlap", []):
        yield f"- overlap: {code(overlap_line(each))}"
    for block in given["blocks"]:
        yield f"- blocks publication: {code(block)}"
    if given["findings"]:
        yield ""
    yield from _findings(given["findings"])


def _findings(findings: list[Json]) -> Iterator[str]:
    for number, finding in enumerate(findings[:_MOST_FINDINGS], start=1):
        place, clause = code(finding["where"] or "(the whole)"), code(finding["clause"])
        yield f"{number}. {finding['severity']}, {place}: {code(finding['problem'])} ({clause})"
        yield f"   Fix: {code(finding['remedy'])}"
    if len(findings) > _MOST_FINDINGS:
        yield f"{_MOST_FINDINGS + 1}. and {len(findings) - _MOST_FINDINGS} more"


def _unusable(why: str) -> str:
    lines = [MARKER, "### Refused: the check's report cannot be used.", "", code(why), "", _NOTE]
    return "\n".join(lines) + "\n"
