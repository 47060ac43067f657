"""`--gold` of `epc run` and `epc audit`, as a user types it (Reading R91)."""

import csv
import json
from collections import Counter
from collections.abc import Iterator
from math import fsum
from pathlib import Path
from typing import Any

import pytest
from records_support import epc
from registry_support import ROOT
from studies.gold import said_of
from studies.gold_worlds import WORLDS

from epc import audit

UNKNOWN = "quality  not measured"
WINS = {"plain": 2, "long": 9, "short": 5}  # of 10, by the judge
RIGHT = {"plain": 8, "long": 1, "short": 5}  # of 10, by gold
TASKS = 20


def rows(counts: dict[str, int], words: tuple[str, str]) -> Iterator[tuple[str, str, str, str]]:
    for domain in ("tickets", "reviews"):
        for task in range(TASKS):
            for n, (strategy, won) in enumerate(counts.items()):
                spread = (task * 7 + n * 3 + (domain == "reviews")) % 10
                yield strategy, domain, f"task {task}", words[spread >= won]


def written(path: Path, column: str, lines: Iterator[tuple[str, str, str, str]]) -> Path:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("strategy", "domain", "task", column), *lines])
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("gold")
    written(home / "verdicts.csv", "verdict", rows(WINS, ("A", "B")))
    written(home / "gold.csv", "gold", rows(RIGHT, ("1", "0")))
    return home


@pytest.fixture(scope="module")
def plain(folder: Path) -> Path:
    done = epc("run", "--evaluator", f"recorded:{folder / 'verdicts.csv'}", "--out", folder / "a")
    assert done.returncode == 0, done.stderr
    return folder / "a"


def audited(run: Path, *options: str | Path) -> Any:
    return json.loads(epc("audit", run, *options, "--format", "json").stdout)


def test_reading_r91_without_labels_the_word_stands_beside_quality_not_measured(
    plain: Path,
) -> None:
    for command in ("audit", "show"):
        assert UNKNOWN in epc(command, plain).stdout.decode()
    assert audited(plain)["quality"] == {
        "measured": False,
        "why": "the word is of the judge's own verdicts",
        "how": "`epc audit RUN --gold FILE` takes labels",
    }
    document = json.loads(epc("show", plain, "--format", "json").stdout)
    assert document["quality"] == audited(plain)["quality"]


def test_reading_r91_labels_say_that_what_the_judge_teaches_is_worse_work(
    plain: Path, folder: Path
) -> None:
    """The judge loves `long`, which is right in 1 of 10; at random 14 of 30 are right."""
    quality = audited(plain, "--gold", folder / "gold.csv")["quality"]

    for domain in ("tickets", "reviews"):
        work = quality["domains"][domain]
        assert work["word"] == "harms"
        assert work["start"]["value"] == pytest.approx(14 / 30)
        assert work["gold_gain"]["value"] < 0 < work["proxy_gain"]["value"]
        turned = [spot["strategies"] for spot in work["blind"] if spot["reversed"]]
        assert ["long", "plain"] in turned
    text = epc("audit", plain, "--gold", folder / "gold.csv").stdout.decode()
    assert "what the judge teaches is worse work than choosing at random" in text
    assert "plain, long" in text
    assert UNKNOWN not in text
    page = (ROOT / "site" / "docs" / "gold.md").read_text("utf-8")
    lines = page.split("```text\nquality", 1)[1].split("```", 1)[0].splitlines()
    assert len(lines) > 5
    assert {*lines[1:]} <= {*text.splitlines()}, "the page shows what this audit prints"
    assert f"quality{lines[0]}" in text


def test_reading_r91_a_run_keeps_its_labels_and_every_report_of_it_reads_them(
    folder: Path, tmp_path: Path
) -> None:
    run, page = tmp_path / "run", tmp_path / "run.html"
    options = ("--gold", folder / "gold.csv", "--out", run)
    done = epc("run", "--evaluator", f"recorded:{folder / 'verdicts.csv'}", *options)

    assert done.returncode == 0, done.stderr
    assert "harms in tickets" in done.stdout.decode()
    assert "harms in tickets" in epc("show", run, "--html", page).stdout.decode()
    assert "harms in tickets" in page.read_text("utf-8")
    assert audited(run)["quality"] == audited(run, "--gold", folder / "gold.csv")["quality"]
    assert epc("validate", run).returncode == 0


