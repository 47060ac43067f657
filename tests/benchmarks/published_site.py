"""What a build of the site takes: of the published snapshots, and of copies of them.

    python tests/benchmarks/published_site.py            # 96, 150 and 500 snapshots
    python tests/benchmarks/published_site.py 1000

A copy has an evaluator, a source and an evaluation set of its own, so that no more stands beside it
than beside the original. Wall time says little on a busy machine; memory is that of the largest
process of all builds so far.
"""

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from epc.digests import file_sha256, parse_sums, sha256, sums_text
from epc.records.strict_json import dumps, dumps_line

ROOT = Path(__file__).parents[2]
NUMBERS = (96, 150, 500)
SET = re.compile(r'("samples": \{[^}]*"sha256": ")([0-9a-f]{64})')


def copied(home: Path, number: int) -> None:
    """Add copies of the published snapshots until there are so many."""
    folders = sorted(home.glob("v*"))
    events = [json.loads(line) for line in (home / "events.jsonl").read_text().splitlines()]
    audits = json.loads((home / "audits.json").read_text())
    for index in range(len(folders), number):
        folder, mark = folders[index % len(folders)], f"-c{index // len(folders)}"
        tag = f"{folder.name}{mark}"
        seal = copy(folder, home / tag, mark)
        for event in events:
            if event.get("tag") == folder.name:
                sealed = {"sha256": seal} if "sha256" in event else {}
                with (home / "events.jsonl").open("a") as file:
                    file.write(dumps_line(event | sealed | {"tag": tag}))
        if folder.name in audits:
            audits[tag] = audits[folder.name]
    (home / "audits.json").write_text(dumps(audits))


def copy(folder: Path, remote_path: Path, mark: str) -> str:
    """Copy a snapshot and its evaluator's life under other names; return its seal."""
    shutil.copytree(folder, remote_path)
    for path in remote_path.glob("*.json"):
        path.write_text(SET.sub(lambda m: m[1] + sha256(m[2] + mark), path.read_text()))
    card: Any = json.loads((folder / "snapshot.json").read_text())
    name = card["generation"]
    card |= {"generation": f"{name}{mark}", "tag": remote_path.name}
    card["evaluator"]["model"] += mark
    if origin := card.get("origin"):
        origin["name"] += mark
    (remote_path / "snapshot.json").write_text(dumps(card))
    sums = parse_sums((remote_path / "SHA256SUMS").read_text()) or {}
    sums |= {path.name: file_sha256(path) for path in remote_path.glob("*.json")}
    (remote_path / "SHA256SUMS").write_text(sums_text(sums))
    life = folder.parent / "evaluators" / f"{name}.json"
    if life.is_file():
        record: Any = json.loads(life.read_text()) | {"generation": f"{name}{mark}"}
        for platform in record["platforms"]:
            platform |= {"model": platform["model"] + mark, "aliases": []}
            platform.pop("points_to", None)
        life.with_name(f"{name}{mark}.json").write_text(dumps(record))
    return file_sha256(remote_path / "SHA256SUMS")


def timed(number: int) -> None:
    """Build the site of so many snapshots, and print what it took."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(ROOT / "snapshots", folder / "snapshots")
        shutil.copy(ROOT / "params.yaml", folder)
        (folder / "site").symlink_to(ROOT / "site")
        copied(folder / "snapshots", number)
        begun, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        arguments = ("admin", "site", "build", "--base-url", "https://registry.example/")
        done = subprocess.run(
            [sys.executable, "-m", "epc", *arguments],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    memory = after.ru_maxrss / 1024
    print(f"{wall:.1f} s wall, {spent:.1f} s processor, {memory:.0f} MB: {done.stdout.strip()}")


if __name__ == "__main__":
    for arguments in map(int, sys.argv[1:] or NUMBERS):
        timed(arguments)
