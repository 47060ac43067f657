"""Which words of trust the snapshots have earned, from their files alone (Reading R99).

A card's word is a claim. `epc snapshot verify` derives it anew, each time: figures from the raw
files, an attestation from its bundle, a repetition from both measurements.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from epc.digests import parse_sums
from epc.errors import Finding
from epc.extras import require
from epc.printable import shown
from epc.records import strict_json
from epc.records.findings import Findings
from epc.records.layout import ATTESTATION, CALLS, MANIFEST
from epc.records.manifest import Manifest
from epc.registry import layout, spot_checks
from epc.registry.figures import disagreement
from epc.registry.history import is_on_first_parents
from epc.registry.recomputing import recomputable, recompute
from epc.registry.record import Attested, Record
from epc.registry.registry import Registry
from epc.registry.store import fetched, reader

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

WORKFLOW: Final = ".github/workflows/measure.yml"
ISSUER: Final = "https://token.actions.githubusercontent.com"
PREDICATE: Final = "https://slsa.dev/provenance/v1"
TRUSTED_ROOT: Final = Path(__file__).with_name("trusted_root.json")
_ENVELOPE: Final = "application/vnd.in-toto+json"
_STATEMENT: Final = "https://in-toto.io/Statement/v1"
_GITHUB: Final = "https://github.com/"
_COMMIT: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_LONGEST: Final = 160
# What GitHub says of a job in its certificate: extensions below this one, as text.
_OID: Final = "1.3.6.1.4.1.57264.1."
_SAYS: Final = {
    "issuer": "8",
    "workflow": "9",
    "workflow_commit": "10",
    "runner": "11",
    "repository": "12",
    "commit": "13",
    "run": "21",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """GitHub's word for the job that signed: `identity` is whom the certificate is made out to."""

    identity: str
    issuer: str
    workflow: str
    workflow_commit: str
    runner: str
    repository: str
    commit: str
    run: str


class _Digest(msgspec.Struct):
    sha256: str


class _Subject(msgspec.Struct):
    digest: _Digest


class _Statement(msgspec.Struct):
    """An in-toto statement, as far as it is read here."""

    kind: str = msgspec.field(name="_type")
    predicate: str = msgspec.field(name="predicateType")
    subject: list[_Subject]


class UnverifiedError(Exception):
    """A bundle that shows nothing, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """What a bundle shows: `says` is GitHub's word for the job, `subjects` are digests of files."""

    says: Job
    subjects: frozenset[str]
    day: date


class _Reader:
    """Reads what a certificate says of a job; the caller judges it."""

    says: Job

    def verify(self, cert: "Certificate") -> None:
        """Keep what it says, as `sigstore` asks of a policy."""
        self.says = Job(**dict(_told(cert)))


def signed(bundle: bytes, root: Path) -> Signed:
    """Return what a Sigstore bundle shows to those who trust the keys in a file.

    Verified are the certificate's chain at the time of signing, its place in the log of
    certificates, its signature's place in the log of signatures, and the signature. No server is
    asked.

    Raises: UnverifiedError if it shows nothing; MissingExtraError if `sigstore` is missing.
    """
    require("attest")
    from sigstore.models import Bundle, TrustedRoot
    from sigstore.verify import Verifier

    trusted, job = TrustedRoot.from_file(str(root)), _Reader()
    try:
        parsed = Bundle.from_json(bundle)
    except Exception as error:
        raise UnverifiedError(f"is no Sigstore bundle: {_said(error)}") from error
    try:
        kind, payload = Verifier(trusted_root=trusted).verify_dsse(parsed, job)
    except Exception as error:
        raise UnverifiedError(f"does not hold: {_said(error)}") from error
    day = parsed.signing_certificate.not_valid_before_utc.date()
    return Signed(says=job.says, subjects=_subjects(kind, payload), day=day)


def attested(
    bundle: bytes, digests: Mapping[str, str], login: str, checkout: Path
) -> tuple[Attested | None, list[Finding]]:
    """Return what GitHub attests of files of a login, or why a bundle shows nothing of them."""
    try:
        shows = signed(bundle, TRUSTED_ROOT)
    except UnverifiedError as error:
        return None, [finding(str(error))]
    own, wrong = held(shows, digests, login, checkout)
    return (None if wrong else own), wrong


def held(
    shows: Signed, digests: Mapping[str, str], login: str, checkout: Path
) -> tuple[Attested, list[Finding]]:
    """Return what is attested of files, by name and SHA-256, and what is wrong with it.

    `login` is who must have measured. Only a commit that the checkout's branch itself was at is
    known to run what was reviewed: a merge brings in others, with workflows of their own.
    """
    says = shows.says
    repository = says.repository.removeprefix(_GITHUB)
    workflow, _, ref = says.workflow.partition("@")
    own = Attested(
        repository=repository,
        workflow=workflow.removeprefix(f"{says.repository}/"),
        commit=says.commit,
        run=says.run,
        day=shows.day,
    )
    owner = repository.partition("/")[0]
    wanted = (
        (says.issuer == ISSUER, f"issued for {says.issuer}", ISSUER),
        (says.identity == says.workflow, f"made out to {says.identity}", says.workflow),
        (own.workflow == WORKFLOW and bool(ref), f"made by {says.workflow}", WORKFLOW),
        (
            owner.casefold() == login.casefold(),
            f"made in {says.repository}",
            f"a fork of {login}",
        ),
        (says.runner == "github-hosted", f"made on a runner {says.runner}", "github-hosted"),
        (
            says.workflow_commit == own.commit
            and bool(_COMMIT.fullmatch(own.commit))
            and is_on_first_parents(checkout, own.commit),
            f"made at commit {own.commit}, at which this repository's main never was",
            "one at which it was: bring the fork up to date first",
        ),
    )
    wrong = [finding(f"{what}, expected {other}") for holds, what, other in wanted if not holds]
    wrong += [
        finding(f"is of other files: {name} is not among what was attested")
        for name, digest in digests.items()
        if digest not in shows.subjects
    ]
    return own, wrong


