"""The events cannot be rewritten unseen: a signed head, a witness elsewhere, signed tags."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from engine_support import environment, epc
from registry_support import Checkout, commit, git

from epc.registry.chain import heads

TAGS = ("v1.0-Judge-1", "v1.1-Judge-1", "v1.2-Judge-1")
WHO = "maintainer@example.org"


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_key(tmp_path_factory.mktemp("key") / "key")


def made_key(path: Path) -> Path:
    words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "a test", "-f", str(path)]
    subprocess.run(words, check=True)
    return path


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a registry of three snapshots, each published by a commit of its own."""
    made = Checkout(tmp_path_factory.mktemp("published") / "registry")
    made.init()
    for tag in TAGS:
        made.publish(tag)
        commit(made.folder, f"Publish {tag}")
    return made.folder


@pytest.fixture
def registry(published: Path, tmp_path: Path) -> Checkout:
    folder = tmp_path / "registry"
    shutil.copytree(published, folder)
    made = Checkout.__new__(Checkout)
    made.folder, made.home = folder, folder / "snapshots"
    return made


def trusts(made: Checkout, key: Path, *, uses: Path | None = None) -> None:
    """Have a registry name a key, and git there sign with it, or with another."""
    (made.home / "allowed_signers").write_text(f"{WHO} {key.with_suffix('.pub').read_text()}")
    git(made.folder, "config", "gpg.format", "ssh")
    git(made.folder, "config", "user.signingkey", str(uses or key))


def snapshot(made: Checkout, *words: str | Path) -> tuple[int, str]:
    """Run `epc snapshot`; return its exit code and all that it said."""
    done = epc("snapshot", *words, cwd=made.folder, env=environment(GIT_CONFIG_GLOBAL="/dev/null"))
    return done.returncode, done.stdout + done.stderr


def signed(made: Checkout, key: Path) -> None:
    trusts(made, key)
    code, said = snapshot(made, "sign")
    assert (code, said) == (0, f"signed the head of 3 events as {WHO}\n")
    commit(made.folder, "Sign the events")


def rewritten(made: Checkout, change: Callable[[list[str]], list[str]]) -> None:
    """Change the events and leave a history that never saw the others, as a force-push does."""
    path = made.home / "events.jsonl"
    path.write_text("".join(change(path.read_text().splitlines(keepends=True))))
    for tag in TAGS:
        if tag not in path.read_text():
            git(made.folder, "rm", "-r", "--quiet", f"snapshots/{tag}")
    git(made.folder, "checkout", "--quiet", "--orphan", "anew")
    commit(made.folder, "As if it had always been so")
    git(made.folder, "branch", "--quiet", "-D", "main")


CHANGES = {
    "removed": lambda lines: [lines[0], lines[2]],
    "reordered": lambda lines: [lines[1], lines[0], lines[2]],
    "changed": lambda lines: [lines[0], lines[1].replace("02-01", "01-31"), lines[2]],
}


def test_the_chain_is_over_the_bytes_of_the_lines() -> None:
    """Worked out with sha256sum."""
    none = "2da3123f9de9e9d7224d8f5c8f1a2dabae917eed9873164061d109e4d2ccfe6e"
    one = "c364e708e6aa0e5fba57a994507cb63d811d8fdd9558fe7333ef6c4ca6547772"

    assert heads([b'{"date":"2026-02-01"}\n']) == [none, one]


def test_without_a_key_everything_works_and_says_so(registry: Checkout) -> None:
    code, said = snapshot(registry, "verify")

    assert code == 0
    assert "signed: none of 3 events; only git's history says that none is gone" in said
    code, said = snapshot(registry, "withdraw", TAGS[0], "--reason", "a cache")
    assert code == 0
    assert "not signed: git knows no SSH key to sign with" in said
    assert snapshot(registry, "sign")[0] == 1
    assert not (registry.home / "heads.jsonl").exists()


def test_a_key_that_git_signs_with_signs_every_event(registry: Checkout, key: Path) -> None:
    signed(registry, key)
    before = (registry.home / "events.jsonl").read_bytes()

    code, said = snapshot(registry, "withdraw", TAGS[0], "--reason", "a cache")

    assert (code, f"signed the head of 4 events as {WHO}" in said) == (0, True)
    assert (registry.home / "events.jsonl").read_bytes().startswith(before)
    assert len((registry.home / "heads.jsonl").read_text().splitlines()) == 2
    commit(registry.folder)
    code, said = snapshot(registry, "verify")
    assert (code, f"signed: 4 of 4 events, by {WHO}" in said) == (0, True)
    assert snapshot(registry, "sign") == (0, "all 4 events are signed already\n")


@pytest.mark.parametrize("how", CHANGES)
def test_verify_names_a_signed_event_that_was_rewritten_with_all_history(
    registry: Checkout, key: Path, how: str
) -> None:
    signed(registry, key)
    rewritten(registry, CHANGES[how])

    code, said = snapshot(registry, "verify")

    assert code == 1
    assert "snapshots/heads.jsonl:1: the first 3 events are not those that were signed" in said


