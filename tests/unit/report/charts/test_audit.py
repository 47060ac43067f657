"""Pictures of an audit as data, by hand (Reading R101)."""

import pytest

from epc.report.charts.audit import areas, place

NOTE = {"title": "t", "people": "People", "note": "n"}


def test_four_counts_are_areas_of_their_share() -> None:
    """Of 400 answers 100 are passed: a quarter of 98.4; the judge passes 0 of these, 3 of 300."""
    picture = areas((0, 100), (3, 297), **NOTE)

    passed, failed = picture.columns
    assert [passed.x, passed.width] == pytest.approx([0, 24.6])
    assert [failed.x, failed.width] == pytest.approx([26.2, 73.8])
    assert [cell.height for cell in passed.cells] == [0, 250]
    assert [cell.height for cell in failed.cells] == [2.5, 247.5]
    assert [cell.alike for cell in (*passed.cells, *failed.cells)] == [True, False, False, True]
    # A column of less than 30% has counts alone, a cell of less than 20 pixels its words outside.
    assert [line.text for cell in passed.cells for line in cell.lines] == ["✓ 0", "✗ 100", ""]
    assert failed.cells[0].lines[0].text == "✗ 3 judge passes"
    assert failed.cells[0].lines[0].y < failed.cells[0].y
    assert picture.alternative == (
        "Of 100 answers passed by people the judge passes 0 and fails 100. "
        "Of 300 answers failed by people the judge passes 3 and fails 297."
    )


def test_people_who_failed_none_are_one_column() -> None:
    (column,) = areas((6, 2), (0, 0), **NOTE).columns

    assert (column.head, column.width) == ("passed 8", 100)


def test_a_place_on_an_axis_has_room_for_a_dot_at_either_end() -> None:
    assert [place(value, 0, 1) for value in (-1, 0, 0.5, 1)] == [1, 1, 50, 99]
