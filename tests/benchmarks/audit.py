"""CPU time of the rule about coupling, as ratios in one run. It prints; it asserts nothing.

The yardstick is the rule on 2 x 8 tasks of 11 strategies after 30 rounds, timed beside each case.
`epc audit` is timed as the user starts it.
"""

import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from epc.audit.coupling import worked_out
from epc.audit.units import units_of
from epc.protocol.table import VerdictTable
from epc.protocol.weights import UpdateRule
from epc.spec.epc_v1 import DOMAINS

STRATEGIES, TASKS, ROUNDS = 11, 8, 30
CASES = (  # strategies, tasks a domain, rounds, what is wanted
    (STRATEGIES, 128, ROUNDS, "<= 5"),
    (STRATEGIES, TASKS, 100, "<= 20"),
    (100, TASKS, ROUNDS, "<= 20"),
)


def seconds(strategies: int, tasks: int, rounds: int) -> float:
    """Return the CPU time of every figure of the rule for a coin's verdicts."""
    rng = np.random.default_rng(0)
    won = {domain: rng.integers(0, 2, (strategies, tasks)) for domain in DOMAINS}
    counts = {domain: np.stack([w, 1 - w, 0 * w], axis=2) for domain, w in won.items()}
    units = units_of(
        VerdictTable(counts=counts, repeated=True), [f"{at:03}" for at in range(strategies)]
    )
    worked_out.cache_clear()
    began = time.process_time()
    worked_out(units, rounds, UpdateRule())
    return time.process_time() - began


def audited(tasks: int) -> float:
    """Return the CPU time of `epc audit` on so many recorded tasks a domain."""
    epc = str(Path(sys.executable).with_name("epc"))
    draw = random.Random(0)
    rows = [
        f"system {s:02},{domain},task {t:03},{draw.choice('AB')}"
        for s in range(STRATEGIES)
        for domain in DOMAINS
        for t in range(tasks)
    ]
    with tempfile.TemporaryDirectory() as folder:
        file, run = Path(folder, "v.csv"), str(Path(folder, "run"))
        file.write_text("\n".join(["strategy,domain,task,verdict", *rows]) + "\n")
        words = [epc, "run", "--evaluator", f"recorded:{file}", "--out", run]
        subprocess.run(words, check=True, capture_output=True)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([epc, "audit", run], check=False, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print the ratios, then the seconds of the command."""
    for strategies, tasks, rounds, wanted in CASES:
        yardstick = seconds(STRATEGIES, TASKS, ROUNDS)
        ratio = seconds(strategies, tasks, rounds) / yardstick
        case = f"{strategies} strategies, 2 x {tasks} tasks, {rounds} rounds"
        print(f"{case:<45}{ratio:8.1f}   wanted {wanted:<8}of {yardstick:.2f} s", flush=True)
    for tasks, most in ((TASKS, 3), (128, 20)):
        print(f"epc audit, 2 x {tasks} tasks: {audited(tasks):.1f} s CPU   wanted <= {most} s")


if __name__ == "__main__":
    main()
