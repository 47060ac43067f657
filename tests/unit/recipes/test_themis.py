"""THEMIS' picks of one of four, and its reward models' scores of four (Reading R77)."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from observed_sources_support import write
from recipes.composo import candidates
from recipes.themis import convert

from epc.records.verdicts.converting import Conversion, Request

JUDGE = "maker/judge"
PROMPTS = {f"prompts/{name}.txt": name for name in ("polarity_original", "polarity_inverted")}


def run(
    *letters: str, right: str = "A", data: str = "p2_o0", prompt: str = "original"
) -> list[Any]:
    """Return a run's lines: what it says of itself, then one pick for each item."""
    place = "ABCD".index(right)
    about = {
        "_record": "metadata",
        "model": JUDGE,
        "ordering": place,
        "permutation": [*range(1, place + 1), 0, *range(place + 1, 4)],
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
    conversion = convert(write(folder, {**PROMPTS, **files, **gate}), Request())
    assert not conversion.findings
    return conversion


def picks(found: Conversion) -> list[Any]:
    """Return of each pick the candidate, and what stood at each place."""
    rows = [row for row in found.rows if row.setting == f"{JUDGE}/polarity_original"]
    return [(None if row.picked is msgspec.UNSET else row.picked, row.order) for row in rows]


def test_reading_r77_themis_a_letter_is_a_place_and_no_candidate(tmp_path: Path) -> None:
    conversion = converted(tmp_path, one=run("A", "B", "error"), two=run("A", "B", "C", right="B"))

    plain, turned = (0, 1, 2, 3), (1, 0, 2, 3)
    at_a = [(0, plain), (1, plain), (None, plain)]
    assert picks(conversion) == [*at_a, (1, turned), (0, turned), (2, turned)]


def test_reading_r77_themis_an_item_asked_again_in_one_arrangement_is_a_repeat(
    tmp_path: Path,
) -> None:
    again = run("A", "B", data="control_o0")
    conversion = converted(tmp_path, P1a=again, P2a=run("A", "B", "C"), P2b=run("A", right="B"))

    repeats = [(row.item, row.repeat) for row in conversion.rows if row.repeat is not msgspec.UNSET]
    assert repeats == [("Math/0", 1), ("Math/1", 1)]


def test_reading_r77_themis_a_run_that_stands_twice_counts_once(tmp_path: Path) -> None:
    conversion = converted(tmp_path, P2a=run("A", "B"), P2b=run("A", "B"))

    assert len(picks(conversion)) == 2
    assert conversion.header is not None
    assert [n for why, n in conversion.header.left_out.items() if "copied" in why] == [2]


@pytest.mark.parametrize(
    ("data", "prompt", "ending"),
    [
        ("p1b_o3", "original", "original/off-topic 3"),
        ("p2_o0", "inverted", "inverted"),
    ],
)
def test_reading_r77_themis_what_is_no_fair_sample_is_a_setting_with_a_note(
    tmp_path: Path, data: str, prompt: str, ending: str
) -> None:
    conversion = converted(tmp_path, one=run("A", data=data, prompt=prompt))

    assert conversion.header is not None
    notes = {name: setting.note for name, setting in conversion.header.settings.items()}
    assert notes.pop("maker/reward/score") is None
    assert [*notes] == [f"{JUDGE}/polarity_{ending}"]
    assert all(notes.values())


def test_reading_r77_themis_a_reward_model_s_lists_are_those_of_composo(tmp_path: Path) -> None:
    conversion = converted(tmp_path, one=run("A"))

    (row,) = (row for row in conversion.rows if row.setting.endswith("score"))
    assert row.scores == (2.5, -1.0, 3.0, 2.5)
    expected = candidates("Math", "0")
    assert (row.item, row.candidates, row.right) == ("Math/0", expected["candidates"], 0)
