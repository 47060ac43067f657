"""Speed, as ratios in one run: `make benchmark`. It prints; it asserts nothing.

Whole commands are timed in turn with `python -c pass`, so that a slow moment of the machine slows
both; medians are quoted.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import jsonschema
import numpy as np

from epc.protocol.divergence import divergences
from epc.protocol.metrics import jsd
from epc.records.schemas import findings, schema

RUNS = 9
EPC = str(Path(sys.executable).with_name("epc"))


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def command(*words: str) -> Callable[[], object]:
    return lambda: subprocess.run(words, check=True, capture_output=True)


def beside(
    name: str, work: Callable[[], object], peer_name: str, peer: Callable[[], object]
) -> None:
    """Time two things in turn and print both medians and the ratio."""
    work(), peer()
    pairs = [(seconds(work), seconds(peer)) for _ in range(RUNS)]
    ours, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = statistics.median(a / b for a, b in pairs)
    print(f"{name:<44}{ours * 1000:10.1f} ms   {ratio:8.2f} x {peer_name} ({theirs * 1000:.1f} ms)")


def make_run(folder: Path) -> Path:
    run = folder / "run"
    words = [EPC, "run", "--evaluator", "mock/deterministic", "--executor", "mock/deterministic"]
    subprocess.run([*words, "--exhaustive", "--out", str(run)], check=True, capture_output=True)
    return run


def main() -> None:
    python = command(sys.executable, "-c", "pass")
    with tempfile.TemporaryDirectory() as folder:
        run = make_run(Path(folder))
        rows = [json.loads(line) for line in (run / "trials.jsonl").read_text().splitlines()]
        beside("epc --help", command(EPC, "--help"), "python -c pass", python)
        beside(
            "epc validate, 30 seeds", command(EPC, "validate", str(run)), "python -c pass", python
        )
        slow = jsonschema.Draft202012Validator(schema("trial"))
        beside(
            "check 3,600 trials against their schema",
            lambda: [findings("trial", row) for row in rows],
            "jsonschema, a tenth of them",
            lambda: [slow.is_valid(row) for row in rows[:360]],
        )
    shares = np.random.default_rng(0).random((60, 2, 11))
    vectors = (shares / shares.sum(axis=2, keepdims=True)).tolist()
    pairs = [(tuple(left), tuple(right)) for left, right in vectors]
    beside(
        "60 divergences at once",
        lambda: divergences(pairs),
        "one at a time",
        lambda: [jsd(*pair) for pair in pairs],
    )


if __name__ == "__main__":
    main()
