"""GitHub's attestation beside a submission: what it shows, and what passes for none."""

import base64
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from attack_support import attack, attacks
from attestation_support import Sigstore, sigstore
from program_support import as_text, run_program
from registry_support import commit, git
from submissions_support import SLUG, TODAY, Offered, errors, found, offered

from epc.digests import file_sha256
from epc.records.typed import parse
from epc.registry import trust
from epc.registry.fetching import fetch
from epc.registry.reading import of_folder
from epc.registry.record import Attested
from epc.registry.submissions.comment import markdown
from epc.registry.submissions.merged import promote
from epc.registry.submissions.report import Report
from epc.registry.tags import Tag
from epc.registry.trust import ISSUER, WORKFLOW
from epc.registry.verify import verify
from epc.registry.writing import locked
from epc.site.describing import by

pytestmark = pytest.mark.extra

Json = dict[str, Any]
RUN = "https://github.com/a-name/registry/actions/runs/12169989787/attempts/1"
NAMES = ("manifest.json", "trials.jsonl", "calls.jsonl", "weights.jsonl")


@dataclass(frozen=True, kw_only=True)
class Fork:
    """A submission whose run a fork could have measured, and the commit that it has in common."""

    offered: Offered
    commit: str

    @property
    def digests(self) -> dict[str, str]:
        return {name: file_sha256(self.offered.folder / name) for name in NAMES}

    def attest(self, *, by: Sigstore | None = None, **given: Any) -> Json:
        """Return the bundle that GitHub would make, but for what is given."""
        made = {"digests": self.digests, "commit": self.commit} | given
        return (by or sigstore()).attest(**made)

    def put(self, bundle: Json | bytes) -> Json:
        """Put a bundle into the submission, and return the report."""
        text = bundle if isinstance(bundle, bytes) else json.dumps(bundle).encode()
        (self.offered.folder / "attestation.json").write_bytes(text)
        return self.offered.check(author="a-name")


def forked(given: Offered, trusted: Path, patch: pytest.MonkeyPatch) -> Fork:
    """Give a registry a history, and let its checker trust the test's own authorities."""
    patch.setattr(trust, "TRUSTED_ROOT", sigstore().trusted(trusted))
    (given.checkout / ".gitattributes").write_text("snapshots/** -text\nsubmissions/** -text\n")
    git(given.checkout, "init", "--quiet")
    commit(given.checkout, "begin")
    return Fork(offered=given, commit=git(given.checkout, "rev-parse", "HEAD").strip())


