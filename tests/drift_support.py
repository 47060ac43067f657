"""Helpers of the tests of comparing and watching: verdict files and an endpoint that changes."""

import csv
from collections.abc import Callable, Iterable
from pathlib import Path

from endpoint_support import Received, Reply, answering, completion
from engine_support import a_or_b, digest

from epc.spec.epc_v1 import DOMAINS
from epc.spec.reference import STRATEGIES, TASKS

Rows = list[tuple[str, str, str, str]]


def verdict_rows() -> Rows:
    """Return a verdict for each of the 176 pairs, A in about half of them."""
    return [
        (strategy.name, domain, task, a_or_b(f"{strategy.name}|{task}"))
        for domain in DOMAINS
        for task in TASKS[domain]
        for strategy in STRATEGIES
    ]


def turned(rows: Rows, indices: Iterable[int]) -> Rows:
    """Return the rows with some verdicts turned over."""
    chosen = set(indices)
    return [
        (*row[:3], "AB"[row[3] == "A"]) if index in chosen else row
        for index, row in enumerate(rows)
    ]


def write_verdicts(path: Path, rows: Rows) -> Path:
    """Write verdicts as `recorded:FILE` reads them."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("strategy", "domain", "task", "verdict"))
        writer.writerows(rows)
    return path


def share_of_prompts(share: float) -> Callable[[str], bool]:
    """Return whether a prompt is among a share of all prompts, chosen by digest."""
    return lambda prompt: int(digest(f"chosen {prompt}")[:8], 16) / 16**8 < share


def turning(chosen: Callable[[str], bool]) -> Callable[[Received], Reply]:
    """Return an endpoint whose evaluator says the opposite where a prompt is chosen."""

    def behave(received: Received) -> Reply:
        prompt = received.prompt
        if prompt.startswith("Evaluate.") and chosen(prompt):
            return completion("B" if a_or_b(prompt) == "A" else "A")
        return answering(received)

    return behave
