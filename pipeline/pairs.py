"""Labelled set of pairs that judges of open weights are asked: the shorter pairs of LLMBar (MIT).

    python pipeline/pairs.py CLONE LLMBar-short.jsonl      CLONE is one of princeton-nlp/LLMBar

A judge of a small machine reads some 20 to 60 tokens a second, so pairs of 1,600 characters and
more are left out: 298 of 419 stay, at commit 900616b. An item has the name that the recipe of
LLMBar's own verdicts gives it, so that judges of both can be compared.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

SUBSETS: Final = (
    "Natural",
    *(f"Adversarial/{n}" for n in ("Neighbor", "GPTInst", "GPTOut", "Manual")),
)
LONGEST: Final = 1_600  # characters of the request and both answers together


def pairs(clone: Path) -> Iterator[dict[str, Any]]:
    """Yield a row of the set for each pair that is short enough."""
    for name in SUBSETS:
        subset = f"LLMBar/{name}"
        entries = json.loads((clone / "Dataset" / subset / "dataset.json").read_text("utf-8"))
        for number, entry in enumerate(entries):
            question, a, b = entry["input"], entry["output_1"], entry["output_2"]
            if len(question + a + b) < LONGEST:
                gold = "ab"[entry["label"] - 1]
                item = {"item": f"{subset}/{number}", "question": question, "a": a, "b": b}
                yield item | {"gold": gold, "subset": subset}


def main() -> None:
    """Write the set, or say how the program is called."""
    if len(sys.argv) != 3:  # noqa: PLR2004  (the program, a clone, a file)
        sys.exit("usage: python pipeline/pairs.py CLONE SET.jsonl")
    lines = (json.dumps(row) + "\n" for row in pairs(Path(sys.argv[1])))
    Path(sys.argv[2]).write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    main()