@pytest.fixture
def fork(honest: Offered, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fork:
    return forked(honest, tmp_path, monkeypatch)


@pytest.fixture(scope="module")
def unread(submissions_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fork]:
    """One for all bundles, with a manifest that costs no time: it is read after them."""
    folder = tmp_path_factory.mktemp("bundles")
    with pytest.MonkeyPatch.context() as patch:
        fork = forked(offered(submissions_home, folder), folder, patch)
        (fork.offered.folder / "manifest.json").write_text("{}")
        yield fork


def test_an_attestation_is_shown_in_report_and_comment(fork: Fork) -> None:
    value = fork.put(fork.attest())

    assert errors(value) == []
    (submission,) = value["submissions"]
    assert submission["dossier"]["attestation"] == [
        f"measured in GitHub's runner by {WORKFLOW} of a-name/registry, 2026-07-02",
        f"at commit {fork.commit}, at which main itself was: nothing was edited",
        f"run: {RUN}",
    ]
    assert f"- `run: {RUN}`" in markdown(parse(value, Report))


def test_a_submission_without_one_is_as_good_as_before_and_says_so(fork: Fork) -> None:
    value = fork.offered.check(author="a-name")

    assert value["ok"] is True
    (submission,) = value["submissions"]
    assert submission["dossier"]["attestation"] == [
        "none: only the contributor's word says that this was measured"
    ]


def test_it_is_taken_from_the_run_s_folder_and_reaches_snapshot_card_and_page(
    fork: Fork, tmp_path: Path
) -> None:
    run, place = tmp_path / "run", fork.offered
    place.folder.rename(run)
    (run / "attestation.json").write_text(
        json.dumps(
            sigstore().attest({name: file_sha256(run / name) for name in NAMES}, commit=fork.commit)
        )
    )
    words = ("--contributor", "A. Name", "--login", "a-name", "--licence", "CC-BY-4.0")
    new = ("submission", "new", run, "--slug", SLUG, "--conflicts", "none", *words)

    done = as_text(run_program(*new, cwd=place.checkout))

    assert done.returncode == 0, done.stderr
    commit(place.checkout, "merge")
    with locked(place.checkout, tell=print) as lock:
        tag = promote(lock, place.folder, day=TODAY, tell=print)
    card = of_folder(place.checkout).snapshots[str(tag)].card
    assert card.attested == Attested(
        repository="a-name/registry",
        workflow=WORKFLOW,
        commit=fork.commit,
        run=RUN,
        day=TODAY.replace(day=2),
    )
    assert verify(place.checkout) == []
    sentence = f"measured in GitHub's runner by {WORKFLOW} of a-name/registry, 2026-07-02: {RUN}"
    assert ("Attested", sentence) in by(card)
    fetch(Tag.parse(str(tag)), tmp_path / "again", location=str(place.checkout), store=None)
    kept = (tmp_path / "again" / "attestation.json").read_bytes()
    assert kept == (run / "attestation.json").read_bytes()


def test_reading_r99_verdicts_that_were_recorded_before_are_not_attested(fork: Fork) -> None:
    """A runner that read a file measured nothing."""
    fork.offered.manifest(lambda manifest: manifest["evaluator"].update(method="recorded"))

    value = fork.put(fork.attest())

    wanted = ("Submission S15", "attestation.json", "is of verdicts that were recorded before")
    assert found(value, wanted), errors(value)
    assert value["submissions"][0]["dossier"]["attestation"][0].startswith("refused")


def without_entry(fork: Fork) -> Json:
    bundle = fork.attest()
    bundle["verificationMaterial"]["tlogEntries"] = []
    return bundle


def with_edited_payload(fork: Fork) -> Json:
    """Let another run's statement stand in the envelope that was signed."""
    bundle = fork.attest(digests=dict.fromkeys(NAMES, "0" * 64))
    bundle["dsseEnvelope"]["payload"] = fork.attest()["dsseEnvelope"]["payload"]
    return bundle


def with_another_entry(fork: Fork) -> Json:
    bundle = fork.attest()
    other = fork.attest()["verificationMaterial"]["tlogEntries"]
    bundle["verificationMaterial"]["tlogEntries"] = other
    return bundle


def without_time(fork: Fork) -> Json:
    bundle = fork.attest()
    del bundle["verificationMaterial"]["tlogEntries"][0]["inclusionPromise"]
    return bundle


def of_another_time(fork: Fork) -> Json:
    bundle = fork.attest()
    bundle["verificationMaterial"]["tlogEntries"][0]["integratedTime"] = "1900000000"
    return bundle


def with_a_message(fork: Fork) -> Json:
    """Sign a file's digest, as other tools do, in place of a statement."""
    bundle = fork.attest()
    (signature,) = bundle.pop("dsseEnvelope")["signatures"]
    digest = {"algorithm": "SHA2_256", "digest": base64.b64encode(bytes(32)).decode()}
    bundle["messageSignature"] = {"messageDigest": digest, "signature": signature["sig"]}
    return bundle


def with_escapes(fork: Fork) -> Json:
    return {**fork.attest(), "mediaType": "\x1b[2J::error::x\n`<img src=x>`"}


STOLEN = "https://github.com/a-name/registry/.github/workflows/measure.yml@refs/heads/main"
# What a bundle is, and a part of what is said of it.
BUNDLES: dict[str, tuple[Callable[[Fork], Json | bytes], str]] = {
    "another_runs_digests": (
        lambda fork: fork.attest(digests=dict.fromkeys(NAMES, "0" * 64)),
        "is of other files: calls.jsonl is not among what was attested",
    ),
    "one_file_replaced_since": (
        lambda fork: fork.attest(digests=fork.digests | {"trials.jsonl": "0" * 64}),
        "is of other files: trials.jsonl is not among what was attested",
    ),
    "another_login_s_repository": (
        lambda fork: fork.attest(login="mallory"),
        "made in https://github.com/mallory/registry, expected a fork of a-name",
    ),
    "a_login_that_begins_alike": (
        lambda fork: fork.attest(login="a-name2"),
        "made in https://github.com/a-name2/registry, expected a fork of a-name",
    ),
    "another_issuer": (
        lambda fork: fork.attest(issuer="https://accounts.example"),
        f"issued for https://accounts.example, expected {ISSUER}",
    ),
    "another_workflow": (
        lambda fork: fork.attest(
            workflow="https://github.com/a-name/registry/.github/workflows/forge.yml@refs/heads/main"
        ),
        "made by https://github.com/a-name/registry/.github/workflows/forge.yml@refs/heads/main",
    ),
    "the_workflow_of_another_repository": (
        lambda fork: fork.attest(
            workflow=f"https://github.com/mallory/tools/{WORKFLOW}@refs/heads/main"
        ),
        "made by https://github.com/mallory/tools/.github/workflows/measure.yml@refs/heads/main",
    ),
    "made_out_to_another_workflow": (
        lambda fork: fork.attest(identity="https://github.com/a-name/registry/.github/x.yml@main"),
        "made out to https://github.com/a-name/registry/.github/x.yml@main",
    ),
    "a_runner_of_ones_own": (
        lambda fork: fork.attest(runner="self-hosted"),
        "made on a runner self-hosted, expected github-hosted",
    ),
    "a_commit_of_the_fork_alone": (
        lambda fork: fork.attest(commit="0" * 40),
        f"made at commit {'0' * 40}, at which this repository's main never was",
    ),
    "a_commit_that_is_an_option": (
        lambda fork: fork.attest(commit="--output=canary"),
        "made at commit --output=canary, at which this repository's main never was",
    ),
    "the_workflow_at_another_commit": (
        lambda fork: fork.attest(workflow_commit="0" * 40),
        "at which this repository's main never was",
    ),
    "another_predicate": (
        lambda fork: fork.attest(predicate="https://docs.pypi.org/attestations/publish/v1"),
        "states https://in-toto.io/Statement/v1 https://docs.pypi.org/attestations/publish/v1",
    ),
    "a_foreign_root": (
        lambda fork: fork.attest(by=Sigstore()),
        "does not hold: failed to build timestamp certificate chain",
    ),
    "edited_payload": (with_edited_payload, "does not hold: DSSE: invalid signature"),
    "no_log_entry": (without_entry, "is no Sigstore bundle: expected exactly one log entry"),
    "anothers_log_entry": (with_another_entry, "does not hold: log entry"),
    "no_time": (without_time, "must contain an inclusion promise or signed timestamp"),
    "another_time": (of_another_time, "does not hold: "),
    "a_message_and_no_statement": (with_a_message, "without a DSSE envelope"),
    "no_json": (lambda _: b"{not json", "is no Sigstore bundle: "),
    "deep_json": (lambda _: b'{"a":' * 40_000, "is no Sigstore bundle: "),
    "no_bundle": (lambda _: b"{}", "is no Sigstore bundle: "),
    "escapes": (with_escapes, "is no Sigstore bundle: "),
}


KINDS = attacks(
    BUNDLES,
    "publication",
    execution=("a_commit_that_is_an_option",),
    bounds=("deep_json",),
    injection=("escapes",),
)


@pytest.mark.parametrize("case", KINDS)
def test_a_bundle_that_shows_nothing_of_this_run_is_refused_by_name(
    case: str, unread: Fork
) -> None:
    build, problem = BUNDLES[case]

    value = unread.put(build(unread))

    assert found(value, ("Submission S15", "attestation.json", problem)), errors(value)
    (submission,) = value["submissions"]
    assert submission["dossier"]["attestation"] == ["refused: the findings say why"]
    assert all("\x1b" not in f["problem"] and "\n" not in f["problem"] for f in errors(value))
    assert not list(unread.offered.checkout.rglob("canary"))


@attack("bounds")
@pytest.mark.parametrize(
    ("content", "clause", "problem"),
    [
        (b'{"a":"' + b"x" * 50_000_000, "Submission S3", "50,000,006 bytes, expected at most"),
        (b"not json", "Submission S2", "begins with b'n', expected JSON: a brace"),
    ],
    ids=["50 MB", "text"],
)
def test_a_bundle_is_not_opened_if_it_is_large_or_no_object(
    content: bytes, clause: str, problem: str, unread: Fork
) -> None:
    value = unread.put(content)

    assert found(value, (clause, "attestation.json", problem))


def test_a_runner_that_lacks_the_package_says_so(
    fork: Fork, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    (fork.offered.folder / "attestation.json").write_text(json.dumps(fork.attest()))
    monkeypatch.setitem(sys.modules, "sigstore", None)

    done = as_text(run_program("submission", "check", cwd=fork.offered.checkout))

    assert done.returncode == 2
    assert "fix: pip install 'epc-registry[attest]'" in done.stderr
