"""`epc audit VOTES`: a table that people have to every figure it bears, and what is missing."""

import json
import random
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from records_support import epc

import epc as package
from epc.api.auditing import Audited


def crossing(folder: Path) -> Path:
    """Write verdicts of three strategies: what wins in code loses in prose, with some noise."""
    draw = random.Random(7)
    lines = ["strategy,domain,task,verdict,group"]
    for domain, favourite in (("code", 0.8), ("prose", 0.25)):
        for task in range(16):
            for name, rate in (("bold", favourite), ("shy", 1 - favourite), ("terse", 0.5)):
                said = "A" if draw.random() < rate else "B"
                lines.append(f"{name},{domain},{domain} {task},{said},{domain} {task // 2}")
    path = folder / "votes.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def audited(path: Path, *words: str) -> Any:
    done = epc("audit", path, "--format", "json", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_reading_r71_a_table_and_a_run_over_it_have_one_word_and_one_set_of_figures(
    tmp_path: Path,
) -> None:
    path = crossing(tmp_path)
    run = tmp_path / "run"
    words = ("--evaluator", f"recorded:{path}", "--seeds", "0-9", "--out", run)
    assert epc("run", *words).returncode == 0

    by_run, (group,) = audited(run), audited(path)["groups"]

    found = group["transfer"]
    assert found["word"] == by_run["verdict"]
    assert found["test"] == by_run["test"]
    assert found["test"]["unit"] == "group"
    for direction, into in found["directions"].items():
        theirs = by_run["transfer"][direction]
        assert into == {name: theirs[name] for name in into}


VOTES = """question_id,model_a,model_b,winner,human,shown_first,run,judge
1,x,y,x,model_a,a,0,j
1,x,y,y,model_a,b,0,j
1,x,y,x,model_a,a,1,j
2,x,y,tie,model_b,a,0,j
"""


def test_an_audit_says_what_the_columns_are_and_what_is_missing(tmp_path: Path) -> None:
    path, page, saved = tmp_path / "votes.csv", tmp_path / "r.html", tmp_path / "v.jsonl"
    path.write_text(VOTES, "utf-8")

    done = epc("audit", path, "--map", "repeat=run", "--html", page, "--save", saved)

    text = done.stdout.decode()
    assert "votes.csv: 4 verdicts\n- j agrees with most people in 33% of 4 verdicts" in text
    assert "  model_a      a_by: who wrote answer a\n" in text
    assert re.search("agreement with gold +add a column `gold`: the better answer, a or b\n", text)
    assert "  place bias " not in text
    assert "agreement with people, their majority" in page.read_text("utf-8")
    assert epc("observe", "check", saved).stdout.decode() == f"{saved}: ok, findings: 0\n"
    # The saved file says the same, and `epc observe report` is the same command.
    again = json.loads(epc("observe", "report", saved, "--format", "json").stdout)
    assert again["groups"] == audited(path, "--map", "repeat=run")["groups"]


def test_reading_r77_place_and_repeats_of_an_audit_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(VOTES, "utf-8")

    (group,) = audited(path, "--map", "repeat=run")["groups"]

    figures = {name: figure["value"] for name, figure in group["figures"].items()}
    assert figures["place_consistency"] == 0  # x in one order, y in the other
    assert figures["repeat_consistency_all"] == 1  # x twice in the same order
    assert figures["ties"] == 0.5  # by question: 0 of 3 and 1 of 1
    assert figures["humans_majority"] == pytest.approx((2 / 3 + 0) / 2)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("id,a,b\n1,x,y\n", "votes.csv:1: has no verdict or a_score or b_score"),
        (VOTES.replace(",tie,", ",perhaps,"), "votes.csv:5/winner: 'perhaps' is no label"),
        (VOTES + "3,x,y,x,,a,0\n", "votes.csv:6: has 7 cells, and the header 8 columns"),
        (VOTES, "votes.csv:4/winner: differs from votes.csv:2/winner, of the same item"),
    ],
)
def test_an_audit_of_what_cannot_be_used_says_the_line_and_what_to_do(
    text: str, says: str, tmp_path: Path
) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(text.replace(",x,model_a,a,1,", ",y,model_a,a,1,"), "utf-8")

    done = epc("audit", path)

    assert done.returncode == 1
    assert says in done.stdout.decode()
    assert "\n  fix: " in done.stdout.decode()


def test_options_of_verdicts_are_none_of_a_run(tmp_path: Path) -> None:
    run, votes = tmp_path / "run", crossing(tmp_path)
    epc("run", "--evaluator", f"recorded:{votes}", "--seeds", "0", "--out", run)

    for words in (("--map", "a=b"), ("--save", "x.jsonl")):
        assert b"are of a file of verdicts" in epc("audit", run, *words).stderr
    assert b"epc show" in epc("audit", run, "--html", tmp_path / "r.html").stderr
    assert b"are of a run" in epc("audit", votes, "--swap", "2").stderr


def test_an_audit_from_python_is_that_of_the_command(tmp_path: Path) -> None:
    path = crossing(tmp_path)

    of_file = package.audit(path)
    of_frame = package.audit(pd.read_csv(path))

    assert isinstance(of_file, Audited)
    assert isinstance(of_frame, Audited)
    assert of_file.as_json() == audited(path)
    assert of_frame.as_json()["groups"] == of_file.as_json()["groups"]
    assert str(of_file) + "\n" == epc("audit", path).stdout.decode()
    row = of_file.figures.set_index("figure").loc["ties"]
    assert (row["value"], row["questions"]) == (0, 32)
    shown = of_file._repr_html_()
    assert "<svg" in shown, "a notebook shows the picture below the cell"
    assert "Figures of" in shown
    assert "<html" not in shown
