"""Ten public files given to `epc audit` as typed; right is what `csv` and `json` alone count.

`public_files/README.md` says where each is from.
"""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from records_support import epc

FOLDER: Final = Path(__file__).parent / "public_files"


def rows(name: str) -> list[dict[str, Any]]:
    """Return the rows of a file that are rows."""
    path = FOLDER / name
    text = path.read_text("utf-8")
    if path.suffix == ".csv":
        return [*csv.DictReader(text.splitlines())]
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.splitlines()]
    return [*json.loads(text)]


def audited(name: str, *options: str) -> Any:
    done = epc("audit", FOLDER / name, *options, "--format", "json")
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def figures(name: str, *options: str) -> dict[str, Any]:
    (group,) = audited(name, *options)["groups"]
    return {figure: found["value"] for figure, found in group["figures"].items()}


def asked(name: str, *options: str) -> str:
    """Return what the command asks instead of figures."""
    done = epc("audit", FOLDER / name, *options)
    assert done.returncode == 1, done.stdout + done.stderr
    assert b"Figures of" not in done.stdout
    return done.stdout.decode()


def saved(name: str, folder: Path) -> list[dict[str, Any]]:
    """Return the verdicts that the command saves, without their header."""
    out = folder / "saved.jsonl"
    done = epc("audit", FOLDER / name, "--save", out)
    assert done.returncode == 0, done.stdout + done.stderr
    return [json.loads(line) for line in out.read_text("utf-8").splitlines()[1:]]


def mean_ranks(values: Sequence[float]) -> list[float]:
    below = [sum(other < value for other in values) for value in values]
    return [low + (values.count(value) + 1) / 2 for low, value in zip(below, values, strict=True)]


def spearman(left: Sequence[float], right: Sequence[float]) -> float:
    sides = [mean_ranks(side) for side in (left, right)]
    off = [[rank - sum(side) / len(side) for rank in side] for side in sides]
    together = sum(a * b for a, b in zip(*off, strict=True))
    sizes = [sum(a * a for a in side) for side in off]
    return float(together / (sizes[0] * sizes[1]) ** 0.5)


def test_public_labelled_answers_as_counted() -> None:
    labelled = rows("labelled-answers.jsonl")
    pairs = [(row["judge_label"], row["human_label"]) for row in labelled]

    done = figures("labelled-answers.jsonl")

    for name, word in (("tpr", "pass"), ("tnr", "fail")):
        judge = [verdict for verdict, label in pairs if label == word]
        assert done[name] == pytest.approx(judge.count(word) / len(judge))
    assert done["agreement"] == pytest.approx(sum(a == b for a, b in pairs) / len(pairs))


def test_public_picks_in_two_orders_are_asked_about() -> None:
    text = asked("picks-in-two-orders.jsonl")

    assert " --map verdict=pick_original\n" in text
    (group,) = audited("picks-in-two-orders.jsonl", "--map", "verdict=pick_original")["groups"]
    assert group["verdicts"] == len(rows("picks-in-two-orders.jsonl"))


def test_public_arena_picks_as_counted() -> None:
    pairs = [
        (row["judge_pick"].lower(), row["human_winner"].removeprefix("model_"))
        for row in rows("arena-picks.json")
        if row.get("judge_pick")
    ]

    done = audited("arena-picks.json")

    assert done["verdicts"] == len(pairs) == len(rows("arena-picks.json")) - 1
    alike = sum(pick == winner for pick, winner in pairs) / len(pairs)
    (group,) = done["groups"]
    assert group["figures"]["humans_majority"]["value"] == pytest.approx(alike)


def test_public_columns_by_judge_as_counted() -> None:
    table = json.loads((FOLDER / "columns-by-judge.json").read_text("utf-8"))
    people, by_judge = table["human_scores"], table["per_judge_scores"]

    done = audited("columns-by-judge.json")

    assert [group["settings"][0] for group in done["groups"]] == [*by_judge]
    for group, scores in zip(done["groups"], by_judge.values(), strict=True):
        found = {name: figure["value"] for name, figure in group["figures"].items()}
        assert found["rank_correlation"] == pytest.approx(spearman(scores, people))
        gaps = [score - human for score, human in zip(scores, people, strict=True)]
        assert found["shift"] == pytest.approx(sum(gaps) / len(gaps))
        assert found["within_step"] == pytest.approx(sum(abs(gap) <= 1 for gap in gaps) / len(gaps))


