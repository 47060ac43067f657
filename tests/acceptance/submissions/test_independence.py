"""Words of trust that a forger is after (Reading R99): each attack once got its word."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from attack_support import attack
from program_support import as_text, run_program
from registry_support import commit, git, unheard
from submissions_support import OPENAI, SLUG, TODAY, Offered, offered

from epc.analysis.choice_table import PriceEstimate
from epc.digests import file_sha256, sums_text
from epc.records.findings import Findings
from epc.records.strict_json import dumps
from epc.registry import publishing
from epc.registry.cards import Declaration
from epc.registry.reading import of_folder
from epc.registry.submissions import unpublished
from epc.registry.submissions.merged import promote
from epc.registry.verify import verify
from epc.registry.writing import locked

TAG = "v1.0-GPT4o-0806"
COPY = "v1.1-GPT4o-0806"


def published_of(submission: Offered) -> str:
    """Publish a submission with git, and return its tag."""
    with locked(submission.checkout, progress=unheard) as lock:
        return str(promote(lock, submission.folder, day=TODAY, progress=unheard))


def words_of(checkout: Path) -> dict[str, str]:
    registry = of_folder(checkout)
    return {tag: snapshot.trust for tag, snapshot in registry.snapshots.items()}


def problems(checkout: Path) -> list[str]:
    return [str(finding) for finding in verify(checkout) if finding.severity == "error"]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, submissions_home: Path) -> Offered:
    """A registry of git with a hosted model's measurement, and other answers of it on offer."""
    submission = offered(submissions_home, tmp_path_factory.mktemp("trust"))
    (submission.checkout / ".gitattributes").write_text(
        "snapshots/** -text\nsubmissions/** -text\n"
    )
    (submission.checkout / ".gitignore").write_text("/snapshots/.lock\n")
    submission.evaluator("GPT4o-0806", "openai", **OPENAI)
    submission.statement(contributor="H. Onest", login="h-onest")
    kept_folder = submission.checkout.parent / "kept"
    shutil.copytree(submission.folder, kept_folder)
    git(submission.checkout, "init", "--quiet")
    for key, value in {"user.name": "Test", "user.email": "t@example.org"}.items():
        git(submission.checkout, "config", key, value)
    commit(submission.checkout, "begin")
    assert published_of(submission) == TAG
    shutil.copytree(kept_folder, submission.folder)
    rows = submission.run.rows("calls")
    submission.rows("calls", [row | {"latency_s": 3 * row["latency_s"] + 1} for row in rows])
    submission.statement(contributor="B. Other", login="b-other", replicates=TAG)
    commit(submission.checkout, "offer")
    return submission


@pytest.fixture
def other(template: Offered, tmp_path: Path) -> Offered:
    checkout = tmp_path / "checkout"
    shutil.copytree(template.checkout, checkout, symlinks=True)
    folder = checkout / "submissions" / SLUG
    return replace(template, checkout=checkout, folder=folder)


def test_reading_r99_a_run_of_another_login_repeats_and_earns_no_word_by_it(other: Offered) -> None:
    tag = published_of(other)

    assert words_of(other.checkout) == dict.fromkeys(("v1.0-CoinFlip", TAG, COPY), "recomputed")
    assert tag == COPY
    assert of_folder(other.checkout).snapshots[COPY].card.replicates == TAG
    assert problems(other.checkout) == []


def by_hand(submission: Offered, change: Callable[[dict[str, object]], object], tag: str) -> None:
    """Change a published card, and every digest up to the event, and commit."""
    folder = submission.checkout / "snapshots" / tag
    card = json.loads((folder / "snapshot.json").read_text())
    change(card)
    (folder / "snapshot.json").write_text(dumps(card))
    before = file_sha256(folder / "SHA256SUMS")
    lines = (line.split() for line in (folder / "SHA256SUMS").read_text().splitlines())
    sums = {name: digest for digest, name in lines} | {
        "snapshot.json": file_sha256(folder / "snapshot.json")
    }
    (folder / "SHA256SUMS").write_text(sums_text(sums))
    events = submission.checkout / "snapshots" / "events.jsonl"
    events.write_text(events.read_text().replace(before, file_sha256(folder / "SHA256SUMS")))


