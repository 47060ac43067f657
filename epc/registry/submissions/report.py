"""Report of a check, as one value; its text, its exit code and its comment follow from it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from epc.audit.facts import Word
from epc.errors import Finding, Severity
from epc.printable import one_line
from epc.protocol.metrics import interpreted
from epc.records.findings import Findings
from epc.records.manifest import EVALUATOR, ModelIdentity
from epc.records.typed import written
from epc.registry import platforms
from epc.registry.kinds.adapter import adapter
from epc.registry.submissions import layout
from epc.registry.submissions.checked import AuditResult, Figure, SubmissionCheck
from epc.registry.submissions.statement import Endpoint, Statement
from epc.spec.coupling import UNKNOWN_QUALITY
from epc.statistics.figures import NO_INTERVAL, figure_text, spread_text

Topic = Literal["claimed", "recorded", "recomputed", "endpoint", "look_at"]
Dossier = Mapping[Topic, tuple[str, ...]]

_ASKED: Final = {
    "direct": "the platform's own address",
    "gateway": "a gateway, which may change questions and answers",
    "unknown": "an address that is not known to be anybody's",
}


def dossier(checked: SubmissionCheck, author: str | None) -> dict[Topic, tuple[str, ...]]:
    """Return what is said of a submission on each topic, as far as it could be looked into."""
    topics: dict[Topic, Callable[[SubmissionCheck, str | None], Iterator[str]]] = {
        "claimed": _claimed,
        "recorded": _recorded,
        "recomputed": _recomputed,
        "endpoint": _endpoint,
        "look_at": _look_at,
    }
    return {topic: tuple(map(one_line, say(checked, author))) for topic, say in topics.items()}


def _claimed(checked: SubmissionCheck, author: str | None) -> Iterator[str]:
    if (statement := checked.statement) is None:
        return
    yield f"generation: {statement.generation}"
    yield f"platform: {statement.platform or 'none, a mock'}"
    yield f"asked: {statement.endpoint}"
    yield f"contributor: {statement.contributor}"
    yield f"login: {statement.login}, {_confirmed(statement, author)}"
    yield f"licence: {statement.licence}"
    yield f"conflicts: {statement.conflicts}"
    yield f"replicates: {statement.replicates or 'nothing'}"
    if statement.weights:
        yield f"weights: {statement.weights}"
    if statement.source:
        yield f"source of the verdicts: {statement.source}"


def _confirmed(statement: Statement, author: str | None) -> str:
    if author is None:
        return "which no event of GitHub confirmed"
    is_author = author.casefold() == statement.login.casefold()
    return "who opened the pull request" if is_author else f"while {author} opened the pull request"


def _recorded(checked: SubmissionCheck, _: str | None) -> Iterator[str]:
    yield from adapter(checked.kind).recorded(checked)


def _recomputed(checked: SubmissionCheck, _: str | None) -> Iterator[str]:
    yield f"first implementation: {checked.first}"
    yield f"second implementation: {checked.second}"


def _endpoint(checked: SubmissionCheck, _: str | None) -> Iterator[str]:
    for role, model in checked.models.items():
        if platforms.platform_of(model) == platforms.SELF_HOSTED:
            yield f"{role}: a server of the contributor's own, which answers to any name"
        else:
            places = " or ".join(sorted(platforms.asked_on(model) or ())) or "no certain platform"
            yield f"{role}: {_ASKED[platforms.kind_of(model)]} ({places})"


def _look_at(checked: SubmissionCheck, author: str | None) -> Iterator[str]:
    """Yield what no check decides, and a person should."""
    statement = checked.statement
    if statement and author is None:
        yield f"is the pull request {statement.login}'s?"
    if statement and statement.conflicts.strip().casefold().rstrip(".") not in {"none", "no"}:
        yield "do the stated interests matter here?"
    if statement and statement.weights:
        yield "does the digest of the weights belong to the generation? nothing here shows it"
    if statement and statement.replicates:
        yield f"does it repeat {statement.replicates}? a copy with edited answers looks the same"
    evaluator = checked.models.get(EVALUATOR)
    if evaluator and platforms.kind_of(evaluator) != "direct":
        yield "is the one in between known, and does it change what is asked?"
    yield from adapter(checked.kind).questions(checked)


MOST_LISTED: Final = 100
_MOST_CHARACTERS: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class SafeFinding:
    """A finding whose texts can be shown anywhere."""

    clause: str
    where: str
    problem: str
    remedy: str
    severity: Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditOutcome:
    """Outcome of an audit of a submission; reports of rule 1 state none."""

    verdict: Word
    p_value: float | None
    tie_rate: float | None
    control: Literal["simulated", "measured", "coin_flip"]
    findings: tuple[SafeFinding, ...]
    rule: int = written(1)

    def __str__(self) -> str:
        """Return the word with its rule."""
        return f"{self.verdict} (rule {self.rule}); {UNKNOWN_QUALITY}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionReport:
    """Report on one submission, as far as it could be looked into."""

    slug: str
    ok: bool
    tag: str | None
    contributor: str | None
    evaluator: str | None
    endpoint: Endpoint | None
    n: int | None
    audit: AuditOutcome | None
    figures: tuple[Figure, ...]
    blocks: tuple[str, ...]
    findings: tuple[SafeFinding, ...]
    # Reports of before have none of these.
    address: str | None = written(None)
    claimed: str | None = written(None)
    dossier: Dossier = field(default_factory=dict)

    @property
    def standing(self) -> str:
        """Outcome in a word or two: from its findings, not its flags."""
        if any(finding.severity == "error" for finding in self.findings):
            return "refused"
        if self.blocks:
            return "not a baseline"
        return "ready" if self.ok else "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Report of a check of submissions (`submission_report` among the schemas)."""

    schema: Literal[1]
    ok: bool
    submissions: tuple[SubmissionReport, ...]
    foreign: tuple[str, ...]
    findings: tuple[SafeFinding, ...]


