"""A report as the Markdown of one comment (`epc admin submission comment`).

The report is untrusted: it comes from a run that a stranger's pull request could have changed. Its
shape is checked, and every text of it stands in a code span, in which a forge renders no Markdown,
no HTML, no link, no picture, and notifies nobody.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from epc.printable import code
from epc.records import strict_json
from epc.records.schemas import findings as schema_findings
from epc.records.typed import parse
from epc.registry.submissions.report import (
    Listed,
    Report,
    Submitted,
    Topic,
    figure_line,
    headline,
)

MARKER: Final = "<!-- epc-submission-report -->"
LARGEST: Final = 2**21
_MOST_CHARACTERS: Final = 60_000  # a forge takes 65,536 characters
_MOST_FINDINGS: Final = 30
# What a maintainer judges, in the order of judging; the findings come last.
_TOPICS: Final[Mapping[str, Topic]] = {
    "What is claimed": "claimed",
    "What the record says": "recorded",
    "What both implementations recomputed": "recomputed",
    "Endpoint": "endpoint",
    "What to look at": "look_at",
}
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
    return markdown(parse(value, Report))


def markdown(report: Report) -> str:
    """Return the comment for a report."""
    lines = [MARKER, f"### {headline(report)}", ""]
    length = sum(map(len, lines))
    for line in (*_body(report), "", _NOTE):
        length += len(line) + 1
        if length > _MOST_CHARACTERS:
            lines += ["", "The rest is left out; see the report of the workflow's run."]
            break
        lines.append(line)
    return "\n".join(lines) + "\n"


def _body(report: Report) -> Iterator[str]:
    for submission in report.submissions:
        yield from _submission(submission)
    if report.findings:
        yield from ("", "**The pull request**", "")
        yield from _findings(report.findings)


def _submission(submission: Submitted) -> Iterator[str]:
    yield from ("", f"**{code(submission.slug)}**: {submission.standing}", "")
    for title, topic in _TOPICS.items():
        facts = submission.dossier.get(topic, ())
        lines = [*_beside(topic, submission), *map(code, facts)]
        if lines:
            yield from (f"{title}:", "", *(f"- {line}" for line in lines), "")
    yield from _findings(submission.findings)


def _beside(topic: str, submission: Submitted) -> Iterator[str]:
    """Yield the lines of a topic that stand in the report by themselves."""
    if topic == "claimed" and submission.tag:
        yield f"to be published as {code(submission.tag)}"
    if topic == "recomputed" and submission.audit:
        yield f"audit: {code(str(submission.audit))}"
        yield from (code(figure_line(figure)) for figure in submission.figures)
    if topic == "look_at":
        yield from (f"blocks publication: {code(block)}" for block in submission.blocks)


def _findings(findings: Sequence[Listed]) -> Iterator[str]:
    for number, finding in enumerate(findings[:_MOST_FINDINGS], start=1):
        where, clause = code(finding.where or "(the whole)"), code(finding.clause)
        yield f"{number}. {finding.severity}, {where}: {code(finding.problem)} ({clause})"
        yield f"   Fix: {code(finding.remedy)}"
    if len(findings) > _MOST_FINDINGS:
        yield f"{_MOST_FINDINGS + 1}. and {len(findings) - _MOST_FINDINGS} more"


def _unusable(why: str) -> str:
    lines = [MARKER, "### Refused: the check's report cannot be used.", "", code(why), "", _NOTE]
    return "\n".join(lines) + "\n"
