"""The tables of an evaluation's page, for 8 replies that give full marks and of which one is no
record.
"""

import re
from pathlib import Path

import pytest
from judge_support import grid, imported, record_for, reply_row

from epc.analysis.judging.summary import summary
from epc.report.judging.document import parts
from epc.report.page.markup import rendered


def page(folder: Path, *, spoilt: int) -> dict[str, list[list[str]]]:
    """Return the rows of every table by its name."""
    replies = [reply_row(row, j, record_for(row, j)) for row in grid() for j in ("j/1", "j/2")]
    for reply in replies[:spoilt]:
        reply["reply"] = "no"
    imported(folder / "e", grid(), replies)
    (evaluation,) = summary([folder / "e"]).evaluations
    tables = re.findall(
        r'aria-label="([^"]*)".*?<tbody>(.*?)</tbody>',
        rendered(parts(evaluation)),
    )
    return {  # without intervals, which two questions leave wide
        name: [
            [cell.split(" [")[0] for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row)]
            for row in body.split("</tr>")[:-1]
        ]
        for name, body in tables
    }


CROSS = "Cross-judging: the primary statistics"


def test_one_invalid_reply_of_eight_is_counted_and_bounded(tmp_path: Path) -> None:
    """7 of 8 pass for certain: an eighth is 12.5%, and seven times 8 points are 7 on average."""
    tables = page(tmp_path, spoilt=1)

    assert tables[CROSS][0][:6] == ["all", "8", "100.0%", "0.0%", "0.0%", "12.5%"]
    assert tables[CROSS][1][:2] == ["judge j/1", "4"]
    assert [row[2:] for row in tables[f"Dimensions, {CROSS}"]] == [["0", "0", "7"]] * 4
    assert tables[f"Bounds, {CROSS}"] == [
        ["worst to best", "87.5% to 100.0%", "0.0% to 12.5%", "0.0% to 12.5%", "7.00 to 8.00"]
    ]
    assert ["j/1", "UNPARSABLE_OUTPUT", "1 of 4", "25.0%"] in tables["Invalid by reason"]
    assert tables["Invalid by score"] == [["8", "7", "0.0%"]]


@pytest.mark.parametrize("spoilt", [0, 8])
def test_there_are_bounds_with_an_invalid_reply_and_dimensions_with_a_valid_one(
    tmp_path: Path, spoilt: int
) -> None:
    tables = page(tmp_path, spoilt=spoilt)

    assert (f"Bounds, {CROSS}" in tables) == (spoilt > 0)
    assert (f"Dimensions, {CROSS}" in tables) == (spoilt < 8)