def report(
    done: Sequence[SubmissionCheck],
    general_findings: Findings,
    foreign: Sequence[str],
    tags: Mapping[str, str | None],
    author: str | None = None,
) -> Report:
    """Return the report on some submissions."""
    general = general_findings.as_list()
    return Report(
        schema=1,
        ok=not _errors(general) and all(checked.ok for checked in done),
        submissions=tuple(_submission(checked, tags.get(checked.slug), author) for checked in done),
        foreign=tuple(foreign),
        findings=_listed(general),
    )


def _submission(checked: SubmissionCheck, tag: str | None, author: str | None) -> SubmissionReport:
    if any(finding.clause == layout.SECRETS for finding in checked.findings.as_list()):
        # A report would spread it.
        checked = replace(checked, statement=None, manifest=None, offer=None)
    statement, audit = checked.statement, checked.audit
    evaluator = checked.models.get(EVALUATOR)
    return SubmissionReport(
        slug=one_line(checked.slug),
        ok=checked.ok,
        tag=tag,
        contributor=one_line(statement.contributor) if statement else None,
        evaluator=one_line(checked.evaluator) if checked.evaluator else None,
        endpoint=_way_asked(statement, evaluator),
        address=one_line(evaluator.endpoint) if evaluator else None,
        claimed=_claims_of(statement) if statement else None,
        n=checked.n,
        audit=_audited(audit) if audit else None,
        figures=tuple(adapter(checked.kind).figures(checked)),
        dossier=dossier(checked, author),
        blocks=tuple(checked.blocks),
        findings=_listed(checked.findings.as_list()),
    )


def _claims_of(statement: Statement) -> str:
    """Return which generation is claimed to have been asked, and where."""
    on_platform = f" on {statement.platform}" if statement.platform else ""
    return f"{one_line(statement.generation)}{one_line(on_platform)}"


def _way_asked(statement: Statement | None, evaluator: ModelIdentity | None) -> Endpoint | None:
    """Return how the evaluator was asked; what its record shows outweighs what is declared."""
    if evaluator and platforms.kind_of(evaluator) == "gateway":
        return "gateway"
    return statement.endpoint if statement else None


def _audited(audit: AuditResult) -> AuditOutcome:
    document = audit.as_json()
    outcome = {key: document[key] for key in ("verdict", "rule", "p_value", "tie_rate", "control")}
    return AuditOutcome(**outcome, findings=_listed(audit.findings))


