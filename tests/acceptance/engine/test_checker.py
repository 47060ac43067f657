"""A design's own checker is gold without a file of labels (Reading R91)."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
from engine_support import epc, read_rows
from run_support import MOCKS

DESIGN = """\
schema_version: 2
name: checked
rounds: 6
baseline: plain
strategies:
  - {{name: plain, prompt: Answer.}}
  - {{name: digits, prompt: Answer with a number alone.}}
evaluator_prompt: "{{task}} A: {{response_A}} B: {{response_B}} A or B?"
executor_prompt: "{{task}} = ? {{strategy_prompt}}"
checker: {checker}
domains:
  sums: [2 plus 3, 4 plus 4, 5 plus 1, 2 plus 2]
  products: [2 times 3, 4 times 4, 5 times 1, 3 times 3]
"""
# The program says what it was given, so that the test sees what it was asked and how often.
PROGRAM = """\
import json, re
from pathlib import Path

def right(given):
    with Path("asked.jsonl").open("a") as file:
        file.write(json.dumps(given) + "\\n")
    a, sign, b = given["value"].split()
    result = int(a) + int(b) if sign == "plus" else int(a) * int(b)
    return {"gold": float(str(result) in re.findall("[0-9]+", given["output"]))}

if __name__ == "__main__":
    import sys
    print(json.dumps(right(json.load(sys.stdin))))
"""
EMBEDDED = (
    *("--evaluator", "local/word-count", "--executor", "local/smollm2-135m", "--exhaustive"),
    *("--executor-max-tokens", "10", "--seeds", "0-1"),
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "answers.py").write_text(PROGRAM)
    return tmp_path


def design(home: Path, checker: str) -> Path:
    path = home / "checked.yaml"
    path.write_text(DESIGN.format(checker=checker))
    return path


def labels_by_hand(run: Path) -> list[tuple[str, str, str, str]]:
    """Label each answer from the calls alone: what was asked says of which strategy it is."""
    rows = []
    for call in read_rows(run / "calls.jsonl"):
        if call["role"] == "executor":
            match = re.fullmatch(r"((\d) (plus|times) (\d)) = \? (.*)", call["prompt"])
            assert match
            task, a, sign, b, prompt = match.groups()
            result = int(a) + int(b) if sign == "plus" else int(a) * int(b)
            word = "A" if str(result) in re.findall(r"\d+", call["answer"]) else "B"
            name = "digits" if "alone" in prompt else "plain"
            rows.append((name, "sums" if sign == "plus" else "products", task, word))
    return rows


def audited(run: Path, *options: str | Path) -> Any:
    return json.loads(epc("audit", run, *options, "--format", "json").stdout)


def test_reading_r91_a_checker_gives_what_a_file_of_its_labels_gives(home: Path) -> None:
    """An embedded model answers; the labels of the file are counted from its calls apart."""
    checked, labelled, gold = home / "checked", home / "labelled", home / "gold.csv"
    mine = design(home, "answers:right")

    done = epc("run", "--design", mine, *EMBEDDED, "--out", checked, cwd=home)
    assert done.returncode == 0, done.stderr
    rows = labels_by_hand(checked)
    with gold.open("w", newline="") as file:
        csv.writer(file).writerows([("strategy", "domain", "task", "gold"), *rows])
    plain = home / "plain.yaml"
    plain.write_text(mine.read_text().replace("checker: answers:right\n", ""))
    repeated_result = epc(
        *("run", "--design", plain, *EMBEDDED, "--gold", gold, "--out", labelled),
        *("--reuse-answers-of", checked),
        cwd=home,
    )

    assert repeated_result.returncode == 0, repeated_result.stderr
    assert {row[3] for row in rows} == {"A", "B"}, "the model is right in some and wrong in some"
    quality = audited(checked)["quality"]
    assert quality["measured"]
    assert quality["domains"]["sums"]["labels"] == len(rows) / 2
    assert quality == audited(labelled)["quality"] == audited(labelled, "--gold", gold)["quality"]
    sent_rows = read_rows(home / "asked.jsonl")
    assert len(sent_rows) == len(rows) == 16, "each answer is checked once"
    assert {(row["candidate"], row["text"], row["item"]) for row in sent_rows} >= {
        ("plain", "Answer.", "sums/1"),
        ("digits", "Answer with a number alone.", "products/4"),
    }
    assert epc("validate", checked).returncode == 0


def test_reading_r91_a_checker_is_asked_of_every_answer_of_a_fresh_run(home: Path) -> None:
    mine, run = design(home, "python answers.py"), home / "run"

    done = epc("run", "--design", mine, *MOCKS, "--reuse", "none", "--out", run, cwd=home)

    assert done.returncode == 0, done.stderr
    assert {"domains", "directions"} <= audited(run)["quality"].keys()
    with (run / "gold.csv").open(newline="") as file:
        rows = [(r["strategy"], r["domain"], r["task"], r["gold"]) for r in csv.DictReader(file)]
    by_hand = [(*key, {"A": "1.0", "B": "0.0"}[word]) for *key, word in labels_by_hand(run)]
    assert sorted(rows) == sorted(by_hand)


def test_reading_r91_a_checker_that_fails_leaves_a_run_that_resume_finishes(home: Path) -> None:
    mine, run = design(home, "python answers.py"), home / "run"
    (home / "answers.py").write_text("raise OSError('no table')\n")

    failed = epc("run", "--design", mine, *MOCKS, "--out", run, cwd=home)
    (home / "answers.py").write_text(PROGRAM)
    resumed = epc("resume", run, cwd=home)

    assert failed.returncode == 4
    assert "checker failed for" in failed.stderr
    assert "OSError: no table" in failed.stderr
    assert resumed.returncode == 0, resumed.stderr
    assert audited(run)["quality"]["measured"]


@pytest.mark.parametrize(
    ("checker", "returns", "options", "problem"),
    [
        ("answers:wrong", "1", (), "checker answers:wrong: "),
        ("python answers.py", "2", (), "from 0 to 1"),
        ("python answers.py", "1", ("--gold", "answers.py"), "leave --gold out"),
    ],
)
def test_reading_r91_a_checker_that_can_label_nothing_is_named(
    home: Path, checker: str, returns: str, options: tuple[str, ...], problem: str
) -> None:
    (home / "answers.py").write_text(f"print('{{\"gold\": {returns}}}')\n")

    done = epc("run", "--design", design(home, checker), *MOCKS, *options, "--out", "r", cwd=home)

    assert done.returncode == 2
    assert problem in done.stderr


def test_reading_r91_reading_a_design_runs_no_checker(home: Path) -> None:
    mine = design(home, "answers:right")

    result = epc("design", "show", mine, cwd=home)
    checked = epc("design", "check", mine, cwd=home)
    forecast = epc("run", "--design", mine, *MOCKS, "--dry-run", cwd=home)

    assert "answers:right" in result.stdout
    assert (checked.returncode, forecast.returncode) == (0, 0)
    assert not (home / "asked.jsonl").exists()
