"""Drawing a picture into a page: its SVG as part of the page's own markup.

As part of the page it is there without scripts and in print, and takes the page's colours.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

from markupsafe import Markup

from epc.records import picture, strict_json
from epc.site.charts.chart import Chart
from epc.site.charts.licence import licence
from epc.site.escaping import shown

_SPACE: Final = "{http://www.w3.org/2000/svg}"
# The picture has one name as a whole; what the renderer says of its parts would be said twice.
_DROPPED: Final = ("role", "class", "version", "pointer-events")
_LONG: Final = re.compile(r"\d+\.\d{3,}")
_WHERE: Final = ("width", "height")


def svg(chart: Chart, cache: Path) -> Markup:
    """Return a picture as markup. `cache` keeps what was drawn, by what it was drawn from.

    Raises: WorldError if the disk fails.
    """
    given = json.dumps(chart.specification, sort_keys=True)
    name = hashlib.sha256(f"{picture.renderer()}\n{given}".encode()).hexdigest()
    path = cache / f"{name}.svg"
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        strict_json.write_text(path, [picture.svg(chart.specification)])
    root = ET.fromstring(path.read_text("utf-8"))  # noqa: S314  (our own drawing)
    size = Markup(' width="{}" height="{}"').format(*(root.get(key) for key in _WHERE))
    inner = Markup().join(_markup(child, f"{chart.name}-") for child in root)
    return Markup(
        '<svg class="epc-picture" role="img" aria-label="{}" viewBox="{}"{}>{}</svg>'
    ).format(shown(chart.alternative), root.get("viewBox"), size, inner)


def _markup(element: ET.Element, prefix: str) -> Markup:
    """Return an element as markup that no reader of Markdown takes for something else."""
    name = element.tag.removeprefix(_SPACE)
    content = (_markup(child, prefix) for child in element)
    text = shown(element.text) if element.text else Markup()
    pairs = Markup().join(_attributes(element, prefix))
    return Markup("<{0}{1}>{2}{3}</{0}>").format(name, pairs, text, Markup().join(content))


def _attributes(element: ET.Element, prefix: str) -> Iterator[Markup]:
    """Yield the attributes that draw; ids get a prefix, as a page has several pictures."""
    for key, value in element.items():
        if key in _DROPPED or key.startswith("aria-"):
            continue
        own = f"{prefix}{value}" if key == "id" else value.replace("url(#", f"url(#{prefix}")
        yield Markup(' {}="{}"').format(key, _LONG.sub(_short, own))


def _short(number: re.Match[str]) -> str:
    """Return a length to a hundredth of a pixel."""
    return f"{float(number[0]):.2f}"


def script(cache: Path) -> str:
    """Return the script that makes drawings lively: Vega-Embed and what it needs, as one file.

    Raises: WorldError if the disk fails.
    """
    path = cache / f"{hashlib.sha256(picture.renderer().encode()).hexdigest()}.js"
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        strict_json.write_text(path, [licence(picture.renderer()), picture.bundle()])
    return path.read_text("utf-8")
