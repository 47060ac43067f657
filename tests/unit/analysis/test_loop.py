"""Reading R93: what may be said of an optimiser's run, decided from its files alone."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from loop_support import FINAL, JUDGE, SEED, Row, check_rows, log_rows, run_files, written
from msgspec import structs
from scipy import stats

from epc.analysis.loop import over_runs, report_of
from epc.analysis.loop_decisions import assess, gate, parts_of_change, runs_refusals, spent_by
from epc.analysis.loop_files import Files
from epc.errors import MalformedError
from epc.records.loop import (
    Check,
    LedgerLine,
    LoggedOutput,
    LogLine,
    LoopPlan,
    PlannedJudge,
    read_ledger,
    read_scores,
    spend,
)
from epc.records.typed import as_json, parse
from epc.report.loop_text import gate_sentence, parted_text, sentence


def problems(folder: Path, **options: Any) -> list[str]:
    log, checks = run_files(folder, **options)
    return [finding.problem for finding in assess(Files.read(log, checks)).findings]


def paired(rows: list[Row], judge: str) -> np.ndarray:
    """Return final less seed by item, straight from the rows."""
    scores = {(r["candidate"], r["item"]): r["score"] for r in rows if r["judge"] == judge}
    items = [item for name, item in scores if name == SEED]
    return np.array([scores[FINAL, item] - scores[SEED, item] for item in items])


def test_reading_r93_gains_are_paired_means_with_students_interval(tmp_path: Path) -> None:
    log, checks = run_files(tmp_path)
    report = assess(Files.read(log, checks)).report
    rows = check_rows()

    assert report is not None
    for figure, judge in ((report.fresh, JUDGE), (report.gold, "gold")):
        differences = paired(rows, judge)
        low, high = stats.ttest_1samp(differences, 0).confidence_interval()
        assert figure is not None
        assert figure.value == pytest.approx(differences.mean())
        assert figure.ci95 == pytest.approx((low, high))
    # Every second item of the 60 gained 2 points.
    assert report.believed.value == 1.0
    assert report.validation_items == 60
    assert report.luck.value == pytest.approx(1.0 - paired(rows, JUDGE).mean())
    assert report.quality == "better"


def test_reading_r93_an_output_that_did_not_change_differs_by_nothing(tmp_path: Path) -> None:
    """Half the outputs are the same before and after: the second asking of one is no gain."""

    def same(row: Row) -> Row:
        return row | ({"output": row["item"]} if int(row["item"][1:]) % 2 else {})

    report = assess(Files.read(*run_files(tmp_path, checks=same))).report
    differences = paired(check_rows(), JUDGE)
    differences[1::2] = 0

    assert report is not None
    assert (report.changed, report.items) == (100, 200)
    assert report.fresh.value == pytest.approx(differences.mean())


def without_one_label(row: Row) -> Row | None:
    left_out = row["judge"] == "gold" and row["candidate"] == FINAL and row["item"] == "x3"
    return None if left_out else row


def changes_where(key: str, value: str, **changes: str) -> Callable[[Row], Row]:
    """Return what changes the rows that have this value."""
    return lambda row: row | (changes if row[key] == value else {})


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "an item of validation": (
        {"checks": changes_where("item", "x7", item="v7")},
        "the optimiser saw 1 of the checked items, such as v7",
    ),
    "an item of training": (
        {"checks": changes_where("item", "x7", item="t0")},
        "the optimiser saw 1 of the checked items, such as t0",
    ),
    "the text of an item that the optimiser saw": (
        {
            "log": lambda row: row | {"text": f"digest of {row['item']}"},
            "checks": changes_where("item", "x7", text="digest of t0"),
        },
        "the optimiser saw 1 of the checked items, such as x7",
    ),
    "fewer than 30 test items": (
        {"items": 29},
        f"29 test items have a score of both candidates by {JUDGE}",
    ),
    "a final that is the seed": (
        {"checks": lambda row: row if row["candidate"] == SEED else None},
        "the optimiser kept what it started with: seed and final are one candidate",
    ),
    "labels of one side only": (
        {"checks": without_one_label},
        "1 items have a label of one side only, such as x3",
    ),
    "a judge B of judge A's model": (
        {"checks": changes_where("judge", "gold", judge="azure/gpt-5.4-nano")},
        "judge B, azure/gpt-5.4-nano, is the model of judge A",
    ),
    "a log of several judges": (
        {"log": changes_where("item", "v3", judge="other")},
        f"the log has several judges: {JUDGE}, other",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_reading_r93_files_that_bear_no_claim_are_refused(tmp_path: Path, what: str) -> None:
    options, problem = REFUSED[what]

    assert problems(tmp_path, **options) == [problem]


def test_reading_r93_thirty_test_items_are_enough(tmp_path: Path) -> None:
    assert problems(tmp_path, items=30) == []


def test_reading_r93_refuses_a_candidate_that_is_not_in_the_log(tmp_path: Path) -> None:
    found = problems(tmp_path, checks=changes_where("candidate", FINAL, candidate="dddddddddddd"))

    assert found[0] == "the candidate dddddddddddd has no score on a validation item in the log"


def test_reading_r93_gives_no_price_with_few_outputs_of_equal_or_other_gold(tmp_path: Path) -> None:
    report = assess(Files.read(*run_files(tmp_path, labels=12))).report

    assert report is not None
    assert report.exchange is None
    assert "fewer than 10 changed outputs" in report.withheld[0]


def test_reading_r93_outputs_that_did_not_change_bear_no_price(tmp_path: Path) -> None:
    """15 outputs changed, all for the better; the 185 of equal gold are the same as before."""

    def few(row: Row) -> Row:
        if int(row["item"][1:]) >= 15:
            return row | {"output": row["item"]}
        return row | ({"score": float(row["candidate"] == FINAL)} if row["judge"] == "gold" else {})

    report = assess(Files.read(*run_files(tmp_path, checks=few))).report

    assert report is not None
    assert report.exchange is None
    assert "fewer than 10 changed outputs" in report.withheld[0]


def planned(files: Files, repeated_log_lines: Sequence[LogLine] = ()) -> Files:
    """Return files whose checks a plan precedes that drew their items, and outputs of the log."""
    plan = LoopPlan(
        time="2026-11-26T12:00:00Z",
        log=files.log.sha256,
        seed=SEED,
        final=FINAL,
        draw_seed=1,
        judge=PlannedJudge(model=JUDGE, platform="openai"),
        test=tuple({str(row.item): None for row in files.checks}),
        texts={},
        gold=(),
        gold_twice=(),
        repeats=tuple(
            LoggedOutput(candidate=str(row.candidate), item=str(row.item), output=str(row.output))
            for row in repeated_log_lines
        ),
    )
    checks = [structs.replace(row, plan="p") for row in files.checks]
    return replace(files, plan=plan, plan_sha256="p", checks=checks)


def test_reading_r93_a_judge_that_changed_since_is_a_line_of_its_own(tmp_path: Path) -> None:
    """It gives 12 logged outputs half a point more when it is asked again."""
    files = Files.read(*run_files(tmp_path))
    repeated_rows = [row for row in files.log.rows if row.split == "val"][:12]
    checks = [
        Check(candidate=row.candidate, item=row.item, judge=JUDGE, score=row.score + 0.5)
        for row in repeated_rows
    ]
    both_files = planned(files, repeated_rows)
    both_files = replace(both_files, checks=[*both_files.checks, *checks])
    alone, report = report_of(files), report_of(both_files)

    assert (alone.drift, alone.asked_again) == (None, 0)
    assert report.drift is not None
    assert (report.drift.value, report.asked_again) == (0.5, 12)
    assert (report.fresh, report.items) == (alone.fresh, alone.items)


@pytest.mark.parametrize(("wrong", "priced"), [(5, True), (7, False)])
def test_reading_r93_gives_no_price_by_labels_of_which_two_askings_disagree(
    tmp_path: Path, wrong: int, *, priced: bool
) -> None:
    """100 outputs are labelled twice: 6 may differ, not 7."""
    rows = check_rows()
    labels = [row for row in rows if row["judge"] == "gold" and row["candidate"] == SEED][:100]
    again = [
        row | {"asking": 1, "score": (1 - row["score"]) if number < wrong else row["score"]}
        for number, row in enumerate(labels)
    ]
    log = written(tmp_path / "run.loop.jsonl", log_rows())
    report = assess(Files.read(log, written(tmp_path / "c.jsonl", [*rows, *again]))).report

    assert report is not None
    assert report.labelled_twice == 100
    assert report.disagreement == wrong / 100
    assert (report.exchange is not None) == priced
    # 2e(1 - e) is how often two askings of error rate e disagree.
    assert report.label_error is not None
    assert 2 * report.label_error * (1 - report.label_error) == pytest.approx(wrong / 100)


def decided(folder: Path, *, unplanned: bool = True, **options: Any) -> tuple[str, str]:
    log, checks = run_files(folder, **options)
    decision = gate(Files.read(log, checks), read_ledger(log), unplanned=unplanned)
    return decision.word, gate_sentence(decision)


def test_reading_r93_the_gate_ships_a_gain_on_100_unseen_items(tmp_path: Path) -> None:
    word, text = decided(tmp_path, items=100, labels=0)

    assert word == "ship"
    assert "with no gold beside it" in text
    assert "the gate cannot see taste" in text
    assert "not planned before it was looked at" in text


@pytest.mark.parametrize("few", [{"items": 99, "labels": 0}, {"judged": 0.0, "right": 0.0}])
def test_reading_r93_the_gate_says_not_shown_of_few_items_or_no_fresh_gain(
    tmp_path: Path, few: dict[str, Any]
) -> None:
    assert decided(tmp_path, **few)[0] == "not_shown"


def test_reading_r93_the_gate_says_harms_where_gold_fell(tmp_path: Path) -> None:
    word, text = decided(tmp_path, right=-0.3)

    assert word == "harms"
    assert text.startswith("harms: gold says that the work got worse")


def test_reading_r93_the_gate_says_what_labels_say_of_a_final_that_ships(tmp_path: Path) -> None:
    """The judge gives a point more of any answer: its gain is taste."""
    word, text = decided(tmp_path, right=0.08, judged=1.0, rng=2)

    assert word == "ship"
    assert "better work is not shown" in text
    value, low, high = map(float, re.findall(r"[+-][\d.]+\d", text.partition("taste by these")[2]))
    assert low < 1 < high
    assert value == pytest.approx(1, abs=0.25)


def right_of(right: int, wrong: int) -> Callable[[Row], Row]:
    """Return what makes so many labels of the final's outputs better, and the next ones worse."""

    def change(row: Row) -> Row:
        if row["judge"] != "gold":
            return row
        number, final = int(row["item"][1:]), row["candidate"] == FINAL
        better, worse = number < right, right <= number < right + wrong
        return row | {"score": float(final if better else not final if worse else 1)}

    return change


