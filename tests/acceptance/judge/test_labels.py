"""What people said of outputs, beside what judges said: `epc judge report --labels`."""

import csv
import html
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from judge_support import imported, record_for, table_row
from program_support import as_text, run_program

from epc.analysis.judging.labels import against_labels, labels_for
from epc.analysis.judging.shares import Judgment
from epc.judge.check import no_quotes
from epc.judge.samples import Unit
from epc.records.judging.labels import Label
from epc.spec.judge_v1 import CROSS, DIMENSIONS, Method

JUDGE = "vendor/judge"
PASS, FAIL = (2, 2, 2, 2), (0, 0, 0, 0)
# What the judge and people say of ten outputs, of five questions: seven are labelled.
SAID = [
    (PASS, PASS),
    (PASS, PASS),
    (PASS, FAIL),
    (PASS, PASS),
    (FAIL, FAIL),
    (FAIL, FAIL),
    (FAIL, PASS),
    (PASS, None),
    (PASS, None),
    (FAIL, None),
]


def epc(*arguments: str | Path) -> Any:
    return as_text(run_program(*arguments))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("labels") / "set"
    rows = [table_row(f"q{index // 2}", "AB"[index % 2], "m/x") for index in range(len(SAID))]
    reply_records = [
        record_for(row, JUDGE, judge) for row, (judge, _) in zip(rows, SAID, strict=True)
    ]
    imported(folder, rows, reply_records, judges=(JUDGE,))
    return folder


def labels(path: Path, *, by: Sequence[str] = ("",), verdicts: bool = False) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["output_id", "labeller", *DIMENSIONS, "verdict"])
        for index, (_, people) in enumerate(SAID):
            for labeller in by if people else ():
                name = f"m/x/q{index // 2}/{'AB'[index % 2]}.txt"
                scores = ["" if verdicts else score for score in people or ()]
                writer.writerow([name, labeller, *scores, "pass" if people == PASS else "fail"])
    return path


def against(folder: Path, table: Path) -> Any:
    done = epc("judge", "report", folder, "--labels", table, "--format", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["evaluations"][0]["labels"]


def test_reading_r26_a_judge_stands_against_people_with_its_errors(
    folder: Path, tmp_path: Path
) -> None:
    """Of 4 that people pass it passes 3; of 3 that they fail it fails 2; 6 of 10 it passes.

    Of 4 labelled ones that it passes people pass 3, of 3 that it fails 1: 6/10 * 3/4 + 4/10 * 1/3.
    """
    found = against(folder, labels(tmp_path / "labels.csv"))
    (judge,) = found["judges"]

    assert (found["outputs"], found["labellers"], judge["labelled"], judge["lost"]) == (7, 1, 7, 0)
    assert judge["same_verdict"]["count"] == 5
    assert judge["errors"][0] == {
        "dimension": "FORMAT_COMPLIANCE",
        "counts": [[2, 0, 1], [0, 0, 0], [1, 0, 3]],
    }
    passes = judge["passes"]
    assert (passes["stated"]["share"], found["passes"]["share"]) == (0.6, 4 / 7)
    assert passes["figures"]["tpr"]["value"] == 0.75
    assert passes["figures"]["tnr"]["value"] == pytest.approx(2 / 3)
    corrected = passes["figures"]["corrected_pass_share"]["value"]
    assert corrected == pytest.approx(0.6 * 0.75 + 0.4 / 3)
    # Two values only, so the weights do not matter: (5/7 - p) / (1 - p), with p of the margins.
    chance = (4 / 7) * (4 / 7) + (3 / 7) * (3 / 7)
    kappa = (5 / 7 - chance) / (1 - chance)
    assert judge["compared"]["kappa"]["overall_score"] == pytest.approx(kappa)
    low, high = judge["compared"]["kappa_ci95"]["overall_score"]
    assert low < kappa < high


def test_labels_may_be_verdicts_alone_and_people_may_disagree(folder: Path, tmp_path: Path) -> None:
    found = against(folder, labels(tmp_path / "labels.csv", verdicts=True))
    (judge,) = found["judges"]
    assert "compared" not in judge or judge["compared"] is None
    corrected = judge["passes"]["figures"]["corrected_pass_share"]["value"]
    assert corrected == pytest.approx(0.6 * 0.75 + 0.4 / 3)

    two_paths = labels(tmp_path / "two.csv", by=("ann", "bo"), verdicts=True)
    two_paths.write_text(two_paths.read_text().replace("bo,,,,,fail", "bo,,,,,pass", 1))
    found = against(folder, two_paths)
    assert (found["outputs"], found["undecided"], found["labellers"]) == (6, 1, 2)


def test_the_text_says_what_the_figures_take_for_granted(folder: Path, tmp_path: Path) -> None:
    table = labels(tmp_path / "labels.csv", by=("ann", "bo"))
    done = epc("judge", "report", folder, "--labels", table)

    assert "7 outputs labelled by 2" in done.stdout
    assert "ann and bo" in done.stdout
    assert "Errors of vendor/judge" in done.stdout
    assert ["2", "0", "1"] in [line.split()[-3:] for line in done.stdout.splitlines()]
    assert "drawn at random only within what a judge passes" in done.stdout


def test_the_page_has_what_the_text_has(folder: Path, tmp_path: Path) -> None:
    table, page = labels(tmp_path / "labels.csv", by=("ann", "bo")), tmp_path / "judged.html"
    epc("judge", "report", folder, "--labels", table, "--html", page)

    written = page.read_text()
    assert "7 outputs labelled by 2" in written
    assert "Errors of vendor/judge" in written
    assert "58.3%" in written


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("elsewhere,,2,2,2,2,", "which the set does not have"),
        ("m/x/q0/A.txt,,2,2,3,2,", "has the score '3'"),
        ("m/x/q0/A.txt,,2,,2,2,", "has the score ''"),
        ("m/x/q0/A.txt,,,,,,maybe", "has neither four scores nor a verdict"),
        ("m/x/q0/A.txt,,2,2,2,2,\nm/x/q0/A.txt,,2,2,2,2,", "more than once"),
    ],
)
def test_a_label_that_cannot_be_used_is_refused_with_its_row(
    folder: Path, tmp_path: Path, row: str, said: str
) -> None:
    table = tmp_path / "labels.csv"
    table.write_text(",".join(["output_id", "labeller", *DIMENSIONS, "verdict"]) + f"\n{row}\n")
    done = epc("judge", "report", folder, "--labels", table)

    assert done.returncode == 2
    assert said in done.stderr


