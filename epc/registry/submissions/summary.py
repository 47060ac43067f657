"""A report as the Markdown of a job's summary (`epc submission check --summary`).

What a pull request offers is untrusted. Every text of it stands in a code span, in which a forge
renders no Markdown, no HTML, no link, no picture, and notifies nobody.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from epc.printable import code
from epc.registry.submissions.report import (
    Report,
    SafeFinding,
    SubmissionReport,
    Topic,
    figure_line,
    headline,
)

_MOST_CHARACTERS: Final = 60_000  # GitHub takes 1 MiB for a step; nobody reads more than this
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
    "A pull request that changes more than `submissions/` can have changed the check that wrote "
    "this. Publishing checks everything once more, with main's checker."
)


def markdown(report: Report) -> str:
    """Return the summary of a report."""
    lines = [f"### {headline(report)}", ""]
    length = sum(map(len, lines))
    for line in (*_body(report), "", _NOTE):
        length += len(line) + 1
        if length > _MOST_CHARACTERS:
            lines += ["", "The rest is left out; the log of this step has all of it."]
            break
        lines.append(line)
    return "\n".join(lines) + "\n"


def _body(report: Report) -> Iterator[str]:
    for submission in report.submissions:
        yield from _submission(submission)
    if report.findings:
        yield from ("", "**The pull request**", "")
        yield from _findings(report.findings)


def _submission(submission: SubmissionReport) -> Iterator[str]:
    yield from ("", f"**{code(submission.slug)}**: {submission.standing}", "")
    for title, topic in _TOPICS.items():
        facts = submission.dossier.get(topic, ())
        lines = [*_beside(topic, submission), *map(code, facts)]
        if lines:
            yield from (f"{title}:", "", *(f"- {line}" for line in lines), "")
    yield from _findings(submission.findings)


def _beside(topic: str, submission: SubmissionReport) -> Iterator[str]:
    """Yield the lines of a topic that stand in the report by themselves."""
    if topic == "claimed" and submission.tag:
        yield f"to be published as {code(submission.tag)}"
    if topic == "recomputed" and submission.audit:
        yield f"audit: {code(str(submission.audit))}"
        yield from (code(figure_line(figure)) for figure in submission.figures)
    if topic == "look_at":
        yield from (f"blocks publication: {code(block)}" for block in submission.blocks)


def _findings(findings: Sequence[SafeFinding]) -> Iterator[str]:
    for number, finding in enumerate(findings[:_MOST_FINDINGS], start=1):
        where, clause = code(finding.where or "(the whole)"), code(finding.clause)
        yield f"{number}. {finding.severity}, {where}: {code(finding.problem)} ({clause})"
        yield f"   Fix: {code(finding.remedy)}"
    if len(findings) > _MOST_FINDINGS:
        yield f"{_MOST_FINDINGS + 1}. and {len(findings) - _MOST_FINDINGS} more"
