"""1,000,000 recorded verdicts converted, checked and measured. It asserts nothing.

The table has 25,000 items, twenty judges and both orders, with two texts and an answer in each line
(190 MB).
"""

import csv
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ITEMS, JUDGES = 25_000, 20
EPC = str(Path(sys.executable).with_name("epc"))


def write(path: Path) -> None:
    rng = random.Random(20231011)
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["item", "judge", "question", "a", "b", "first", "verdict", "answer"])
        for item in range(ITEMS):
            a, b = (f"answer {name} of {item} " * rng.randint(1, 6) for name in "ab")
            for judge in range(JUDGES):
                for first in "ab":
                    said = (first, rng.choice(["a", "b", "tie"]), f"I prefer {rng.random()}")
                    table.writerow((f"i{item}", f"judge-{judge}", f"question {item}", a, b, *said))


def timed(*arguments: str) -> None:
    process = subprocess.Popen([EPC, "observe", *arguments], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    name = f"{arguments[0]} {Path(arguments[-1]).suffix}"
    seconds = usage.ru_utime + usage.ru_stime
    print(f"{name:<20}{seconds:8.1f} s of processor time  {usage.ru_maxrss / 1024:8.0f} MiB")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "table.csv"
        write(source)
        for form in (".jsonl", ".parquet"):
            out = str(source.with_suffix(form))
            timed("import", str(source), "--shape", "csv", "--out", out)
            timed("check", out)
            timed("report", out)
            timed("export", out, "--to", form[1:], "--out", str(Path(folder) / f"again{form}"))
