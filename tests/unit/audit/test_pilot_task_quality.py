"""How much a task says, worked out by hand, and shown by `epc show RUN --tasks`."""

import json
from pathlib import Path

import pytest
from engine_support import epc

from epc.audit.pilot import TaskQuality, task_quality
from epc.protocol.table import Cell, VerdictTable, tabulate
from epc.protocol.verdict import Verdict

NAMES = ["p", "base", "q", "r"]
# By strategy, a verdict a task; of the baseline itself anything may stand here.
TEXT = {"p": "AA-", "base": "BBB", "q": "ABB", "r": "BBA"}
VERDICT = {"A": Verdict.A, "B": Verdict.B, "-": Verdict.TIE}


def table(text: dict[str, str]) -> VerdictTable:
    cells = [
        Cell(domain="text", strategy=NAMES.index(name), task=task, verdict=VERDICT[verdict])
        for name, row in text.items()
        for task, verdict in enumerate(row)
    ]
    return tabulate(cells, strategies=4, tasks={"text": 3, "visual": 1}, repeated=True)


def text_tasks(text: dict[str, str]) -> list[TaskQuality]:
    task_qualities = task_quality(table(text), NAMES, "base")
    return [each for each in task_qualities if each.domain == "text"]


def test_a_task_s_decisions_spread_and_correlation_are_those_worked_by_hand() -> None:
    first, second, third = text_tasks(TEXT)

    assert [(each.asked, each.decided) for each in (first, second, third)] == [
        (3, 3),
        (3, 3),
        (3, 2),
    ]
    assert first.win_rate == pytest.approx(2 / 3)
    assert second.win_rate == pytest.approx(1 / 3)
    # 1, 1, 0: variance 2/9
    assert first.spread == second.spread == pytest.approx((2 / 9) ** 0.5)
    assert third.spread == 0.5
    # here 1, 1, 0 and elsewhere 1, 0, 1/2: deviations 1/3, 1/3, -2/3 and 1/2, -1/2, 0
    assert first.with_rest == pytest.approx(0)
    # here 1, 0, 0 and elsewhere 1, 1/2, 1/2
    assert second.with_rest == pytest.approx(1)
    assert third.with_rest is None, "two strategies are decided, and a line always fits two points"


def test_a_task_on_which_all_fare_alike_or_nothing_is_decided_says_so() -> None:
    alike, undecided, _ = text_tasks({"p": "A-A", "base": "AAA", "q": "A-B", "r": "A-B"})

    assert (alike.decided, alike.spread, alike.with_rest) == (3, 0, None)
    assert (undecided.asked, undecided.decided) == (3, 0)
    assert (undecided.win_rate, undecided.spread, undecided.with_rest) == (None, None, None)


def test_what_nobody_asked_is_not_counted() -> None:
    task_qualities = task_quality(table({"p": "A"}), NAMES, "base")

    assert [(each.asked, each.decided) for each in task_qualities] == [
        (1, 1),
        (0, 0),
        (0, 0),
        (0, 0),
    ]


def test_epc_show_tasks_has_one_line_a_task_and_the_same_as_json(tmp_path: Path) -> None:
    run = tmp_path / "run"
    verdicts = "strategy,domain,task,verdict\n" + "".join(
        f"{strategy},{domain},{domain} {task},{verdict}\n"
        for domain in ("text", "visual")
        for strategy, row in TEXT.items()
        for task, verdict in enumerate(row.replace("-", "t"))
    ).replace(",t\n", ",tie\n")
    (tmp_path / "v.csv").write_text(verdicts)
    result = epc("run", "--evaluator", f"recorded:{tmp_path / 'v.csv'}", "--out", run)

    text = epc("show", run, "--tasks")
    listed = json.loads(epc("show", run, "--tasks", "--format", "json").stdout)
    both_results = epc("show", run, "--tasks", "--html", tmp_path / "page.html")

    assert result.returncode == text.returncode == 0, result.stderr
    assert both_results.returncode == 2
    assert "leave out --html or --tasks" in both_results.stderr
    assert [(each["domain"], each["text"]) for each in listed] == [
        (domain, f"{domain} {task}") for domain in ("text", "visual") for task in range(3)
    ]
    # recorded verdicts state no baseline, so all four strategies count
    assert (listed[2]["decided"], listed[2]["asked"]) == (3, 4)
    assert f"{'':8}{'3 of 4':>10}{'0.33':>10}{'0.47':>8}" in text.stdout
