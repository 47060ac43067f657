"""`pipeline/pairs.py`: the shorter pairs of LLMBar become a set that `epc judge pairs` reads."""

import json
import subprocess
import sys
from pathlib import Path

from registry_support import ROOT

from epc.records.pairs import read_pairs


def test_pairs_under_1600_characters_get_the_items_of_llmbars_own_verdicts(tmp_path: Path) -> None:
    fits = {"input": "q" * 1_000, "output_1": "a" * 300, "output_2": "b" * 299, "label": 2}
    too_long = fits | {"output_2": "b" * 300}
    for name in (
        "Natural",
        *(f"Adversarial/{n}" for n in ("Neighbor", "GPTInst", "GPTOut", "Manual")),
    ):
        folder = tmp_path / "Dataset" / "LLMBar" / name
        folder.mkdir(parents=True)
        entries = [too_long, fits] if name == "Natural" else [too_long]
        (folder / "dataset.json").write_text(json.dumps(entries))

    command = [sys.executable, "pipeline/pairs.py", str(tmp_path), str(tmp_path / "set.jsonl")]
    subprocess.run(command, cwd=ROOT, check=True)

    (pair,) = read_pairs(tmp_path / "set.jsonl").pairs
    facts = pair.item, pair.gold, pair.subset, len(pair.question), len(pair.a), len(pair.b)
    assert facts == ("LLMBar/Natural/1", "b", "LLMBar/Natural", 1_000, 300, 299)