@pytest.mark.parametrize(
    ("how", "named"),
    [
        ("removed", "events.jsonl:2: event 2, seen on 2026-07-02 with SHA-256"),
        ("reordered", "events.jsonl:2: event 2 no longer stands behind those"),
        ("changed", "events.jsonl:2: event 2, seen on 2026-07-02 with SHA-256"),
    ],
)
def test_a_witness_names_the_event_and_the_rewritten_history(
    registry: Checkout, tmp_path: Path, how: str, named: str
) -> None:
    """Nobody signed anything, and verify has no history to hold the events against."""
    witness = tmp_path / "witness.json"
    assert snapshot(registry, "witness", witness)[0] == 0
    kept = witness.read_bytes()
    seen = git(registry.folder, "rev-parse", "HEAD").strip()
    rewritten(registry, CHANGES[how])

    code, said = snapshot(registry, "witness", witness)

    assert code == 1
    assert named in said
    assert f"commit {seen}, seen on 2026-07-02, is not in this history" in said
    assert witness.read_bytes() == kept


def test_a_witness_goes_on_with_a_registry_that_only_adds(
    registry: Checkout, key: Path, tmp_path: Path
) -> None:
    witness = tmp_path / "witness.json"
    signed(registry, key)
    assert snapshot(registry, "witness", witness)[0] == 0
    registry.publish("v1.3-Judge-1")
    commit(registry.folder)

    assert snapshot(registry, "witness", witness)[0] == 0

    now = json.loads(witness.read_text())
    assert (len(now["events"]), now["signed"]) == (4, 1)


def test_a_witness_misses_signed_heads_and_tells_of_other_keys(
    registry: Checkout, key: Path, tmp_path: Path
) -> None:
    witness = tmp_path / "witness.json"
    signed(registry, key)
    assert snapshot(registry, "witness", witness)[0] == 0
    (registry.home / "heads.jsonl").write_text("")
    trusts(registry, made_key(tmp_path / "forger"))

    code, said = snapshot(registry, "witness", witness)

    assert code == 1
    assert "1 signed heads were seen on 2026-07-02, 0 are here" in said
    assert "allowed_signers: warning: names other keys" in said


def test_a_head_that_a_stranger_signed_is_an_error(
    registry: Checkout, key: Path, tmp_path: Path
) -> None:
    forger = made_key(tmp_path / "forger")
    signed(registry, forger)
    trusts(registry, key, uses=forger)

    code, said = snapshot(registry, "verify")
    assert code == 1
    assert "heads.jsonl:1: find-principals of an SSH signature failed" in said
    registry.tell({"date": "2026-03-01", "event": "withdrawn", "reason": "x", "tag": TAGS[0]})
    code, said = snapshot(registry, "sign")
    assert (code, said.startswith("not signed: ")) == (1, True)


@pytest.mark.parametrize("line", ["{}", '{"events":-1,"head":"0","signature":""}', "junk"])
def test_a_line_that_is_no_head_is_named(registry: Checkout, key: Path, line: str) -> None:
    trusts(registry, key)
    (registry.home / "heads.jsonl").write_text(line + "\n")

    code, said = snapshot(registry, "verify")

    assert (code, "heads.jsonl:1: " in said) == (1, True)


def test_a_file_that_is_no_witness_is_misuse(registry: Checkout, tmp_path: Path) -> None:
    (tmp_path / "witness.json").write_text("{}\n")

    code, said = snapshot(registry, "witness", tmp_path / "witness.json")

    assert (code, "is no witness" in said) == (2, True)


def test_tags_are_signed_where_git_signs_them_and_a_moved_one_is_named(
    registry: Checkout, key: Path, tmp_path: Path
) -> None:
    trusts(registry, key)
    git(registry.folder, "config", "tag.gpgSign", "true")
    commit(registry.folder, "Name the signers")
    assert snapshot(registry, "tags", "--restore")[0] == 0
    assert "SSH SIGNATURE" in git(registry.folder, "cat-file", "tag", TAGS[0])
    assert snapshot(registry, "verify")[0] == 0

    git(registry.folder, "config", "user.signingkey", str(made_key(tmp_path / "forger")))
    git(registry.folder, "tag", "--force", "--message", "mine", TAGS[1], f"{TAGS[1]}^{{commit}}")
    git(registry.folder, "config", "tag.gpgSign", "false")
    git(registry.folder, "tag", "--force", "--annotate", "--message", "m", TAGS[2], TAGS[0])
    code, said = snapshot(registry, "verify")

    assert code == 1
    assert f"refs/tags/{TAGS[1]}: is signed by nobody whom" in said
    assert f"refs/tags/{TAGS[2]}: is a git tag of " in said
    assert f"refs/tags/{TAGS[0]}" not in said
