"""For every tag, years later: clone, check out, pull, digests, the same figures.

This repository's own tags, from its own folder without a network, over plain HTTP, and from a real
S3 server. The first computes every figure again; the same bytes give the same ones elsewhere. By
day a tag or two of each kind are checked out, and every night all of them, which then go to S3. The
S3 server and DVC's S3 part have an environment of their own (`make .venv-s3/.made`).
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from budget_support import is_night
from oracle.__main__ import answer as oracle
from program_support import run_program
from registry_support import AS_TEST, ROOT, Json, git
from web_support import folder_served

from epc.analysis.verdicts_rows import RULE
from epc.records.recompute import rewrite
from epc.registry.kinds.adapter import adapter
from epc.registry.kinds.table import KINDS
from epc.registry.snapshots import Snapshot

S3 = Path(os.environ.get("EPC_S3_VENV", ROOT / ".venv-s3")) / "bin"
OWN = {
    **AS_TEST,
    "PYTHONPATH": str(ROOT),
    "AWS_ACCESS_KEY_ID": "a-test",
    "AWS_SECRET_ACCESS_KEY": "a-test",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
    "NO_PROXY": "127.0.0.1",
}
# At a port of the system's choice: one that was free a moment ago may be another test's by now.
S3_SERVER = """
import sys, boto3
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
server.start()
address = "http://%s:%s" % server.get_host_and_port()
boto3.client("s3", endpoint_url=address).create_bucket(Bucket="registry")
print(address, flush=True)
sys.stdin.read()
"""
EPC, DVC = (sys.executable, "-m", "epc"), (sys.executable, "-m", "dvc")


def run(
    folder: Path, *arguments: str | Path, further_environment: dict[str, str] | None = None
) -> str:
    done = subprocess.run(
        list(map(str, arguments)),
        cwd=folder,
        env=os.environ | OWN | (further_environment or {}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (arguments, done.stdout, done.stderr)
    return done.stdout


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of this repository with a tag a snapshot, be they in history alone."""
    if git(ROOT, "rev-parse", "--is-shallow-repository").strip() != "false":
        pytest.fail("a shallow clone has not every tag's commit: `git fetch --unshallow`")
    folder = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", str(ROOT), str(folder))
    run(folder, *EPC, "admin", "snapshot", "tags")
    return folder


def snapshots(clone: Path) -> dict[str, str]:
    """Return every published tag with its kind, whose files its folder has."""
    folders = sorted((clone / "snapshots").glob("v*"))
    kinds = {p.name: json.loads((p / "snapshot.json").read_text())["kind"] for p in folders}
    for tag, kind in kinds.items():
        assert all((clone / "snapshots" / tag / name).exists() for name in KINDS[kind].files)
    return kinds


def has_raw_files(clone: Path, tag: str) -> bool:
    """Say whether a snapshot has more than its folder: no reported one has, nor a recipe."""
    return (clone / "snapshots" / tag / "raw.dvc").exists()


def figures_of(clone: Path, tag: str) -> Json:
    document: Json = json.loads((clone / "snapshots" / tag / "metrics.json").read_text())
    return dict(document["figures"])


def of_the_day(clone: Path) -> dict[str, str]:
    """Return the tags that are gone through now, with their kinds.

    By day the last of each kind and rule that has raw files, and the last that has none.
    """
    kinds = snapshots(clone)
    last = {
        (kind, has_raw_files(clone, tag), figures_of(clone, tag).get("rule")): tag
        for tag, kind in kinds.items()
    }
    return kinds if is_night() else {tag: kinds[tag] for tag in last.values()}


def as_published(clone: Path, tag: str) -> None:
    """Every digest by sha256sum."""
    run(clone / "snapshots" / tag, "sha256sum", "--check", "--quiet", "--strict", "SHA256SUMS")