def test_public_labels_of_three_annotators_are_no_judges() -> None:
    text = asked("three-annotators.json")

    assert "no column holds what a judge said" in text
    for name in ("annotator1", "annotator2", "annotator3"):
        assert f"{name} " in text


def draw(preference: float) -> str:
    if preference in (0, 1.5):
        return "tie"
    return "a" if preference < 1.5 else "b"


@pytest.mark.parametrize("name", ["weighted-preferences.json", "preferences-with-draws.json"])
def test_public_preferences_from_1_to_2_are_choices(name: str, tmp_path: Path) -> None:
    """AlpacaEval: 1 and the probability of the second answer; 1.5, and earlier 0, is a draw."""
    right = rows(name)

    verdicts = saved(name, tmp_path)

    assert [row["verdict"] for row in verdicts] == [draw(row["preference"]) for row in right]
    assert {row["a_by"] for row in verdicts} == {right[0]["generator_1"]}
    assert {row["setting"] for row in verdicts} == {right[0]["annotator"]}
    if name.startswith("weighted"):
        sure = [max(2 - row["preference"], row["preference"] - 1) for row in right]
        assert [row["confidence"] for row in verdicts] == pytest.approx(sure, abs=1e-6)
    else:
        assert "confidence" not in verdicts[0]


def test_public_orders_ab_and_ba_as_counted() -> None:
    verdicts: dict[int, list[str]] = {}
    for row in rows("orders-ab-and-ba.jsonl"):
        verdicts.setdefault(row["question_id"], []).append(row["verdict"])
    same = sum(left == right for left, right in verdicts.values())

    done = figures("orders-ab-and-ba.jsonl")

    assert done["place_consistency"] == pytest.approx(same / len(verdicts))


def test_public_majority_of_thirty_is_asked_about_and_as_counted() -> None:
    pairs = [
        (row["majority_verdict"], row["expected_verdict"])
        for row in rows("majority-of-thirty.csv")
        if row["majority_verdict"] != "UNSURE"
    ]

    text = asked("majority-of-thirty.csv")
    further = asked("majority-of-thirty.csv", "--map", "verdict=majority_verdict")

    assert " --map verdict=majority_verdict\n" in text
    assert "where a question has several answers, --map a_by=COLUMN names each" in further
    options = ["--map", "verdict=majority_verdict", "--map", "a_by=answer_category"]
    done = figures("majority-of-thirty.csv", *options)
    assert done["agreement"] == pytest.approx(sum(a == b for a, b in pairs) / len(pairs))
    passed = [verdict for verdict, label in pairs if label == "CORRECT"]
    assert done["tpr"] == pytest.approx(passed.count("CORRECT") / len(passed))


def test_public_line_of_facts_is_no_row() -> None:
    _, *right = rows("line-of-facts.jsonl")

    text = asked("line-of-facts.jsonl")
    done = audited("line-of-facts.jsonl", "--map", "verdict=results")

    assert "parsed_letter, judgement_text, results may" in text
    (group,) = done["groups"]
    assert group["figures"]["pass_share"]["value"] == pytest.approx(
        sum(row["results"] for row in right) / len(right)
    )
    assert done["taken"]["notes"] == [
        "read: line 1 has no key of the other lines: facts of the file"
    ]


def test_public_files_are_ten_and_all_are_listed() -> None:
    listed = (FOLDER / "README.md").read_text("utf-8")

    names = [path.name for path in FOLDER.iterdir() if path.name != "README.md"]

    assert len(names) == 10
    assert [name for name in names if f"| `{name}` |" not in listed] == []


def test_a_judge_of_other_grades_is_not_left_out_among_those_of_0_and_1(tmp_path: Path) -> None:
    """Scores of 0 to 3 of which nine of ten are 0 or 1 are scores, of every judge."""
    lines = [f"{n},{n % 2},{3 if n % 20 == 0 else n % 2},{n % 4}" for n in range(60)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["id,gpt_score,claude_score,gemini_score", *lines]) + "\n", "utf-8")

    done = epc("audit", path, "--scale", "0-3", "--format", "json")

    report = json.loads(done.stdout)
    assert [group["settings"][0] for group in report["groups"]] == ["gpt", "claude", "gemini"]
