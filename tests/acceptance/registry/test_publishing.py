"""A measured run from publication to recomputation, with real git, real DVC and real HTTP.

Over 400 lines, because making the published checkout that all of it starts from is what takes time.
"""

import json
import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from program_support import as_text, run_program
from records_support import Run, make_run
from registry_support import (
    AS_TEST,
    Checkout,
    flip,
    generation_record,
    git,
    life_record,
    unheard,
)
from web_support import folder_served

from epc.digests import file_sha256, parse_sums, sums_text
from epc.records.strict_json import dumps
from epc.records.validate import validate
from epc.registry.cards import Declaration
from epc.registry.offers import Offer
from epc.registry.publishing import offered, publish
from epc.registry.reading import of_folder
from epc.registry.tags import Tag
from epc.registry.verify import verify
from epc.registry.writing import locked

Done = subprocess.CompletedProcess[str]
TAG = "v1.0-CoinFlip"
STORE = "\n[core]\n    remote = store\n    analytics = false\n['remote \"store\"']\n"
STORE += "    url = ../snapshots/.store\n    verify = true\n"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return make_run(tmp_path_factory.mktemp("run") / "run", evaluator="mock/coin-flip", seeds=3)


def epc(folder: Path, *arguments: str | Path) -> Done:
    return as_text(run_program(*arguments, cwd=folder, env=os.environ | AS_TEST))


