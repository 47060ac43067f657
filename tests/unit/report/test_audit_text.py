"""An audit in words: what its test did."""

from pathlib import Path

import pytest
from drift_support import verdict_rows, write_verdicts
from records_support import Run, make_run

from epc.analysis.audit import audit
from epc.records.manifest import Manifest
from epc.report.audit_text import text
from epc.report.measurement_text import report


@pytest.mark.parametrize(
    ("left_out", "done"),
    [
        (0, "dealing 8 and 8 tasks out to two domains anew"),
        (2, "dealing 8 and 6 tasks out to two domains anew"),
        (5, "by the spread over 8 and 3 tasks, too unequal to be dealt out anew"),
    ],
)
def test_reading_r71_the_audit_says_what_its_test_did(
    tmp_path: Path, left_out: int, done: str
) -> None:
    rows = verdict_rows()
    tasks = list(dict.fromkeys(row[2] for row in rows if row[1] == "visual"))
    table = write_verdicts(
        tmp_path / "v.csv", [row for row in rows if row[2] not in tasks[:left_out]]
    )
    run = make_run(
        tmp_path / "run", evaluator=f"recorded:{table}", executor=None, seeds=3, rounds=5
    )

    printed = text(audit(run.folder))
    reported = report(Manifest.parse(run.manifest()))

    assert any(line.endswith(f", {done}") for line in printed.split("\n"))
    assert f", {done}\n" in reported


def test_reading_r73_two_figures_of_one_thing_are_explained_where_they_stand(
    flip: Run, ties: Run
) -> None:
    printed = text(audit(flip.folder))

    assert any(
        "for the domain" in line and "for these tasks" in line for line in printed.split("\n")
    )
    assert "signs may differ" in printed
    assert "signs may differ" not in text(audit(ties.folder))