def test_reading_r91_labels_of_pairs_are_the_words_of_verdicts(plain: Path, folder: Path) -> None:
    of_pairs = written(folder / "pairs.csv", "gold", rows(RIGHT, ("A", "B")))

    pairs, numbers = (audited(plain, "--gold", f) for f in (of_pairs, folder / "gold.csv"))

    assert pairs["quality"] == numbers["quality"]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("plain,tickets,task 0,2", "gold '2' is no label"),
        ("plain,tickets,task 0,good", "gold 'good' is no label"),
        ("plain,tickets,another,1", "the measurement has no task 'another'"),
        ("none,tickets,task 0,1", "the measurement has no strategy 'none'"),
        ("plain,letters,task 0,1", "the measurement has no domain 'letters'"),
    ],
)
def test_reading_r91_a_label_of_nothing_is_named_before_anything_is_asked(
    folder: Path, tmp_path: Path, line: str, problem: str
) -> None:
    gold = tmp_path / "gold.csv"
    gold.write_text(f"strategy,domain,task,gold\n{line}\n")
    options = ("--gold", gold, "--out", tmp_path / "run")

    done = epc("run", "--evaluator", f"recorded:{folder / 'verdicts.csv'}", *options)

    assert done.returncode == 2
    assert f"gold.csv:2: {problem}" in done.stderr.decode()
    assert not (tmp_path / "run").exists()


def test_reading_r91_too_few_labels_are_said_to_be_the_reason(plain: Path, tmp_path: Path) -> None:
    gold = written(tmp_path / "few.csv", "gold", iter([("plain", "tickets", "task 0", "1")]))

    quality = audited(plain, "--gold", gold)["quality"]

    assert not quality["measured"]
    assert quality["why"] == "0 tasks of reviews have labels; at least 4 are needed"


@pytest.mark.parametrize(
    ("world", "said"),
    [(0, {"harms"}), (1, {"gains"}), (2, {"coupled", "gain_not_shown"})],
    ids=["loves length in both, harmful at work", "right in 80%", "perfect, other tastes at work"],
)
def test_reading_r91_three_worlds_are_told_apart(world: int, said: set[str]) -> None:
    """The first is not coupled; the last loses nothing beyond what gold itself would."""
    assert {name for name, so in said_of(WORLDS[world], 2).items() if so} == said


def test_reading_r91_the_three_worlds_are_worth_what_was_worked_out_elsewhere() -> None:
    """At the start, and after gold, or the judge, has taught (the prototype's own simulation)."""
    found = [[*world.lesson().values()] for world in WORLDS[:2]]

    assert found[0] == pytest.approx([0.457, 0.606, 0.309], abs=0.003)
    assert found[1] == pytest.approx([0.432, 0.671, 0.606], abs=0.003)


def taught(votes: Path, *options: str | Path) -> Any:
    """Return what is known of quality beside the word of recorded verdicts."""
    (group,) = audited(votes, *options)["groups"]
    return group["transfer"]["quality"]


def test_reading_r91_labels_beside_verdicts_say_what_they_say_beside_a_run_of_these(
    plain: Path, folder: Path, tmp_path: Path
) -> None:
    votes, gold, saved = folder / "verdicts.csv", folder / "gold.csv", tmp_path / "saved.jsonl"
    of_run = audited(plain, "--gold", gold)["quality"]

    assert taught(votes, "--gold", gold, "--save", saved) == of_run
    assert taught(saved, "--gold", gold) == of_run
    text = epc("audit", votes, "--gold", gold).stdout.decode()
    gain = of_run["domains"]["reviews"]["gold_gain"]
    printed_text = "{:+.1f} points [{:+.1f}, {:+.1f}]".format(
        *(100 * part for part in (gain["value"], *gain["ci95"]))
    )
    assert f"quality  harms in reviews, gold gain {printed_text}" in text
    assert "lost by gold" in text
    (group,) = audit(votes, gold=gold).as_json()["groups"]
    assert group["transfer"]["quality"] == of_run


