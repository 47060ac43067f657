"""Invented verdicts, and an invented repository of LLMBar's shape, to be worked out by hand."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from epc.analysis.verdicts import Report, measure
from epc.records.verdicts.columns import Collector, Verdicts
from epc.records.verdicts.converting import digest
from epc.records.verdicts.types import Header, Judge, Prompt, Row, Setting, Source

LONG = "Because " + "one of the two follows what was asked for and the other one does not. " * 2
PROMPTS = {"Vanilla.txt": "Which is better?", "CoT.txt": "Explain.", "Swap.txt": "Both said."}


def answers_in_both_orders(
    plain: str | None, swapped: str | None, said: str = "Output (a)"
) -> dict[str, Any]:
    """Return a step's answers in both orders, as the candidates that won."""
    return {
        "swap = False": {"completion": [said, "stop"], "winner": plain},
        "swap = True": {"completion": ["Output (b)", "stop"], "winner": swapped},
    }


def rated(a: str, b: str) -> dict[str, Any]:
    return {
        "score_1": [a, "stop"],
        "score_2": [b, "stop"],
        "swap = False": {"winner": "2"},
        "swap = True": {"winner": "1"},
    }


def step(prompt: str) -> dict[str, Any]:
    return {
        "prompt": prompt,
        "model_name": "judge",
        "openai_kwargs": {"engine": "judge-0613", "temperature": 0.0},
        "parsing": {"1": "a", "2": "b"},
    }


ITEMS = (
    {"input": "Count.", "output_1": "one two three", "output_2": "one", "label": 1},
    {"input": "Rhyme.", "output_1": "no", "output_2": "a rhyme in time", "label": 2},
    {"input": "Short.", "output_1": "ok", "output_2": "a long story", "label": 1},
)
RESULTS: dict[str, list[list[Any]]] = {
    "Vanilla": [
        [answers_in_both_orders("1", "1")],
        [answers_in_both_orders("1", "2")],
        [answers_in_both_orders(None, "1")],
    ],
    "Metrics": [[["be kind", "stop"], answers_in_both_orders("1", "1")] for _ in ITEMS],
    "CoT": [
        [answers_in_both_orders("1", "1", LONG)],
        [answers_in_both_orders("1", "2", "So (a).")],
        [answers_in_both_orders("2", "1", LONG)],
    ],
    "Swap": [
        [answers_in_both_orders("1", "1", LONG)],
        [answers_in_both_orders("1", "2", "Thus (a)."), answers_in_both_orders("2", "2")],
        [answers_in_both_orders("1", "1", LONG)],
    ],
    "Rating": [[rated("7", "3")], [rated("5", "5")], [rated("none", "4")]],
}
STEPS = {
    "Vanilla": ["Vanilla.txt"],
    "Metrics": ["aux.txt", "Metrics.txt"],
    "CoT": ["CoT.txt"],
    "Swap": ["CoT.txt", "Swap.txt"],
    "Rating": ["Rating.txt"],
}


def llmbar(folder: Path) -> Path:
    """Write the repository: 3 items, one judge, 5 strategies."""
    system = folder / "LLMEvaluator" / "evaluators"
    written: dict[Path, Any] = {}
    for strategy, results in RESULTS.items():
        entries = [{**item, "results": result} for item, result in zip(ITEMS, results, strict=True)]
        place = folder / "Dataset" / "Set" / "Tiny" / "evaluators" / "J"
        written[place / strategy / "result.json"] = entries
        written[system / "config" / "J" / f"{strategy}.json"] = [*map(step, STEPS[strategy])]
    for path, value in written.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value))
    (system / "prompts").mkdir()
    for name, text in PROMPTS.items():
        (system / "prompts" / name).write_text(text)
    (folder / "LICENSE").write_text("MIT License\n\nCopyright (c) nobody\n")
    return folder


PROMPT = Prompt(name="p", sha256=digest("p"))
SETTING = Setting(
    judge=Judge(name="j", model="unknown", platform="unknown"),
    prompt=PROMPT,
    decoding={"temperature": 0},
    date="unknown",
)
SETTINGS = {
    "one": SETTING,
    "renamed": replace(SETTING, prompt=replace(PROMPT, name="q")),
    "warmer": replace(SETTING, decoding={"temperature": 1}),
    "unstated": replace(SETTING, prompt=Prompt(name="p", sha256="unknown")),
    "other": replace(SETTING, judge=replace(SETTING.judge, name="k")),
    "stated": replace(SETTING, judge=Judge(name="l", model="m-1", platform="unknown")),
    "stated too": replace(SETTING, judge=Judge(name="m", model="m-1", platform="unknown")),
    "unstated too": replace(SETTING, prompt=Prompt(name="p", sha256="unknown")),
    "images": replace(SETTING, modality="image"),
}
# Which of them are one: judge, prompt, decoding and what was seen are the same, as far as known.
ALIKE = [
    ["images"],
    ["one", "renamed"],
    ["other"],
    ["stated"],
    ["stated too"],
    ["unstated"],
    ["unstated too"],
    ["warmer"],
]


def verdict(item: str, first: str, said: str, **further_fields: Any) -> dict[str, Any]:
    pair = {"a_sha256": digest(f"a{item}"), "a_length": 2, "b_sha256": digest("b"), "b_length": 1}
    fixed = {"item": item, "setting": "one", "file": "f", **pair}
    return {**fixed, "first": first, "verdict": said, **further_fields}


def columns(*lines: dict[str, Any]) -> tuple[Header, Verdicts]:
    """Return a verdict file as it is read."""
    source = Source(name="s", repository="r", commit="c", licence="l", texts=False)
    header = Header(schema_version=1, source=source, files={}, settings=SETTINGS)
    collector = Collector()
    collector.add_rows([msgspec.convert(line, Row) for line in lines], range(2, len(lines) + 2))
    return header, collector.verdicts()


def report(*lines: dict[str, Any]) -> Report:
    return measure(*columns(*lines))