@pytest.mark.parametrize(
    ("wrong", "margin", "word"),
    [
        # (16 - 16) / 200 has Student's half width 0.056: the loss of 5 points is not excluded.
        (16, 0.05, "not_shown"),
        (16, 0.06, "ship"),
        # 2 and 6 of 200: -4 / 202 less 1.96 sqrt((10 / 202 - (4 / 202)^2) / 202) is -0.0503.
        (6, 0.05, "not_shown"),
        (6, 0.06, "ship"),
    ],
)
def test_reading_r102_the_gate_ships_only_what_gold_shows_to_lose_less_than_the_margin(
    tmp_path: Path, wrong: int, margin: float, word: str
) -> None:
    right = 16 if wrong == 16 else 2
    files = planned(Files.read(*run_files(tmp_path, checks=right_of(right, wrong))))
    assert files.plan is not None
    files = replace(files, plan=structs.replace(files.plan, margin=margin))
    decision = gate(files, [])

    assert decision.word == word
    assert decision.margin == margin
    if word == "not_shown":
        assert decision.reason == "gold does not exclude a loss of 5 points of right answers"
    assert f"margin {100 * margin:g} points; " in gate_sentence(decision)


def test_reading_r102_a_plan_without_a_margin_has_one_of_five_points(tmp_path: Path) -> None:
    plan = planned(Files.read(*run_files(tmp_path))).plan
    assert plan is not None
    document = {k: v for k, v in as_json(plan).items() if k != "margin"}

    assert parse(document, LoopPlan).margin == 0.05
    assert decided(tmp_path, right=-0.02, judged=1.0, rng=2)[0] == "not_shown"


