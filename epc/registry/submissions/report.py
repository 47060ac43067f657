"""What a check says, as one JSON value; its text, its exit code and its comment follow from it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from epc.analysis.audit import Audit
from epc.errors import Finding
from epc.printable import shown
from epc.protocol.results import Json
from epc.records.findings import Findings
from epc.records.manifest import Evaluator, Manifest
from epc.registry import platforms
from epc.registry.submissions.against import Fingerprint
from epc.registry.submissions.figures import figures
from epc.registry.submissions.statement import Statement

SCHEMA: Final = 1
MOST_LISTED: Final = 100
_LONGEST: Final = 400


@dataclass(kw_only=True)
class Checked:
    """What was found in one submission, as far as it could be looked into."""

    slug: str
    found: Findings
    statement: Statement | None = None
    manifest: Manifest | None = None
    audit: Audit | None = None
    blocks: list[str] = field(default_factory=list)
    fingerprint: Fingerprint | None = None
    overlap: list[Json] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether it can be merged and published."""
        return not self.blocks and not _errors(self.found.kept())


def report(
    done: Sequence[Checked],
    whole: Findings,
    foreign: Sequence[str],
    tags: Mapping[str, str | None],
) -> Json:
    """Return the report on some submissions."""
    general = whole.kept()
    return {
        "schema": SCHEMA,
        "ok": not _errors(general) and all(each.ok for each in done),
        "submissions": [_submission(each, tags.get(each.slug)) for each in done],
        "foreign": list(foreign),
        "findings": _listed(general),
    }


def _submission(checked: Checked, tag: str | None) -> Json:
    statement, manifest, audit = checked.statement, checked.manifest, checked.audit
    evaluator = manifest.evaluator if manifest else None
    return {
        "slug": shown(checked.slug),
        "ok": checked.ok,
        "tag": tag,
        "contributor": shown(statement.contributor) if statement else None,
        "evaluator": shown(evaluator.model) if evaluator else None,
        "endpoint": _endpoint(statement, evaluator),
        "address": shown(evaluator.endpoint) if evaluator else None,
        "claimed": _claimed(statement) if statement else None,
        "n": len(manifest.config.seeds) if manifest else None,
        "audit": _audited(audit) if audit else None,
        "figures": figures(manifest, audit) if manifest and audit else [],
        "overlap": checked.overlap,
        "blocks": checked.blocks,
        "findings": _listed(checked.found.kept()),
    }


def _claimed(statement: Statement) -> str:
    """Return which generation is claimed to have been asked, and where."""
    where = f" on {statement.platform}" if statement.platform else ""
    return f"{shown(statement.generation)}{shown(where)}"


def _endpoint(statement: Statement | None, evaluator: Evaluator | None) -> str | None:
    """Return how the evaluator was asked; what its record shows outweighs what is declared."""
    if evaluator and platforms.kind_of(evaluator) == "gateway":
        return "gateway"
    return statement.endpoint if statement else None


def _audited(audit: Audit) -> Json:
    given = audit.as_json()
    kept = {key: given[key] for key in ("verdict", "rule", "p_value", "tie_rate", "control")}
    return {**kept, "findings": _listed(audit.findings)}


def _listed(findings: Sequence[Finding]) -> list[Json]:
    """Return findings as JSON that can be shown anywhere: errors first, so many, so long."""
    ordered = sorted(findings, key=lambda finding: finding.severity != "error")
    listed = [
        {key: shown(value, _LONGEST) for key, value in finding.as_json().items()}
        for finding in ordered[:MOST_LISTED]
    ]
    if more := len(findings) - len(listed):
        left = {"clause": "EPC-2.8", "where": "", "severity": "warning"}
        problem = {"problem": f"{more} more findings are not listed", "remedy": "mend these first"}
        listed.append({**left, **problem})
    return listed


def _errors(findings: Sequence[Finding]) -> bool:
    return any(finding.severity == "error" for finding in findings)