def _listed(findings: Sequence[Finding]) -> tuple[SafeFinding, ...]:
    """Return findings that can be shown anywhere: errors first, so many, so long."""
    ordered = sorted(findings, key=lambda finding: finding.severity != "error")
    listed = [
        SafeFinding(
            clause=one_line(finding.clause, _MOST_CHARACTERS),
            where=one_line(finding.where, _MOST_CHARACTERS),
            problem=one_line(finding.problem, _MOST_CHARACTERS),
            remedy=one_line(finding.remedy, _MOST_CHARACTERS),
            severity=finding.severity,
        )
        for finding in ordered[:MOST_LISTED]
    ]
    if omitted := len(findings) - len(listed):
        listed.append(
            SafeFinding(
                clause="EPC-2.8",
                where="",
                problem=f"{omitted} more findings are not listed",
                remedy="mend these first",
                severity="warning",
            )
        )
    return tuple(listed)


def _errors(findings: Sequence[Finding | SafeFinding]) -> bool:
    return any(finding.severity == "error" for finding in findings)


def headline(report: Report) -> str:
    """Return the verdict on a report as one sentence; text ends with it, and a summary begins."""
    outcomes = [submission.standing for submission in report.submissions]
    if not outcomes and not _errors(report.findings):
        nothing = "There is no submission to check"
        if count := len(report.findings):
            changes = "change" if count == 1 else f"{count} changes"
            return f"{nothing}; a maintainer looks at the {changes} named here."
        return f"{nothing}." if report.ok else "Refused."
    refused = _errors(report.findings) or report.foreign or not report.ok
    if refused or set(outcomes) - {"ready"}:
        listed = [*report.findings, *(f for s in report.submissions for f in s.findings)]
        count = sum(finding.severity == "error" for finding in listed)
        if not count and "not a baseline" in outcomes:
            return "Not to be published: what was measured cannot serve as a baseline."
        return f"Refused: {count} {'error' if count == 1 else 'errors'}."
    offer = "This submission" if len(outcomes) == 1 else f"Each of {len(outcomes)} submissions"
    return f"{offer} can be published."


def text(report: Report) -> Iterator[str]:
    """Yield the lines of a report for a terminal."""
    for submission in report.submissions:
        yield from _submission_lines(submission)
    for finding in report.findings:
        yield from finding_lines(finding)
    yield headline(report)


def _submission_lines(submission: SubmissionReport) -> Iterator[str]:
    yield f"{submission.slug}: {submission.standing}"
    if submission.evaluator:
        by = f", by {submission.contributor}" if submission.contributor else ""
        how = submission.endpoint or "?"
        yield f"  {submission.evaluator}, {how}, n = {submission.n}{by}"
    facts = (
        ("asked at", submission.address),
        ("claimed to be", submission.claimed),
        ("next free tag", submission.tag),
        ("audit", submission.audit),
    )
    yield from (f"  {title:<15}{fact}" for title, fact in facts if fact)
    yield from (f"  {figure_line(figure)}" for figure in submission.figures)
    yield from (f"  blocks publication: {block}" for block in submission.blocks)
    for finding in submission.findings:
        yield from finding_lines(finding)


def figure_line(figure: Figure) -> str:
    """Return one figure with its interval and, where it has one, its noise."""
    line = f"{figure.name:<34} {figure_text(figure.mean, figure.ci95, absent=NO_INTERVAL)}"
    if (floor := figure.noise_floor) and (excess := figure.excess):
        line += f"  noise floor {spread_text(floor.mean, floor.q025, floor.q975)}"
        line += f"  excess {figure_text(excess.mean, excess.ci95, '+.3f', NO_INTERVAL)}"
        line += f"  {interpreted(figure.mean, excess.ci95)}"
    return line.rstrip()


def finding_lines(finding: SafeFinding) -> Iterator[str]:
    """Yield a finding as `epc validate` prints one."""
    mark = "" if finding.severity == "error" else f"{finding.severity}: "
    where = finding.where or "(the whole)"
    yield f"  {where}: {mark}{finding.problem} [{finding.clause}]"
    yield f"    fix: {finding.remedy}"