def finding(problem: str, clause: str = "Submission S15") -> Finding:
    """Return a finding in the attestation."""
    remedy = f"measure once more with {WORKFLOW}, or offer the run without {ATTESTATION}"
    return Finding(clause=clause, where=ATTESTATION, problem=shown(problem), remedy=remedy)


def _told(certificate: "Certificate") -> Iterator[tuple[str, str]]:
    """Yield what a certificate says of a job.

    Raises: ValueError if it does not say it as GitHub's do.
    """
    from cryptography.hazmat import asn1
    from cryptography.x509 import (
        ObjectIdentifier,
        SubjectAlternativeName,
        UniformResourceIdentifier,
        UnrecognizedExtension,
    )

    extensions = certificate.extensions
    names = extensions.get_extension_for_class(SubjectAlternativeName).value
    (identity,) = names.get_values_for_type(UniformResourceIdentifier)
    yield "identity", identity
    for name, number in _SAYS.items():
        value = extensions.get_extension_for_oid(ObjectIdentifier(f"{_OID}{number}")).value
        if not isinstance(value, UnrecognizedExtension):
            raise ValueError(f"{name} is no text")  # noqa: TRY004  (of a file, not of a caller)
        yield name, asn1.decode_der(str, value.value)


def _subjects(kind: str, payload: bytes) -> frozenset[str]:
    """Return the SHA-256 of what a statement is about.

    Raises: UnverifiedError if it is no provenance of a build.
    """
    if kind != _ENVELOPE:
        raise UnverifiedError(f"holds {kind}, expected {_ENVELOPE}")
    try:
        statement = msgspec.json.decode(payload, type=_Statement)
    except (ValueError, RecursionError) as error:
        raise UnverifiedError("holds no statement about files by their SHA-256") from error
    stated = (statement.kind, statement.predicate)
    if stated != (_STATEMENT, PREDICATE):
        raise UnverifiedError(f"states {stated[0]} {stated[1]}, expected {_STATEMENT} {PREDICATE}")
    return frozenset(each.digest.sha256 for each in statement.subject)


def _said(error: Exception) -> str:
    """Return what a library says of a hostile file, as far as one reads it."""
    return shown(" ".join(f"{error}".split()) or type(error).__name__, _LONGEST)


_READING: Final = "Reading R99"
_REMEDY: Final = "take the snapshot out, and publish it as `epc admin submission publish` does"
_CALLS: Final = f"raw/{CALLS}"


def check(checkout: Path, registry: Registry, findings: Findings) -> None:
    """Note each word of trust that does not follow from files that are as they were published.

    Raises: MissingExtraError if there is an attestation and nothing to verify it with; WorldError
    if the disk or git fails.
    """
    for again in recompute(checkout, registry, recomputable(registry, ())):
        if not again.ok:
            says = f"says {registry.snapshots[again.tag].trust}, and its raw files say otherwise"
            _note(again.tag, f"{says}: {(*again.changed, *again.problems)[0]}", findings)
    for tag, snapshot in registry.snapshots.items():
        card = snapshot.card
        if card.audit and (card.trust == "attested" or card.attested):
            _attested(checkout, card, findings)
            if card.replicates:
                _repeated(checkout, registry, tag, card.replicates, findings)
    spot_checks.check(checkout, findings)


def _attested(checkout: Path, card: Record, findings: Findings) -> None:
    home = checkout / layout.FOLDER
    sums, pointer = _sums(home, card.tag), (home / card.tag / layout.POINTER).read_text("utf-8")
    kept = dict(fetched(pointer, sums, reader(str(home / layout.STORE)), {ATTESTATION}))
    if ATTESTATION not in kept:
        _note(card.tag, "says attested, and keeps no attestation", findings)
        return
    digests = {MANIFEST: sums[MANIFEST]}
    digests |= {n.removeprefix("raw/"): value for n, value in sums.items() if n.startswith("raw/")}
    del digests[ATTESTATION]
    shows, wrong = attested(kept[ATTESTATION], digests, card.login or "", checkout)
    for finding in wrong:
        _note(card.tag, f"says attested; its attestation {finding.problem}", findings)
    if shows and (card.trust, card.attested) != ("attested", shows):
        _note(card.tag, f"says {card.trust}, {card.attested}; its attestation {shows}", findings)
    manifest = Manifest.parse(strict_json.read(home / card.tag / MANIFEST)[0])
    if manifest.evaluator.method == "recorded":
        _note(card.tag, "says attested, and its verdicts were recorded before", findings)


def _repeated(
    checkout: Path, registry: Registry, tag: str, repeated: str, findings: Findings
) -> None:
    """Note that an attested measurement does not repeat what it says that it repeats."""
    own, other = registry.snapshots[tag], registry.snapshots.get(repeated)
    problem = disagreement(other, own) if other else "there is no such snapshot"
    home = checkout / layout.FOLDER
    if not problem and _sums(home, tag)[_CALLS] == _sums(home, repeated)[_CALLS]:
        problem = "the answers are the same"
    if problem:
        _note(tag, f"does not repeat {repeated}: {problem}", findings)


def _sums(home: Path, tag: str) -> Mapping[str, str]:
    return parse_sums((home / tag / layout.SUMS).read_text("utf-8")) or {}


def _note(tag: str, problem: str, findings: Findings) -> None:
    findings.add(_READING, f"{layout.FOLDER}/{tag}/{layout.CARD}", problem, _REMEDY)
