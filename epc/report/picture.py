"""Rendering a Vega-Lite specification to files, the same bytes every time."""

import json
import re
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from epc.protocol.results import Json
from epc.records import strict_json

SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v5.json"
SCHEMA_6: Final = "https://vega.github.io/schema/vega-lite/v6.json"  # Vega-Embed's own version
_VEGA_LITE: Final = {SCHEMA: "5.21", SCHEMA_6: "6.4"}
_EXPORTED: Final = "window.vegaEmbed = vegaEmbed;"
_SCALE: Final = 2.0
# What XML 1.0 has no place for; the renderer would end the whole process over it.
_UNDRAWABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def render(specification: Json, folder: Path, name: str) -> list[Path]:
    """Write a picture as NAME.svg and NAME.png into a folder and return the files.

    Raises: WorldError if the disk fails.
    """
    import vl_convert

    drawn = svg(specification)
    paths = [folder / f"{name}.svg", folder / f"{name}.png"]
    strict_json.write_text(paths[0], [drawn])
    strict_json.write_bytes(paths[1], [vl_convert.svg_to_png(drawn, scale=_SCALE)])
    return paths


def svg(specification: Json) -> str:
    """Return a picture as SVG."""
    import vl_convert

    text = json.dumps(_drawable(specification))
    version = _VEGA_LITE[specification["$schema"]]
    drawn: str = vl_convert.vegalite_to_svg(text, vl_version=version)
    return drawn


def renderer() -> str:
    """Return what draws for a page, with its versions: another one may draw other bytes."""
    return f"vl-convert {metadata.version('vl-convert-python')}, Vega-Lite {_VEGA_LITE[SCHEMA_6]}"


def bundle() -> str:
    """Return Vega-Embed, and all that it needs, as one script that a page can load."""
    import vl_convert

    script: str = vl_convert.javascript_bundle(_EXPORTED, vl_version=_VEGA_LITE[SCHEMA_6])
    return script


def _drawable(value: Any) -> Any:
    if isinstance(value, str):
        return _UNDRAWABLE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {key: _drawable(item) for key, item in value.items()}
    return [_drawable(item) for item in value] if isinstance(value, list) else value