def test_reading_r102_labels_that_hardly_change_say_why_the_judge_does_not_help(
    tmp_path: Path,
) -> None:
    report = assess(Files.read(*run_files(tmp_path, checks=right_of(2, 1)))).report

    assert report is not None
    assert report.gold is not None
    assert report.gold.value == pytest.approx(1 / 200)
    # 3 / 202 less 2 / 202; 1.96 sqrt((5 / 202 - 1 / 202^2) / 202).
    assert report.gold.ci95 == pytest.approx((-0.016735, 0.026636), abs=1e-6)
    assert report.withheld[-1].startswith("no help of the judge's for gold: fewer than 10 labels")


def test_reading_r93_the_gate_refuses_checks_without_a_plan(tmp_path: Path) -> None:
    assert decided(tmp_path, unplanned=False) == (
        "refused",
        "refused: no plan precedes the checks.",
    )


def test_reading_r93_items_that_decided_a_gate_are_used_up(tmp_path: Path) -> None:
    """The same scores may be gated again; other scores of the same items may not."""
    log, checks = run_files(tmp_path)
    files = Files.read(log, checks)
    first = gate(files, read_ledger(log), unplanned=True)
    spend(log, spent_by(files, "2026-11-26T12:00:00Z", first.decided))

    assert gate(files, read_ledger(log), unplanned=True).word == first.word
    assert decided(tmp_path, rng=2) == (
        "refused",
        "refused: 200 of the items were used up by an earlier check, such as x0.",
    )


