"""Labelled sets of pairs that judges of open weights are asked, from clones of their sources.

    python pipeline/pairs.py CLONE SET.jsonl

CLONE is one of princeton-nlp/LLMBar (MIT) or of WeOpenML/PandaLM (Apache-2.0). A judge of a small
machine reads some 20 to 60 tokens a second, so pairs of 1,600 characters and more are left out.

Of LLMBar 298 of 419 pairs stay, at commit 900616b. Of PandaLM, at commit 3871806, 664 different
pairs stay on which three people chose the same answer; the set has the 300 of them whose question
has the smallest digest, in that order, so that its beginning is a sample of all of them.

An item has the name that the recipe of the source's own verdicts gives it, so that judges of both
can be compared.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from epc.json_text import storable
from epc.records.verdicts.converting import digest

SUBSETS: Final = (
    "Natural",
    *(f"Adversarial/{n}" for n in ("Neighbor", "GPTInst", "GPTOut", "Manual")),
)
LONGEST: Final = 1_600  # characters of the request and both answers together
SAMPLE: Final = 300  # pairs of PandaLM


def llmbar(clone: Path) -> Iterator[dict[str, Any]]:
    """Yield a row of the set for each pair of LLMBar that is short enough."""
    for name in SUBSETS:
        subset = f"LLMBar/{name}"
        entries = json.loads((clone / "Dataset" / subset / "dataset.json").read_text("utf-8"))
        for number, entry in enumerate(entries):
            question, a, b = entry["input"], entry["output_1"], entry["output_2"]
            if len(question + a + b) < LONGEST:
                gold = "ab"[entry["label"] - 1]
                item = {"item": f"{subset}/{number}", "question": question, "a": a, "b": b}
                yield item | {"gold": gold, "subset": subset}


def pandalm(clone: Path) -> list[dict[str, Any]]:
    """Return the rows of the sample of PandaLM's pairs on which three people agree."""
    pairs: dict[tuple[str, ...], dict[str, Any] | None] = {}  # None: people disagree, or tie
    for entry in json.loads((clone / "data/testset-v1.json").read_text("utf-8")):
        answers = entry["response1"], entry["response2"]
        if not all(isinstance(answer, str) for answer in answers):
            continue  # stored as true, not as a text
        a, b = map(storable, answers)
        question = storable(f"{entry['instruction']}\n\n{entry['input']}")
        people = {entry[f"annotator{number}"] for number in (1, 2, 3)}
        same_answers = question, *sorted((a, b))
        if same_answers in pairs:
            continue  # several models gave the same words: one item
        a_by, b_by = entry["cmp_key"].split("_")
        item = {"item": str(entry["idx"]), "question": question, "a": a, "b": b}
        humans = ["ab"[max(people) - 1]] * 3
        facts = {"humans": humans, "subset": entry["motivation_app"], "a_by": a_by, "b_by": b_by}
        pairs[same_answers] = item | facts if people in ({1}, {2}) else None
    agreed = filter(None, pairs.values())
    short = (pair for pair in agreed if len(pair["question"] + pair["a"] + pair["b"]) < LONGEST)
    return sorted(short, key=lambda pair: digest(pair["question"]))[:SAMPLE]


def main() -> None:
    """Write the set, or say how the program is called."""
    if len(sys.argv) != 3:  # noqa: PLR2004  (the program, a clone, a file)
        sys.exit("usage: python pipeline/pairs.py CLONE SET.jsonl")
    clone = Path(sys.argv[1])
    pairs = llmbar(clone) if (clone / "Dataset").is_dir() else pandalm(clone)
    Path(sys.argv[2]).write_text("".join(json.dumps(row) + "\n" for row in pairs), "utf-8")


if __name__ == "__main__":
    main()
