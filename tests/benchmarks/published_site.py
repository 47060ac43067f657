"""How long a site takes to build.

    python tests/benchmarks/published_site.py          # 3,000 reported snapshots, and 300 measured
    python tests/benchmarks/published_site.py 3000     # as many measured ones; needs 20 GB

Ten snapshots a generation. A reported one is a few figures. A measured one is a run of its own, 30
seeds of an evaluator of its own, so that no two share a trial or a picture. For fewer than 3,000
measured ones it says, marked as such, what 3,000 would take if each took as long.

Wall time and processor time: on a busy machine the first says little.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from joblib import Parallel, delayed
from records_support import make_run
from registry_support import (
    FIGURES,
    ROOT,
    Checkout,
    card,
    generation_record,
    life_record,
)

from epc.digests import file_sha256
from epc.records.strict_json import dumps, dumps_line
from epc.records.typed import parse
from epc.registry.cards import Said
from epc.registry.lifecycles import Life, LifeRecord
from epc.registry.publishing import _build, offered
from epc.registry.tags import Tag
from epc.spec.epc_v1 import DOMAINS
from epc.spec.reference import STRATEGIES

REPORTED, MEASURED, WHOLE, EACH = 3000, 300, 3000, 10
LIMIT = 120.0


@dataclass(frozen=True, kw_only=True)
class Spent:
    """What a build took."""

    wall: float
    processor: float
    said: str


def of_reported(folder: Path, number: int) -> dict[str, str]:
    """Write a reported snapshot; its digests do not matter here. Return its event."""
    tag = _tag(number)
    place = folder / "snapshots" / tag
    place.mkdir()
    (place / "snapshot.json").write_text(dumps(card(tag)))
    (place / "metrics.json").write_text(dumps({"kind": "reported", "figures": FIGURES}))
    return {"date": "2026-02-01", "event": "published", "sha256": "0" * 64, "tag": tag}


def of_measured(folder: Path, number: int) -> dict[str, str]:
    """Measure, and write what publishing writes. Return the event."""
    dice = random.Random(number)
    odds: dict[str, Any] = {
        domain: {strategy.name: dice.randrange(2) for strategy in STRATEGIES} for domain in DOMAINS
    }
    place = folder / "runs" / str(number)
    place.mkdir(parents=True)
    script = place / "script.json"
    script.write_text(json.dumps({"default": 0, **odds}))
    run = make_run(
        place / "run",
        evaluator=f"mock/scripted:{script}",
        seeds=30,
        rounds=30,
        exhaustive=True,
        control="measured",
    ).folder
    tag = _tag(number)
    said = Said(
        generation=tag.split("-", 1)[1],
        contributor="a benchmark",
        licence="CC-BY-4.0",
        conflicts=None,
        proxy=False,
        replicates=None,
    )
    offer = offered(run, said)
    life = Life.of(parse(life_record(model=said.generation.lower()), LifeRecord))
    _build(folder, offer, offer.card(Tag.parse(tag), life))
    shutil.rmtree(place)
    seal = file_sha256(folder / "snapshots" / tag / "SHA256SUMS")
    return {"date": "2026-07-02", "event": "published", "sha256": seal, "tag": tag}


def _tag(number: int) -> str:
    return f"v1.{number % EACH}-Model{number // EACH}-0626"


def build(folder: Path, snapshots: int, *, measured: bool) -> Checkout:
    """Write a checkout of so many snapshots."""
    made = Checkout(folder)
    for number in range(0, snapshots, EACH):
        name = _tag(number).split("-", 1)[1]
        made.evaluator(generation_record(name, life_record(model=name.lower())))
    one = delayed(of_measured if measured else of_reported)
    events = Parallel(n_jobs=-1 if measured else 1)(one(folder, n) for n in range(snapshots))
    (made.home / "events.jsonl").write_text("".join(dumps_line(event) for event in events))
    (folder / "site").symlink_to(ROOT / "site")
    return made


def built(folder: Path) -> Spent:
    """Build the site."""
    before, begun = os.times(), time.perf_counter()
    words = [
        "admin",
        "site",
        "build",
        "--base-url",
        "https://registry.example/",
        "--as-of",
        "2026-08-01",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "epc", *words],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    after, ended = os.times(), time.perf_counter()
    spent = after.children_user + after.children_system
    spent -= before.children_user + before.children_system
    return Spent(wall=ended - begun, processor=spent, said=done.stdout.strip())


def timed(snapshots: int, *, measured: bool, alone: Spent) -> None:
    """Build a site, and tell what it took; `alone` is one without snapshots."""
    kind = "measured" if measured else "reported"
    print(f"{snapshots:,} {kind} snapshots, on {os.cpu_count()} cores", flush=True)
    with tempfile.TemporaryDirectory(dir=Path.cwd() / "build") as name:
        made = build(Path(name), snapshots, measured=measured)
        tell(built(made.folder), snapshots, alone)


def tell(spent: Spent, snapshots: int, alone: Spent) -> None:
    """Print what a build took, and where it was a smaller one what all would take."""
    mark = "" if spent.wall < LIMIT or snapshots < WHOLE else f"  over {LIMIT:g} s"
    print(f"  {spent.wall:7.1f} s wall {spent.processor:7.1f} s processor{mark}")
    print(f"    {spent.said}", flush=True)
    if snapshots < WHOLE:
        wall, processor = (
            fixed + (taken - fixed) * WHOLE / snapshots
            for taken, fixed in ((spent.wall, alone.wall), (spent.processor, alone.processor))
        )
        print(f"    NOT RUN, extrapolated to {WHOLE:,}: {wall:.0f} s wall, {processor:.0f} s")


def main() -> None:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else MEASURED
    (Path.cwd() / "build").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        made = build(Path(name), 0, measured=False)
        alone = built(made.folder)
    print(f"the documents alone: {alone.wall:.1f} s wall, {alone.processor:.1f} s processor")
    if len(sys.argv) == 1:
        timed(REPORTED, measured=False, alone=alone)
    timed(number, measured=True, alone=alone)


if __name__ == "__main__":
    main()