def test_reading_r91_verdicts_with_a_column_gold_need_no_file(
    plain: Path, folder: Path, tmp_path: Path
) -> None:
    labelled, gold = tmp_path / "labelled.csv", rows(RIGHT, ("A", "B"))
    both = zip(rows(WINS, ("A", "B")), gold, strict=True)
    with labelled.open("w", newline="") as file:
        lines = [(*verdict, label) for verdict, (*_, label) in both]
        head = ("strategy", "domain", "task", "verdict", "gold")
        csv.writer(file).writerows([head, *lines])

    assert taught(labelled) == audited(plain, "--gold", folder / "gold.csv")["quality"]
    unlabelled = taught(folder / "verdicts.csv")
    assert (unlabelled["measured"], "column gold" in unlabelled["how"]) == (False, True)


VOTES = [f"q{n},left {n},right {n},{'ab'[n % 3 == 0]},{'ab'[n % 2]}" for n in range(12)]


def test_reading_r91_labels_of_pairs_by_item_are_a_column_gold(tmp_path: Path) -> None:
    whole_folder, votes, gold = (tmp_path / name for name in ("whole.csv", "votes.csv", "gold.csv"))
    whole_folder.write_text("\n".join(["item,a,b,verdict,gold", *VOTES]))
    cells = [line.split(",") for line in VOTES]
    votes.write_text(
        "\n".join(",".join(row[:4]) for row in [["item", "a", "b", "verdict"], *cells])
    )
    gold.write_text("\n".join(["item,gold", *(f"{row[0]},{row[4]}" for row in reversed(cells))]))

    report, other_report = audited(whole_folder), audited(votes, "--gold", gold)

    assert report["groups"][0]["figures"] == other_report["groups"][0]["figures"]
    right = sum(row[3] == row[4] for row in cells) / len(cells)
    assert other_report["groups"][0]["figures"]["accuracy"]["value"] == pytest.approx(right)


@pytest.mark.parametrize(
    ("gold", "problem"),
    [
        (
            "strategy,domain,task,gold\nnone,tickets,task 0,1",
            ":2: the verdicts have no author 'none'",
        ),
        (
            "strategy,domain,task,gold\nplain,letters,task 0,1",
            ":2: the verdicts have no domain 'let",
        ),
        (
            "strategy,domain,task,gold\nplain,tickets,task 99,1",
            ":2: the verdicts have no task 'task",
        ),
        ("strategy,domain,task,gold\nplain,tickets,task 0,2", ":2: gold '2' is no label"),
        ("strategy,task,gold\nplain,task 0,1", ":1: has no column 'domain'"),
        ("item,gold\nq99,a", ":2: the verdicts have no item 'q99'"),
    ],
)
def test_reading_r91_labels_that_fit_no_verdict_are_refused_in_a_sentence(
    folder: Path, tmp_path: Path, gold: str, problem: str
) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(gold)

    done = epc("audit", folder / "verdicts.csv", "--gold", path)

    assert done.returncode == 2
    assert f"labels.csv{problem}" in done.stderr.decode()


def test_reading_r91_labels_of_strategies_need_authors_and_labels_of_items_one_pair(
    folder: Path, tmp_path: Path
) -> None:
    votes, gold = tmp_path / "votes.csv", tmp_path / "gold.csv"
    votes.write_text("question_id,a,b,verdict\nq1,one,two,a\nq1,three,four,b\nq2,one,two,a\n")

    def refused(labels: str) -> str:
        gold.write_text(labels)
        done = epc("audit", votes, "--gold", gold)
        assert done.returncode == 2
        return done.stderr.decode()

    assert "do not say who wrote the answers" in refused("strategy,domain,task,gold\nx,y,z,1\n")
    assert "'q1' has 2 pairs of answers" in refused("item,gold\nq1,a\n")
    assert "'q2' has another label before" in refused("item,gold\nq2,a\nq2,b\n")
    assert "gold 'good' is no label" in refused("item,gold\nq2,good\n")


