"""A specification rendered to files: twice as sharp as a screen, without what no file holds."""

from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from epc.errors import WorldError
from epc.report.picture import SCHEMA, SCHEMA_6, render, svg


def picture(schema: str = SCHEMA, title: str = "t") -> dict[str, Any]:
    return {
        "$schema": schema,
        "title": title,
        "width": 120,
        "height": 80,
        "data": {"values": [{"x": 1}]},
        "mark": "point",
        "encoding": {"x": {"field": "x", "type": "quantitative"}},
    }


def test_the_png_has_two_pixels_for_each_of_the_svg_s(tmp_path: Path) -> None:
    drawn, sharp = render(picture(), tmp_path, "p")

    assert (drawn.name, sharp.name) == ("p.svg", "p.png")
    root, content = ET.fromstring(drawn.read_text("utf-8")), sharp.read_bytes()
    size = [int.from_bytes(content[at : at + 4], "big") for at in (16, 20)]  # of PNG's header
    assert size == [2 * int(root.attrib[name]) for name in ("width", "height")]


@pytest.mark.parametrize("schema", [SCHEMA, SCHEMA_6])
def test_both_versions_of_vega_lite_are_drawn_alike_each_time(schema: str) -> None:
    assert svg(picture(schema)) == svg(picture(schema))
    assert svg(picture(schema)).startswith("<svg")


@pytest.mark.parametrize(
    "character", ["\x00", "\x08", "\x0b", "\x1f", "\ud800", "\ufffe", "\uffff"]
)
def test_what_xml_has_no_place_for_is_drawn_as_a_replacement(character: str) -> None:
    drawn = svg(picture(title=f"a{character}b"))

    assert "a\ufffdb" in "".join(ET.fromstring(drawn).itertext())


def test_a_folder_that_is_not_there_is_the_world_s_fault(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match="cannot write"):
        render(picture(), tmp_path / "none", "p")
