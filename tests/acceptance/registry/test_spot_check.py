"""Somebody else asks a published measurement's questions again: `epc watch --spot-check`."""

import hashlib
import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from endpoint_support import Endpoint, Received, Reply, completion, serving
from engine_support import environment, epc
from registry_support import Checkout, commit, generation_record, git, life_record

from epc.digests import sha256
from epc.records.schemas import findings as schema_findings
from epc.records.strict_json import dumps

TAG = "v1.0-Judge-1"
CANARY = "sk-canary-0123456789abcdef"
ALL = ("--exhaustive", "--seeds", "0-9", "--rounds", "12", "--no-canary", "--no-cache")


def says(received: Received) -> str:
    """Return what an evaluator says that always says the same of the same question."""
    return "AB"[hashlib.sha256(received.prompt.encode()).digest()[0] % 2]


class Judge:
    """An endpoint's evaluator, which another one may take the place of."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.turned = 0  # of ten questions, those of which it says the opposite
        endpoint.behave = self

    def __call__(self, received: Received) -> Reply:
        verdict = says(received)
        if hashlib.sha256(b"x" + received.prompt.encode()).digest()[0] % 10 < self.turned:
            verdict = "BA"["AB".index(verdict)]
        return completion(verdict)


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with serving() as endpoint:
        yield Judge(endpoint)


def env(judge: Judge) -> dict[str, str]:
    there = {"LLAMACPP_BASE_URL": judge.endpoint.url, "LLAMACPP_API_KEY": CANARY}
    return environment(**there, GIT_CONFIG_GLOBAL="/dev/null")


@pytest.fixture(scope="module")
def published(judge: Judge, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a registry with a measurement of a self-hosted evaluator."""
    made = Checkout(tmp_path_factory.mktemp("published") / "registry")
    made.evaluator(generation_record("Judge-1", life_record(platform="self-hosted")))
    made.init()
    judge.turned = 0
    run = made.folder.parent / "run"
    models = ("--evaluator", "llamacpp/judge-1", "--executor", "mock/deterministic")
    done = epc("run", *models, *ALL, "--out", run, env=env(judge))
    assert done.returncode == 0, done.stderr
    who = ("--generation", "Judge-1", "--contributor", "A. Name", "--platform", "self-hosted")
    weights = ("--weights", f"sha256:{'5' * 64}")
    done = epc(
        "admin",
        "snapshot",
        "publish",
        run,
        *who,
        *weights,
        "--no-git",
        cwd=made.folder,
        env=env(judge),
    )
    assert done.returncode == 0, done.stderr
    commit(made.folder, "publish")
    return made.folder


@pytest.fixture
def registry(published: Path, judge: Judge, tmp_path: Path) -> Path:
    judge.turned = 0
    shutil.copytree(published, tmp_path / "registry")
    return tmp_path / "registry"


def checked(
    registry: Path, judge: Judge, out: Path, *more: str, pairs: int = 20
) -> tuple[int, Any]:
    words = ("watch", TAG, "--spot-check", str(pairs), "--format", "json", *more)
    done = epc(*words, "--out", out, cwd=registry, env=env(judge))
    assert CANARY not in done.stdout + done.stderr
    return done.returncode, json.loads(done.stdout) if done.stdout else done.stderr


def snapshot(registry: Path, judge: Judge, *words: str | Path) -> tuple[int, str]:
    done = epc(
        *(("admin",) if words[0] in {"checked", "witness"} else ()),
        "snapshot",
        *words,
        cwd=registry,
        env=env(judge),
    )
    return done.returncode, done.stdout + done.stderr


def test_the_commit_that_published_draws_and_each_pair_is_asked_twice(
    registry: Path, judge: Judge, tmp_path: Path
) -> None:
    seed = git(registry, "rev-parse", "HEAD").strip()
    before = len(judge.endpoint.received)

    code, found = checked(registry, judge, tmp_path / "check.json")

    assert (code, found["agreement"]["verdict"]) == (0, "agrees")
    assert (found["agreement"]["agreed"], found["agreement"]["flipped"]) == (20, 0)
    assert len(judge.endpoint.received) - before == 40
    assert found["seed"] == seed
    ranks = [hashlib.sha256(f"{seed} {p['prompt']}".encode()).hexdigest() for p in found["pairs"]]
    assert ranks == sorted(ranks)
    assert json.loads((tmp_path / "check.json").read_text()) == found
    larger = checked(registry, judge, tmp_path / "larger.json", pairs=30)[1]
    assert larger["pairs"][:20] == found["pairs"]


