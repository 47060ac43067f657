"""Draw of answers to label: by chance within each verdict, each answer once (Reading R101)."""

from collections import Counter
from pathlib import Path

import pytest

from epc.analysis.label_draw import LabelDraw, draw_for_labels
from epc.errors import UsageError
from epc.records.verdicts.columns import Verdicts
from epc.records.verdicts.converting import Request
from epc.records.verdicts.shapes import opened


def verdicts_of(
    folder: Path, rows: list[str], head: str = "item,response,judge_verdict"
) -> Verdicts:
    table = folder / "votes.csv"
    table.write_text("\n".join([head, *rows]) + "\n", "utf-8")
    verdicts = opened(table, Request()).verdicts
    assert verdicts is not None
    return verdicts


def drawn_from(verdicts: Verdicts) -> tuple[LabelDraw, Counter[str]]:
    """Return a draw, and how many of its rows have each verdict."""
    draw = draw_for_labels(verdicts, {*verdicts.setting.names})
    column = verdicts.verdict
    return draw, Counter(column.names[code] for code in column.codes[draw.rows].tolist())


@pytest.mark.parametrize(
    ("passed", "failed", "drawn"),
    [(60, 140, (25, 25)), (3, 97, (3, 47)), (90, 10, (40, 10)), (4, 5, (4, 5)), (0, 80, (0, 50))],
)
def test_reading_r101_half_of_each_verdict_is_drawn_and_the_other_one_fills_up(
    tmp_path: Path, passed: int, failed: int, drawn: tuple[int, int]
) -> None:
    words = ["pass"] * passed + ["fail"] * failed
    verdicts = verdicts_of(tmp_path, [f"{n},answer {n},{word}" for n, word in enumerate(words)])

    draw, counts = drawn_from(verdicts)

    assert draw.judged == (passed, failed)
    assert draw.drawn == (counts["a"], counts["b"]) == drawn
    assert len({*draw.rows.tolist()}) == sum(drawn)


def test_reading_r101_an_answer_that_was_judged_repeatedly_is_drawn_once(tmp_path: Path) -> None:
    """Of 6 answers the first readable word is pass for 2: `error` says nothing."""
    words = {0: ("pass", "fail"), 1: ("error", "pass"), 2: ("fail", "pass")}
    rows = [
        f"{n},answer {n},{word},{asking}"
        for n in range(6)
        for asking, word in enumerate(words.get(n, ("fail", "fail")))
    ]
    verdicts = verdicts_of(tmp_path, rows, "item,response,judge_verdict,repeat")

    draw, _ = drawn_from(verdicts)

    items = [verdicts.item.names[code] for code in verdicts.item.codes[draw.rows].tolist()]
    assert sorted(items) == [*"012345"]
    assert draw.judged == draw.drawn == (2, 4)


def test_without_a_readable_verdict_there_is_nothing_to_draw(tmp_path: Path) -> None:
    verdicts = verdicts_of(tmp_path, ["1,a,pass", "2,b,fail"])

    with pytest.raises(UsageError, match="no verdict is pass or fail"):
        draw_for_labels(verdicts, {"another judge"})
