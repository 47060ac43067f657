"""Figures on one scale: round numbers, and where each mark stands on them."""

import re
from html import unescape

import pytest

from epc.site.charts.forest import (
    Forest,
    Mark,
    Panel,
    bar,
    drawn,
    line,
    place,
    scale,
    ticks_of,
)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.0, 4.0, [0, 1, 2, 3, 4]),
        (0.0, 8.0, [0, 2, 4, 6, 8]),
        (0.0, 1.0, [0, 0.5, 1]),  # steps of 0.2 would be six numbers
        (0.0, 40.0, [0, 10, 20, 30, 40]),
        (0.0, 67.0, [0, 20, 40, 60, 80]),
        (-21.0, 21.5, [-40, -20, 0, 20, 40]),
        (-0.05, 0.35, [-0.2, 0, 0.2, 0.4]),
        (1.0, 35.0, [0, 10, 20, 30, 40]),
        (3.0, 3.0, [2, 2.5, 3, 3.5, 4]),
    ],
)
def test_a_scale_has_five_round_numbers_at_the_most(
    low: float, high: float, expected: list[float]
) -> None:
    figures = ticks_of(low, high)

    assert figures == pytest.approx(expected)
    assert len(figures) <= 5


def hundredths(value: float) -> str:
    return f"{100 * value:.0f}"


def test_a_bar_runs_from_the_start_of_its_scale_to_its_value() -> None:
    # From 0.2 to 0.6 the scale is 0.4 wide: 0.3 is a quarter of the way, so 2 + 96 / 4 percent.
    drawing = str(bar(0.3, (0.25, 0.5), (0.2, 0.6)))

    assert '<line class="epc-reach" x1="2.0%" x2="26.0%" y1="12" y2="12">' in drawing
    assert '<line x1="14.0%" x2="74.0%" y1="12" y2="12">' in drawing
    assert '<circle cx="26.0%" cy="12" r="5.5">' in drawing
    assert 'height="24" aria-hidden="true"' in drawing


def test_the_scale_above_bars_has_four_hundredths() -> None:
    texts = re.findall(r'x="([\d.%]+)" y="12">(\d+)<', str(scale((0.5, 0.8))))

    assert texts == [("2.0%", "50"), ("34.0%", "60"), ("66.0%", "70"), ("98.0%", "80")]


def test_a_figure_stands_on_its_noise_with_its_interval_and_what_it_was_once() -> None:
    mark = Mark(label="m", value=0.5, interval=(0.25, 0.75), noise=(0.0, 0.375), once=1.0)

    assert [*line(mark, place)] == [
        '<rect x="2.0%" width="36.0%" y="1" height="22"></rect>',
        '<line x1="26.0%" x2="74.0%" y1="12" y2="12"></line>',
        '<circle class="epc-once" cx="98.0%" cy="12" r="4.5"></circle>',
        '<circle cx="50.0%" cy="12" r="5.5"></circle>',
    ]
    alone = Mark(label="m", value=0.0, interval=None, once=0.0)
    assert [text.count("circle") for text in line(alone, place)] == [2, 2]


def test_a_picture_reads_its_figures_aloud_and_says_where_its_scale_begins() -> None:
    marks = [
        Mark(label="<one>", value=0.5, interval=(0.42, 0.6)),
        Mark(label="two", value=0.7, interval=None, once=0.8),
    ]
    shares = Panel(title="", marks=marks, text=hundredths, lines=(0.45,))

    text = str(drawn(Forest(title="Shares", note="A note.", panels=[shares])))
    drawing = unescape(text)

    assert "&#60;one&#62; 50" in text
    assert 'aria-label="Shares: <one> 50 [42, 60], two 70 (no interval)"' in drawing
    assert '<p class="epc-reading">A note. The scale begins at 0.4.</p>' in drawing
    # 0.4, 0.5 to 0.8: the line at 0.45 is an eighth of the way.
    ticks = re.findall(r'class="epc-tick" x1="([\d.]+)%" x2="([\d.]+)%" y1="0" y2="24"', drawing)
    assert ticks[:5] == [(at, at) for at in ("2.0", "26.0", "50.0", "74.0", "98.0")]
    assert drawing.count('class="epc-at" x1="14.0%" x2="14.0%"') == 2
    assert re.findall(r'y="16">([\d.]+)<', drawing) == ["0.4", "0.5", "0.6", "0.7", "0.8"]
    assert '<b>50 <span class="epc-interval">[42, 60]</span></b>' in drawing
    assert drawing.count("epc-base") == 2
    assert "epc-panel" not in drawing


def test_a_picture_names_its_panels_and_where_their_scales_begin() -> None:
    panels = [
        Panel(title=title, marks=[Mark(label="m", value=value, interval=None)], text=hundredths)
        for title, value in (("First", 3.0), ("Second", 30.0), ("Third", 0.0))
    ]

    drawing = unescape(str(drawn(Forest(title="", note="", panels=panels))))

    assert "First: m 300 (no interval); Second: m 3000 (no interval); Third" in drawing
    assert "Scales begin at 2 and 29." in drawing
    assert '<p class="epc-panel">Second</p>' in drawing
    assert "<figcaption>" not in drawing
    assert drawn(None) == ""
    nought = Forest(title="", note="", panels=panels[2:])
    assert "epc-reading" not in drawn(nought), "a scale from below 0 needs no word"