@pytest.mark.parametrize("turned", [5, 10])
def test_a_record_of_another_evaluator_differs(
    registry: Path, judge: Judge, tmp_path: Path, turned: int
) -> None:
    judge.turned = turned

    code, found = checked(registry, judge, tmp_path / "check.json")

    assert (code, found["agreement"]["verdict"]) == (1, "differs")
    assert (found["agreement"]["odd"], found["agreement"]["flipped"]) == (
        20 - found["agreement"]["agreed"],
        0,
    )


def signs(registry: Path, key: Path, who: str) -> None:
    """Have git in a registry sign with a key that the registry names as somebody's."""
    public = key.with_suffix(".pub").read_text()
    (registry / "snapshots" / "allowed_signers").write_text(f"{who} {public}")
    git(registry, "config", "gpg.format", "ssh")
    git(registry, "config", "user.signingkey", str(key))
    git(registry, "config", "user.name", "A Maintainer")
    git(registry, "config", "user.email", "maintainer@example.org")
    commit(registry, "name the signers")


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("key") / "key"
    words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "a test", "-f", str(path)]
    subprocess.run(words, check=True)
    return path


def trust(registry: Path, judge: Judge) -> str:
    """Return the word that the registry has for the snapshot."""
    shown = json.loads(snapshot(registry, judge, "show", TAG, "--format", "json")[1])
    wrong = [f.where for f in schema_findings("api_snapshot", shown)]
    assert not [where for where in wrong if where.startswith(("/spot_checks", "/trust"))], wrong
    return str(shown["trust"])


def test_reading_r99_a_check_counts_by_a_maintainers_signature(
    registry: Path, judge: Judge, key: Path, tmp_path: Path
) -> None:
    assert checked(registry, judge, tmp_path / "check.json")[0] == 0
    signs(registry, key, "somebody")

    code, said = snapshot(registry, judge, "checked", tmp_path / "check.json")

    assert (code, f"{TAG}  agrees: 20 of 20" in said) == (0, True), said
    assert trust(registry, judge) == "spot-checked"
    assert snapshot(registry, judge, "verify") == (0, snapshot(registry, judge, "verify")[1])
    again = snapshot(registry, judge, "checked", tmp_path / "check.json")
    assert (again[0], "in the registry already" in again[1]) == (2, True)

    # What came of it later counts.
    judge.turned = 10
    assert checked(registry, judge, tmp_path / "later.json")[0] == 1
    assert snapshot(registry, judge, "checked", tmp_path / "later.json")[0] == 0
    assert trust(registry, judge) == "recomputed"


def by_hand(registry: Path, report: Path) -> None:
    """Commit a check as whoever writes files and not as the command does."""
    text = dumps(json.loads(report.read_text()))
    folder = registry / "snapshots" / "spot-checks"
    folder.mkdir(exist_ok=True)
    (folder / f"{TAG}-{sha256(text)}.json").write_text(text)
    git(registry, "add", "--all")
    git(registry, "commit", "--quiet", "--gpg-sign", "-m", "a check")


@pytest.mark.parametrize("who", ["nobody", "a.name"])
def test_reading_r99_no_other_signature_makes_a_check_count(
    registry: Path, judge: Judge, key: Path, tmp_path: Path, who: str
) -> None:
    """Nobody's whom the registry names, or the measurer's own."""
    checked(registry, judge, tmp_path / "check.json")
    signs(registry, key, who)
    if who == "nobody":
        (registry / "snapshots" / "allowed_signers").write_text("")

    code, said = snapshot(registry, judge, "checked", tmp_path / "check.json")

    why = "allowed_signers names signed" if who == "nobody" else "a.name measured it"
    assert (code, why in said) == (2, True), said
    assert trust(registry, judge) == "recomputed"
    assert snapshot(registry, judge, "verify")[0] == 0
    by_hand(registry, tmp_path / "check.json")
    code, said = snapshot(registry, judge, "verify")
    assert (code, why in said) == (1, True), said