# ------------------------------------------------- ECE and Brier of a run (Readings R11, R42)

ACCURACY = {name: right / 10 for name, right in RIGHT.items()}


@pytest.fixture(scope="module")
def accuracies(folder: Path) -> Path:
    lines = [f"{name},{value}" for name, value in ACCURACY.items()]
    (folder / "known.csv").write_text("\n".join(["strategy,accuracy", *lines]))
    return folder / "known.csv"


def measured(folder: Path, out: str, *options: str | Path) -> Any:
    recorded = ("--evaluator", f"recorded:{folder / 'verdicts.csv'}", "--out", folder / out)
    done = epc("run", *recorded, *options)
    assert done.returncode == 0, done.stderr
    assert epc("validate", folder / out).returncode == 0
    return json.loads((folder / out / "manifest.json").read_text())


def pooled(run: Path) -> tuple[float, float]:
    """Return ECE and Brier of all trials together: three strategies, each in a bin of its own."""
    wins, decided = Counter[str](), Counter[str]()
    for line in (run / "trials.jsonl").read_text().splitlines():
        trial = json.loads(line)
        decided[trial["strategy"]] += trial["verdict"] != "tie"
        wins[trial["strategy"]] += trial["verdict"] == "A"
    rates = {name: wins[name] / decided[name] for name in ACCURACY}
    assert len({int(10 * rate) for rate in rates.values()}) == 3
    gaps = [rates[name] - ACCURACY[name] for name in ACCURACY]
    return fsum(map(abs, gaps)) / 3, fsum(gap * gap for gap in gaps) / 3


def test_epc_2_5_a_run_with_accuracies_has_ece_and_brier(folder: Path, accuracies: Path) -> None:
    document = measured(folder, "run", "--accuracy", accuracies)

    summary = document["results"]["summary"]
    ece, brier = pooled(folder / "run")
    assert summary["ece"]["pooled"] == pytest.approx(ece, abs=1e-12)
    assert summary["brier"]["pooled"] == pytest.approx(brier, abs=1e-12)
    assert document["accuracy"]["values"] == ACCURACY
    shown = epc("show", folder / "run")
    assert f"{ece:.3f} with the trials of all seeds together" in shown.stdout.decode()
    assert (folder / "run" / "reliability.svg").is_file()


def test_epc_2_5_gold_of_each_answer_is_an_accuracy(folder: Path, accuracies: Path) -> None:
    gold = measured(folder, "gold", "--gold", folder / "gold.csv")
    table = measured(folder, "table", "--accuracy", accuracies)

    assert gold["accuracy"]["values"] == pytest.approx(ACCURACY)
    assert gold["accuracy"]["source"] == "gold.csv"
    assert gold["results"]["summary"]["ece"] == table["results"]["summary"]["ece"]


def test_epc_2_5_gold_that_compares_two_answers_is_no_accuracy(folder: Path) -> None:
    document = measured(
        folder,
        "pairs",
        "--gold",
        written(folder / "compared.csv", "gold", rows(RIGHT, ("A", "B"))),
    )

    assert "accuracy" not in document
    assert document["results"]["summary"]["ece"] is None


def test_epc_2_5_a_run_is_the_same_as_accuracies_written_later(
    folder: Path, accuracies: Path
) -> None:
    at_once = measured(folder, "at-once", "--accuracy", accuracies)
    measured(folder, "later")
    again = ("--accuracy", accuracies)
    assert epc("validate", folder / "later", *again, "--write").returncode == 0

    later = json.loads((folder / "later" / "manifest.json").read_text())
    assert later["results"] == at_once["results"]


def test_an_accuracy_of_no_strategy_is_refused_before_anything_is_asked(folder: Path) -> None:
    (folder / "wrong.csv").write_text("strategy,accuracy\nlongest,0.5\n")
    recorded = ("--evaluator", f"recorded:{folder / 'verdicts.csv'}", "--out", folder / "no")

    done = epc("run", *recorded, "--accuracy", folder / "wrong.csv")

    assert done.returncode == 2
    assert "wrong.csv:2: 'longest' is no strategy of the run" in done.stderr.decode()
    assert not (folder / "no").exists()
