"""What of a judge's evaluation can be offered."""

from pathlib import Path
from typing import Any

import pytest
from judge_support import grid, imported, judged_by_models, planned, record_for, reply_row

from epc.errors import UsageError
from epc.registry.kinds.judged import offered as offered_evaluation

ROWS = grid()
NOBODY: Any = None  # refused before anybody looks at it


def test_a_snapshot_is_of_one_judge(tmp_path: Path) -> None:
    planned(tmp_path / "e", ROWS, ("mock/judge", "mock/careless-judge"))
    judged_by_models(tmp_path / "e")

    with pytest.raises(UsageError, match="has 2 judges"):
        offered_evaluation(tmp_path / "e", NOBODY)


def test_imported_replies_are_not_offered(tmp_path: Path) -> None:
    replies = [reply_row(row, "j/1", record_for(row, "j/1")) for row in ROWS]
    imported(tmp_path / "e", ROWS, replies, judges=("j/1",))

    with pytest.raises(UsageError, match="holds imported replies"):
        offered_evaluation(tmp_path / "e", NOBODY)
