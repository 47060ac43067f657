"""THEMIS' picks of one of four as verdicts of the right answer against the others (R77)."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from observed_sources_support import write
from recipes.composo import pair
from recipes.themis import convert

from epc.records.observed.converting import Conversion, Request

JUDGE = "maker/judge"
PROMPTS = {f"prompts/{name}.txt": name for name in ("polarity_original", "polarity_inverted")}


def run(
    *letters: str, right: str = "A", data: str = "p2_o0", prompt: str = "original"
) -> list[Any]:
    """Return a run's lines: what it says of itself, then one pick for each item."""
    about = {
        "_record": "metadata",
        "model": JUDGE,
        "ordering": "ABCD".index(right),
        "chosen_at_slot": right,
        "dataset": f"data/{data}",
        "prompt": f"prompts/polarity_{prompt}.txt (as it stands)",
    }
    picks = [
        {
            "id": str(number),
            "subset": "Math",
            "results": 0.25,
            "parsed_letter": letter,
            "judgement_text": f"[[{letter}]]",
        }
        for number, letter in enumerate(letters)
    ]
    return [about, *picks]


def converted(folder: Path, **runs: list[Any]) -> Conversion:
    files = {f"results/exp01/{name}.jsonl": lines for name, lines in runs.items()}
    model = {"_record": "metadata", "model": "maker/reward"}
    scores = {"id": "0", "subset": "Math", "scores": [[2.5], [-1.0], [3.0], [2.5]]}
    ties = {**scores, "subset": "Ties"}
    gate = {"results/gate/reward.jsonl": [model, scores, ties]}
    found = convert(write(folder, {**PROMPTS, **files, **gate}), Request())
    assert not found.findings
    return found


def picks(found: Conversion, setting: str = f"{JUDGE}/polarity_original") -> list[Any]:
    """Return of each pick: is it right, and does the right answer stand at A?"""
    rows = [msgspec.to_builtins(row) for row in found.rows if row.setting == setting]
    said = [(row["verdict"], row["gold"], row["first"]) for row in rows]
    return [
        (verdict if verdict == "unreadable" else verdict == gold, first == gold)
        for verdict, gold, first in said
    ]


def test_reading_r77_themis_a_letter_is_a_place_and_no_candidate(tmp_path: Path) -> None:
    found = converted(tmp_path, one=run("A", "B", "error"), two=run("A", "B", "C", right="B"))

    at_a = [(True, True), (False, True), ("unreadable", True)]
    assert picks(found) == [*at_a, (False, False), (True, False), (False, False)]


def test_reading_r77_themis_a_run_that_stands_twice_counts_once(tmp_path: Path) -> None:
    found = converted(tmp_path, P2a=run("A", "B"), P2b=run("A", "B"))

    assert len(picks(found)) == 2
    assert found.header is not None
    assert [n for why, n in found.header.left_out.items() if "copied" in why] == [2]


@pytest.mark.parametrize(
    ("data", "prompt", "ending"),
    [
        ("control_o0", "original", "original/asked again"),
        ("p1b_o3", "original", "original/off-topic 3"),
        ("p2_o0", "inverted", "inverted"),
    ],
)
def test_reading_r77_themis_what_is_no_fair_sample_is_a_setting_with_a_note(
    tmp_path: Path, data: str, prompt: str, ending: str
) -> None:
    found = converted(tmp_path, one=run("A", data=data, prompt=prompt))

    assert found.header is not None
    notes = {name: each.note for name, each in found.header.settings.items()}
    assert notes.pop("maker/reward/score") is None
    assert [*notes] == [f"{JUDGE}/polarity_{ending}"]
    assert all(notes.values())


def test_reading_r77_themis_a_reward_model_s_pairs_are_the_items_of_composo_s(
    tmp_path: Path,
) -> None:
    found = converted(tmp_path, one=run("A"))

    rows = [msgspec.to_builtins(row) for row in found.rows if row.setting.endswith("score")]
    assert [row["item"] for row in rows] == ["Math/0/1", "Math/0/2", "Math/0/3"]
    rights = [f"{row['gold']}_score" for row in rows]
    assert [row[right] for row, right in zip(rows, rights, strict=True)] == [2.5, 2.5, 2.5]
    digests = [pair("Math", "0", other)[0]["a_sha256"] for other in (1, 2, 3)]
    assert [row["a_sha256"] for row in rows] == digests
