"""`pipeline/pairs.py`: pairs of LLMBar and PandaLM become a set that `epc judge pairs` reads."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

from registry_support import ROOT

from epc.records.pairs import LabelledPair, read_pairs


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

    (pair,) = _set_of(tmp_path)
    facts = pair.item, pair.gold, pair.subset, len(pair.question), len(pair.a), len(pair.b)
    assert facts == ("LLMBar/Natural/1", "b", "LLMBar/Natural", 1_000, 300, 299)


def test_pairs_of_pandalm_are_different_and_three_people_chose_the_same_answer(
    tmp_path: Path,
) -> None:
    (tmp_path / "data").mkdir()
    entries = [
        _entry(0, "first", (1, 1, 1)),
        _entry(1, "second", (2, 2, 2)),
        _entry(2, "first", (2, 2, 2), answers=("is worse", "is better")),  # 0, turned
        _entry(3, "two of three", (1, 1, 2)),
        _entry(4, "two and a tie", (0, 1, 1)),
        _entry(5, "three ties", (0, 0, 0)),
        _entry(6, "no text", (1, 1, 1), answers=(True, "is worse")),
        _entry(7, "too long", (1, 1, 1), answers=("a" * 800, "b" * 800)),
    ]
    (tmp_path / "data/testset-v1.json").write_text(json.dumps(entries))

    pairs = _set_of(tmp_path)

    assert {pair.item: pair.humans for pair in pairs} == {"0": ("a",) * 3, "1": ("b",) * 3}
    assert {(pair.a_by, pair.b_by, pair.subset) for pair in pairs} == {("one", "other", "app")}
    digests = [hashlib.sha256(pair.question.encode()).hexdigest() for pair in pairs]
    assert digests == sorted(digests)


def _entry(
    number: int,
    question: str,
    labels: tuple[int, int, int],
    answers: tuple[object, object] = ("is better", "is worse"),
) -> dict[str, object]:
    facts = {"idx": number, "motivation_app": "app", "cmp_key": "one_other"}
    asked = {"instruction": question, "input": "", "response1": answers[0], "response2": answers[1]}
    people = {f"annotator{place}": label for place, label in enumerate(labels, 1)}
    return {**facts, **asked, **people}


def _set_of(clone: Path) -> tuple[LabelledPair, ...]:
    command = [sys.executable, "pipeline/pairs.py", str(clone), str(clone / "set.jsonl")]
    subprocess.run(command, cwd=ROOT, check=True)
    return read_pairs(clone / "set.jsonl").pairs