def test_a_plan_says_how_many_labels_a_width_takes(tmp_path: Path) -> None:
    table = tmp_path / "outputs.jsonl"
    rows = [table_row(f"q{n}", "A", "m/x") for n in range(400)]
    table.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    done = epc(
        *("judge", "plan", table, "--judge", JUDGE, "--recorded", "--out", tmp_path / "set"),
        *("--labels-for", "0.08"),
    )
    found = dict(labels_for(0.08, 400))
    assert f"{found[0.1]} if the judge errs on 10% of them" in done.stderr
    assert "147 without a judge; the set has 400 outputs" in done.stderr

    narrow = epc(
        *("judge", "plan", table, "--judge", JUDGE, "--recorded", "--out", tmp_path / "other"),
        *("--labels-for", "0.01"),
    )
    assert "more than the set has if the judge errs on 2% of them" in narrow.stderr


def test_the_labels_alone_are_all_labels_and_verdicts_have_their_rows(
    folder: Path, tmp_path: Path
) -> None:
    """Seven outputs are labelled, four PASS, whatever the judge made of them; by verdicts too."""
    table, page = labels(tmp_path / "labels.csv", by=("ann", "bo"), verdicts=True), tmp_path / "p"
    done = epc("judge", "report", folder, "--labels", table, "--html", page)

    written = page.read_text()
    assert "PASS by the labels alone: 4 of 7, 57.1% [" in done.stdout
    assert "PASS by the labels alone: 4 of 7, 57.1% [" in written
    for name in ("ann and bo", "vendor/judge"):
        assert f"{name}" in written
        (row,) = [
            line
            for line in done.stdout.splitlines()
            if line.startswith(f"  {name} ") and "no scores" in line
        ]
        assert "7" in row
    assert "<td>no scores</td>" in written


def test_the_report_names_the_scores_and_holds_them_against_people_where_these_gave_some(
    folder: Path, tmp_path: Path
) -> None:
    """Ann and bo agree on all 7; the judge gives their verdict in 5: kappa with people .42."""
    alone = epc("judge", "report", folder)
    scores = ", ".join(name.lower().replace("_", " ") for name in ("overall_score", *DIMENSIONS))
    assert f"agreement with other judges on {scores}." in " ".join(alone.stdout.split())

    table, page = labels(tmp_path / "labels.csv", by=("ann", "bo")), tmp_path / "page.html"
    done = epc("judge", "report", folder, "--labels", table, "--html", page)
    printed = " ".join(done.stdout.split())
    assert f"agreement with people on {scores}." in printed
    assert "other judges" not in printed
    assert "overall_score: cannot say. These labels cannot say whether it scores" in printed
    assert "(weighted kappa with people 0.417 [" in printed
    assert "two people 100%" in printed
    assert "These words compare with people." in printed
    assert "How often each gives people's verdict" in html.unescape(page.read_text())

    verdicts = epc("judge", "report", folder, "--labels", labels(table, verdicts=True))
    said = " ".join(verdicts.stdout.split())
    assert "These words compare verdicts with people's, scores with other judges'." in said
    assert "(5/7" not in said
    assert "of 7 labelled outputs; no output was labelled by two people)" in said


def synthetic(rng: random.Random, *, true: float) -> tuple[list[Judgment], list[Label]]:
    """Sixty questions of four outputs that share a difficulty; a judge too kind; 80 labels."""
    judgments, labelled = [], []
    method: Method = CROSS
    for question in range(60):
        easier = rng.uniform(-0.25, 0.25)
        for index in range(4):
            unit = Unit(
                question_id=f"q{question}",
                prompt_variant=str(index),
                target_model="m",
                output_id=f"{question}/{index}",
            )
            good = rng.random() < true + easier
            says = rng.random() < (0.95 if good else 0.3)
            judgments.append(
                Judgment(
                    unit=unit,
                    output_sha256="",
                    judge_model="j",
                    method=method,
                    valid=True,
                    verdict="PASS" if says else "FAIL",
                    scores=PASS if says else FAIL,
                    quotes=no_quotes(2),
                )
            )
            verdict = "PASS" if good else "FAIL"
            labelled.append(Label(unit=unit, labeller="people", verdict=verdict, scores=None))
    return judgments, rng.sample(labelled, 80)


def test_reading_r26_corrected_shares_cover_the_truth_where_the_judges_own_does_not() -> None:
    """120 sets of a judge that passes 0.3 of the bad: 0.5 looks like 0.625. At 95%, 114 +- 5."""
    covered = {"stated": 0, "corrected": 0}
    for seed in range(120):
        label_report = against_labels(*synthetic(random.Random(seed), true=0.5))
        passes = label_report.judges[0].passes
        intervals = passes.stated.ci95, passes.figures["corrected_pass_share"].ci95
        for name, ends in zip(covered, intervals, strict=True):
            assert ends is not None
            covered[name] += ends[0] <= 0.5 <= ends[1]

    assert covered["stated"] < 15
    assert covered["corrected"] >= 108
