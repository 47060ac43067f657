"""How fast a registry of 3,000 snapshots is listed, asked and recomputed.

    python tests/benchmarks/registry.py

Whole processes are timed, starting included, and held against an `epc --help` in the same run, so
that a slow machine does not look like a slow registry.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from registry_support import FIGURES, Checkout, card, generation_record, life_record

from epc.records.strict_json import dumps, dumps_line
from epc.registry.verify import verify

GENERATIONS, EACH = 300, 10
LIMIT = 1.0


def build(folder: Path) -> Checkout:
    """Write 3,000 snapshots of 300 generations, ten each; their digests do not matter here."""
    made = Checkout(folder)
    for number in range(GENERATIONS):
        name = f"Model{number}-0626"
        made.evaluator(generation_record(name, life_record(model=f"model-{number}")))
        for version in range(EACH):
            tag = f"v1.{version}-{name}"
            place = made.home / tag
            place.mkdir()
            (place / "snapshot.json").write_text(dumps(card(tag)))
            (place / "metrics.json").write_text(dumps({"kind": "reported", "figures": FIGURES}))
    with (made.home / "events.jsonl").open("w") as file:
        for number in range(GENERATIONS):
            for version in range(EACH):
                tag = f"v1.{version}-Model{number}-0626"
                event = {"date": "2026-02-01", "event": "published", "sha256": "0" * 64, "tag": tag}
                file.write(dumps_line(event))
    return made


def seconds(folder: Path, *words: str) -> float:
    """Return the shortest of five runs of a command."""
    taken = []
    for _ in range(5):
        begun = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "epc", *words], cwd=folder, capture_output=True, check=False
        )
        taken.append(time.perf_counter() - begun)
    return min(taken)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        made = build(Path(name))
        start = seconds(made.folder, "--help")
        print(f"epc --help                        {start:6.2f} s")
        for words in (["snapshot", "list"], ["expiry"], ["expiry", "--format", "json"]):
            taken = seconds(made.folder, *words)
            mark = "" if taken < LIMIT else f"  over {LIMIT} s"
            print(f"epc {' '.join(words):<28}{taken:8.2f} s  {taken / start:5.1f} x{mark}")
        begun = time.perf_counter()
        verify(made.folder)
        print(f"verify, digests of 6,000 files    {time.perf_counter() - begun:6.2f} s")


if __name__ == "__main__":
    main()
