"""GPT-4's published verdicts of AlpacaEval as a `recorded:FILE`.

    git clone https://github.com/tatsu-lab/alpaca_eval
    python tests/studies/alpaca_eval.py alpaca_eval/.git verdicts.csv

Each results/SYSTEM/alpaca_eval_gpt4/annotations.json says which of two answers GPT-4 preferred on
805 instructions: 2 is the system's (A), 1 that of text_davinci_003 (B), 0 and 1.5 are neither
(tie), null is no verdict (no row). The source's categories make the domains: `selfinstruct`, 252
tasks, is text, and `oasst`, 188 tasks, is visual; the names say nothing of the tasks. The data are
CC BY-NC 4.0, so no copy is kept here.
"""

import csv
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DOMAINS = {"selfinstruct": "text", "oasst": "visual"}
VERDICTS = {2: "A", 1: "B", 0: "tie", 1.5: "tie"}
# Of the first leaderboard. The file of falcon-7b-instruct is a copy of falcon-40b-instruct's.
SYSTEMS = (
    "gpt4",
    "claude",
    "gpt-3.5-turbo-0301",
    "wizardlm-13b",
    "guanaco-65b",
    "vicuna-13b",
    "oasst-rlhf-llama-33b",
    "falcon-40b-instruct",
    "alpaca-farm-ppo-human",
    "alpaca-7b",
)


def main() -> None:
    """Write the file and print what each system got."""
    repository, out = sys.argv[1:]
    rows = [row for system in SYSTEMS for row in rows_of(repository, system)]
    with Path(out).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(
            [("strategy", "domain", "task", "verdict"), *rows]
        )
    said = Counter((system, domain, verdict) for system, domain, _, verdict in rows)
    for system in SYSTEMS:
        shares = (
            f"{domain}: " + ", ".join(f"{said[system, domain, v]} {v}" for v in ("A", "B", "tie"))
            for domain in DOMAINS.values()
        )
        print(f"{system:<24}{'; '.join(shares)}")
    tasks = {(domain, task) for _, domain, task, _ in rows}
    print(f"{len(rows)} verdicts on {len(tasks)} tasks")


def rows_of(repository: str, system: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield strategy, domain, task and verdict of a system's comparisons."""
    place = f"HEAD:results/{system}/alpaca_eval_gpt4/annotations.json"
    shown = subprocess.run(
        ["git", "--git-dir", repository, "show", place], capture_output=True, check=True
    )
    annotations: list[dict[str, Any]] = json.loads(shown.stdout)
    for each in annotations:
        domain, preference = DOMAINS.get(each["dataset"]), each["preference"]
        if domain is not None and preference is not None:
            yield system, domain, each["instruction"], VERDICTS[preference]


if __name__ == "__main__":
    main()
