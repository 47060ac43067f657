"""100,000 recorded replies, checked and archived: seconds and memory. It asserts nothing.

The replies are of the kinds that judges give: whole records, fenced ones, refusals, records
without evidence. 25,000 outputs of about 1 kB, four judges. The peer reads the same bundle and
parses every reply with the standard library's JSON, which is the least that anybody must do.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from epc.spec.judge_v1 import DIMENSIONS, OVERALL

REPLIES = 100_000
JUDGES = ("vendor/a", "vendor/b", "vendor/c", "vendor/d")
WORDS = ("backup", "table", "step", "move", "check", "count", "week", "system", "row", "plan")
EPC = str(Path(sys.executable).with_name("epc"))

PEER = """
import json, sys
bad = 0
for line in open(sys.argv[1]):
    try:
        json.loads(json.loads(line)["reply"])
    except ValueError:
        bad += 1
"""


def reply(unit: dict[str, str], judge: str, output: str, rng: random.Random) -> str:
    scores = {name: rng.randint(0, 2) for name in DIMENSIONS}
    total = sum(scores.values())
    meta = {**unit, "judge_model": judge, "method": "cross_judge", "timestamp": "2026-07-02"}
    evidence = [
        {"dimension": name, "quote": output[50:120].strip(), "reason": "As far as can be seen."}
        for name in DIMENSIONS
    ]
    record: dict[str, Any] = {
        "meta": meta,
        "scores": {**scores, OVERALL: total},
        "verdict": "FAIL" if total <= 3 else "PASS" if total >= 7 else "PARTIAL",
        "flags": [],
        "evidence": evidence,
    }
    kind = rng.random()
    if kind < 0.1:
        return f"```json\n{json.dumps(record)}\n```"
    if kind < 0.15:
        return "I'm sorry, but I cannot evaluate this."
    return json.dumps({**record, "evidence": []} if kind < 0.25 else record)


def write(folder: Path) -> None:
    rng = random.Random(20260702)
    with (folder / "t.jsonl").open("w") as table, (folder / "r.jsonl").open("w") as bundle:
        for number in range(REPLIES // len(JUDGES)):
            output = " ".join(rng.choices(WORDS, k=200))
            unit = {
                "question_id": f"Q{number // 10}",
                "prompt_variant": f"V{number % 10}",
                "target_model": "vendor/writer",
                "output_id": f"{number}.txt",
            }
            table.write(json.dumps({**unit, "output": output}) + "\n")
            for judge in JUDGES:
                row = {**unit, "judge_model": judge, "reply": reply(unit, judge, output, rng)}
                bundle.write(json.dumps(row) + "\n")


def timed(name: str, *arguments: str) -> float:
    began = time.perf_counter()
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds, busy = time.perf_counter() - began, usage.ru_utime + usage.ru_stime
    megabytes = usage.ru_maxrss / 1024
    print(f"{name:<44}{seconds:8.1f} s {busy:8.1f} s of processor {megabytes:8.0f} MiB")
    return busy


def main() -> None:
    print(f"{REPLIES:,} replies, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write(folder)
        judges = [word for judge in JUDGES for word in ("--judge", judge)]
        plan = (EPC, "judge", "plan", f"{place}/t.jsonl", *judges, "--recorded")
        timed("epc judge plan", *plan, "--out", f"{place}/e")
        peer = timed(
            "peer: json.loads of every reply", sys.executable, "-c", PEER, f"{place}/r.jsonl"
        )
        ours = timed(
            "epc judge import: checked and archived",
            *(sys.executable, "-c", IMPORT, f"{place}/r.jsonl", f"{place}/e"),
        )
        print(f"{'':<44}{ours / peer:8.1f} x the peer's processor time")
        timed("epc judge check: all of it again", EPC, "judge", "check", f"{place}/e")
        timed("epc judge report", EPC, "judge", "report", f"{place}/e")


# `epc judge import` without the report that it ends with, which is timed on its own.
IMPORT = """
import sys
from pathlib import Path
from epc.records.judging.sources import import_replies
import_replies(Path(sys.argv[1]), Path(sys.argv[2]), now="2026-07-02T00:00:00Z")
"""

if __name__ == "__main__":
    main()
