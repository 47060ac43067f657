"""Drawing a picture into a page: its SVG as part of the page's own markup.

As part of the page it is there without scripts and in print, and takes the page's colours.
"""

from functools import lru_cache
from importlib.resources import files
from typing import Final
from xml.etree import ElementTree as ET

from markupsafe import Markup

from epc.report import picture
from epc.report.charts.chart import Chart
from epc.site.escaping import shown

_WHERE: Final = ("width", "height")


def svg(chart: Chart) -> Markup:
    """Return a picture as markup."""
    root = ET.fromstring(picture.svg(chart.specification))  # noqa: S314  (our own drawing)
    size = Markup(' width="{}" height="{}"').format(*(root.get(key) for key in _WHERE))
    # A page has thousands of elements, so that they are written as strings, each value escaped.
    inner = Markup(picture.inner(root, f"{chart.name}-", _shown))  # noqa: S704  (as said)
    return Markup(
        '<svg class="epc-picture" role="img" aria-label="{}" viewBox="{}"{}>{}</svg>'
    ).format(shown(chart.alternative), root.get("viewBox"), size, inner)


@lru_cache(1024)
def _shown(text: str) -> str:
    return str(shown(text))


def script() -> str:
    """Return the script that makes drawings lively: Vega-Embed and what it needs, as one file."""
    # Its authors' licence asks for this notice, with the copyright lines of the npm packages.
    notice = (files("epc.site.charts") / "licence.txt").read_text("utf-8")
    return notice.format(renderer=picture.renderer()) + picture.bundle()
