"""How long the site of 3,000 snapshots takes to build, and to build again after one change.

They are reported ones, ten a generation. A measured one has pictures on top, which are kept from
build to build: see what `epc site build` takes for the real registry.

    python tests/benchmarks/published_site.py

Wall time and processor time: on a busy machine the first says little.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from registry_support import (
    FIGURES,
    ROOT,
    Checkout,
    card,
    generation_record,
    life_record,
)

from epc.records.strict_json import dumps, dumps_line

GENERATIONS, EACH = 300, 10
LIMIT = 120.0


def build(folder: Path) -> Checkout:
    """Write reported snapshots; their digests do not matter here."""
    made = Checkout(folder)
    lines = []
    for number in range(GENERATIONS):
        name = f"Model{number}-0626"
        made.evaluator(generation_record(name, life_record(model=f"model-{number}")))
        for version in range(EACH):
            tag = f"v1.{version}-{name}"
            place = made.home / tag
            place.mkdir()
            (place / "snapshot.json").write_text(dumps(card(tag)))
            (place / "metrics.json").write_text(dumps({"kind": "reported", "figures": FIGURES}))
            event = {"date": "2026-02-01", "event": "published", "sha256": "0" * 64, "tag": tag}
            lines.append(dumps_line(event))
    (made.home / "events.jsonl").write_text("".join(lines))
    return made


def built(folder: Path) -> tuple[float, float, str]:
    """Build the site, and return wall seconds, processor seconds and what the command said."""
    before, begun = os.times(), time.perf_counter()
    words = ["site", "build", "--base-url", "https://registry.example/", "--as-of", "2026-04-01"]
    done = subprocess.run(
        [sys.executable, "-m", "epc", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    after = os.times()
    spent = after.children_user + after.children_system
    spent -= before.children_user + before.children_system
    return time.perf_counter() - begun, spent, done.stdout.strip()


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        made = build(Path(name))
        (made.folder / "site").symlink_to(ROOT / "site")
        print(f"{GENERATIONS * EACH:,} snapshots, on {os.cpu_count()} cores")
        event = {"date": "2026-03-01", "event": "withdrawn", "reason": "a test"}
        for what in ("from nothing", "after one withdrawal"):
            wall, spent, said = built(made.folder)
            mark = "" if wall < LIMIT else f"  over {LIMIT:g} s"
            print(f"{what:<22}{wall:7.1f} s wall {spent:7.1f} s processor{mark}\n  {said}")
            made.tell({**event, "tag": "v1.0-Model0-0626"})


if __name__ == "__main__":
    main()
