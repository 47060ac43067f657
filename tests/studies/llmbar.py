"""LLMBar's figures a second time, without a line of the program (Reading R77).

    python tests/studies/llmbar.py LLMBar report.json

LLMBar is a checkout of princeton-nlp/LLMBar. It prints place consistency, accuracy in either place,
first-place preference and the unreadable share of each judge and strategy whose last step is asked
about every item. With the JSON of `epc audit --format json` it exits 1 if one differs.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

Counts = dict[str, list[float]]


def tally(results: list[dict[str, str | None]], gold: str, counts: Counts) -> None:
    """Count one comparison: what was said in both orders, as the candidate that won."""
    plain, swapped = results[0]["winner"], results[1]["winner"]
    rows: list[tuple[str, float]] = [
        ("place_consistency", plain is not None and plain == swapped),
        ("accuracy", plain == gold),
        ("accuracy", swapped == gold),
        # Output 1 stands first in the plain order, output 2 in the swapped one.
        ("accuracy_gold_first", (plain if gold == "1" else swapped) == gold),
        ("accuracy_gold_second", (swapped if gold == "1" else plain) == gold),
        ("unreadable", plain is None),
        ("unreadable", swapped is None),
    ]
    if plain and swapped:
        rows.append(("first_place", ((plain == "1") + (swapped == "2")) / 2))
        rows.append(("place_consistency_readable", plain == swapped))
    for name, hit in rows:
        counts[name][0] += hit
        counts[name][1] += 1


def figures(source: Path) -> dict[str, dict[str, float]]:
    """Return the shares of each JUDGE/STRATEGY of one-answer strategies, over all subsets."""
    tallies: dict[str, Counts] = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    for path in source.glob("Dataset/**/evaluators/*/*/result.json"):
        judge, strategy = path.parts[-3:-1]
        if strategy.startswith(("Swap", "Rating", "CoT")):
            continue  # of several steps, from scores, or asked under three names
        for entry in json.loads(path.read_text("utf-8")):
            last = entry["results"][-1]
            both = [last["swap = False"], last["swap = True"]]
            tally(both, str(entry["label"]), tallies[f"{judge}/{strategy}"])
    return {
        name: {figure: hits / n for figure, (hits, n) in sorted(counts.items())}
        for name, counts in sorted(tallies.items())
    }


def differences(ours: dict[str, dict[str, float]], report: dict[str, Any]) -> list[str]:
    """Return each figure in which a report differs by more than rounding, or that it lacks."""
    theirs = {group["settings"][0]: group["figures"] for group in report["groups"]}
    return [
        f"{name} {figure}: {value:.6f} here"
        for name, shares in ours.items()
        for figure, value in shares.items()
        if abs(theirs.get(name, {}).get(figure, {"value": -1})["value"] - value) > 1e-12
    ]


def main() -> None:
    """Print the figures, and what differs."""
    ours = figures(Path(sys.argv[1]))
    for name, shares in ours.items():
        print(name, *(f"{figure} {value:.4f}" for figure, value in shares.items()))
    if sys.argv[2:]:
        texts = differences(ours, json.loads(Path(sys.argv[2]).read_text("utf-8")))
        print(*texts or [f"all {sum(map(len, ours.values()))} figures are equal"], sep="\n")
        sys.exit(bool(texts))


if __name__ == "__main__":
    main()