ONESELF = Declaration(
    generation="GPT4o-0806",
    platform="openai",
    contributor="B. Other",
    login="b-other",
    licence="CC-BY-4.0",
    conflicts=None,
    proxy=False,
    replicates=None,
)


def published_by_hand(
    submission: Offered, change: Callable[[dict[str, object]], object]
) -> list[str]:
    """Return what is wrong once a first publication has a card of somebody's own.

    No event of before tells on it.
    """
    with locked(submission.checkout, progress=unheard) as lock:
        promote(lock, submission.folder, day=TODAY, progress=unheard, git=False)
    by_hand(submission, change, COPY)
    commit(submission.checkout, "a card of my own")
    return problems(submission.checkout)


@attack("publication")
@pytest.mark.parametrize(
    "claimed",
    [
        {"trust": "attested"},
        {"trust": "replicated"},
        {"trust": "observed"},
        {"attested": {"repository": "b-other/registry"}},
    ],
)
def test_reading_r99_a_card_claims_no_word_that_its_kind_has_not(
    claimed: dict[str, object], other: Offered
) -> None:
    wrong = published_by_hand(other, lambda card: card.update(claimed))

    assert wrong
    assert all(finding.startswith(f"snapshots/{COPY}/snapshot.json") for finding in wrong), wrong


@attack("publication")
@pytest.mark.parametrize(
    ("repeated", "problem"),
    [
        ("v9.9-GPT4o-0806", "there is no such snapshot"),
        ("v1.0-CoinFlip", "not like for like: "),
        (COPY, "a replication is a second contributor's"),
    ],
)
def test_reading_r99_verify_compares_what_a_card_says_that_it_repeats(
    repeated: str, problem: str, other: Offered
) -> None:
    (wrong,) = published_by_hand(other, lambda card: card.update(replicates=repeated))

    assert f"snapshots/{COPY}/snapshot.json: does not repeat {repeated}: {problem}" in wrong


@attack("publication")
def test_reading_r99_the_very_answers_of_another_repeat_nothing(other: Offered) -> None:
    """A maintainer published them on another day's word: no submission could be offered so."""
    rows = [row | {"latency_s": (row["latency_s"] - 1) / 3} for row in other.run.rows("calls")]
    other.rows("calls", rows)
    other.manifest(lambda manifest: manifest["evaluator"].update(measurement_date="2026-07-03"))
    oneself = replace(ONESELF, replicates=TAG)
    with locked(other.checkout, progress=unheard) as lock:
        offer = publishing.offered(other.folder, oneself)
        publishing.publish(lock, offer, day=TODAY, progress=unheard, git=False)
    commit(other.checkout, "the same answers")

    (wrong,) = problems(other.checkout)

    assert f"has the very answers of {TAG}, by H. Onest: a copy under another name" in wrong


@attack("publication")
def test_reading_r99_verify_recomputes_what_a_card_calls_recomputed(other: Offered) -> None:
    (wrong,) = published_by_hand(other, lambda card: card["audit"].update(p_value=0.5))  # type: ignore[attr-defined]

    assert "says recomputed, and its raw files say otherwise: /snapshot.json/audit/p_value" in wrong


def merge_of(checkout: Path, branch: str) -> str:
    """Return the commit that merging a branch makes, as GitHub keeps it beside a pull request."""
    tree = git(checkout, "merge-tree", "--write-tree", "main", branch).split()[0]
    return git(checkout, "commit-tree", tree, "-p", "main", "-p", branch, "-m", "m").strip()


def unpriced(*_: object) -> PriceEstimate:
    return PriceEstimate(usd=None, basis="none is stated")