def test_reading_r93_a_plan_decides_once(tmp_path: Path) -> None:
    log, checks = run_files(tmp_path)
    files = planned(Files.read(log, checks))
    first = gate(files, read_ledger(log))
    spend(log, spent_by(files, "2026-11-26T12:00:00Z", first.decided))
    again = [structs.replace(row, score=9.0) for row in files.checks[:1]]
    other_gate = gate(replace(files, checks=[*again, *files.checks[1:]]), read_ledger(log))

    assert first.word == gate(files, read_ledger(log)).word == "ship"
    assert (other_gate.word, other_gate.reason) == (
        "refused",
        "a gate decided on other scores of the same plan",
    )


def test_reading_r93_the_ledger_notes_a_decision_once(tmp_path: Path) -> None:
    log, _ = run_files(tmp_path)
    for day in (1, 2):
        spend(log, LedgerLine(time=f"2026-11-0{day}", by="a", items=("x0",), decided="b"))

    assert [row.time for row in read_ledger(log)] == ["2026-11-01"]


def test_reading_r93_several_runs_have_students_interval_over_the_runs(tmp_path: Path) -> None:
    reports = []
    for number in range(5):
        folder = tmp_path / str(number)
        folder.mkdir()
        report = assess(Files.read(*run_files(folder, rng=number))).report
        assert report is not None
        reports.append(report)
    whole_runs_report = over_runs(reports)
    gains = [paired(check_rows(rng=number), JUDGE).mean() for number in range(5)]

    assert whole_runs_report.fresh.value == pytest.approx(np.mean(gains))
    assert whole_runs_report.fresh.ci95 == pytest.approx(
        stats.ttest_1samp(gains, 0).confidence_interval()
    )
    assert whole_runs_report.runs == 5


def test_reading_r93_fewer_than_five_runs_and_one_run_twice_are_refused(tmp_path: Path) -> None:
    files = Files.read(*run_files(tmp_path))

    assert [finding.problem for finding in runs_refusals([files] * 4)] == [
        "4 runs say nothing of the optimiser",
        "a log appears twice",
    ]


def test_reading_r93_runs_of_several_judges_are_refused(tmp_path: Path) -> None:
    runs = []
    for number in range(5):
        (tmp_path / str(number)).mkdir()
        log = {"judge": "other" if number == 4 else JUDGE, "text": str(number)}
        runs.append(Files.read(*run_files(tmp_path / str(number), log=log.__ror__)))

    assert [finding.problem for finding in runs_refusals(runs)] == [
        f"the runs have several judges: {JUDGE}, other"
    ]


def test_reading_r91_without_gold_quality_is_not_measured(tmp_path: Path) -> None:
    report = assess(Files.read(*run_files(tmp_path, labels=0))).report

    assert report is not None
    assert report.quality == "not_measured"
    assert "Quality: not measured." in sentence(report)


def drifted(folder: Path, anchors: list[Row], items: int = 40) -> Any:
    before = [{"item": f"q{n}", "output": f"old {n}", "score": 5 + n % 3} for n in range(items)]
    after = [{"item": f"q{n}", "output": f"new {n}", "score": 7 + n % 2} for n in range(items)]
    return parts_of_change(
        *(
            read_scores(written(folder / f"{name}.jsonl", rows))
            for name, rows in (("before", before), ("after", after), ("anchors", anchors))
        )
    )


def anchor(number: int, **further_fields: Any) -> Row:
    """The new judge gives the old output a point more."""
    return {
        "item": f"q{number}",
        "output": f"old {number}",
        "score": 6 + number % 3,
    } | further_fields


def test_reading_r95_a_judge_that_gives_a_point_more_is_told_from_the_system(
    tmp_path: Path,
) -> None:
    parts, findings = drifted(tmp_path, [anchor(n) for n in range(0, 40, 4)])

    assert findings == []
    assert parts.judge.value == 1
    assert parts.change.value == pytest.approx(parts.system.value + 1)
    assert parted_text(parts).endswith("Both changed.")


@pytest.mark.parametrize(
    ("anchors", "problem"),
    [
        ([anchor(n) for n in range(9)], "9 anchors are fewer than 10"),
        (
            [anchor(n) for n in range(12)] + [{"item": "golden", "score": 5}],
            "1 anchors are no items of the first run, such as golden",
        ),
        (
            [anchor(n, output=f"new {n}") for n in range(12)],
            "the anchor q0 is not the first run's output",
        ),
    ],
    ids=["too few", "a golden set", "another system's outputs"],
)
def test_reading_r95_anchors_that_are_none_are_refused(
    tmp_path: Path, anchors: list[Row], problem: str
) -> None:
    parts, findings = drifted(tmp_path, anchors)

    assert parts is None
    assert [finding.problem for finding in findings] == [problem]


def test_reading_r95_an_item_that_stands_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MalformedError, match="the item q3 appears twice"):
        drifted(tmp_path, [anchor(3), anchor(3)])
