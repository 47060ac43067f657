"""Tests of where a run stands, as whoever shows it reads it."""

from typing import Any

import pytest

from epc.engine.budget import Budget
from epc.engine.progress import Progress

COUNTS = (
    *("calls", "reused", "from_cache", "from_runs", "from_journal", "retries", "failures"),
    *("tokens", "torn", "damaged", "too_large"),
)


def test_a_run_begins_with_nothing_done() -> None:
    progress = Progress()

    assert {name: getattr(progress, name) for name in (*COUNTS, "lost")} == dict.fromkeys(
        (*COUNTS, "lost"), 0
    )
    assert (progress.stages, progress.verdicts, progress.last_failure, progress.cost) == (
        [],
        {},
        "",
        None,
    )


def test_a_stage_counts_what_is_done_of_it_and_of_its_parts() -> None:
    progress = Progress()
    progress.begin("answers", 3)
    progress.advance()
    progress.begin("comparisons", 4, {"text": 2, "visual": 2})
    before = progress.stages[-1].done, dict(progress.stages[-1].done_of)

    for part in ("text", "visual", "text"):
        progress.advance(part)

    assert before == (0, {})
    assert [(s.name, s.done, s.total) for s in progress.stages] == [
        ("answers", 1, 3),
        ("comparisons", 3, 4),
    ]
    assert progress.stages[0].done_of == {}
    assert progress.stages[1].parts == {"text": 2, "visual": 2}
    assert progress.stages[1].done_of == {"text": 2, "visual": 1}


def test_failures_are_counted_and_the_last_one_is_said() -> None:
    progress = Progress()
    for why in ("busy", "HTTP 500"):
        progress.failed(why)

    assert (progress.failures, progress.last_failure) == (2, "HTTP 500")


def run(budget: Budget, *, times: int, said: dict[str, int], **further_fields: Any) -> Progress:
    counts: dict[str, Any] = {name: times * index for index, name in enumerate(COUNTS, 1)}
    progress = Progress(budget=budget, **counts, **further_fields)
    progress.verdicts.update(said)
    return progress


def test_runs_of_one_budget_are_added_up_each_with_its_own_stages() -> None:
    budget = Budget()
    runs = [
        run(budget, times=1, said={"A": 2, "tie": 1}, last_failure="busy"),
        run(budget, times=10, said={"A": 1, "B": 4}),
    ]
    runs[0].begin("answers", 3)
    budget.lost = 7

    whole_progress = Progress.total(runs)

    assert [getattr(whole_progress, name) for name in COUNTS] == [
        11 * index for index in range(1, 12)
    ]
    assert whole_progress.verdicts == {"A": 3, "B": 4, "tie": 1}
    assert (whole_progress.budget, whole_progress.lost, whole_progress.last_failure) == (
        budget,
        7,
        "busy",
    )
    assert (whole_progress.stages, whole_progress.cost) == ([], None)
    assert Progress.total([]).calls == 0


@pytest.mark.parametrize(
    ("costs", "whole"),
    [((None, None), None), ((0.5, None), 0.5), ((None, 0.5), 0.5), ((0.5, 2.0), 2.0)],
)
def test_what_a_shared_budget_has_cost_is_no_sum(
    costs: tuple[float | None, float | None], whole: float | None
) -> None:
    """Each run tells what all have cost by then."""
    assert Progress.total([Progress(cost=cost) for cost in costs]).cost == whole