def pulled(submission: Offered, change: Callable[[Offered], object]) -> list[str]:
    """Return what is found in a pull request that changes the registry."""
    git(submission.checkout, "checkout", "--quiet", "-b", "theirs")
    change(submission)
    commit(submission.checkout, "change") if git(
        submission.checkout, "status", "--porcelain"
    ) else None
    git(submission.checkout, "checkout", "--quiet", "main")
    findings = Findings()
    merge = merge_of(submission.checkout, "theirs")
    unpublished.check(submission.checkout, merge, TODAY, findings, unpriced)
    return [str(finding) for finding in findings.as_list()]


def put_straight_in(submission: Offered) -> None:
    published_of(submission)
    by_hand(submission, lambda card: card.update(replicates=None), COPY)


def linked(submission: Offered) -> None:
    card = submission.checkout / "snapshots" / TAG / "snapshot.json"
    outside = submission.checkout.parent / "outside.json"
    card.rename(outside)
    card.symlink_to(outside)


def removed(submission: Offered) -> None:
    shutil.rmtree(submission.checkout / "snapshots" / TAG)


def dropped(submission: Offered) -> None:
    events = submission.checkout / "snapshots" / "events.jsonl"
    events.write_text("".join(events.read_text().splitlines(keepends=True)[1:]))


def withdrawn(submission: Offered) -> None:
    line = {"date": "2026-07-10", "event": "withdrawn", "tag": TAG, "reason": "r"}
    events = submission.checkout / "snapshots" / "events.jsonl"
    events.write_text(events.read_text() + json.dumps(line) + "\n")


@attack("publication")
@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (put_straight_in, "is not what `epc admin submission publish` makes of main's submissions"),
        (linked, "is a link, expected a file"),
        (removed, "published files stay as they are"),
        (dropped, "an event was removed, changed or moved"),
    ],
)
def test_reading_r99_a_pull_request_publishes_nothing_by_hand(
    change: Callable[[Offered], None], problem: str, other: Offered
) -> None:
    found = pulled(other, change)

    assert found
    assert any(problem in finding for finding in found), found


@attack("publication")
def test_reading_r99_a_merge_that_is_called_head_is_that_commit_everywhere(other: Offered) -> None:
    """Main offers nothing, so nothing is made of it: a clone's own HEAD would agree with that."""
    kept_folder = other.checkout.parent / "kept"
    shutil.move(other.folder, kept_folder)
    commit(other.checkout, "nothing on offer")
    git(other.checkout, "checkout", "--quiet", "-b", "theirs")
    shutil.move(kept_folder, other.folder)
    put_straight_in(other)
    commit(other.checkout, "change")
    git(other.checkout, "checkout", "--quiet", "--detach", merge_of(other.checkout, "theirs"))

    done = as_text(run_program("submission", "check", "--merge", "HEAD", cwd=other.checkout))

    assert done.returncode == 1
    assert "is not what `epc admin submission publish` makes" in done.stdout


def test_reading_r99_what_publish_makes_has_no_finding(other: Offered) -> None:
    assert pulled(other, published_of) == []


def test_an_event_by_hand_is_named_for_the_maintainer(other: Offered) -> None:
    (named,) = pulled(other, withdrawn)

    assert f"events.jsonl: warning: {TAG} withdrawn on 2026-07-10: r" in named


@attack("outside")
def test_a_card_that_is_a_link_out_of_the_repository_is_named(other: Offered) -> None:
    linked(other)

    assert [f for f in problems(other.checkout) if f"{TAG}/snapshot.json: is a link" in f]


@attack("publication")
@pytest.mark.parametrize("at", ["HEAD", "HEAD~2"])
def test_a_moved_tag_is_named_whatever_its_commit_holds(at: str, other: Offered) -> None:
    git(other.checkout, "tag", "--force", "--annotate", "--message", "m", TAG, at)

    (wrong,) = problems(other.checkout)

    assert wrong.startswith(f"refs/tags/{TAG}: is a git tag of ")


