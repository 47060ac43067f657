"""A report as a page of HTML, by one template in which any text is escaped.

Whoever wrote a record chose its names and answers. Here they can be text, and nothing else.
"""

import html
import re
from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree as ET

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from epc.printable import spelt
from epc.report.charts.chart import Chart
from epc.report.document import Conclusion, Part, Section, Toned, Verbatim
from epc.report.picture import inner, svg
from epc.version import __version__

_CODE: Final = re.compile(r"`([^`\n]+)`")
_ENDS: Final = re.compile(r"(\[[+-]?[\d.]+%?, [+-]?[\d.]+%?\])")
_SIGN: Final = re.compile(r"(?<=\w)([_:/])(?=\w)")
_TONED: Final = Markup('<span class="{}">{}</span>')
_SVG: Final = Markup('<svg role="img" width="{}" viewBox="{}" aria-label="{}">{}</svg>')


def _as_markup(value: Any) -> Markup:
    """Return what stands in a template: markup as it is, a word in its colour, text escaped."""
    if isinstance(value, Toned):
        return _TONED.format(value.tone, _escaped(value))
    return value if isinstance(value, Markup) else _escaped(str(value))


def _escaped(text: str) -> Markup:
    return Markup(html.escape("\n".join(spelt(line) for line in text.splitlines())))  # noqa: S704


def _prose(sentence: str) -> Markup:
    """Return a sentence with what stands between its backticks as code."""
    if isinstance(sentence, Toned):
        return _as_markup(sentence)
    return Markup(_CODE.sub(r"<code>\1</code>", str(_escaped(sentence))))  # noqa: S704  (escaped)


def _ends(sentence: str) -> Markup:
    """Return a sentence whose intervals are set apart."""
    return Markup(_ENDS.sub(r'<span class="ci">\1</span>', str(_escaped(sentence))))  # noqa: S704  (escaped)


def _name(text: str) -> Markup:
    """Return a name that may break after its signs."""
    return Markup(_SIGN.sub(r"\1<wbr>", str(_escaped(text))))  # noqa: S704  (escaped)


def _percent(value: float) -> str:
    return f"{value:.2f}%"


def _pixels(value: float) -> str:
    return f"{value:.1f}"


def _by_label(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, list[str]]]:
    """Return facts by their labels; one without goes on with the one before."""
    rows: list[tuple[str, list[str]]] = []
    for label, content in pairs:
        if label:
            rows.append((label, [content]))
        else:
            rows[-1][1].extend(("; ", content))
    return rows


def _drawn(chart: Chart) -> Markup:
    """Return a picture as part of the page's own markup."""
    root = ET.fromstring(svg(chart.specification))  # noqa: S314  (our own drawing)
    content = Markup(inner(root, f"{chart.name}-", _escaped))  # noqa: S704  (our own drawing)
    view = root.get("viewBox", "0 0 1 1")
    return _SVG.format(root.get("width", "1"), view, _escaped(chart.alternative), content)


def _kind(part: Part) -> str:
    return type(part).__name__


_OF_PICTURES: Final = (_ends, _name, _percent, _pixels)


@cache
def environment() -> Environment:
    """Return what templates are filled in by: whatever is no markup is escaped."""
    environment = Environment(
        loader=PackageLoader("epc.report.page", ""),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_as_markup,
        keep_trailing_newline=True,
    )
    for template_filter in (_prose, _by_label, _drawn, _kind, *_OF_PICTURES):
        environment.filters[template_filter.__name__.removeprefix("_")] = template_filter
    return environment


def rendered(parts: Iterable[Part], **page: Any) -> str:
    """Return parts of a document as markup; with a heading and the rest of it, a whole page."""
    return environment().get_template("page.j2").render(parts=[*parts], **page)


_STYLE: Final = "\n" + Path(__file__).with_name("style.css").read_text("utf-8")
_DIGEST: Final = b64encode(sha256(_STYLE.encode()).digest()).decode()
_POLICY: Final = (
    f"default-src 'none'; style-src 'sha256-{_DIGEST}'; base-uri 'none'; form-action 'none'"
)


def page(above: str, heading: str, parts: Iterable[Part], *, commands: str) -> str:
    """Return a document as a whole HTML file; `commands` are those that make it."""
    document = (*parts, Section("Compute it again", [Verbatim(commands)]))
    conclusions = (part.word.replace("_", " ") for part in document if isinstance(part, Conclusion))
    return rendered(
        document,
        above=above,
        heading=heading,
        title=": ".join((heading, *conclusions)),
        policy=Markup(_POLICY),  # noqa: S704  (our own)
        style=Markup(_STYLE),  # noqa: S704  (our own)
        version=__version__,
    )
