"""Rendering a Vega-Lite specification to files or into a page, the same bytes every time."""

import html
import json
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from epc.protocol.results import Json
from epc.records import strict_json

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v5.json"
SCHEMA_6: Final = "https://vega.github.io/schema/vega-lite/v6.json"  # Vega-Embed's own version
_VEGA_LITE: Final = {SCHEMA: "5.21", SCHEMA_6: "6.4"}
_EXPORTED: Final = "window.vegaEmbed = vegaEmbed;"
_SCALE: Final = 2.0
_SPACE: Final = "{http://www.w3.org/2000/svg}"
# The picture has one name as a whole; what the renderer says of its parts would be said twice.
_DROPPED: Final = ("role", "class", "version", "pointer-events", "style")
_PLACE: Final = re.compile(r"(-?[\d.]+),(-?[\d.]+)")
_STRAIGHT: Final = re.compile(rf"M{_PLACE.pattern}(L{_PLACE.pattern})+Z?")
_LONG: Final = re.compile(r"\d+\.\d{3,}")
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


def inner(element: "Element", prefix: str, escaped: Callable[[str], str]) -> str:
    """Return what an element of a drawing holds as markup for a page.

    Ids get a prefix, as a page has several pictures. `escaped` makes a text safe.
    """
    return "".join(_markup(child, prefix, escaped) for child in element)


def _markup(element: "Element", prefix: str, escaped: Callable[[str], str]) -> str:
    name = element.tag.removeprefix(_SPACE)
    pairs = "".join(f' {key}="{value}"' for key, value in _attributes(element, prefix, escaped))
    content = f"{escaped(element.text or '')}{inner(element, prefix, escaped)}"
    return f"<{name}{pairs}>{content}</{name}>"


def _attributes(
    element: "Element", prefix: str, escaped: Callable[[str], str]
) -> Iterator[tuple[str, str]]:
    """Yield the attributes that draw."""
    for key, value in element.items():
        if key == "id":
            yield key, escaped(f"{prefix}{value}")
        elif key not in _DROPPED and not key.startswith("aria-"):
            yield (
                key,
                _path(value) if key == "d" else _length(value.replace("url(#", f"url(#{prefix}")),
            )


def _path(value: str) -> str:
    """Return a path of straight lines by its steps, to a tenth of a pixel: a third of its letters.

    Each step leads to a rounded place, so that what is rounded away does not add up.
    """
    if not _STRAIGHT.fullmatch(value):
        return _length(value)
    places = [(round(10 * float(x)), round(10 * float(y))) for x, y in _PLACE.findall(value)]
    steps = " ".join(f"{(x - u) / 10:g},{(y - v) / 10:g}" for (u, v), (x, y) in pairwise(places))
    x, y = places[0]
    return f"M{x / 10:g},{y / 10:g}l{steps}{'Z' * value.endswith('Z')}"


@lru_cache(1024)
def _length(value: str) -> str:
    """Return an attribute's value, its lengths to a hundredth of a pixel."""
    return html.escape(_LONG.sub(lambda number: f"{float(number[0]):.2f}", value))


def renderer() -> str:
    """Return what draws for a page, with its versions: another one may draw other bytes."""
    from importlib.metadata import version

    return f"vl-convert {version('vl-convert-python')}, Vega-Lite {_VEGA_LITE[SCHEMA_6]}"


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
