"""`recorded:FILE` from file to word: what the order of its rows, a flag or a gap may not change."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from budget_support import examples
from click.testing import CliRunner
from engine_support import epc, read_rows
from oracle.recomputation import disagreements
from records_support import make_run

from epc.cli.program import program

HEADER = "strategy,domain,task,verdict"
SYSTEMS = [f"system {name}" for name in "abcde"]
FEW = ("--seeds", "0-9")  # the fewest of which an audit says a word


def rows_of(
    tasks: dict[str, int], systems: list[str], *, stream: int, held: float = 1.0
) -> list[str]:
    """Return verdicts of a judge with mild preferences, of which a share is there."""
    rng = random.Random(stream)
    return [
        f"{system},{domain},{domain} question {task},{choice}"
        for domain, number in tasks.items()
        for task in range(number)
        for place, system in enumerate(systems)
        for choice in rng.choices(["A", "B", "tie"], [3 + place, 5, 1])
        if rng.random() < held
    ]


def written(path: Path, rows: list[str]) -> Path:
    path.write_text("\n".join([HEADER, *rows]) + "\n")
    return path


def ran(*args: str | Path) -> str:
    """Run a command in this process; forty processes would take minutes to start."""
    done = CliRunner().invoke(program, [str(arg) for arg in args])
    assert done.exit_code == 0, done.output
    return done.stdout


def audited(run: Path) -> dict[str, Any]:
    audit: dict[str, Any] = json.loads(ran("audit", run, "--format", "json"))
    del audit["path"]
    return audit


def test_reading_r73_no_order_of_rows_and_no_flag_changes_the_word_or_a_figure(
    tmp_path: Path,
) -> None:
    """Some orders of one file with gaps, with `--exhaustive` and without."""
    rows = rows_of({"text": 12, "visual": 8}, SYSTEMS, stream=1, held=0.9)
    flags: list[tuple[str, ...]] = [(), ("--exhaustive",)]
    audits, weights = [], []
    for number in range(examples(24)):
        file = written(tmp_path / "verdicts.csv", rows)
        run = tmp_path / f"run{number}"
        ran("run", "--evaluator", f"recorded:{file}", *FEW, "--out", run, *flags[number % 2])
        audits.append(audited(run))
        weights.append((run / "weights.jsonl").read_bytes())
        random.Random(number).shuffle(rows)

    assert all(audit == audits[0] for audit in audits)
    assert all(vectors == weights[0] for vectors in weights)


def test_reading_r39_a_real_sized_file_has_one_word_and_one_p_value(tmp_path: Path) -> None:
    """440 tasks and 10 systems, as judgments of chat models are published; tasks unequal."""
    systems = [f"model {number}" for number in range(10)]
    rows = rows_of({"text": 280, "visual": 160}, systems, stream=2)
    path = written(tmp_path / "given.csv", rows)
    random.Random(0).shuffle(rows)
    shuffled = written(tmp_path / "shuffled.csv", rows)
    first, second = tmp_path / "first", tmp_path / "second"
    whole_result = epc(
        "run", "--evaluator", f"recorded:{path}", *FEW, "--exhaustive", "--out", first
    )
    plain = epc("run", "--evaluator", f"recorded:{shuffled}", *FEW, "--out", second)
    assert (whole_result.returncode, plain.returncode) == (0, 0), whole_result.stderr + plain.stderr

    assert audited(first) == audited(second)
    table = json.loads((second / "manifest.json").read_text())["results"]["verdict_table"]
    counted = [
        sum(cell) for domain in table["counts"].values() for row in domain.values() for cell in row
    ]
    assert counted == [1] * 4400  # however few of them the seeds drew


def test_reading_r72_missing_pair_is_no_tie_in_any_file_or_figure(tmp_path: Path) -> None:
    """Two systems, one task a domain: every round of `shy` in visual draws a missing pair."""
    rows = ["bold,text,t,A", "shy,text,t,B", "bold,visual,v,A"]
    file = written(tmp_path / "verdicts.csv", rows)
    run = tmp_path / "run"

    text = ran("run", "--evaluator", f"recorded:{file}", "--seeds", "0-9", "--out", run)

    trials = read_rows(run / "trials.jsonl")
    lost = [t for t in trials if t["phase"].endswith("visual") and t["strategy"] == "shy"]
    assert {(t["verdict"], t["raw"], t["evaluation"]) for t in lost} == {("missing", "", None)}
    assert len(read_rows(run / "calls.jsonl")) == 3
    manifest = json.loads((run / "manifest.json").read_text())
    assert manifest["evaluator"]["details"]["missing"] == 1
    assert manifest["results"]["verdict_table"]["counts"]["visual"] == {
        "bold": [[1, 0, 0]],
        "shy": [[0, 0, 0]],
    }
    assert manifest["results"]["summary"]["tie_rate"]["mean"] == 0
    counts = [record["verdicts"]["visual"] for record in manifest["results"]["per_seed"]]
    assert all(count["tie"] == 0 and sum(count.values()) == 30 for count in counts)
    assert sum(count["missing"] for count in counts) == sum(t["phase"] == "visual" for t in lost)
    assert "  verdicts   3 of 4 pairs are in the file\n" in text
    assert "1 of 4 pairs are not in the file (visual: 1 of 2, shy 1)" in text
    assert "unknown, not a tie: its round moved no weight" in text
    assert text == ran("show", run)
    audit = json.loads(CliRunner().invoke(program, ["audit", str(run), "--format", "json"]).stdout)
    assert (audit["missing"]["pairs"], audit["missing"]["of"], audit["tie_rate"]) == (1, 4, 0)
    assert audit["missing"]["share_of_rounds"] == pytest.approx(len(lost) / len(trials))
    assert ran("validate", run)
    assert list(disagreements(manifest, run)) == []


def test_reading_r72_missing_pair_is_no_tie_and_makes_no_blind_judge_coupled(
    tmp_path: Path,
) -> None:
    """A judge that tosses a coin; two of its five systems lack most of the text tasks."""
    coupled = 0
    for number in range(5):
        rng = random.Random(number)
        rows = [
            f"{system},{domain},{domain} question {task},{rng.choice('AB')}"
            for domain in ("text", "visual")
            for task in range(40)
            for place, system in enumerate(SYSTEMS)
            if domain == "visual" or place > 1 or task < 6
        ]
        file = written(tmp_path / "verdicts.csv", rows)
        run = make_run(
            tmp_path / str(number), evaluator=f"recorded:{file}", executor=None, seeds=10, rounds=30
        )
        coupled += audited(run.folder)["verdict"] == "coupled"

    assert coupled <= 2  # more than two of five come by chance once in 860 times


def test_reading_r72_a_verdict_that_the_calls_hold_cannot_be_called_missing(tmp_path: Path) -> None:
    file = written(tmp_path / "verdicts.csv", ["bold,text,t,A", "bold,visual,v,A"])
    run = make_run(tmp_path / "run", evaluator=f"recorded:{file}", executor=None, seeds=1, rounds=2)
    run.edit_row("trials", 0, verdict="missing", raw="", evaluation=None)

    places = {(f.where, f.problem) for f in run.validate().findings if f.severity == "error"}

    assert ("/trials/0/verdict", "says missing, and a call holds this pair's verdict") in places


GROUPED = [
    f"{system},{domain},{domain} question {task},{'AB'[(place + task) % 2]},topic {task // 2}"
    for place, system in enumerate(SYSTEMS)
    for domain in ("text", "visual")
    for task in range(4)
]


def test_reading_r74_a_column_groups_the_tasks_of_a_run(tmp_path: Path) -> None:
    file = tmp_path / "v.csv"
    file.write_text("\n".join([f"{HEADER},group", *GROUPED]) + "\n")
    run = tmp_path / "run"
    arguments = ("run", "--evaluator", f"recorded:{file}", "--rounds", "5")
    ran(*arguments, "--seeds", "0-1", "--out", run)

    assert "  groups     4 text tasks in 2, 4 visual tasks in 2\n" in ran("show", run)
    manifest = json.loads((run / "manifest.json").read_text())
    groups = ["topic 0", "topic 0", "topic 1", "topic 1"]
    assert manifest["groups"] == {"text": groups, "visual": groups}
    assert manifest["schema_version"] == 2
    assert json.loads((run / "run.json").read_text())["groups"] == manifest["groups"]
    assert ran("validate", run)


def test_reading_r73_equal_rows_count_once_and_the_report_says_how_many(tmp_path: Path) -> None:
    rows = rows_of({"text": 8, "visual": 8}, SYSTEMS, stream=4)
    runs = {}
    for name, said in (("once", rows), ("again", [*rows[1:], rows[0], rows[0], rows[3]])):
        file = written(tmp_path / f"{name}.csv", said)
        runs[name] = ran("run", "--evaluator", f"recorded:{file}", *FEW, "--out", tmp_path / name)

    assert "  verdicts   80 of 80 pairs are in the file\n" in runs["once"]
    assert "  verdicts   80 of 80 pairs are in the file; 2 duplicate rows" in runs["again"]
    assert audited(tmp_path / "again") == audited(tmp_path / "once")
    results = [
        json.loads((tmp_path / name / "manifest.json").read_text())["results"] for name in runs
    ]
    assert results[0] == results[1]


def test_reading_r73_rows_that_contradict_each_other_are_refused_with_both_lines(
    tmp_path: Path,
) -> None:
    file = written(tmp_path / "v.csv", ["bold,text,t,A", "bold,visual,v,A", "bold,text,t,tie"])

    done = epc("run", "--evaluator", f"recorded:{file}", "--out", tmp_path / "run")

    assert done.returncode == 2
    text = f"{file}:4: bold / text / t has the verdict 'tie', and the verdict 'A' in line 2"
    assert text in done.stderr


def test_reading_r74_a_resumed_run_keeps_its_groups(tmp_path: Path) -> None:
    file = tmp_path / "v.csv"
    file.write_text("\n".join([f"{HEADER},group", *GROUPED]) + "\n")
    arguments = ("run", "--evaluator", f"recorded:{file}", "--rounds", "5", "--seeds", "0-1")
    ran(*arguments, "--out", tmp_path / "whole")
    stopped = epc(*arguments, "--max-calls", "7", "--out", tmp_path / "stopped")
    assert stopped.returncode == 4, stopped.stderr
    ran("resume", tmp_path / "stopped")

    whole_manifest, resumed = (
        json.loads((tmp_path / name / "manifest.json").read_text()) for name in ("whole", "stopped")
    )
    assert resumed["groups"] == whole_manifest["groups"]
    assert resumed["results"] == whole_manifest["results"]


def test_reading_r74_a_task_of_two_groups_is_refused_with_both_lines(tmp_path: Path) -> None:
    file = tmp_path / "v.csv"
    file.write_text("\n".join([f"{HEADER},group", *GROUPED, "x,text,text question 3,A,topic 9"]))

    done = epc("run", "--evaluator", f"recorded:{file}", "--out", tmp_path / "run")

    assert done.returncode == 2
    text = f"{file}:42: text / text question 3 has the group 'topic 9', and the group 'topic 1'"
    assert f"{text} in line 5" in done.stderr
    assert not (tmp_path / "run").exists()


def test_reading_r73_a_dry_run_counts_the_verdicts_of_the_file(tmp_path: Path) -> None:
    file = written(tmp_path / "v.csv", ["bold,text,t,A", "shy,text,t,B", "bold,visual,v,A"])

    done = ran("run", "--evaluator", f"recorded:{file}", "--dry-run", "--format", "json")

    assert '"expected": 3' in done.replace(".0", "")


@pytest.mark.parametrize("rounds", ["1", "100"])
def test_reading_r72_a_run_of_any_length_is_audited_without_a_warning(
    tmp_path: Path, rounds: str
) -> None:
    file = written(
        tmp_path / "v.csv", rows_of({"text": 4, "visual": 5}, ["ä b", "漢", "x"], stream=3)
    )

    ran(
        "run",
        "--evaluator",
        f"recorded:{file}",
        *FEW,
        "--rounds",
        rounds,
        "--out",
        tmp_path / "run",
    )

    assert audited(tmp_path / "run")["test"]["splits"] == 126


def test_reading_r72_one_strategy_one_task_or_ties_alone_can_make_no_claim(tmp_path: Path) -> None:
    """With one strategy there is no choice to redirect; with one task a domain no chance."""
    said = {}
    for name, rows in (
        ("strategy", rows_of({"text": 8, "visual": 8}, ["only"], stream=1)),
        ("task", ["a,text,t,A", "b,text,t,B", "a,visual,v,B", "b,visual,v,A"]),
        ("ties", [f"{s},{d},{n},tie" for s in "ab" for d in ("text", "visual") for n in range(8)]),
    ):
        file = written(tmp_path / f"{name}.csv", rows)
        ran("run", "--evaluator", f"recorded:{file}", *FEW, "--out", tmp_path / name)
        done = CliRunner().invoke(program, ["audit", str(tmp_path / name), "--format", "json"])
        assert done.exit_code == 1
        assert "NaN" not in done.stdout
        said[name] = json.loads(done.stdout)

    verdicts = {name: audit["verdict"] for name, audit in said.items()}
    assert verdicts == {
        "strategy": "collapsed",  # on the only one that there is
        "task": "inconclusive",
        "ties": "no_verdicts_counted",
    }
    assert (said["strategy"]["p_value"], said["strategy"]["transfer"]) == (None, None)
    assert (said["ties"]["p_value"], said["ties"]["transfer"]) == (None, None)
    assert said["task"]["test"]["splits"] == 1


def test_reading_r74_a_manifest_holds_the_splits_of_many_tasks(tmp_path: Path) -> None:
    """30 and 30 tasks have 5.9e16 splits, a number that JSON's readers would round."""
    file = written(tmp_path / "v.csv", rows_of({"text": 30, "visual": 30}, SYSTEMS[:2], stream=6))

    ran("run", "--evaluator", f"recorded:{file}", *FEW, "--out", tmp_path / "run")

    assert audited(tmp_path / "run")["test"]["splits"] == 2**53 - 1
