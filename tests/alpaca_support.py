"""An invented repository of AlpacaEval's shape, with its traps."""

import json
from pathlib import Path
from typing import Any

CONFIG = """
{name}:
  prompt_template: "{name}/prompt.txt"
  completions_kwargs:
    model_name: "judge-0613"
    temperature: 0
"""
WEIGHTED = """  fn_completion_parser: "logprob_parser"
  completion_parser_kwargs:
    is_binarize: false
"""
CONFIGS = "src/alpaca_eval/evaluators_configs"


def written(folder: Path, files: dict[str, Any]) -> Path:
    """Write a source: a list of a .jsonl file is its lines, a text stands as it is."""
    for name, value in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [json.dumps(each) for each in value] if name.endswith(".jsonl") else []
        text = value if isinstance(value, str) else "\n".join(lines) or json.dumps(value)
        path.write_text(text)
    return folder


def entry(
    question: str, answer: str, preference: float | None, **further_fields: Any
) -> dict[str, Any]:
    return {
        "instruction": question,
        "output_1": "base",
        "output_2": answer,
        "generator_1": "baseline",
        "generator_2": "new",
        "dataset": "set",
        "annotator": "plain",
        "preference": preference,
        "time_per_example": 0.125,
        **further_fields,
    }


def alpaca(folder: Path) -> Path:
    weighted = {"annotator": "weighted"}
    return written(
        folder,
        {
            "README.md": "![data](https://x/Data%20License-CC%20By%20NC%204.0-red.svg)",
            f"{CONFIGS}/plain/configs.yaml": CONFIG.format(name="plain"),
            f"{CONFIGS}/plain/prompt.txt": "Which is better?",
            f"{CONFIGS}/weighted/configs.yaml": CONFIG.format(name="weighted") + WEIGHTED,
            "results/new/plain/annotations.json": [
                entry("One?", "first", 2, raw_completion="[m]"),
                entry("Two?", "second", 1.0),
                entry("Three?", "third", None),
                entry("Four?", "base", 0),
                entry("Five?", "base", 1.5, **weighted),
            ],
            "results/new/weighted/annotations.json": [
                entry("One?", "first", 1.75, **weighted),
                entry("Two?", "other", 1.5, **weighted, raw_completion={"token": "M"}),
            ],
            # A folder that holds another's entries, and one that was asked again.
            "results/renamed/plain/annotations.json": [
                entry("One?", "first", 2, raw_completion="[m]"),
                entry("Two?", "second", 2.0, time_per_example=0.5),
            ],
        },
    )