def same_figures(clone: Path, tag: str) -> None:
    """Compute a snapshot's figures again, from its documents and raw files in one folder."""
    folder = clone / "snapshots" / tag
    raw = folder / "raw"
    own_names = [
        name for kind in KINDS.values() for name in kind.documents if (folder / name).exists()
    ]
    if not has_raw_files(clone, tag):
        return
    for name in own_names:
        shutil.copyfile(folder / name, raw / name)
    if (raw / "manifest.json").exists():
        repeated_rewrite = rewrite(raw, write=False)
        assert (repeated_rewrite.changed, repeated_rewrite.findings) == ([], [])
    else:
        card = json.loads((folder / "snapshot.json").read_text())
        figures = figures_of(clone, tag)
        recomputed = adapter(card["kind"]).recompute(raw, Snapshot.parse(card, figures), None)
        assert recomputed == ([], [])
        if figures.get("rule") == RULE:  # the second computation knows today's alone
            assert oracle(raw, figures) == []
    for name in own_names:
        (raw / name).unlink()


def contents(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every file in a folder."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def forget(clone: Path) -> None:
    """Remove all that was pulled, and what DVC remembers of it."""
    for path in (clone / "snapshots").glob("v*/raw"):
        shutil.rmtree(path)
    for name in ("cache", "tmp"):
        shutil.rmtree(clone / ".dvc" / name, ignore_errors=True)


def test_epc_4_every_tag_is_whole_without_a_network(
    clone: Path, offline: tuple[tuple[str, ...], dict[str, str]]
) -> None:
    without, more = offline
    tags = set(git(clone, "tag", "--list").split())
    assert tags >= set(snapshots(clone))
    kinds = of_the_day(clone)
    assert {"measured", "judged"} <= set(kinds.values())

    for tag in kinds:
        run(clone, *without, "git", "checkout", "--quiet", tag, further_environment=more)
        if has_raw_files(clone, tag):
            arguments = ("pull", "--quiet", f"snapshots/{tag}/raw.dvc")
            run(clone, *without, *DVC, *arguments, further_environment=more)
        as_published(clone, tag)
        same_figures(clone, tag)


def test_epc_4_every_snapshot_comes_over_plain_http(clone: Path, tmp_path: Path) -> None:
    with folder_served(ROOT) as address:
        remote = f"['remote \"web\"']\n    url = {address}/snapshots/.store\n"
        (clone / ".dvc" / "config.local").write_text(remote)

        tags = of_the_day(clone)
        pointers = [f"snapshots/{tag}/raw.dvc" for tag in tags if has_raw_files(clone, tag)]
        run(clone, *DVC, "pull", "--quiet", "--remote", "web", *pointers)
        for tag in tags:
            as_published(clone, tag)
            if has_raw_files(clone, tag):
                done = run_program("snapshot", "fetch", tag, "--from", address, cwd=tmp_path)
                assert done.returncode == 0, done.stderr
                folder, fetched = clone / "snapshots" / tag, contents(tmp_path / "runs" / tag)
                raw = contents(folder / "raw")
                assert raw.items() <= fetched.items() <= (contents(folder) | raw).items()


@pytest.fixture
def s3() -> Iterator[str]:
    """The address of an S3 server with an empty bucket called registry."""
    if not (S3 / "moto_server").exists():
        pytest.fail(f"there is no S3 server in {S3}: run `make .venv-s3/.made`")
    with subprocess.Popen(
        [str(S3 / "python"), "-c", S3_SERVER],
        env=os.environ | OWN,
        stdin=subprocess.PIPE,  # whose end is the server's
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()


@pytest.mark.nightly("test_epc_4_every_snapshot_comes_over_plain_http")
@pytest.mark.slow
def test_epc_4_every_snapshot_goes_to_s3_and_comes_back_the_same(clone: Path, s3: str) -> None:
    dvc = S3 / "dvc"
    remote = f"['remote \"s3\"']\n    url = s3://registry/store\n    endpointurl = {s3}\n"
    (clone / ".dvc" / "config.local").write_text(remote)
    tags = [tag for tag in of_the_day(clone) if has_raw_files(clone, tag)]
    assert len(tags) >= 4
    raw = [f"snapshots/{tag}/raw.dvc" for tag in tags]
    run(clone, dvc, "pull", "--quiet", *raw)
    run(clone, dvc, "push", "--quiet", "--remote", "s3", *raw)
    forget(clone)
    shutil.rmtree(clone / "snapshots" / ".store")

    run(clone, dvc, "pull", "--quiet", "--remote", "s3", *raw)

    for tag in tags:
        as_published(clone, tag)
