"""Rendering a Vega-Lite specification to files, the same bytes every time."""

import json
from pathlib import Path
from typing import Final

from epc.core.results import Json
from epc.records import strict_json

SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v5.json"
_VEGA_LITE: Final = "5.21"
_SCALE: Final = 2.0


def render(specification: Json, folder: Path, name: str) -> list[Path]:
    """Write a picture as NAME.svg and NAME.png into a folder and return the files.

    Raises: WorldError if the disk fails.
    """
    import vl_convert

    given = json.dumps(specification)
    svg = vl_convert.vegalite_to_svg(given, vl_version=_VEGA_LITE)
    png = vl_convert.vegalite_to_png(given, vl_version=_VEGA_LITE, scale=_SCALE)
    paths = [folder / f"{name}.svg", folder / f"{name}.png"]
    strict_json.write_text(paths[0], [svg])
    strict_json.write_bytes(paths[1], [png])
    return paths
