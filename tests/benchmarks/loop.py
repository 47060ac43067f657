"""A report of 100,000 log lines and 10,000 checks, and a recorded metric call. It asserts nothing.

The yardsticks: reading the same lines with Python's json and taking their means; the same call of
the metric, which returns at once, without the recorder.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import epc

CANDIDATES, VALIDATION, TEST = 250, 400, 2_500
EPC = str(Path(sys.executable).with_name("epc"))
JUDGE = "openai/gpt-5.4-nano"


def write(folder: Path) -> tuple[Path, Path]:
    rng = random.Random(93)
    log, checks = folder / "run.loop.jsonl", folder / "run.checks.jsonl"

    def line(**row: object) -> str:
        return json.dumps(row | {"output": f"{rng.getrandbits(48):012x}"}) + "\n"

    with log.open("w") as file:
        for seq in range(CANDIDATES * VALIDATION):
            candidate, item = f"{seq // VALIDATION:012x}", f"v{seq % VALIDATION}"
            score = rng.randint(1, 10)
            scored = {"candidate": candidate, "item": item, "judge": JUDGE, "score": score}
            file.write(line(seq=seq, split="val", text=f"{item:>12}", **scored))
    with checks.open("w") as file:
        for number in range(TEST):
            for candidate in (f"{0:012x}", f"{CANDIDATES - 1:012x}"):
                for judge, most in ((JUDGE, 10), ("gold", 1)):
                    place = {"candidate": candidate, "item": f"x{number}", "judge": judge}
                    file.write(line(score=rng.randint(0, most), asking=0, **place))
    return log, checks


def processor_s(*arguments: str) -> float:
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_utime + usage.ru_stime


def plainly(log: Path, checks: Path) -> float:
    began = time.process_time()
    scores: dict[str, list[float]] = defaultdict(list)
    for path in (log, checks):
        with path.open() as file:
            for text in file:
                row = json.loads(text)
                scores[row["candidate"]].append(row["score"])
    _ = {name: sum(figures) / len(figures) for name, figures in scores.items()}
    return time.process_time() - began


def call_us(metric: Callable[..., Any], items: list[Any], outputs: list[str]) -> float:
    """Return the processor's time of a call, in microseconds."""
    began = time.process_time()
    for item, output in zip(items, outputs, strict=True):
        metric(item, output)
    return 1e6 * (time.process_time() - began) / len(items)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        log, checks = write(Path(name))
        plain, report = plainly(log, checks), processor_s(EPC, "loop", "report", str(log))
        print(
            f"report    {report:6.2f} s of processor time, {report / plain:.1f} times the reading"
        )
        items = [{"question": f"What is {n}? {'word ' * 80}"} for n in range(300)]
        outputs = [f"The answer is {n}. {'text ' * 80}" for n in range(300)]

        def metric(_: Any, output: str) -> float:
            return len(output) / 10

        out = Path(name) / "recorded.loop.jsonl"
        recorder = epc.loop.record(metric, judge=JUDGE, split_of={"val": items}, out=out)
        bare = min(call_us(metric, items, outputs) for _ in range(20))
        with recorder.candidate("first"):
            new = call_us(recorder, items, outputs)
            known_smallest = min(call_us(recorder, items, outputs) for _ in range(20))
            others = [f"{output} again" for output in outputs]
            unseen = call_us(recorder, items, others)
        print(
            f"recorder  {known_smallest - bare:6.1f} us a call of a known output, "
            f"bare {bare:.2f} us"
        )
        print(
            f"          {unseen - bare:6.1f} us with a new output, {new - bare:.1f} a new item too"
        )


if __name__ == "__main__":
    main()
