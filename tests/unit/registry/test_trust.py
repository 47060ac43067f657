"""What an attestation shows, by a public one and by those of a test's own authorities.

`public_attestation.json` is what GitHub's action signed of the release 0.0.19 of pypi-attestations.
Its source archive of release 0.0.30 on PyPI (Trail of Bits, Apache-2.0) has it as
`test/assets/pypi_attestations-0.0.19.tar.gz.slsa.attestation`, here in the form of a bundle.
"""

import json
import re
from datetime import UTC, date, datetime
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from attestation_support import Sigstore, sigstore
from registry_support import commit, git

from epc.records.findings import Findings
from epc.registry import trust
from epc.registry.trust import (
    ISSUER,
    TRUSTED_ROOT,
    WORKFLOW,
    Job,
    Signed,
    UnverifiedError,
    held,
    signed,
)

pytestmark = pytest.mark.extra

PUBLIC = Path(__file__).with_name("public_attestation.json")
# Of the archive pypi_attestations-0.0.19.tar.gz, by sha256sum.
ARCHIVE = "9bb1add04b1b4e182be6b0b80931593f7a291eb49d69b4fd728a5d4cbcdc4bd3"


def test_a_public_attestation_is_verified_without_any_server() -> None:
    """Sockets other than loopback's are blocked in every test."""
    shows = signed(PUBLIC.read_bytes(), TRUSTED_ROOT)

    assert shows.subjects == {ARCHIVE}
    assert shows.day == date(2024, 12, 4)
    assert shows.says.repository == "https://github.com/trailofbits/pypi-attestations"
    assert shows.says.runner == "github-hosted"


def test_a_public_attestation_is_no_measurement_of_this_workflow(tmp_path: Path) -> None:
    shows = signed(PUBLIC.read_bytes(), TRUSTED_ROOT)

    _, wrong = held(shows, {"manifest.json": ARCHIVE}, "trailofbits", tmp_path)

    assert [re.match(r"made \w+", finding.problem)[0] for finding in wrong] == [  # type: ignore[index]  # each begins so
        "made by",
        "made at",
    ]


FORK = "https://github.com/A-Name/registry"
RUN = f"{FORK}/actions/runs/1/attempts/1"


def shows(head: str, **given: str) -> Signed:
    """Return what a fork's job at a commit shows, which measured `a`, or what is said otherwise."""
    workflow = f"{FORK}/{WORKFLOW}@refs/heads/main"
    said = {
        "identity": workflow,
        "issuer": ISSUER,
        "workflow": workflow,
        "workflow_commit": head,
        "runner": "github-hosted",
        "repository": FORK,
        "commit": head,
        "run": RUN,
    }
    return Signed(says=Job(**said | given), subjects=frozenset({ARCHIVE}), day=date(2026, 7, 2))


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    git(tmp_path, "init", "--quiet")
    (tmp_path / "file").write_text("content")
    commit(tmp_path)
    return tmp_path


def test_submission_s15_a_fork_s_job_at_a_commit_of_the_history_attests_what_it_measured(
    checkout: Path,
) -> None:
    """The login is spelt in other letters: GitHub's names are the same in both."""
    head = git(checkout, "rev-parse", "HEAD").strip()

    own, wrong = held(shows(head), {"manifest.json": ARCHIVE}, "a-name", checkout)

    assert wrong == []
    assert (own.repository, own.workflow) == ("A-Name/registry", WORKFLOW)
    assert (own.commit, own.run, own.day) == (head, RUN, date(2026, 7, 2))


def test_the_root_is_the_one_that_the_locked_package_carries() -> None:
    """A newer package with another root is looked at by a person, who then copies it."""
    name = "https%3A%2F%2Ftuf-repo-cdn.sigstore.dev"
    theirs = files("sigstore") / "_store" / name / "trusted_root.json"

    assert json.loads(TRUSTED_ROOT.read_text()) == json.loads(theirs.read_text("utf-8"))


def test_a_root_that_had_ended_before_the_signature_is_not_trusted(tmp_path: Path) -> None:
    ended = Sigstore(ended=datetime(2026, 1, 1, tzinfo=UTC))
    bundle = ended.attest({"a": "0" * 64}, commit="1" * 40)

    with pytest.raises(UnverifiedError, match=r"does not hold: failed to build .* chain"):
        signed(json.dumps(bundle).encode(), ended.trusted(tmp_path))


@pytest.mark.parametrize("kept", ["authority", "certificates", "signatures"])
def test_each_of_the_three_keys_must_be_the_root_s(kept: str, tmp_path: Path) -> None:
    """A forger who got hold of one of them gets no further."""
    own = sigstore()
    forger = Sigstore(**{kept: getattr(own, kept)})
    bundle = forger.attest({"a": "0" * 64}, commit="1" * 40)

    with pytest.raises(UnverifiedError, match="does not hold: "):
        signed(json.dumps(bundle).encode(), own.trusted(tmp_path))


STATEMENT = {
    "_type": "https://in-toto.io/Statement/v1",
    "predicateType": "https://slsa.dev/provenance/v1",
    "subject": [{"name": "a", "digest": {"sha256": "0" * 64}}],
}
IN_TOTO = "application/vnd.in-toto+json"


def test_a_statement_names_files_by_their_digests() -> None:
    assert trust._subjects(IN_TOTO, json.dumps(STATEMENT).encode()) == {"0" * 64}


@pytest.mark.parametrize(
    ("kind", "statement", "problem"),
    [
        ("text/plain", STATEMENT, f"holds text/plain, expected {IN_TOTO}"),
        (IN_TOTO, STATEMENT | {"subject": [{}]}, "holds no statement about files"),
        (
            IN_TOTO,
            STATEMENT | {"predicateType": "https://example.org/other"},
            f"https://example.org/other, expected {STATEMENT['_type']} ",
        ),
    ],
)
def test_another_statement_than_a_build_s_provenance_attests_nothing(
    kind: str, statement: object, problem: str
) -> None:
    with pytest.raises(UnverifiedError, match=re.escape(problem)):
        trust._subjects(kind, json.dumps(statement).encode())


@pytest.mark.parametrize(
    ("calls", "apart", "problem"),
    [
        ("2", "", None),
        ("1", "", "the answers are the same"),
        ("2", "gamma lies apart", "gamma lies apart"),
        (None, "", "there is no such snapshot"),
    ],
)
def test_reading_r99_a_repetition_has_answers_of_its_own_and_agrees(
    calls: str | None, apart: str, problem: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    sums = {"v1.0-A": {"raw/calls.jsonl": "1"}, "v1.0-B": {"raw/calls.jsonl": calls}}
    snapshots = {"v1.0-A": "a"} | ({"v1.0-B": "b"} if calls else {})
    registry: Any = SimpleNamespace(snapshots=snapshots)
    monkeypatch.setattr(trust, "_sums", lambda _, tag: sums[tag])
    monkeypatch.setattr(trust, "disagreement", lambda a, b: apart if (a, b) == ("b", "a") else "?")
    findings = Findings()

    trust._repeated(Path(), registry, "v1.0-A", "v1.0-B", findings)

    says = [f"does not repeat v1.0-B: {problem}"] if problem else []
    assert [f.problem for f in findings.kept()] == says
