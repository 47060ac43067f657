"""Drawing a picture into a page: its SVG as part of the page's own markup.

As part of the page it is there without scripts and in print, and takes the page's colours.
"""

import html
import re
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from typing import Final
from xml.etree import ElementTree as ET

from markupsafe import Markup

from epc.report import picture
from epc.report.charts.chart import Chart
from epc.site.escaping import shown

_SPACE: Final = "{http://www.w3.org/2000/svg}"
# The picture has one name as a whole; what the renderer says of its parts would be said twice.
_DROPPED: Final = ("role", "class", "version", "pointer-events")
_LONG: Final = re.compile(r"\d+\.\d{3,}")
_WHERE: Final = ("width", "height")


def svg(chart: Chart) -> Markup:
    """Return a picture as markup."""
    root = ET.fromstring(picture.svg(chart.specification))  # noqa: S314  (our own drawing)
    size = Markup(' width="{}" height="{}"').format(*(root.get(key) for key in _WHERE))
    # A page has thousands of elements, so that they are written as strings, each value escaped.
    inner = Markup("".join(_markup(child, f"{chart.name}-") for child in root))  # noqa: S704  (as said)
    return Markup(
        '<svg class="epc-picture" role="img" aria-label="{}" viewBox="{}"{}>{}</svg>'
    ).format(shown(chart.alternative), root.get("viewBox"), size, inner)


def _markup(element: ET.Element, prefix: str) -> str:
    """Return an element as markup that no reader of Markdown takes for something else."""
    name = element.tag.removeprefix(_SPACE)
    pairs = "".join(f' {key}="{value}"' for key, value in _attributes(element, prefix))
    content = "".join(_markup(child, prefix) for child in element)
    return f"<{name}{pairs}>{_shown(element.text or '')}{content}</{name}>"


def _attributes(element: ET.Element, prefix: str) -> Iterator[tuple[str, str]]:
    """Yield the attributes that draw; ids get a prefix, as a page has several pictures."""
    for key, value in element.items():
        if key == "id":
            yield key, _shown(f"{prefix}{value}")
        elif key not in _DROPPED and not key.startswith("aria-"):
            yield key, _length(value.replace("url(#", f"url(#{prefix}"))


@lru_cache(1024)
def _length(value: str) -> str:
    """Return an attribute's value, its lengths to a hundredth of a pixel."""
    return html.escape(_LONG.sub(lambda number: f"{float(number[0]):.2f}", value))


@lru_cache(1024)
def _shown(text: str) -> str:
    return str(shown(text))


def script() -> str:
    """Return the script that makes drawings lively: Vega-Embed and what it needs, as one file."""
    # Its authors' licence asks for this notice, with the copyright lines of the npm packages.
    notice = (files("epc.site.charts") / "licence.txt").read_text("utf-8")
    return notice.format(renderer=picture.renderer()) + picture.bundle()
