"""Four sources counted a second time, without a line of the program (Reading R77).

    python tests/studies/observed_sources.py SHAPE SOURCE verdicts.jsonl

SHAPE is wildbench, pandalm, mt-bench or prometheus. It prints how many verdicts a checkout holds,
on how many items, how many are further askings and what is left out, and exits 1 if the verdict
file of `epc observe import` says otherwise.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

Counts = dict[str, Any]


def load(path: Path) -> Any:
    text = path.read_text("utf-8")
    return [*map(json.loads, text.splitlines())] if path.suffix == ".jsonl" else json.loads(text)


def counts(asked: list[tuple[Any, ...]], words: Counter[str], left_out: int) -> Counts:
    """Return the totals: `asked` is (judge, item, order) of each verdict."""
    return {
        "verdicts": len(asked),
        "items": len({item for _, item, _ in asked}),
        "further": len(asked) - len(set(asked)),
        "both_orders": sum(
            {(judge, item, "a"), (judge, item, "b")} <= set(asked)
            for judge, item in {(judge, item) for judge, item, _ in asked}
        )
        if len({order for _, _, order in asked}) > 1
        else 0,
        "words": dict(sorted(words.items())),
        "left_out": left_out,
    }


def wildbench(source: Path) -> Counts:
    """Count scores by request number: one number is one score."""
    seen: dict[str, tuple[Any, ...]] = {}
    expected_counts: Counter[str] = Counter()
    copies = 0
    for path in sorted(source.glob("eval_results/*/score.v2/*/*.json")):
        release, judge = path.parts[-4], path.parts[-2].split("=")[1]
        for entry in load(path):
            number = entry["meta_data"]["batch_req_id"]
            if number in seen:
                copies += 1
                continue
            item = (entry["session_id"], entry["model_output"].strip())
            seen[number] = (f"{judge}/{release}", item, None)
            expected_counts[entry["score"] if int(entry["score"]) <= 10 else "unreadable"] += 1
    left = copies + len(list(source.glob("eval_results/*/pairwise.v2/**/*.json")))
    return counts([*seen.values()], expected_counts, left)


def pandalm(source: Path) -> Counts:
    """Count winners by the words that were compared, whatever their order and number."""
    pairs = load(source / "data/testset-v1.json")
    asked: list[tuple[Any, ...]] = []
    expected_counts: Counter[str] = Counter()
    left_out = 0
    for judge, field in (("gpt-3.5-turbo", "gpt_result"), ("pandalm-7b", "pandalm_result")):
        said = {
            each["idx"]: str(each[field]) for each in load(source / f"data/{judge}-testset-v1.json")
        }
        a_of: dict[Any, str] = {}
        for pair in pairs:
            responses = (pair["response1"], pair["response2"])
            if True in responses:
                left_out += 1
                continue
            item = (pair["instruction"], pair["input"], frozenset(responses))
            order = "a" if a_of.setdefault(item, responses[0]) == responses[0] else "b"
            asked.append((judge, item, order))
            winner = said[pair["idx"]]
            if winner in ("1", "2"):
                expected_counts["ab"[responses[int(winner) - 1] != a_of[item]]] += 1
            else:
                expected_counts["unreadable" if winner == "garbage" else "tie"] += 1
    return counts(asked, expected_counts, left_out)


def mt_bench(source: Path) -> Counts:
    """Count winners by the letters in the judgments themselves, not by the stated winners."""
    asked: list[tuple[Any, ...]] = []
    expected_counts: Counter[str] = Counter()
    left_out = 0
    for path in source.glob("fastchat/llm_judge/data/mt_bench/model_judgment/*_pair.jsonl"):
        for entry in load(path):
            for order, game in (("a", "g1"), ("b", "g2")):
                text = entry[f"{game}_judgment"]
                if text == "$ERROR$":
                    left_out += 1
                    continue
                asked.append((tuple(entry["judge"]), entry["question_id"], order))
                letter = (re.findall(r"\[\[([ABC])\]\]", text) or ["none"])[-1]
                named = {"C": "tie", "none": "unreadable"}
                second = "b" if order == "a" else "a"
                expected_counts[named.get(letter) or {"A": order, "B": second}[letter]] += 1
    return counts(asked, expected_counts, left_out)


def prometheus(source: Path) -> Counts:
    """Count scores; a response is known by its whole prompt."""
    asked: list[tuple[Any, ...]] = []
    expected_counts: Counter[str] = Counter()
    for name in ("mt_bench", "vicuna"):
        for entry in load(source / f"eval/benchmark/data/{name}_eval.json"):
            for score in entry["gpt4_score"]:
                asked.append(("gpt4", (name, entry["instruction"]), None))
                expected_counts[str(score) if score <= 5 else "unreadable"] += 1
    return counts(asked, expected_counts, 0)


COUNTS: dict[str, Callable[[Path], Counts]] = {
    "wildbench": wildbench,
    "pandalm": pandalm,
    "mt-bench": mt_bench,
    "prometheus": prometheus,
}


def differences(ours: Counts, header: dict[str, Any], rows: list[dict[str, Any]]) -> list[str]:
    """Return each total in which a verdict file differs."""
    asked = [(row["setting"], row["item"], row.get("first")) for row in rows]
    expected_counts = Counter(row.get("verdict") or f"{row['a_score']:g}" for row in rows)
    theirs = counts(asked, expected_counts, sum(header["left_out"].values()))
    theirs["further"] = sum("repeat" in row for row in rows)
    return [
        f"{name}: {value} here, {theirs[name]} there"
        for name, value in ours.items()
        if theirs[name] != value
    ]


def main() -> None:
    """Print the totals, and what differs."""
    shape, source, file = sys.argv[1:]
    ours = COUNTS[shape](Path(source))
    print(json.dumps(ours))
    header, *rows = load(Path(file))
    found = differences(ours, header, rows)
    print(*found or ["all totals are equal"], sep="\n")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
