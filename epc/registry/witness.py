"""What somebody else saw of the registry: a small file, kept where its maintainers cannot write.

Whoever can rewrite a repository can rewrite its history, its signed heads and its list of signers.
They cannot rewrite what a mirror noted before.
"""

import hashlib
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from epc.errors import Finding, UsageError, WorldError
from epc.records import strict_json
from epc.records.findings import Findings
from epc.records.typed import parse
from epc.registry import layout
from epc.registry.chain import event_lines, heads, signed_heads
from epc.registry.history import behind, git, is_ancestor
from epc.registry.sums import sha256

_CLAUSE: Final = "EPC-4"
_ASK: Final = "ask the maintainers, and keep this file; other mirrors can tell what they saw"


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """A registry as it was seen on a day: its commit, its chain, each event's digest."""

    day: date
    commit: str | None
    head: str
    events: tuple[str, ...]
    signed: int
    signers: str | None


def seen(checkout: Path, day: date) -> Witness:
    """Return what there is to see of a checkout."""
    lines = event_lines(checkout)
    signers = checkout / layout.FOLDER / layout.SIGNERS
    try:
        commit = git(checkout, "rev-parse", "--verify", "HEAD").strip()
    except WorldError:
        commit = None
    return Witness(
        day=day,
        commit=commit,
        head=heads(lines)[-1],
        events=tuple(hashlib.sha256(line).hexdigest() for line in lines),
        signed=len(signed_heads(checkout)),
        signers=sha256(signers) if signers.is_file() else None,
    )


def read(path: Path) -> Witness:
    """Return what a file says.

    Raises: UsageError if it is no witness.
    """
    value, problems = strict_json.read(path)
    try:
        if not problems:
            return parse(value, Witness)
    except ValueError:
        pass
    raise UsageError(f"{path} is no witness\n  fix: `epc snapshot witness NEW-FILE` makes one")


def against(before: Witness, checkout: Path) -> list[Finding]:
    """Return what was seen before and is no longer so."""
    findings, now = Findings(), seen(checkout, before.day)
    file, on = f"{layout.FOLDER}/{layout.EVENTS}", f"seen on {before.day}"
    _events(before, now, file, findings)
    if before.commit and not is_ancestor(checkout, before.commit):
        problem = (
            f"commit {before.commit}, {on}, is not in this history: it was rewritten "
            "by a force-push, or the clone is shallow"
        )
        findings.add(_CLAUSE, "git", problem, _ASK)
    if now.signed < before.signed:
        problem = f"{before.signed} signed heads were {on}, {now.signed} are here"
        findings.add(_CLAUSE, f"{layout.FOLDER}/{layout.HEADS}", problem, _ASK)
    if now.signers != before.signers:
        problem = f"names other keys than those {on}"
        where = f"{layout.FOLDER}/{layout.SIGNERS}"
        findings.add(_CLAUSE, where, problem, "see who changed it, and why", severity="warning")
    return findings.kept()


def _events(before: Witness, now: Witness, file: str, findings: Findings) -> None:
    if now.events[: len(before.events)] == before.events:
        return
    on = f"seen on {before.day}"
    present = set(now.events)
    for number, digest in enumerate(before.events, start=1):
        if digest not in present:
            problem = f"event {number}, {on} with SHA-256 {digest}, was removed or changed"
            findings.add(_CLAUSE, f"{file}:{number}", problem, _ASK)
    for digest in behind(list(before.events), list(now.events)):
        number = before.events.index(digest) + 1
        problem = f"event {number} no longer stands behind those that it was {on} behind"
        findings.add(_CLAUSE, f"{file}:{number}", problem, _ASK)
    known = set(before.events)
    for number, digest in enumerate(now.events[: len(before.events)], start=1):
        if digest not in known:
            problem = f"line {number} was not there, {on}, and stands among those that were"
            findings.add(_CLAUSE, f"{file}:{number}", problem, _ASK)