@pytest.fixture(scope="module")
def origin(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A registry in which the run is published; no test changes it."""
    checkout = Checkout(tmp_path_factory.mktemp("origin") / "origin")
    (checkout.folder / ".dvc").mkdir()
    (checkout.folder / ".dvc" / "config").write_text(STORE)
    (checkout.folder / ".gitattributes").write_text("snapshots/** -text\n")
    (checkout.folder / ".gitignore").write_text(
        "/snapshots/*/raw/\n/.dvc/cache/\n/.dvc/tmp/\n/runs/\n"
    )
    checkout.init()
    arguments = ("--generation", "CoinFlip", "--contributor", "A. Name")
    done = epc(checkout.folder, "admin", "snapshot", "publish", run.folder, *arguments)
    assert (done.returncode, done.stdout) == (0, f"{TAG}\n"), done.stderr
    return checkout


@pytest.fixture
def clone(origin: Checkout, tmp_path: Path) -> Path:
    folder = tmp_path / "clone"
    git(
        tmp_path,
        "clone",
        "--quiet",
        "--config",
        "core.autocrlf=true",
        str(origin.folder),
        str(folder),
    )
    return folder


def same_as_published(folder: Path, run: Run) -> None:
    """Byte for byte what was measured, and every figure recomputed from it."""
    for name in ("manifest.json", "trials.jsonl", "calls.jsonl", "weights.jsonl"):
        assert (folder / name).read_bytes() == (run.folder / name).read_bytes(), name
    assert validate(folder).ok


def test_what_is_published_is_whole_tagged_and_clean(origin: Checkout) -> None:
    names = {path.name for path in (origin.home / TAG).iterdir()}

    assert names == {"snapshot.json", "manifest.json", "metrics.json", "raw.dvc", "SHA256SUMS"}
    assert verify(origin.folder) == []
    assert git(origin.folder, "cat-file", "-t", TAG) == "tag\n"
    assert git(origin.folder, "status", "--porcelain") == ""
    snapshot = of_folder(origin.folder).snapshots[TAG]
    assert (snapshot.kind, snapshot.trust, snapshot.calibration) == ("measured", "recomputed", True)


def test_epc_4_a_clone_fetches_and_recomputes_from_its_own_folder(clone: Path, run: Run) -> None:
    done = epc(clone, "snapshot", "fetch", TAG)

    assert done.returncode == 0, done.stderr
    same_as_published(clone / "runs" / TAG, run)


@pytest.fixture
def address(clone: Path) -> Iterator[str]:
    with folder_served(clone) as address:
        yield address


def test_over_plain_http_the_same_bytes_come(
    origin: Checkout, address: str, tmp_path: Path, run: Run
) -> None:
    out = tmp_path / "again"
    done = epc(origin.folder, "snapshot", "fetch", TAG, "--from", address, "--out", out)

    assert done.returncode == 0, done.stderr
    same_as_published(tmp_path / "again", run)


def objects(clone: Path) -> list[Path]:
    return sorted(p for p in (clone / "snapshots" / ".store").rglob("*") if p.is_file())


def test_one_flipped_byte_in_the_store_is_found_named_and_never_fetched(
    origin: Checkout, clone: Path, address: str, tmp_path: Path
) -> None:
    path = objects(clone)[0]
    flip(path)

    errors = [f.where for f in verify(clone) if f.severity == "error"]
    out = tmp_path / "again"
    done = epc(origin.folder, "snapshot", "fetch", TAG, "--from", address, "--out", out)

    assert len(objects(clone)) == 4  # three raw files and their list
    assert errors == [path.relative_to(clone).as_posix()]
    assert done.returncode != 0
    assert path.name in done.stderr
    assert not (tmp_path / "again").exists()
    assert not list(tmp_path.glob(".again*"))


def published(clone: Path) -> list[Path]:
    """Return every file that verification answers for."""
    folder = clone / "snapshots" / TAG
    return [
        clone / "snapshots" / "events.jsonl",
        *sorted(folder.rglob("*.*")),
        folder / "SHA256SUMS",
    ]


@pytest.mark.slow
def test_one_flipped_bit_anywhere_is_found_and_the_file_named(clone: Path) -> None:
    """First byte, last byte and one between, of every file; `raw/` is what `dvc pull` leaves."""
    shutil.copytree(origin_raw(clone), clone / "snapshots" / TAG / "raw")
    assert [f for f in verify(clone) if f.severity == "error"] == []
    rng = random.Random(20261122)
    for path in (*published(clone), *objects(clone)):
        whole_content = path.read_bytes()
        path.chmod(0o644)
        for place in {0, len(whole_content) - 1, rng.randrange(len(whole_content))}:
            broken = bytearray(whole_content)
            broken[place] ^= 1 << rng.randrange(8)
            path.write_bytes(broken)

            errors = [f for f in verify(clone) if f.severity == "error"]

            name = path.relative_to(clone).as_posix()
            assert any(f.where.startswith(name) for f in errors), (name, place, errors)
        path.write_bytes(whole_content)
    assert [f for f in verify(clone) if f.severity == "error"] == []


def origin_raw(clone: Path) -> Path:
    """Return the raw files as they were fetched."""
    assert epc(clone, "snapshot", "fetch", TAG, "--out", "raw").returncode == 0
    (clone / "raw" / "manifest.json").unlink()
    return clone / "raw"


def test_a_lost_object_is_named(clone: Path) -> None:
    path = objects(clone)[0]
    path.unlink()

    errors = [f for f in verify(clone) if f.severity == "error"]

    assert [f.where for f in errors] == [f"snapshots/{TAG}/raw.dvc"]
    assert path.name in errors[0].problem


def test_a_place_that_publishes_something_else_is_refused(clone: Path, tmp_path: Path) -> None:
    unknowing = Checkout(tmp_path / "unknowing")  # a registry that never published this tag
    unknowing.init()
    (clone / "snapshots" / "events.jsonl").write_bytes(b"\xff\n[]\n{}\nnot JSON\n")

    done = epc(unknowing.folder, "snapshot", "fetch", TAG, "--from", clone)

    assert done.returncode == 2
    assert "was not published there" in done.stderr


def test_what_is_there_is_never_overwritten(clone: Path) -> None:
    (clone / "runs" / TAG).mkdir(parents=True)

    done = epc(clone, "snapshot", "fetch", TAG)

    assert done.returncode == 2
    assert "--out" in done.stderr


def test_a_reported_snapshot_has_nothing_to_fetch(clone: Path) -> None:
    Checkout.publish(checkout_in(clone), "v1.0-Judge-1")

    done = epc(clone, "snapshot", "fetch", "v1.0-Judge-1")

    assert done.returncode == 2
    assert "there are no raw files in the store" in done.stderr
    assert "`epc snapshot show v1.0-Judge-1`" in done.stderr


def checkout_in(folder: Path) -> Checkout:
    """Return the registry in a folder that exists."""
    found = object.__new__(Checkout)
    found.folder, found.home = folder, folder / "snapshots"
    return found


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    checkout = Checkout(tmp_path / "new")
    checkout.evaluator(generation_record("Judge-2", life_record(platform="local", model="judge-2")))
    return checkout


def offer(run: Path, **given: str | None) -> Offer:
    declaration = Declaration(
        generation=given.get("generation") or "CoinFlip",
        contributor="A. Name",
        licence="CC-BY-4.0",
        conflicts=None,
        proxy=False,
        replicates=given.get("replicates"),
        platform=given.get("platform"),
    )
    return offered(run, declaration)


class CrashError(Exception):
    """Error that a test throws where a machine would stop."""


STEPS = ["put", "strict_json.write_text", "append", "commit", "tag_commits"]


@pytest.mark.parametrize("step", STEPS)
def test_an_interrupted_publication_is_ended_under_the_same_id(
    checkout: Checkout, run: Run, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from datetime import date

    for name, value in AS_TEST.items():
        monkeypatch.setenv(name, value)
    checkout.init()

    def stop(*_: object, **__: object) -> None:
        raise CrashError

    def published_on(day: int) -> Tag:
        with locked(checkout.folder, progress=unheard) as lock:
            return publish(lock, offer(run.folder), day=date(2026, 11, day), progress=unheard)

    with monkeypatch.context() as patch:
        patch.setattr(f"epc.registry.publishing.{step}", stop)
        with pytest.raises(CrashError):
            published_on(22)

    tag = published_on(22)
    repeated_tag = published_on(23)

    assert str(tag) == str(repeated_tag) == TAG
    assert [(e["event"], e["date"]) for e in checkout.events()] == [("published", "2026-11-22")]
    assert verify(checkout.folder) == []
    assert git(checkout.folder, "status", "--porcelain") == ""
    assert git(checkout.folder, "tag", "--list").split() == [TAG]


def test_a_second_measurement_gets_the_next_number(
    checkout: Checkout, run: Run, tmp_path: Path
) -> None:
    checkout.publish(TAG)
    other_run = make_run(tmp_path / "other", evaluator="mock/coin-flip", seeds=2)
    arguments = ("--generation", "CoinFlip", "--contributor", "A", "--no-git")

    tags = [
        epc(checkout.folder, "admin", "snapshot", "publish", folder, *arguments).stdout
        for folder in (run.folder, other_run.folder)
    ]

    assert tags == ["v1.1-CoinFlip\n", "v1.2-CoinFlip\n"]


def test_an_evaluator_whose_life_nobody_wrote_down_is_not_published(
    checkout: Checkout, tmp_path: Path
) -> None:
    verdicts = tmp_path / "verdicts.csv"
    lines = [f"{s},{d},t{n},A" for s in ("a", "b") for d in ("text", "visual") for n in range(8)]
    lines = [line.replace("a,", "step_by_step,", 1) if line[0] == "a" else line for line in lines]
    verdicts.write_text("strategy,domain,task,verdict\n" + "\n".join(lines) + "\n")
    run = make_run(tmp_path / "recorded", evaluator=f"recorded:{verdicts}", executor=None)
    arguments = ("--generation", "Judge-2", "--contributor", "A", "--no-git")

    done = epc(checkout.folder, "admin", "snapshot", "publish", run.folder, *arguments)
    known_result = epc(
        checkout.folder,
        "admin",
        "snapshot",
        "publish",
        run.folder,
        *arguments,
        "--platform",
        "local",
    )

    assert done.returncode == 2
    assert "evaluators/Judge-2.json" in done.stderr
    assert (known_result.returncode, known_result.stdout) == (0, "v1.0-Judge-2\n"), (
        known_result.stderr
    )
    card = json.loads((checkout.home / "v1.0-Judge-2" / "snapshot.json").read_text())
    assert (card["evaluator"]["platform"], card["calibration"]) == ("local", False)
    assert card["executor"] is None


def test_a_run_that_does_not_validate_is_not_published(
    checkout: Checkout, run: Run, tmp_path: Path
) -> None:
    shutil.copytree(run.folder, tmp_path / "broken")
    flip(tmp_path / "broken" / "trials.jsonl")
    arguments = ("--generation", "CoinFlip", "--contributor", "A", "--no-git")

    done = epc(checkout.folder, "admin", "snapshot", "publish", tmp_path / "broken", *arguments)

    assert done.returncode == 2
    assert "epc validate" in done.stderr
    assert not list(checkout.home.glob("v*"))


def test_every_published_figure_follows_from_the_raw_trials(clone: Path) -> None:
    done = epc(clone, "snapshot", "recompute", "--format", "json")

    assert done.returncode == 0, done.stdout
    assert json.loads(done.stdout) == [{"tag": TAG, "changed": [], "problems": [], "ok": True}]


def test_a_figure_that_does_not_follow_is_named(checkout: Checkout, run: Run) -> None:
    """A snapshot whose every digest is right, and whose manifest states another gamma."""
    arguments = ("--generation", "CoinFlip", "--contributor", "A", "--no-git")
    epc(checkout.folder, "admin", "snapshot", "publish", run.folder, *arguments)
    folder = checkout.home / TAG
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["results"]["summary"]["gamma"]["text_to_visual"]["mean"] += 0.25
    (folder / "manifest.json").write_text(dumps(manifest))
    sums = parse_sums((folder / "SHA256SUMS").read_text()) or {}
    sums["manifest.json"] = file_sha256(folder / "manifest.json")
    (folder / "SHA256SUMS").write_text(sums_text(sums))
    (checkout.home / "events.jsonl").unlink()
    seal = file_sha256(folder / "SHA256SUMS")
    checkout.tell({"date": "2026-11-22", "event": "published", "tag": TAG, "sha256": seal})

    done = epc(checkout.folder, "snapshot", "recompute", TAG)

    assert done.returncode == 1
    assert "gamma/text_to_visual/mean" in done.stdout
    assert f"snapshots/{TAG}/metrics.json" in {f.where for f in verify(checkout.folder)}


def publish_as(checkout: Checkout, folder: Path, name: str, *further_arguments: str) -> Done:
    """Publish a coin flip as somebody, whose login follows from the name."""
    letters = "".join(filter(str.isalnum, name.casefold()))
    login = letters.encode("ascii", "replace").decode().replace("?", "x")
    arguments = (
        "--generation",
        "CoinFlip",
        "--contributor",
        name,
        "--login",
        login,
        "--no-git",
        *further_arguments,
    )
    return epc(checkout.folder, "admin", "snapshot", "publish", folder, *arguments)


def test_a_replication_is_a_second_contributors_and_agrees(
    checkout: Checkout, run: Run, tmp_path: Path
) -> None:
    def published(folder: Path, name: str, *further_arguments: str) -> Done:
        return publish_as(checkout, folder, name, *further_arguments)

    def trust() -> dict[str, str]:
        listed = epc(checkout.folder, "snapshot", "list", "--format", "json")
        return {row["tag"]: row["trust"] for row in json.loads(listed.stdout)}

    repeated_folder = make_run(
        tmp_path / "again", evaluator="mock/coin-flip", seeds=4, first=3
    ).folder
    longer = make_run(tmp_path / "longer", evaluator="mock/coin-flip", seeds=3, rounds=9).folder
    published(run.folder, "A")
    assert trust() == {TAG: "recomputed"}

    same_result = published(repeated_folder, "A", "--replicates", TAG)
    other_result = published(longer, "B", "--replicates", TAG)
    nothing = published(repeated_folder, "B", "--replicates", "v1.9-CoinFlip")
    nobody = ("--generation", "CoinFlip", "--contributor", "B", "--no-git", "--replicates", TAG)
    unnamed = epc(checkout.folder, "admin", "snapshot", "publish", repeated_folder, *nobody)
    right = published(repeated_folder, "B", "--replicates", TAG)

    assert {done.returncode for done in (same_result, other_result, nothing, unnamed)} == {2}
    assert "fix: name whoever measured it with --login" in unnamed.stderr
    assert "second contributor" in same_result.stderr
    assert "no such snapshot" in nothing.stderr
    assert right.returncode == 0, right.stderr
    # Reading R99: a repetition is a relation of two snapshots, and no word of either.
    assert trust() == {TAG: "recomputed", "v1.1-CoinFlip": "recomputed"}


def test_a_shallow_clone_makes_no_tags(origin: Checkout, tmp_path: Path) -> None:
    """There the last commit looks as if it had published everything."""
    where = tmp_path / "shallow"
    arguments = (
        "clone",
        "--quiet",
        "--depth",
        "1",
        "--no-tags",
        origin.folder.as_uri(),
        str(where),
    )
    git(tmp_path, *arguments)

    done = epc(where, "admin", "snapshot", "tags")

    assert done.returncode == 2
    assert "git fetch --unshallow" in done.stderr
    assert git(where, "tag", "--list") == ""


@pytest.mark.parametrize("command", ["show", "validate", "audit"])
def test_a_published_folder_is_no_run_folder_and_nothing_is_written_there(
    clone: Path, command: str
) -> None:
    done = epc(clone, command, f"snapshots/{TAG}")

    assert done.returncode == 2
    assert f"epc snapshot fetch {TAG}" in done.stderr
    assert verify(clone) == []


def test_epc_4_restored_tags_are_signed_where_git_signs_tags(clone: Path, tmp_path: Path) -> None:
    """As maintaining.md has it: the signature is git's, and git verifies it."""
    key, own_name = tmp_path / "key", "maintainer@example.org"
    arguments = ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "a test", "-f", str(key))
    subprocess.run(arguments, check=True)
    (tmp_path / "signers").write_text(f"{own_name} {key.with_suffix('.pub').read_text()}")
    settings = {
        "gpg.format": "ssh",
        "user.signingkey": str(key),
        "tag.gpgSign": "true",
        "gpg.ssh.allowedSignersFile": str(tmp_path / "signers"),
    }
    for name, value in settings.items():
        git(clone, "config", name, value)
    git(clone, "tag", "--delete", TAG)

    done = epc(clone, "admin", "snapshot", "tags")

    assert done.returncode == 0, done.stderr
    git(clone, "verify-tag", TAG)
    assert verify(clone) == []