def test_reading_r99_a_gpg_signature_makes_no_check_count(
    registry: Path, judge: Judge, key: Path, tmp_path: Path
) -> None:
    """A keyring is the machine's, and names nobody: a valid signature by a maintainer's name."""
    checked(registry, judge, tmp_path / "check.json")
    signs(registry, key, "somebody")
    with TemporaryDirectory() as home:  # a socket's path is short
        known = env(judge) | {"GNUPGHOME": home}
        words = ["gpg", "--batch", "--passphrase", "", "--quick-gen-key", "somebody", "ed25519"]
        subprocess.run(words, env=known, capture_output=True, check=True)
        for setting in ("gpg.format=openpgp", "user.signingkey=somebody"):
            git(registry, "config", *setting.split("="))
        done = epc("admin", "snapshot", "checked", tmp_path / "check.json", cwd=registry, env=known)
        shown = ["git", "-C", str(registry), "log", "-1", "--format=%G?", "ORIG_HEAD"]
        grade = subprocess.run(shown, env=known, capture_output=True, check=True).stdout
        subprocess.run(["gpgconf", "--kill", "gpg-agent"], env=known, check=True)

    assert (done.returncode, grade) == (2, b"G\n"), done.stderr  # good, by git's own word
    assert "allowed_signers names signed" in done.stderr


def test_reading_r99_a_line_or_a_file_written_by_hand_earns_no_word(
    registry: Path, judge: Judge, tmp_path: Path
) -> None:
    checked(registry, judge, tmp_path / "check.json")
    content = (tmp_path / "check.json").read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    home = registry / "snapshots"
    line = {"date": "2026-07-10", "tag": TAG, "by": "x", "pairs": 20, "agreed": 20, "p_value": 1}
    line |= {"verdict": "agrees", "sha256": digest}
    (home / "spot_checks.jsonl").write_text(json.dumps(line) + "\n")
    assert trust(registry, judge) == "recomputed"

    (home / "spot-checks").mkdir()
    (home / "spot-checks" / f"{TAG}-{digest}.json").write_bytes(content)
    commit(registry, "by hand")

    code, said = snapshot(registry, judge, "verify")
    assert (code, "names signed the commit that adds it" in said) == (1, True), said


Given = dict[str, Any]


def other_model(given: Given) -> None:
    given["asked"] |= {"model": "openai/judge-1", "endpoint": "https://api.openai.com"}


CHANGES: dict[str, tuple[Callable[[Given], object], str]] = {
    "seed": (lambda given: given.update(seed="0" * 40), "0 drew it"),
    "fewer": (lambda given: given["pairs"].pop(), "not two answers for each pair"),
    "none": (lambda given: given.update(pairs=[], answers=[]), "not two answers for each pair"),
    "dumb": (lambda given: given["answers"][0][0].pop("answer"), "is no spot check"),
    "others": (lambda given: given["pairs"].reverse(), "its pairs are not those"),
    "better": (lambda given: given["agreement"].update(verdict="agrees"), "its figures are not"),
    "recorded": (lambda given: given["pairs"][0].update(recorded="tie"), "its pairs are not those"),
    "model": (other_model, "was asked, and llamacpp/judge-1"),
    "gateway": (
        lambda given: given["asked"].update(endpoint="https://openrouter.ai/api/v1"),
        "at the address of the platform",
    ),
    "indirect": (lambda given: given.update(direct=False), "at the address of the platform"),
    "empty": (lambda given: given.clear(), "is no spot check"),
    "nobody": (lambda given: given.update(asked={}), "is no spot check"),
}


@pytest.mark.parametrize("how", CHANGES)
def test_a_check_that_is_none_is_refused(
    registry: Path, judge: Judge, tmp_path: Path, how: str
) -> None:
    judge.turned = 5
    given = checked(registry, judge, tmp_path / "check.json")[1]
    change, why = CHANGES[how]
    change(given)
    (tmp_path / "check.json").write_text(json.dumps(given))

    code, said = snapshot(registry, judge, "checked", tmp_path / "check.json")

    assert (code, why in said) == (2, True), said
    assert not (registry / "snapshots" / "spot-checks").exists()


def test_what_no_commit_published_has_no_draw(registry: Path, judge: Judge, tmp_path: Path) -> None:
    shutil.rmtree(registry / ".git")
    git(registry, "init", "--quiet")
    git(registry, "commit", "--quiet", "--allow-empty", "--message", "nothing")

    code, said = checked(registry, judge, tmp_path / "check.json")

    assert (code, "its draw is not fixed" in said) == (2, True)
