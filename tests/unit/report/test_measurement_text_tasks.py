"""A line a task, with its task's own words as far as they fit."""

import pytest

from epc.audit.pilot import TaskQuality
from epc.report.measurement_text import task_lines

GOOD = TaskQuality(
    domain="text", task=1, asked=10, decided=8, win_rate=0.625, spread=0.25, with_rest=-0.5
)
UNDECIDED = TaskQuality(
    domain="visual", task=0, asked=10, decided=0, win_rate=None, spread=None, with_rest=None
)


def test_each_domain_has_its_tasks_and_what_is_not_known_is_a_dash() -> None:
    tasks = {"text": ["not this", "Sort\n these  words."], "visual": ["Draw."]}

    assert list(task_lines([UNDECIDED, GOOD], tasks))[:5] == [
        "           decided  win rate  spread  with rest  task",
        "text",
        "           8 of 10      0.62    0.25      -0.50  Sort these words.",
        "visual",
        "           0 of 10         -       -          -  Draw.",
    ]


@pytest.mark.parametrize(
    ("task", "shown"), [("x" * 56, "x" * 56), ("x" * 57, f"{'x' * 56}...")], ids=["56", "57"]
)
def test_of_a_long_task_the_first_56_characters_are_shown(task: str, shown: str) -> None:
    lines = list(task_lines([UNDECIDED], {"visual": [task]}))

    assert lines[2].endswith(f"  {shown}")
