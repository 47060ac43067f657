"""Each option of `epc audit` has an effect, or is misuse with what to do (AUDIT 7.6)."""

import json
from pathlib import Path
from typing import Final

import click
import pytest
from records_support import epc

from epc.cli.audit import command

PAIRS: Final = "pairs.csv"
PASSES: Final = "passes.csv"
LABELS: Final = "labels.csv"
SCORES: Final = "scores.csv"
LIST: Final = "list.json"
SAVED: Final = "saved.jsonl"
RUN: Final = "run"
LOG: Final = "promptfoo.json"
GOLD: Final = "gold.csv"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a table of each kind, what is no table, and a run."""
    home = tmp_path_factory.mktemp("options")
    passes = ["pass", "fail"]
    for name, header, row in (
        (PAIRS, "id,judge,prompt,model_a,model_b,verdict,humans,domain",
         lambda n: (n, "j", "p", f"m{n % 3}", "base", "ab"[n % 2], "ab"[n % 3 > 1], f"d{n % 2}")),
        (PASSES, "id,response,verdict,humans",
         lambda n: (n, f"answer {n}", passes[n % 2], passes[n % 3 > 1])),
        (LABELS, "id,verdict,gold,place", lambda n: (n, "xyz"[n % 3], "xyz"[n % 2], "ab"[n % 2])),
        (SCORES, "id,score,human_score", lambda n: (n, n % 5 + 1, n % 4 + 1)),
    ):  # fmt: skip
        rows = [",".join(map(str, row(n))) for n in range(40)]
        (home / name).write_text("\n".join([header, *rows]) + "\n", "utf-8")
    (home / GOLD).write_text("item,gold\n", "utf-8")
    listed = [{"id": n, "verdict": ["pass", "fail"][n % 2]} for n in range(40)]
    (home / LIST).write_text(json.dumps(listed), "utf-8")
    log = {"evalId": "eval-1", "results": {"version": 3, "results": []}}
    (home / LOG).write_text(json.dumps(log), "utf-8")
    assert epc("audit", home / PASSES, "--save", home / SAVED).returncode == 0
    done = epc("run", "--evaluator", "mock/coin-flip", "--executor", "mock/deterministic",
               "--seeds", "0-1", "--out", home / RUN)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return home


REFUSED: Final = [
    # Option, file, arguments, and a part of the line that says why.
    ("--map", PAIRS, "--map humans=nobody", "has no column 'nobody'"),
    ("--map", PAIRS, "--map nothing=id", "no such field"),
    ("--map", PAIRS, "--map item=id --map item=judge", "twice"),
    ("--map", PASSES, "--map first=humans", "verdicts on single answers have no such field"),
    ("--map", PASSES, "--map swapped=humans", "verdicts on single answers have no such field"),
    ("--map", LABELS, "--map first=place", "choices among labels have no such field"),
    ("--map", SCORES, "--map gold=human_score", "scores of single answers have no such field"),
    ("--map", SCORES, "--map humans=human_score", "--map human_score=human_score"),
    ("--map", SAVED, "--map item=id", "is a verdict file"),
    ("--map", RUN, "--map item=id", "are of a file of verdicts"),
    ("--label", PASSES, "--label perhaps=fail", "no row has the label"),
    ("--label", PASSES, "--label pass=lovely", "WORD is pass, fail, tie or unreadable"),
    ("--label", PAIRS, "--label a=pass", "WORD is a, b, tie, first, second or unreadable"),
    ("--label", PAIRS, "--label humans:a=first", "a place is what the judge was shown"),
    ("--label", SCORES, "--label 5=pass", "a score is a number or unreadable"),
    ("--label", PASSES, "--label pass=a --label pass=b", "twice"),
    ("--label", SAVED, "--label pass=fail", "is a verdict file"),
    ("--label", LOG, "--label pass=fail", "is a log of promptfoo"),
    ("--set", PAIRS, "--set verdict=a", "each row has its own"),
    ("--set", PAIRS, "--set humans=a", "each row has its own"),
    ("--set", SCORES, "--set a_score=3", "each row has its own"),
    ("--set", SCORES, "--set human_score=3", "each row has its own"),
    ("--set", SCORES, "--set gold=3", "scores of single answers have no such field"),
    ("--set", LABELS, "--set gold=x", "choices among labels have no such field"),
    ("--set", PASSES, "--set first=a", "verdicts on single answers have no such field"),
    ("--set", PASSES, "--set swapped=true", "verdicts on single answers have no such field"),
    ("--set", PAIRS, "--set b=text", "nothing has the answers a"),
    ("--set", PAIRS, "--set nothing=x", "no such field"),
    ("--set", PAIRS, "--set judge=x --set judge=y", "twice"),
    ("--set", PAIRS, "--map judge=judge --set judge=y", "mapped and set"),
    ("--set", SAVED, "--set judge=x", "is a verdict file"),
    ("--ignore", PAIRS, "--ignore nothing", "has no column 'nothing'"),
    ("--ignore", PAIRS, "--map item=id --ignore id", "--map takes it"),
    ("--ignore", SAVED, "--ignore id", "is a verdict file"),
    ("--rows", PAIRS, "--rows results", "is one list of rows"),
    ("--rows", LIST, "--rows results", "is one list of rows"),
    ("--rows", SAVED, "--rows results", "is a verdict file"),
    ("--scale", PASSES, "--scale 1-5", "no scores of single answers"),
    ("--scale", SCORES, "--scale 5", "no scale"),
    ("--scale", SCORES, "--scale judge=1-5", "go together"),
    ("--scale", SCORES, "--ignore human_score --scale judge=1-5 --scale humans=1-4", "of people"),
    ("--scale", SAVED, "--scale 1-5", "is a verdict file"),
    ("--setting", PAIRS, "--setting nobody", "no setting is called nobody"),
    ("--setting", RUN, "--setting j", "are of a file of verdicts"),
    ("--same", PAIRS, "--same nobody=m1", "no judge is called 'nobody'"),
    ("--same", PAIRS, "--same j=nobody", "no author is called 'nobody'"),
    ("--same", PASSES, "--same j=m1", "no judge is called 'j'"),
    ("--same", RUN, "--same j=m1", "are of a file of verdicts"),
    ("--baseline", PAIRS, "--baseline nobody", "no author 'nobody'"),
    ("--baseline", LABELS, "--baseline base", "no author 'base'"),
    ("--baseline", PAIRS, "--ignore domain --baseline base", "--map subset=COLUMN"),
    ("--baseline", RUN, "--baseline base", "are of a file of verdicts"),
    ("--domains", PAIRS, "--ignore domain --domains d0,d1", "--map subset=COLUMN"),
    ("--domains", PAIRS, "--domains d0,d7", "no subset is d7"),
    ("--domains", PAIRS, "--domains d0", "expected two"),
    ("--domains", PASSES, "--domains d0,d1", "--map a_by=COLUMN"),
    ("--domains", RUN, "--domains d0,d1", "are of a file of verdicts"),
    ("--html", RUN, "--html r.html", "epc show"),
    ("--gate", PASSES, "--gate tpd=0.9", "no such figure"),
    ("--gate", PASSES, "--gate tpr=high", "FIGURE=LEAST"),
    ("--gate", PASSES, "--gate tpr=nan", "no number that a figure could reach"),
    ("--gate", PASSES, "--gate tpr=0.9 --gate tpr=0.1", "twice"),
    ("--gate", RUN, "--gate tpr=0.9", "are of a file of verdicts"),
    ("--label-page", PAIRS, "--label-page l.html", "no verdicts pass and fail"),
    ("--label-page", RUN, "--label-page l.html", "are of a file of verdicts"),
    ("--save", SAVED, "--save v.jsonl", "is a verdict file already"),
    ("--save", RUN, "--save v.jsonl", "are of a file of verdicts"),
    ("--rounds", PASSES, "--rounds 30", "--rounds is of weights"),
    ("--rounds", RUN, "--rounds 30", "--rounds is of weights"),
    ("--gold", PASSES, f"--gold {GOLD}", "holds no label"),
    ("--swap", PASSES, "--swap 2", "are of a run"),
    ("--controls", PASSES, "--controls 2", "are of a run"),
    *[
        (words.split()[0], file, words, "nothing is asked here")
        for file in (PASSES, RUN)
        for words in ("--max-calls 5", "--max-cost 1", "--max-time 5", "--timeout 5",
                      "--concurrency 2")
    ],
]  # fmt: skip
ANYWHERE: Final = ("--format",)  # how a result is printed


@pytest.mark.parametrize(("file", "arguments", "says"), [case[1:] for case in REFUSED], ids=str)
def test_reading_r101_7_6_an_option_that_would_do_nothing_is_misuse(
    file: str, arguments: str, says: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)

    done = epc("audit", file, *arguments.split())

    text = done.stderr.decode()
    assert (done.returncode, done.stdout) == (2, b""), text
    assert says in text
    message = text.rpartition("Error: ")[2]  # usage stands above what click refuses
    assert len(message.splitlines()) <= 2


def test_reading_r101_7_6_no_option_of_the_command_is_forgotten() -> None:
    options = [p for p in command.params if isinstance(p, click.Option)]

    names = {max(option.opts, key=len) for option in options}

    assert {option for option, *_ in REFUSED} == names - {*ANYWHERE}
