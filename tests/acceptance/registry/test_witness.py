"""The history cannot be rewritten unseen: what a mirror noted of it, and signed tags."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from engine_support import environment, epc
from registry_support import Checkout, commit, git

TAGS = ("v1.0-Judge-1", "v1.1-Judge-1", "v1.2-Judge-1")
WHO = "maintainer@example.org"


def made_key(path: Path) -> Path:
    words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "a test", "-f", str(path)]
    subprocess.run(words, check=True)
    return path


@pytest.fixture
def registry(tmp_path: Path) -> Checkout:
    """A registry of three snapshots, each published by a commit of its own."""
    made = Checkout(tmp_path / "registry")
    made.init()
    for tag in TAGS:
        made.publish(tag)
        commit(made.folder, f"Publish {tag}")
    return made


def snapshot(folder: Path, *words: str | Path) -> tuple[int, str]:
    """Run `epc snapshot`; return its exit code and all that it said."""
    done = epc(
        *(("admin",) if words[0] in {"checked", "tags", "witness"} else ()),
        "snapshot",
        *words,
        cwd=folder,
        env=environment(GIT_CONFIG_GLOBAL="/dev/null"),
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def mirror(registry: Checkout, tmp_path: Path) -> Path:
    """A mirror with its witness beside it."""
    folder = tmp_path / "mirror"
    git(tmp_path, "clone", "--quiet", str(registry.folder), str(folder))
    assert snapshot(folder, "witness", tmp_path / "witness.json")[0] == 0
    return folder


def events(made: Checkout, change: Callable[[list[str]], list[str]]) -> None:
    path = made.home / "events.jsonl"
    path.write_text("".join(change(path.read_text().splitlines(keepends=True))))


def resealed(made: Checkout) -> None:
    """Change a figure and whatever vouches for it."""
    path = made.home / TAGS[1] / "metrics.json"
    path.write_text(path.read_text().replace("1.1", "1.2"))
    made.seal(TAGS[1])


FORGERIES: dict[str, tuple[Callable[[Checkout], None], list[str]]] = {
    "a dropped event": (
        lambda made: events(made, lambda lines: [lines[0], lines[2]]),
        ['events.jsonl: does not begin with the lines seen on 2026-07-02: {"date":"2026-02-01"'],
    ),
    "events in another order": (
        lambda made: events(made, lambda lines: [lines[1], lines[0], lines[2]]),
        ["seen on 2026-07-02: all are there, in another order"],
    ),
    "a changed file": (
        resealed,
        [
            f"snapshots/{TAGS[1]}/metrics.json: is gone, or not as it was seen on 2026-07-02",
            f"snapshots/{TAGS[1]}/SHA256SUMS: is gone, or not as it was seen on 2026-07-02",
            "events.jsonl: does not begin with the lines seen on 2026-07-02",
        ],
    ),
}


@pytest.mark.parametrize("forced", [False, True])
@pytest.mark.parametrize("what", FORGERIES)
def test_a_witness_names_what_a_commit_or_a_forced_push_took_away(
    registry: Checkout, mirror: Path, what: str, *, forced: bool
) -> None:
    witness = mirror.parent / "witness.json"
    before = witness.read_bytes()
    forge, named = FORGERIES[what]
    forge(registry)
    if forced:
        git(registry.folder, "checkout", "--quiet", "--orphan", "anew")
        git(registry.folder, "branch", "--quiet", "-D", "main")
        git(registry.folder, "branch", "--quiet", "-m", "main")
    commit(registry.folder, "As if it had always been so")
    git(mirror, "fetch", "--quiet", "origin")
    git(mirror, "reset", "--quiet", "--hard", "origin/main")

    code, said = snapshot(mirror, "witness", witness)

    assert code == 1
    assert [each for each in named if each not in said] == []
    assert ("is not in this history: it was rewritten by a force-push" in said) is forced
    assert witness.read_bytes() == before


def test_a_witness_knows_a_forced_push_in_a_clone_that_never_had_the_commit(
    registry: Checkout, mirror: Path
) -> None:
    git(registry.folder, "commit", "--quiet", "--amend", "--message", "other words")
    anew = mirror.parent / "anew"
    git(mirror.parent, "clone", "--quiet", registry.folder.as_uri(), str(anew))

    code, said = snapshot(anew, "witness", mirror.parent / "witness.json")

    assert (code, said.count("is not in this history")) == (1, 1)


def test_a_witness_goes_on_with_a_registry_that_only_adds(registry: Checkout, mirror: Path) -> None:
    registry.publish("v1.3-Judge-1")
    commit(registry.folder)
    git(mirror, "pull", "--quiet")

    assert snapshot(mirror, "witness", mirror.parent / "witness.json")[0] == 0

    now = json.loads((mirror.parent / "witness.json").read_text())
    words = "sha256sum snapshots/events.jsonl snapshots/v*/SHA256SUMS | sha256sum"
    done = subprocess.run(["sh", "-c", words], cwd=mirror, capture_output=True, check=True)
    assert now["sha256"] == done.stdout.decode().split()[0]
    assert now["commit"] == git(mirror, "rev-parse", "HEAD").strip()


def test_a_witness_with_another_digest_than_its_commit_has_is_a_finding(mirror: Path) -> None:
    witness = mirror.parent / "witness.json"
    witness.write_text(json.dumps(json.loads(witness.read_text()) | {"sha256": "0" * 64}))

    code, said = snapshot(mirror, "witness", witness)

    assert (code, "holds other digests than it was seen on 2026-07-02 with" in said) == (1, True)


def test_a_file_that_is_no_witness_is_misuse(registry: Checkout, tmp_path: Path) -> None:
    (tmp_path / "witness.json").write_text("{}\n")

    code, said = snapshot(registry.folder, "witness", tmp_path / "witness.json")

    assert (code, "is no witness" in said) == (2, True)


def test_tags_are_signed_where_git_signs_them_and_a_moved_one_is_named(
    registry: Checkout, tmp_path: Path
) -> None:
    key = made_key(tmp_path / "key")
    (registry.home / "allowed_signers").write_text(f"{WHO} {key.with_suffix('.pub').read_text()}")
    for name, value in (("gpg.format", "ssh"), ("user.signingkey", key), ("tag.gpgSign", "true")):
        git(registry.folder, "config", name, str(value))
    commit(registry.folder, "Name the signers")
    assert snapshot(registry.folder, "tags", "--restore")[0] == 0
    assert "SSH SIGNATURE" in git(registry.folder, "cat-file", "tag", TAGS[0])
    assert snapshot(registry.folder, "verify")[0] == 0

    git(registry.folder, "config", "user.signingkey", str(made_key(tmp_path / "forger")))
    git(registry.folder, "tag", "--force", "--message", "mine", TAGS[1], f"{TAGS[1]}^{{commit}}")
    git(registry.folder, "config", "tag.gpgSign", "false")
    git(registry.folder, "tag", "--force", "--annotate", "--message", "m", TAGS[2], TAGS[0])
    code, said = snapshot(registry.folder, "verify")

    assert code == 1
    assert f"refs/tags/{TAGS[1]}: is signed by nobody whom" in said
    assert f"refs/tags/{TAGS[2]}: is a git tag of " in said
    assert f"refs/tags/{TAGS[0]}" not in said