def standing(submission: Json) -> str:
    """Return what a submission comes to, in a word or two: from its findings, not its flags."""
    if any(finding["severity"] == "error" for finding in submission["findings"]):
        return "refused"
    if submission["blocks"]:
        return "not a baseline"
    return "ready" if submission["ok"] else "refused"


def headline(value: Json) -> str:
    """Return the verdict on a report as one sentence; text and comment begin with it."""
    words = [standing(submission) for submission in value["submissions"]]
    general = [f for f in value["findings"] if f["severity"] == "error"]
    if not words and not general:
        return "There is no submission to check." if value["ok"] else "Refused."
    if value["foreign"] or general or set(words) - {"ready"} or not value["ok"]:
        own = [f for s in value["submissions"] for f in s["findings"] if f["severity"] == "error"]
        count = len(own) + len(general)
        if not count and "not a baseline" in words:
            return "Not to be published: what was measured cannot serve as a baseline."
        return f"Refused: {count} {'error' if count == 1 else 'errors'}."
    many = "This submission" if len(words) == 1 else f"Each of {len(words)} submissions"
    return f"{many} can be published."


def text(value: Json) -> Iterator[str]:
    """Yield the lines of a report for a terminal."""
    for submission in value["submissions"]:
        yield from _submission_lines(submission)
    for finding in value["findings"]:
        yield from finding_lines(finding)
    yield headline(value)


def _submission_lines(given: Json) -> Iterator[str]:
    yield f"{given['slug']}: {standing(given)}"
    if given["evaluator"]:
        by = f", by {given['contributor']}" if given["contributor"] else ""
        how = given["endpoint"] or "?"
        yield f"  {given['evaluator']}, {how}, n = {given['n']}{by}"
    for title, key in (("asked at", "address"), ("claimed to be", "claimed")):
        if given.get(key):  # reports of before these were told have neither
            yield f"  {title:<15}{given[key]}"
    if given["tag"]:
        yield f"  next free tag  {given['tag']}"
    if given["audit"]:
        yield f"  audit          {audit_words(given['audit'])}"
    for figure in given["figures"]:
        yield f"  {figure_line(figure)}"
    yield from (f"  overlap        {overlap_line(each)}" for each in given.get("overlap", []))
    for block in given["blocks"]:
        yield f"  blocks publication: {block}"
    for finding in given["findings"]:
        yield from finding_lines(finding)


def audit_words(audit: Json) -> str:
    """Return an audit's word with its rule; reports of rule 1 state none."""
    return f"{audit['verdict']} (rule {audit.get('rule', 1)})"


def overlap_line(overlap: Json) -> str:
    """Return with what a submission's verdicts agree, and on how many pairs."""
    return f"{overlap['same']} of {overlap['pairs']} verdicts are those of {overlap['with']}"


def figure_line(figure: Json) -> str:
    """Return one figure with its interval and, where it has one, its noise."""
    line = f"{figure['name']:<34} {figure['mean']:.3f} {_interval(figure['ci95'])}"
    if figure["noise_floor"]:
        floor, excess = figure["noise_floor"], figure["excess"]
        line += f"  noise floor {floor['mean']:.3f} ({floor['q025']:.2f} to {floor['q975']:.2f})"
        line += f"  excess {excess['mean']:+.3f} {_interval(excess['ci95'])}"
    return line.rstrip()


def _interval(bounds: Sequence[float] | None) -> str:
    return f"[{bounds[0]:.3f}, {bounds[1]:.3f}]" if bounds else "(no interval)"


def finding_lines(finding: Json) -> Iterator[str]:
    """Yield a finding as `epc validate` prints one."""
    mark = "" if finding["severity"] == "error" else f"{finding['severity']}: "
    place = finding["where"] or "(the whole)"
    yield f"  {place}: {mark}{finding['problem']} [{finding['clause']}]"
    yield f"    fix: {finding['remedy']}"