@attack("publication")
def test_a_mirror_is_held_against_the_seal_that_the_checkout_has(
    other: Offered, tmp_path: Path
) -> None:
    mirror = tmp_path / "mirror"
    shutil.copytree(other.checkout, mirror)
    by_hand(replace(other, checkout=mirror), lambda card: card.update(contributor="M"), TAG)
    arguments = ("snapshot", "fetch", TAG, "--from", str(mirror), "--out", str(tmp_path / "got"))

    done = as_text(run_program(*arguments, cwd=other.checkout))

    assert done.returncode == 2, done.stderr
    assert "published with" in done.stderr
    assert not (tmp_path / "got").exists()


def verified(checkout: Path) -> tuple[int, str]:
    done = as_text(run_program("snapshot", "verify", cwd=checkout))
    return done.returncode, done.stdout


def resealed(checkout: Path, tag: str, name: str) -> None:
    """Make every digest up to the event fit a file that was changed."""
    folder = checkout / "snapshots" / tag
    before = file_sha256(folder / "SHA256SUMS")
    lines = (line.split() for line in (folder / "SHA256SUMS").read_text().splitlines())
    sums = {file: digest for digest, file in lines} | {name: file_sha256(folder / name)}
    (folder / "SHA256SUMS").write_text(sums_text(sums))
    events = checkout / "snapshots" / "events.jsonl"
    events.write_text(events.read_text().replace(before, file_sha256(folder / "SHA256SUMS")))


@attack("publication")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("outs:", "cmd: touch owned\nouts:"),
        ("outs:", "deps:\n- path: ../../secret\nouts:"),
        ("  path: raw\n", "  path: raw\n  remote: theirs\n"),
        ("  path: raw\n", "  path: ../../../epc\n"),
        ("outs:", "outs: !!python/object/apply:os.system ['true']\nelse:"),
        ("  hash: md5\n", "  hash: md5\n  cloud: {theirs: {etag: x}}\n"),
        ("nfiles: 3", "nfiles: 4"),
    ],
)
def test_reading_r99_verify_names_a_pointer_that_says_more_than_where_the_files_are(
    old: str, new: str, other: Offered
) -> None:
    pointer = other.checkout / "snapshots" / TAG / "raw.dvc"
    assert old in pointer.read_text()
    pointer.write_text(pointer.read_text().replace(old, new))
    resealed(other.checkout, TAG, "raw.dvc")

    code, said = verified(other.checkout)

    assert code == 1
    assert f"snapshots/{TAG}/raw.dvc: " in said


@attack("publication")
def test_reading_r99_verify_names_a_copy_under_another_contributor_s_name(other: Offered) -> None:
    """The very files in a second folder, with a card and an event of somebody else's own."""
    shutil.copytree(other.checkout / "snapshots" / TAG, other.checkout / "snapshots" / COPY)
    events = other.checkout / "snapshots" / "events.jsonl"
    (line,) = (line for line in events.read_text().splitlines() if f'"{TAG}"' in line)
    events.write_text(events.read_text() + line.replace(TAG, COPY) + "\n")
    mine = {"tag": COPY, "contributor": "B. Other", "login": "b-other"}
    folder = other.checkout / "snapshots" / COPY
    card = json.loads((folder / "snapshot.json").read_text()) | mine
    (folder / "snapshot.json").write_text(dumps(card))
    lines = (line.split() for line in (folder / "SHA256SUMS").read_text().splitlines())
    sums = {file: digest for digest, file in lines}
    sums["snapshot.json"] = file_sha256(folder / "snapshot.json")
    before = file_sha256(folder / "SHA256SUMS")
    (folder / "SHA256SUMS").write_text(sums_text(sums))
    *earlier, last = events.read_text().splitlines()
    last = last.replace(before, file_sha256(folder / "SHA256SUMS"))
    events.write_text("\n".join([*earlier, last]) + "\n")
    commit(other.checkout, "a copy")

    code, said = verified(other.checkout)

    assert code == 1
    assert f"{COPY}/snapshot.json: has the very answers of {TAG}, by H. Onest" in said
    assert "a copy under another name" in said
